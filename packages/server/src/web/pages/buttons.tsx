interface PostButtonProps {
  readonly to: string;
  readonly csrf: string;
  /** The id of the form: if it is sent twice, it is processed once. */
  readonly formId?: string;
  readonly label: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** A longer label for screen readers. */
  readonly about?: string | undefined;
  readonly quiet?: boolean;
}

/** A button with its own form, so that it works without scripts. */
export const PostButton = ({ to, csrf, formId, label, fields, about, quiet }: PostButtonProps) => (
  <form method="post" action={to} class="send">
    <HiddenFields fields={{ csrf_token: csrf, form_id: formId, ...fields }} />
    <button type="submit" class={quiet ? 'quiet' : undefined} aria-label={about}>
      {label}
    </button>
  </form>
);

interface ButtonLinkProps extends Pick<PostButtonProps, 'to' | 'label' | 'about' | 'quiet'> {
  readonly danger?: boolean;
}

/** A link that looks like a button. */
export const ButtonLink = ({ to, label, about, quiet, danger }: ButtonLinkProps) => (
  <a class={['button', quiet && 'quiet', danger && 'danger'].filter(Boolean).join(' ')} href={to} aria-label={about}>
    {label}
  </a>
);

/** Values that a form sends without showing them; undefined ones are left out. */
export const HiddenFields = ({ fields }: { fields: Readonly<Record<string, string | undefined>> }) => (
  <>
    {Object.entries(fields).map(
      ([name, value]) => value !== undefined && <input type="hidden" name={name} value={value} />,
    )}
  </>
);
