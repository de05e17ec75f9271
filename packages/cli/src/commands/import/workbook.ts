import { strToU8, unzipSync, zipSync } from 'fflate';
import readSheets from 'read-excel-file/universal';
import { CliError, toType, usageError } from '../../errors/cli-error.js';
import { decodeEntities } from '../../text/html-text.js';
import { quoted } from '../../text/quoted.js';
import { sanitizeLine } from '../../text/values.js';
import { columnKey, type Table } from './columns.js';
import { type Cells, knownColumns, type Reading, tableOfCells } from './sheet.js';

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

type Parts = Readonly<Record<string, Uint8Array>>;

const textOfPart = (parts: Parts, part: string): string => new TextDecoder().decode(parts[part]);

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
  for (const part of Object.keys(parts)) {
    if (!part.startsWith('xl/worksheets/') || !part.endsWith('.xml')) continue;
    const xml = textOfPart(parts, part);
    checkExtent(name, xml);
    parts[part] = strToU8(withErrors(xml));
  }
  return parts;
}

/** The attributes of all elements with this name, by their names without prefixes. */
const elementsOf = (xml: string, name: string): Readonly<Record<string, string>>[] =>
  [...xml.matchAll(new RegExp(`<(?:\\w+:)?${name}(?=[\\s/>])(?:"[^"]*"|'[^']*'|[^"'>])*`, 'g'))].map(([tag]) => {
    const attributes = tag.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
    return Object.fromEntries([...attributes].map(([, key, one, other]) => [key, decodeEntities(one ?? other ?? '')]));
  });

const targetsOf = (parts: Parts, path: string): ReadonlyMap<string | undefined, string> =>
  new Map(
    elementsOf(textOfPart(parts, path.replace(/[^/]*$/, '_rels/$&.rels')), 'Relationship').map(
      ({ Id, Target = '' }) => [Id, Target],
    ),
  );

const LINK_FORMULA =
  /<(?:\w+:)?c\s(?:[^<>]*\s)?r="([A-Z]+\d+)"[^<>]*>\s*<(?:\w+:)?f[^<>]*>HYPERLINK\((?:"|&quot;)([^<"]*?)(?:"|&quot;)/g;

/** Which cells link to which URL, or to none if they are merged with another, and which rows are hidden. */
function readDetails(parts: Parts, index: number, data: readonly (readonly unknown[])[]) {
  const { id } = elementsOf(textOfPart(parts, 'xl/workbook.xml'), 'sheet')[index] ?? {};
  const target = targetsOf(parts, 'xl/workbook.xml').get(id) ?? '';
  const path = `xl/${target.replace(/^\/xl\//, '')}`;
  const xml = textOfPart(parts, path);
  const links = new Map<string, string>();
  const add = (range: string, link: string): void => {
    const [[left, top] = [], [right = left, bottom = top] = []]: number[][] = range.split(':').map((place) => {
      const [, letters = '', digits] = /^([A-Z]+)(\d+)$/.exec(place) ?? [];
      return [columnNumber(letters), Number(digits)];
    });
    for (let row = top ?? 0; row <= Math.min(bottom ?? 0, data.length); row += 1)
      for (let column = left ?? 0; column <= Math.min(right ?? 0, data[0]?.length ?? 0); column += 1)
        if (link !== '' || row !== top || column !== left) links.set(`${row} ${column}`, link);
  };
  const targets = targetsOf(parts, path);
  for (const [, place = '', link = ''] of xml.matchAll(LINK_FORMULA)) add(place, decodeEntities(link));
  for (const { ref = '', id } of elementsOf(xml, 'hyperlink')) if (targets.has(id)) add(ref, targets.get(id) ?? '');
  for (const { ref = '' } of elementsOf(xml, 'mergeCell')) add(ref, '');
  const hidden = elementsOf(xml, 'row(?=[^<>]* hidden="(?:1|true)")');
  return { links, hidden: new Set(hidden.map(({ r }) => Number(r))) };
}

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
  const sheets = all.map(({ sheet, data = [] }, index) => {
    const { links, hidden } = readDetails(parts, index, data);
    const records = data.flatMap((row, index): Cells[] => {
      const cells = row.map(textOfCell);
      if (index < skipped || cells.every((cell) => cell === '')) return [];
      return [{ cells, line: index + 1, linkOf: (column) => links.get(`${index + 1} ${column + 1}`) }];
    });
    return { sheet, records, hidden, known: knownColumns(records, reading.isColumn) };
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
  const sheet = sanitizeLine(chosen.sheet);
  const notes = [...table.notes];
  const hidden = chosen.records.filter(({ line }) => chosen.hidden.has(line));
  if (hidden.length > 0)
    notes.push(`Hidden rows are read too: ${hidden.length}, the first in line ${hidden[0]?.line}.`);
  if (others.length === 0) return { ...table, notes };
  const text = others.map((each) => `"${each}"`).join(', ');
  if (wanted === undefined) notes.unshift(`Reading the sheet "${sheet}". To read another, ${text}, add --sheet NAME.`);
  return { ...table, notes, sheet: `The sheet is "${sheet}". ` };
}
