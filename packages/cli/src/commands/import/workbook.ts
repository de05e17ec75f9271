import { strToU8, unzipSync, zipSync } from 'fflate';
import readSheets from 'read-excel-file/universal';
import { CliError, toType, usageError } from '../../errors/cli-error.js';
import { quoted } from '../../text/quoted.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { columnKey } from './columns.js';
import { type Cells, knownColumns, type Reading, tableOfCells } from './sheet.js';
import type { Table } from './table.js';

/** Limits of what is read, so that a small file cannot use up the memory. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_CELLS = 4_000_000;

/** Spreadsheets keep 15 digits of a number. */
const MAX_NUMBER = 10 ** 15;

const tooLarge = (name: string, what: string) =>
  usageError(`${name} is too large for a workbook: ${what}.`, 'Save the sheet as "CSV UTF-8" and import that file');

const unreadable = (name: string, cause: unknown) =>
  new CliError({
    code: 'usage',
    message: `${name} cannot be read as an .xlsx workbook.`,
    hints: ['Save it as .xlsx, or as "CSV UTF-8"'],
    cause,
  });

const columnNumber = (letters: string): number =>
  [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);

/** Rejects sheets with a cell so far away that the empty cells before it would fill the memory. */
function checkExtent(name: string, xml: string): void {
  let [rows, columns] = [1, 1];
  for (const [, attributes = ''] of xml.matchAll(/<(?:\w+:)?(?:row|c)(?=[\s/>])((?:"[^"]*"|'[^']*'|[^"'>])*)>/g)) {
    const [, double, single] = /\sr\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(attributes) ?? [];
    const place = double ?? single;
    if (place === undefined) continue;
    const [, letters = '', digits] = /^([A-Z]{0,3})(\d+)$/.exec(place) ?? [];
    rows = Math.max(rows, Number(digits));
    columns = Math.max(columns, columnNumber(letters));
    // Not if it is NaN, for a place that is not one.
    if (!(rows * columns <= MAX_CELLS)) throw tooLarge(name, `a sheet goes as far as ${sanitizeLine(place)}`);
  }
}

/** Errors such as `#N/A`, and formulas without a stored result, as text: the reader would leave their cells empty. */
const withErrors = (xml: string): string =>
  xml
    .replaceAll(/(<(?:\w+:)?c\s[^<>]*?\bt=)(?:"e"|'e')/g, '$1"str"')
    .replaceAll(
      /(<(?:\w+:)?c(?:\s(?!t=)[\w:]+="[^"<>]*")*)>(<((?:\w+:)?)f[^<>]*>)([^<]*)(<\/\3f>)(?:<\3v\/>|<\3v><\/\3v>)?(?=<\/\3c>)/g,
      '$1 t="str">$2$4$5<$3v>=$4</$3v>',
    );

/** The parts of a workbook that its reader needs, unpacked: never more than the limit, whatever the archive says. */
function unpack(name: string, bytes: Buffer): Record<string, Uint8Array> {
  let size = 0;
  let parts: Record<string, Uint8Array>;
  try {
    parts = unzipSync(bytes, {
      filter: (entry) => {
        if (!/\.xml(?:\.rels)?$/.test(entry.name)) return false;
        size += entry.originalSize;
        if (size > MAX_BYTES) throw tooLarge(name, 'its sheets have more than 64 MiB');
        return true;
      },
    });
  } catch (error) {
    throw error instanceof CliError ? error : unreadable(name, error);
  }
  if (parts['xl/workbook.xml'] === undefined)
    throw usageError(`${name} is an archive or a document, not an .xlsx workbook.`, 'Unpack it, or save it as .xlsx');
  const decoder = new TextDecoder();
  for (const [part, content] of Object.entries(parts)) {
    if (!part.startsWith('xl/worksheets/')) continue;
    const xml = decoder.decode(content);
    checkExtent(name, xml);
    if (part.endsWith('.xml')) parts[part] = strToU8(withErrors(xml));
  }
  return parts;
}

/** A cell as text: numbers and dates as people type them. */
function textOfCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  // As spreadsheets show it: digits are missing, which is reported for ids.
  if (typeof value === 'number' && Math.abs(value) >= MAX_NUMBER) return value.toExponential().toUpperCase();
  // Results of formulas such as 770.0000000000001.
  if (typeof value === 'number') return String(Number(value.toPrecision(15)));
  if (!(value instanceof Date)) return String(value);
  // Workbooks hold times as fractions of a day, which are not exact.
  const rounded = new Date(Math.round(value.getTime() / 1000) * 1000);
  const [day = '', time = ''] = rounded.toISOString().split('T');
  const clock = time.replace(/(?::00)?\.000Z$/, '');
  // A time without a day counts from 1900.
  if (value.getUTCFullYear() < 1901) return clock;
  return clock === '00:00' ? day : `${day} ${clock}`;
}

/**
 * The sheet of a workbook that is named, else the one with the most known columns: others are covers, or the choices for cells.
 * @throws a usage error if it cannot be read
 */
export async function readWorkbook(name: string, bytes: Buffer, reading: Reading): Promise<Table> {
  const parts = unpack(name, bytes);
  // Packed again without compression, so that the reader unpacks exactly what was checked.
  const { buffer } = zipSync(parts, { level: 0 });
  const all = await readSheets(buffer as ArrayBuffer, { trim: false }).catch((error: unknown) => {
    throw unreadable(name, error);
  });
  const skipped = reading['skip-lines'] ?? 0;
  // A sheet that is a chart has no data.
  const sheets = all.map(({ sheet, data = [] }) => {
    const records = data.flatMap((row, index): Cells[] => {
      const cells = row.map(textOfCell);
      return index < skipped || cells.every((cell) => cell === '') ? [] : [{ cells, line: index + 1 }];
    });
    return { sheet, records, known: knownColumns(records, reading.isColumn) };
  });
  const wanted = reading.sheet;
  const chosen =
    wanted === undefined
      ? sheets.toSorted((one, other) => other.known - one.known)[0]
      : sheets.find(({ sheet }) => columnKey(sheet) === columnKey(wanted));
  const others = sheets.filter((each) => each !== chosen).map(({ sheet }) => sanitizeLine(sheet));
  if (chosen === undefined) {
    const names = others.map((each) => toType(`--sheet ${quoted(each)}`));
    throw usageError(`${name} has no sheet "${sanitizeLine(String(wanted))}".`, ...names);
  }
  const table = tableOfCells(chosen.records, reading, false);
  if (wanted !== undefined || others.length === 0) return table;
  const text = others.map((each) => `"${each}"`).join(', ');
  const note = `Reading the sheet "${sanitizeLine(chosen.sheet)}". To read another, ${text}, add --sheet NAME.`;
  return { ...table, notes: [note, ...table.notes] };
}
