interface PostButtonProps {
  readonly to: string;
  readonly csrf: string;
  readonly label: string;
  /** The method of the request, if it is not POST. */
  readonly method?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** A longer label for screen readers. */
  readonly about?: string;
  readonly quiet?: boolean;
}

/** A button with its own form, so that it works without scripts. */
export const PostButton = ({ to, csrf, label, method, fields = {}, about, quiet }: PostButtonProps) => (
  <form method="post" action={to} class="send">
    <HiddenFields csrf={csrf} method={method} />
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <button type="submit" class={quiet ? 'quiet' : undefined} aria-label={about}>
      {label}
    </button>
  </form>
);

/** Hidden fields of every form: the CSRF token and the method. */
export const HiddenFields = ({ csrf, method }: { csrf: string; method?: string | undefined }) => (
  <>
    <input type="hidden" name="csrf_token" value={csrf} />
    {method !== undefined && <input type="hidden" name="_method" value={method} />}
  </>
);
