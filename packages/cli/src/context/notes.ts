/** What a note about organizations says. */
export interface About {
  /** `Acme Cosmetics`, or `60 organizations`. */
  readonly organizations: string;
  readonly isSeveral: boolean;
  /** What was counted, in all of them. */
  readonly counts: readonly number[];
  /** The flags that choose them, for hints with another command: ` --org 5`. */
  readonly place: string;
}

/** A note about one organization, collected until those of all are known. */
export interface Note {
  readonly text: (about: About) => string;
  readonly organization: string;
  readonly counts: readonly number[];
  readonly isWarning: boolean;
}
