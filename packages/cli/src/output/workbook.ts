import type { FieldKinds } from '@mkt/sdk/contract';
import { hasKind } from '@mkt/sdk/contract/resources';
import writeWorkbook, { type CellObject } from 'write-excel-file/node';
import { cellText, type Row, textAt, valueAt } from '../text/values.js';

const MAX_ROWS = 1_048_576;
const MAX_TEXT = 32_767;
/** Spreadsheets keep 15 digits of a number. */
const MAX_NUMBER = 10 ** 15;

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

/** Columns of a cell, at least and at most. */
const WIDTHS = [8, 40] as const;

const escaped = (text: string): string =>
  text
    .split('')
    .map((unit) => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .join('');

/**
 * Text as workbooks hold it: characters that XML does not allow or the library removes, and text that looks like their
 * escapes, are escaped. The library finds texts as the keys of an object, so those that every object has are escaped too.
 */
function encoded(text: string): string {
  const safe = text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/_(?=x[\dA-Fa-f]{4})|[^\P{Cc}\t\n]|[\ufffd\p{Noncharacter_Code_Point}]/gu, escaped);
  return safe in {} ? escaped(safe.charAt(0)) + safe.slice(1) : safe;
}

/** Text is always of the type text, so that no program reads it as a formula. */
const textCell = (text: string): CellObject => ({ value: encoded(text.slice(0, MAX_TEXT)), type: String });

function cellOf(value: unknown, isTime: boolean): CellObject | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return { value, type: Boolean };
  if (typeof value === 'number' && Math.abs(value) < MAX_NUMBER) return { value, type: Number };
  if (typeof value === 'string' && isTime && TIME.test(value))
    return { value: new Date(value), type: Date, format: 'yyyy-mm-dd hh:mm' };
  return textCell(cellText(value));
}

/** The rows as an Excel workbook of one sheet, and the rows with a text that was too long for a cell. */
export async function workbookOf(
  rows: readonly Row[],
  paths: readonly string[],
  header: boolean,
  kinds: FieldKinds = {},
) {
  if (rows.length >= MAX_ROWS) throw new Error(`A sheet has at most ${MAX_ROWS} rows, and these are ${rows.length}.`);
  const cells = rows.map((row) => paths.map((path) => cellOf(valueAt(row, path), hasKind(kinds, path, 'timestamp'))));
  const columns = paths.map((path, index) => {
    const widest = cells.slice(0, 1000).reduce((most, row) => {
      const { value = '', type } = row[index] ?? {};
      return Math.max(most, type === Date ? 'yyyy-mm-dd hh:mm'.length : String(value).length);
    }, path.length);
    return { width: Math.min(WIDTHS[1], Math.max(WIDTHS[0], widest + 2)) };
  });
  const head = header ? [paths.map((path) => ({ ...textCell(path), fontWeight: 'bold' as const }))] : [];
  const cut = new Set(rows.filter((row) => paths.some((path) => textAt(row, path).length > MAX_TEXT)));
  const book = writeWorkbook([...head, ...cells], { columns, ...(header && { stickyRowsCount: 1 }) });
  return { data: await book.toBuffer(), cut };
}
