import type { FieldKind } from '../../http/form-fields.js';

export interface ControlProps {
  readonly kind: FieldKind['kind'] | 'prose' | 'file' | 'secret';
  readonly name: string;
  /** The name of the form field, such as `campaign[name]`. */
  readonly input: string;
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly choices: readonly string[];
  readonly errors: readonly string[];
  readonly required: boolean;
  /** The text of the empty choice. */
  readonly none?: string;
  /** Whether two such controls fit into a line. */
  readonly short?: boolean;
}

export const idOf = (name: string): string => `field-${name}`;

/** A field of a form: label, control, hint and messages. */
export function Control(props: ControlProps) {
  const { kind, name, label, hint, errors } = props;
  const id = idOf(name);
  const notes = [hint && `${id}-hint`, errors.length > 0 && `${id}-error`].filter(Boolean).join(' ');
  const input = <Input {...props} id={id} notes={notes} />;
  const isTick = kind === 'boolean' || kind === 'flag';
  const isShort = props.short === true && !isTick && kind !== 'prose' && kind !== 'file';
  return (
    <div class={isShort ? 'field short' : 'field'}>
      <label for={id}>
        {isTick && input}
        {label}
        {props.required && <span class="required"> (required)</span>}
      </label>
      {!isTick && input}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {errors.length > 0 && (
        <p class="error" id={`${id}-error`}>
          {errors.join(' ')}
        </p>
      )}
    </div>
  );
}

function Input(props: ControlProps & { id: string; notes: string }) {
  const { kind, id, input: name, value, choices, notes, errors, required } = props;
  const described = {
    id,
    name,
    ...(notes && { 'aria-describedby': notes }),
    ...(errors.length > 0 && { 'aria-invalid': 'true' as const }),
  };
  if (kind === 'choice') {
    return (
      <select {...described} required={required}>
        {!choices.includes(value) && <option value="">{required ? 'Choose' : (props.none ?? 'Default')}</option>}
        {choices.map((choice) => (
          <option value={choice} selected={choice === value}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'prose') {
    return (
      <textarea {...described} rows={8}>
        {value}
      </textarea>
    );
  }
  if (kind === 'boolean') {
    // An unchecked checkbox sends nothing, so the hidden field before it sends false.
    return (
      <>
        <input type="hidden" name={name} value="false" />
        <input type="checkbox" {...described} value="true" checked={value === 'true'} />
      </>
    );
  }
  if (kind === 'flag') return <input type="checkbox" {...described} value="1" checked={value === '1'} />;
  if (kind === 'file') return <input type="file" {...described} accept="image/png,image/jpeg,image/webp,image/gif" />;
  // The only field of its form, so it gets the focus after a rejection.
  if (kind === 'secret')
    return <input type="password" {...described} required autocomplete="off" autofocus={errors.length > 0} />;
  if (kind === 'integer')
    return <input type="number" {...described} value={value} min={0} step={1} required={required} />;
  return <input type="text" {...described} value={value} required={required} />;
}
