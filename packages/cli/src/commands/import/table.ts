import type { Hint } from '../../errors/cli-error.js';
import { type Problem, problemsError } from '../../fields/problems.js';

/** The problems of a file in one error. @param sheet a sentence with its name */
export const invalidFile = (file: string, problems: readonly Problem[], hints: readonly Hint[] = [], sheet = '') =>
  problemsError(file, problems, { code: 'invalid_file', message: `${sheet}Nothing was created.`, hints });

export type Place = Pick<Problem, 'line' | 'sheetRow'>;

/** Flags of the command that would import the file. */
export type Advice = { map?: readonly string[]; 'skip-totals'?: true; 'skip-continuations'?: true };

export interface Table {
  readonly columns: readonly string[];
  /** The values of each row by column. */
  readonly rows: readonly ReadonlyMap<string, unknown>[];
  /** Where a row is, or its value in a column. Row 0 has the column names. The first call may parse the file again. */
  readonly placeOf: (row: number, column?: string) => Place;
  /** A value as it is written in the file, if that differs from the value; only for messages. */
  readonly sourceOf?: ((row: number, path: readonly PropertyKey[]) => string | undefined) | undefined;
  /** The URL that a cell links to; empty if its text is in another cell that it is merged with. */
  readonly linkOf?: (row: number, column: string) => string | undefined;
  /** A sentence with the name of the sheet, for messages; absent if there is only one. */
  readonly sheet?: string;
  /** Whether values are text that still has to be converted to numbers and lists. */
  readonly isText: boolean;
  /** Problems of the file as a table, such as a column without a name. */
  readonly problems: readonly Problem[];
  /** What is left out, as sentences. */
  readonly notes: readonly string[];
  /** The flags that solve its problems. */
  readonly advice: Advice;
}
