/** One column of a table. */
export interface Column {
  /** Field or path in the row. */
  readonly field: string;
  readonly header: string;
  /** 0 stays on the narrowest terminal; the highest number goes first. */
  readonly priority: number;
  /** Ids and secrets: never cut. */
  readonly whole?: boolean;
  readonly align?: 'right';
  /** A time of which a terminal shows the day alone. */
  readonly day?: boolean;
}

/** How rows of one kind are shown. */
export interface View {
  readonly columns: readonly Column[];
  /** Every field that the contract names, in its order; what csv and tsv print. */
  readonly fields: readonly string[];
}
