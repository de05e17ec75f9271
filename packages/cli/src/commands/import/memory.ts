import type { ReportLine, RowLine } from './report-lines.js';

/** What is known of a row that was sent at least once. */
export interface Remembered {
  readonly last: RowLine;
  /** Digest of the fields that were sent. */
  readonly key: string;
  /** When it was last sent, or its answer was last missed; ISO 8601. */
  readonly at: string;
  /** Things that were there before the run in which it was sent. */
  readonly existing: ReadonlySet<string>;
}

/** What the report says of all rows, kept up to date while it grows. */
export class Memory {
  readonly #rows = new Map<number, Remembered>();
  /** Ids that belong to a row: nothing is ever taken for two rows. */
  readonly claimed = new Set<string>();
  runs = 0;
  /** Digest of the file in the latest run. */
  sha256 = '';
  /** Rows of the file in the latest run. */
  total = 0;
  #existing: ReadonlySet<string> = new Set();

  constructor(lines: readonly ReportLine[] = []) {
    for (const line of lines) this.take(line);
  }

  take(line: ReportLine): void {
    if ('run' in line) {
      this.runs = line.run;
      this.sha256 = line.sha256;
      this.total = line.rows;
      this.#existing = new Set(line.existing);
      return;
    }
    const known = this.#rows.get(line.row);
    if (line.state === 'created') this.claimed.add(String(line.id));
    if (line.state === 'sent') {
      this.#rows.set(line.row, { last: line, key: line.key, at: line.at, existing: this.#existing });
    } else {
      const { key, at, existing } = known ?? { key: '', at: '', existing: this.#existing };
      this.#rows.set(line.row, { last: line, key, at: line.state === 'lost' ? line.at : at, existing });
    }
  }

  of(row: number): Remembered | undefined {
    return this.#rows.get(row);
  }

  rows(): IterableIterator<[number, Remembered]> {
    return this.#rows.entries();
  }
}

/** Whether a row may have been created, and nobody knows. */
export const isUnknown = (remembered: Remembered | undefined): remembered is Remembered =>
  remembered !== undefined && ['sent', 'lost', 'unclear'].includes(remembered.last.state);

export const isCreated = (remembered: Remembered | undefined): boolean => remembered?.last.state === 'created';
