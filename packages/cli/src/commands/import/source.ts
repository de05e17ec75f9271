/** A value of a row, and the line on which it stands. */
export interface Cell {
  readonly value: unknown;
  readonly line: number;
}

/** A row of the file: its cells by the names that the file gives them. */
export interface SourceRow {
  /** From 1 on, in the order of the file. */
  readonly row: number;
  /** The line on which it begins, from 1 on. */
  readonly line: number;
  /** Its number in a spreadsheet, where rows have no lines. */
  readonly sheetRow?: number;
  readonly cells: ReadonlyMap<string, Cell>;
}

/** Something in the file that cannot be meant, found before anything is sent. */
export interface Fault {
  readonly line: number;
  /** The row of a spreadsheet, where it has another number than the line. */
  readonly sheetRow?: number | undefined;
  readonly column?: string | undefined;
  /** The rest of a sentence about the column, or about the line. */
  readonly message: string;
}

/** What a file holds, whatever its format. */
export interface Source {
  readonly columns: readonly string[];
  /** The line that names the columns; undefined where each row names them itself. */
  readonly headerLine?: number | undefined;
  readonly rows: readonly SourceRow[];
  readonly faults: readonly Fault[];
  /** Whether every cell is text that has yet to be read as a number or a list. */
  readonly textual: boolean;
  /** Whether text that looks like a formula was written with an apostrophe before it. */
  readonly formulasEscaped: boolean;
}
