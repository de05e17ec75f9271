interface SendProps {
  readonly to: string;
  readonly csrf: string;
  readonly label: string;
  /** The method that the form stands for, where it is not POST. */
  readonly method?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Says more than the label to those who hear it alone. */
  readonly about?: string;
  readonly quiet?: boolean;
  readonly danger?: boolean;
}

/** A button that sends: a form of its own, so that it works without scripts. */
export const Send = ({ to, csrf, label, method, fields = {}, about, quiet, danger }: SendProps) => (
  <form method="post" action={to} class="send">
    <Proof csrf={csrf} method={method} />
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <button type="submit" class={danger ? 'danger' : quiet ? 'quiet' : ''} aria-label={about}>
      {label}
    </button>
  </form>
);

/** What every form carries: that it is ours, and which method it means. */
export const Proof = ({ csrf, method }: { csrf: string; method?: string | undefined }) => (
  <>
    <input type="hidden" name="csrf_token" value={csrf} />
    {method !== undefined && <input type="hidden" name="_method" value={method} />}
  </>
);
