/** A campaign's status, as text and color. */
export const Status = ({ value }: { readonly value: string }) => (
  <span className="status" data-status={value}>
    {value}
  </span>
);

/** Amounts are integers without a unit: the API has none. */
export const Amount = ({ value }: { readonly value: number }) => <>{value.toLocaleString('en')}</>;

export const Day = ({ value }: { readonly value: string | null }) =>
  value === null ? <>not yet</> : <time dateTime={value}>{value.slice(0, 10)}</time>;
