import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { codesOnly, fieldsOfKind, hasKind } from '@mkt/sdk/contract';
import * as z from 'zod/mini';
import { fieldFlags, fieldNames } from '../../api/field-flags.js';
import type { DraftResource } from '../../api/labels.js';
import type { FlagKind } from '../../context/flags.js';
import { toType, usageError } from '../../errors/cli-error.js';
import { isFileName, withHtmlBriefs } from '../../fields/brief.js';
import { inputSchema } from '../../fields/input-schema.js';
import { asField, exceededRanges, type Problem, valueMessage } from '../../fields/problems.js';
import { nearest } from '../../text/nearest.js';
import { quoted } from '../../text/quoted.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { invalidFile, type Table } from './read-file.js';

export type Fields = Readonly<Record<string, unknown>>;

/** The resource that rows become, and the fields that they can set. */
export type RowType = ReturnType<typeof rowTypeOf>;

export function rowTypeOf(resource: DraftResource) {
  const { schema, creation, computed } = resource;
  // Switches remove images, which a new resource does not have.
  const flags = fieldFlags({ schema: creation, wrapper: '', partial: false }).filter(({ kind }) => kind !== 'switch');
  const fields = new Map(flags.map((flag) => [flag.field ?? '', flag]));
  /** Fields that only the service sets, and computed ones; exported files contain them. */
  const readOnly = [...fieldNames(schema), ...fieldNames(creation), ...Object.keys(computed)].filter(
    (field) => !fields.has(field),
  );
  return { resource, schema: inputSchema(creation), fields, readOnly };
}

/** The field of each column that `--map` names; empty for one to skip. */
const parseMaps = (maps: readonly string[], { columns }: Table, { fields, readOnly, resource }: RowType) =>
  new Map(
    maps.map((map) => {
      const shown = sanitizeLine(map);
      // A column name may contain the sign; a field name does not.
      const at = map.lastIndexOf('=');
      if (at <= 0) throw usageError(`--map takes COLUMN=FIELD, not "${shown}".`, toType("--map 'Campaign name=name'"));
      const [column, field] = [map.slice(0, at).trim(), map.slice(at + 1).trim()];
      if (!columns.includes(column)) {
        const message = `--map ${shown}: the file has no column "${sanitizeLine(column)}".`;
        throw usageError(message, `Columns: ${columns.map(sanitizeLine).join(', ')}`);
      }
      if (field === '' || fields.has(field)) return [column, field] as const;
      const reason = readOnly.includes(field)
        ? `${field} is read-only.`
        : `"${sanitizeLine(field)}" is not a ${resource.singular} field.`;
      throw usageError(`--map ${shown}: ${reason}`, `Fields: ${[...fields.keys()].join(', ')}`);
    }),
  );

/** `CPM amount` and `cpm-amount` are `cpm_amount`. */
const fieldNameOf = (column: string): string =>
  column
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/**
 * Finds the field of each column: the one that `--map` names, or the one of the same name. Rows can be checked if every
 * required field has a column (`isComplete`).
 */
function readColumns(table: Table, maps: readonly string[], type: RowType) {
  const mapped = parseMaps(maps, table, type);
  const { singular } = type.resource;
  /** The column of each field. */
  const byField = new Map<string, string>();
  const readOnly: string[] = [];
  const unknown: string[] = [];
  const problems: Problem[] = [];
  const report = (column: string, message: string): void => {
    const firstRow = table.isText ? 0 : 1 + table.rows.findIndex((row) => row.has(column));
    problems.push({ line: table.placeOf(firstRow, column).line, column, message });
  };
  for (const column of table.columns) {
    const field = mapped.get(column) ?? fieldNameOf(column);
    const first = byField.get(field);
    if (field === '') continue;
    if (type.readOnly.includes(field)) readOnly.push(column);
    else if (!type.fields.has(field)) unknown.push(column);
    else if (first === undefined) byField.set(field, column);
    else report(column, `maps to ${field}, and so does "${sanitizeLine(first)}". Choose one with --map.`);
  }
  const free = new Set([...type.fields.keys()].filter((field) => !byField.has(field)));
  // An exported file may have fields that only the service it came from has.
  const { fields } = type.resource;
  const isExport = fieldsOfKind(fields, 'identity').every(
    (field) => readOnly.includes(field) || hasKind(fields, field, 'url'),
  );
  /** Flags that would probably solve the problems. */
  const flags: string[] = [];
  for (const column of unknown) {
    const suggestion = nearest(column, [...free]);
    if (suggestion !== undefined) free.delete(suggestion);
    else if (isExport) {
      readOnly.push(column);
      continue;
    }
    report(column, `is not a ${singular} field.${suggestion === undefined ? '' : ` Did you mean ${suggestion}?`}`);
    flags.push(`--map ${quoted(`${sanitizeLine(column)}=${suggestion ?? ''}`)}`);
  }
  const missing = [...type.fields].flatMap(([field, { required }]) => (required && !byField.has(field) ? [field] : []));
  for (const field of missing) {
    problems.push({ ...table.placeOf(0), message: `there is no column for the required field ${field}.` });
    if (free.has(field)) flags.unshift(`--map COLUMN=${field}`);
  }
  // Without any field, each row would become an empty draft.
  if (byField.size === 0 && missing.length === 0)
    problems.push({ ...table.placeOf(0), message: `no column matches a ${singular} field.` });
  const hints = flags.length === 0 ? [] : [toType(flags.join(' '), 'Map or skip these columns')];
  return { byField, readOnly, problems, hints, isComplete: byField.size > 0 && missing.length === 0 };
}

/** How spreadsheets and people write true and false. */
const boolean = z.stringbool();

/** A cell as a value of its field's type. Text that cannot be converted stays text, which the contract then rejects. */
function convert(text: string, kind: FlagKind): unknown {
  const bare = text.trim();
  if (kind === 'integer') return /^[+-]?\d+$/.test(bare) ? Number(bare) : text;
  if (kind === 'boolean') return boolean.safeParse(bare).data ?? text;
  if (kind !== 'list') return text;
  const items = bare.split(/[,;]/).map((item) => item.trim());
  return items.filter((item) => item !== '');
}

/** The fields that a row sets. An empty cell of a table of text sets none. */
function fieldsOf(row: Table['rows'][number], isText: boolean, byField: ReadonlyMap<string, string>, type: RowType) {
  const fields: Record<string, unknown> = {};
  for (const [field, column] of byField) {
    const value = row.get(column);
    if (value === undefined || (isText && String(value).trim() === '')) continue;
    fields[field] = isText ? convert(String(value), type.fields.get(field)?.kind ?? 'text') : value;
  }
  return fields;
}

/** What a spreadsheet makes of a long number, such as the id of a sound, in a cell that is not formatted as text. */
const SHORTENED_NUMBER = /^\d([.,]\d+)?E\+\d\d$/;

/** A row that can be sent. */
export interface CheckedRow {
  /** From 1, in the order of the file. */
  readonly row: number;
  readonly fields: Fields;
  /** Undefined for a collab without one. */
  readonly name: string | undefined;
  /** Digest of the fields: the same for equal rows, in any file. */
  readonly key: string;
}

const digest = (fields: Fields): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1))))
    .digest('hex')
    .slice(0, 16);

/** Converts and checks every row; also returns the read-only columns. @throws an error with all problems */
export function checkRows(file: string, table: Table, maps: readonly string[], type: RowType) {
  const { byField, readOnly, problems, hints, isComplete } = readColumns(table, maps, type);
  const rows = (isComplete ? table.rows : []).map((cells, index): CheckedRow => {
    const row = index + 1;
    const report = (field: string, message: string): void => {
      const column = byField.get(field) ?? field;
      problems.push({ ...table.placeOf(row, column), column, message });
    };
    const cellFields = fieldsOf(cells, table.isText, byField, type);
    for (const field of fieldsOfKind(type.resource.fields, 'richText'))
      if (isFileName(cellFields[field], '.', dirname(file)))
        report(field, 'is the name of a file. Put its text into the cell.');
    const given = withHtmlBriefs(type.resource.fields, cellFields);
    const { data: fields = given, error } = type.schema.safeParse(given, { reportInput: true, ...codesOnly });
    for (const issue of error?.issues ?? []) {
      const [field, ...rest] = issue.path;
      const path = [byField.get(String(field)) ?? '', ...rest];
      report(String(field), valueMessage(issue, table.sourceOf?.(row, path)));
    }
    for (const [field, value] of Object.entries(table.isText ? fields : {})) {
      if (type.fields.get(field)?.kind !== 'text' || !SHORTENED_NUMBER.test(String(value))) continue;
      const advice = 'Format the column as text and enter the number again.';
      report(field, `was shortened by a spreadsheet to ${value}. ${advice}`);
    }
    for (const { min, message } of exceededRanges(type.resource, (field) => fields[field]))
      report(min, message(asField));
    return { row, fields, name: typeof fields.name === 'string' ? fields.name : undefined, key: digest(fields) };
  });
  if (problems.length > 0) throw invalidFile(file, problems, hints);
  return { rows, skippedColumns: readOnly };
}
