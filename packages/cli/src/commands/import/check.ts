import { createHash } from 'node:crypto';
import type { Flag } from '../../context/command.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { cutTo } from '../../text/width.js';
import type { Columns } from './columns.js';
import type { Issue, Kind } from './kind.js';
import type { Fault, Source, SourceRow } from './source.js';
import { cellValue } from './values.js';

export type Fields = Readonly<Record<string, unknown>>;

/** A row that can be sent. */
export interface CheckedRow {
  readonly row: number;
  readonly line: number;
  readonly fields: Fields;
  /** Undefined where a collab has none. */
  readonly name: string | undefined;
  /** Digest of the fields: the same row, wherever it stands and whatever file it is in. */
  readonly key: string;
}

export interface Checked {
  readonly rows: readonly CheckedRow[];
  readonly faults: readonly Fault[];
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'must be text',
  array: 'must be a list',
};

/** `1.000`, `700,00`, `1 000`: a number as spreadsheets show it. */
const SEPARATED = /\d[.,'\s]\d/;

/** What a spreadsheet leaves of a long number, such as the id of a sound, in a cell that is not formatted as text. */
const SHORTENED = /^\d([.,]\d+)?E\+\d\d$/;

/** A value in a sentence: short, harmless, in quotes where it is text. */
const shown = (value: unknown): string => cutTo(sanitizeLine(JSON.stringify(value) ?? ''), 40);

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);

/** The contract's own message where it has one, else what the type asks for; with what stands there instead. */
function complaint({ message, expected, path }: Issue, { kind }: Flag, fields: Fields): string {
  const value = at(fields, path);
  const asked =
    kind === 'integer'
      ? `must be a whole number of at least 0${typeof value === 'string' && SEPARATED.test(value) ? ', in digits alone' : ''}`
      : message === 'Invalid input'
        ? (typeNames[expected ?? ''] ?? 'is not valid')
        : message;
  const short = typeof value !== 'object' || value === null;
  return short && !/blank|long/.test(asked) ? `${asked}, not ${shown(value)}` : asked;
}

const digest = (fields: Fields): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1))))
    .digest('hex')
    .slice(0, 16);

/** How the rows of a file are read. */
interface Reading {
  readonly source: Source;
  readonly columns: Columns;
  readonly kind: Kind;
  readonly flags: ReadonlyMap<string, Flag>;
}

function fieldsOf(row: SourceRow, { source, columns, flags }: Reading): Fields {
  const fields: Record<string, unknown> = {};
  for (const [column, field] of columns.fields) {
    const value = row.cells.get(column)?.value;
    const kind = flags.get(field)?.kind ?? 'text';
    if (value === undefined || (source.textual && String(value).trim() === '')) continue;
    fields[field] = source.textual ? cellValue(String(value), kind, source.formulasEscaped) : value;
  }
  return fields;
}

function faultsOf(row: SourceRow, fields: Fields, { source, columns, kind, flags }: Reading): Fault[] {
  const columnOf = (field: string): string => [...columns.fields].find(([, other]) => other === field)?.[0] ?? field;
  const faults = new Map<string, Fault>();
  const add = (field: string, message: string): void => {
    const column = columnOf(field);
    const line = row.cells.get(column)?.line ?? row.line;
    const fault = { line, sheetRow: row.sheetRow, column, message: `${message}.` };
    faults.set(`${field} ${message}`, fault);
  };
  for (const issue of kind.issues(fields)) {
    const field = String(issue.path[0]);
    const flag = flags.get(field);
    if (fields[field] === undefined) add(field, 'is empty, and every row needs it');
    else if (flag !== undefined) add(field, complaint(issue, flag, fields));
  }
  for (const [field, value] of Object.entries(source.textual ? fields : {})) {
    if (flags.get(field)?.kind !== 'text' || typeof value !== 'string' || !SHORTENED.test(value)) continue;
    add(field, `is a number that a spreadsheet has shortened, ${value}: format the column as text, and type it anew`);
  }
  // D33, where a row has both; what the service fills in for one of them is its own affair.
  for (const { min, max } of kind.ranges) {
    const [least, most] = [fields[min], fields[max]];
    if (typeof least === 'number' && typeof most === 'number' && least > most)
      add(min, `must be at most ${max}, which is ${most}`);
  }
  return [...faults.values()];
}

/** Every row as it would be sent, and what the service would refuse in it, as far as the contract can say. */
export function checkRows(source: Source, columns: Columns, kind: Kind): Checked {
  if (!columns.complete) return { rows: [], faults: [] };
  const flags = new Map(kind.fields.map((flag) => [flag.field ?? '', flag]));
  const reading = { source, columns, kind, flags };
  const rows: CheckedRow[] = [];
  const faults: Fault[] = [];
  for (const each of source.rows) {
    const fields = fieldsOf(each, reading);
    faults.push(...faultsOf(each, fields, reading));
    const name = typeof fields.name === 'string' ? fields.name : undefined;
    rows.push({ row: each.row, line: each.line, fields, name, key: digest(fields) });
  }
  return { rows, faults };
}
