/** What front ends get wrong most, and the API does not report: it ignores it, or responds as to any unknown id or token. */
export const mistakeKinds = [
  'unknown-field',
  'unknown-parameter',
  'read-only-field',
  'state-in-body',
  'decimal-amount',
  'undefined-in-path',
  'undefined-in-token',
  'malformed-token',
  'foreign-id',
  'missing-accept',
  'wrong-host',
  'unknown-endpoint',
] as const;
export type MistakeKind = (typeof mistakeKinds)[number];

/** A mistake in a request, which the option `strict` looks for. */
export interface Mistake {
  readonly kind: MistakeKind;
  /** As it was sent: a name, a value or a URL. */
  readonly given: string;
  /** What it should have been: a name, a value, a request; null if that is not known. */
  readonly instead: string | null;
}

/** The option `strict`: which mistakes are not listed. */
export interface Strict {
  readonly allow: readonly MistakeKind[];
}
