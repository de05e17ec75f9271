import { type ReactNode, useId } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly errors: readonly string[] | undefined;
  readonly children: (attributes: {
    id: string;
    'aria-invalid': boolean;
    'aria-describedby': string | undefined;
  }) => ReactNode;
}

/** One field of a form, with the API's error messages. */
export function Field({ label, hint, errors = [], children }: FieldProps) {
  const id = useId();
  const hasErrors = errors.length > 0;
  const described = [hint && `${id}-hint`, hasErrors && `${id}-errors`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': hasErrors, 'aria-describedby': described || undefined })}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {hasErrors && (
        <ul className="errors" id={`${id}-errors`}>
          {errors.map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
