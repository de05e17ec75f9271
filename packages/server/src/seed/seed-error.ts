/** One thing that is wrong with a seed, and where it stands. */
export interface SeedFault {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** The field, as in `organizations.acme.campaigns[0].name`; empty for the file as a whole. */
  readonly path: string;
  /** A plain sentence that says what to do. */
  readonly message: string;
}

const sentence = ({ line, column, path, message }: SeedFault): string =>
  `line ${line}, column ${column}: ${path === '' ? '' : `${path}: `}${message}`;

/** A seed that cannot be used, with all its faults in the order of their lines. Nothing of it is loaded. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
  readonly faults: readonly SeedFault[];

  constructor(faults: readonly SeedFault[]) {
    const sorted = [...faults].sort((left, right) => left.line - right.line || left.column - right.column);
    super(
      sorted.length === 1
        ? `The seed has a fault at ${sorted.map(sentence).join()}`
        : `The seed has ${sorted.length} faults:\n${sorted.map((fault) => `  ${sentence(fault)}`).join('\n')}`,
    );
    this.faults = sorted;
  }
}
