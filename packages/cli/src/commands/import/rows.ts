import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { codesOnly, fieldsOfKind, hasKind } from '@mkt/sdk/contract';
import { platformNamed } from '@mkt/server/codes';
import type { FlagValues } from '../../context/flags.js';
import { toType } from '../../errors/cli-error.js';
import { isFileName, withHtmlBriefs } from '../../fields/brief.js';
import { asField, exceededRanges, valueMessage } from '../../fields/problems.js';
import { columnKey, invalidFile, type RowType, readColumns, type Table, valueOfCell } from './columns.js';

export type Fields = Readonly<Record<string, unknown>>;

/** The fields that a row sets. An empty cell of a table of text sets none. */
function fieldsOf(row: Table['rows'][number], isText: boolean, byField: ReadonlyMap<string, string>, type: RowType) {
  const fields: Record<string, unknown> = {};
  for (const [field, column] of byField) {
    const value = row.get(column);
    if (value === undefined || (isText && String(value).trim() === '')) continue;
    const flag = type.fields.get(field);
    fields[field] = isText && flag !== undefined ? valueOfCell(String(value), flag, type) : value;
  }
  return fields;
}

/** A URL as people often write it: without its scheme and its last slash. */
const addressOf = (url: string): string =>
  url
    .trim()
    .replace(/^(?:https?:\/\/|mailto:)/i, '')
    .replace(/\/$/, '');

/** What a spreadsheet makes of a long number, such as the id of a sound, in a cell that is not formatted as text. */
const SHORTENED_NUMBER = /^\d([.,]\d+)?E\+\d\d$/;

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

/** What a check of rows takes: the table, the mapping, and a command with other flags for advice. */
interface Check {
  readonly table: Table;
  readonly maps: readonly string[];
  readonly skipsContinuations: boolean;
  readonly commandWith: (change: FlagValues) => string;
}

/** Converts and checks every row. The notes say which rows and columns it leaves out. @throws an error with all problems */
export function checkRows(file: string, { table, maps, skipsContinuations, commandWith }: Check, type: RowType) {
  const { byField, readOnly, skipped, renamed, advised, isComplete, ...columns } = readColumns(table, maps, type);
  const problems = [...table.problems, ...columns.problems];
  const advice = { ...table.advice };
  const { title, singular } = type.resource;
  const titleColumn = byField.get(title);
  /** Shops and people write several rows for one name, and only the first row has it. */
  const isContinuation = (cells: Table['rows'][number]): boolean =>
    table.isText && titleColumn !== undefined && String(cells.get(titleColumn)).trim() === '';
  const continuations: number[] = [];
  const notes = [...table.notes];
  const rows = (isComplete ? table.rows : []).flatMap((cells, index): CheckedRow[] => {
    const row = index + 1;
    const report = (field: string, message: string): void => {
      const column = byField.get(field) ?? field;
      problems.push({ ...table.placeOf(row, column), column, message });
    };
    if (isContinuation(cells)) {
      continuations.push(table.placeOf(row).line);
      if (skipsContinuations) return [];
      advice['skip-continuations'] = true;
      report(title, 'is empty, but the row has other cells. To leave out such rows, add --skip-continuations.');
      return [];
    }
    const cellFields = fieldsOf(cells, table.isText, byField, type);
    for (const [field, column] of byField) {
      const link = table.linkOf?.(row, column);
      if (link === '') report(field, 'is merged with another cell. Split the cells, and fill in each of them.');
      const text = String(cells.get(column));
      if (!link || addressOf(link) === addressOf(text)) continue;
      if (hasKind(type.resource.fields, field, 'url') && !/^https?:/i.test(text)) cellFields[field] = link;
      else notes.push(`Line ${table.placeOf(row).line}: the link of "${columnKey(column)}" is left out: ${link}.`);
    }
    for (const field of fieldsOfKind(type.resource.fields, 'richText'))
      if (isFileName(cellFields[field], '.', dirname(file)))
        report(field, 'is the name of a file. Put its text into the cell.');
    const given = withHtmlBriefs(type.resource.fields, cellFields, {
      problem: report,
      leftOut: (_field, message) => notes.push(`Line ${table.placeOf(row).line}: ${message}`),
    });
    const { data: fields = given, error } = type.schema.safeParse(given, { reportInput: true, ...codesOnly });
    for (const issue of error?.issues ?? []) {
      const [field, ...rest] = issue.path;
      const path = [byField.get(String(field)) ?? '', ...rest];
      report(String(field), valueMessage(issue, table.sourceOf?.(row, path)));
    }
    for (const [field, value] of Object.entries(table.isText ? fields : {})) {
      // A name can look like that.
      if (field === title || type.fields.get(field)?.kind !== 'text' || !SHORTENED_NUMBER.test(String(value))) continue;
      const advice = 'Format the column as text and enter the number again.';
      report(field, `was shortened by a spreadsheet to ${value}. ${advice}`);
    }
    for (const { min, message } of exceededRanges(type.resource, (field) => fields[field]))
      report(min, message(asField));
    return [{ row, fields, name: typeof fields.name === 'string' ? fields.name : undefined, key: digest(fields) }];
  });
  if (problems.length > 0) {
    const withMaps = (more: readonly string[]) => {
      const map = [...maps, ...more, ...(advice.map ?? [])];
      return toType(commandWith({ ...advice, ...(map.length > 0 && { map: [...new Set(map)] }) }));
    };
    const hasAdvice = Object.keys(advice).length > 0 || advised.some((more) => more.length > 0);
    throw invalidFile(file, problems, hasAdvice ? advised.map(withMaps) : [], table.sheet);
  }
  if (rows.length === 0)
    throw invalidFile(file, [{ line: 1, message: `the file has no ${singular}.` }], [], table.sheet);
  const platforms = fieldsOfKind(type.resource.fields, 'platform').flatMap((field) =>
    rows.flatMap(({ fields }) => [fields[field] ?? []].flat().map(String)),
  );
  const unknown = [...new Set(platforms)].filter((platform) => platformNamed(platform) !== platform);
  if (unknown.length > 0) notes.push(`Platforms that are not known: ${unknown.join(', ')}.`);
  if (renamed.length > 0) notes.push(`Reading ${renamed.join(', ')}.`);
  if (readOnly.length > 0) notes.push(`Skipping read-only columns: ${readOnly.map(columnKey).join(', ')}.`);
  if (skipped.length > 0) notes.push(`Skipping columns: ${skipped.map(columnKey).join(', ')}.`);
  if (continuations.length > 0)
    notes.push(`Skipping rows without a name: line${continuations.length > 1 ? 's' : ''} ${continuations.join(', ')}.`);
  return { rows, byField, notes };
}
