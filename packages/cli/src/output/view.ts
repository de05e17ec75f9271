import type { FieldKinds } from '@mkt/sdk/contract';
import type { Row } from '../text/values.js';

/** One column of a table. */
export interface Column {
  /** Field or path in the row. */
  readonly field: string;
  readonly header: string;
  /** 0 is always shown; on narrow terminals the highest numbers are dropped first. */
  readonly priority: number;
  /** Ids and secrets: never cut. */
  readonly whole?: boolean;
  readonly align?: 'right';
  /** A time, shown as a date only on a terminal. */
  readonly day?: boolean;
}

/** A column that is called as its field. */
export const columnOf = (field: string): Column => ({ field, header: field.toUpperCase(), priority: 0 });

/** The names of fields. Those of the contract are read when they are needed, because loading it takes time. */
type Fields = readonly string[] | (() => Promise<readonly string[]>);
export const namesOf = async (fields: Fields): Promise<readonly string[]> =>
  typeof fields === 'function' ? fields() : fields;

/** The columns and fields of a list or a resource. */
export interface View {
  readonly columns: readonly Column[];
  /** All fields of the contract, in its order; the columns of csv and tsv. */
  readonly fields: Fields;
  readonly kinds?: FieldKinds;
  /** Fields that `complete` adds to a row. */
  readonly computed?: readonly string[];
  readonly complete?: (row: Row) => Row;
  /** For a list that leaves some out: all fields, and the command group that prints them. */
  readonly unlisted?: { readonly fields: Fields; readonly command: string };
}
