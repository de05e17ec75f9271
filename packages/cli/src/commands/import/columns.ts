import { writeFileSync } from 'node:fs';
import { codesOnly, fieldsOfKind, hasKind, type Kind } from '@mkt/sdk/contract';
import { namesIn, platformNamed } from '@mkt/server/codes';
import * as z from 'zod/mini';
import { fieldFlags, fieldNames } from '../../api/field-flags.js';
import type { DraftResource } from '../../api/labels.js';
import { textOf } from '../../config/text-of.js';
import type { Flag } from '../../context/flags.js';
import { fileError, type Hint, toType, usageError } from '../../errors/cli-error.js';
import { codeNamed } from '../../fields/codes.js';
import { inputSchema } from '../../fields/input-schema.js';
import { type Problem, problemsError, valueMessage } from '../../fields/problems.js';
import { readNamedFile } from '../../fields/read-input.js';
import { nearest } from '../../text/nearest.js';
import { sanitizeLine } from '../../text/values.js';

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

const boolean = z.stringbool();

/** `instagram` for `IG`; services may know other platforms, whose names are one word. */
const platformOf = (text: string): string | undefined =>
  platformNamed(text) ?? (/^[a-z0-9][\w-]*$/i.test(text) ? text.toLowerCase() : undefined);

/** A cell as a value of its field's type. Text that cannot be converted stays text, which the contract then rejects. */
export function valueOfCell(
  text: string,
  { field = '', kind }: Pick<Flag, 'field' | 'kind'>,
  { resource }: RowType,
): unknown {
  const { fields } = resource;
  const bare = text.trim();
  if (kind === 'integer') return /^[+-]?\d+$/.test(bare) ? Number(bare) : text;
  if (kind === 'boolean') return boolean.safeParse(bare).data ?? text;
  if (hasKind(fields, field, 'currency')) return codeNamed('currency', bare) ?? text;
  // What has an unknown name stays as it is, for the contract to reject.
  if (hasKind(fields, field, 'country')) {
    const codeOf = (name: string) => codeNamed('country', name);
    return namesIn(bare, (name) => codeOf(name) !== undefined).map((name) => codeOf(name) ?? name);
  }
  if (hasKind(fields, field, 'platform')) {
    const names = namesIn(
      bare,
      (name) => platformNamed(name) !== undefined,
      (name) => platformOf(name) !== undefined,
    );
    return [...new Set(names.map((name) => platformOf(name) ?? name))];
  }
  if (kind !== 'list') return text;
  return bare
    .split(/[,;|\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

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

/** Column names are compared without differences in white space and in the form of accents, which cannot be typed. */
export const columnKey = (column: string): string => sanitizeLine(column.normalize('NFC'));

/** `CPM amount` and `cpm-amount` are `cpm_amount`. */
const fieldNameOf = (column: string): string =>
  columnKey(column)
    .toLowerCase()
    .replace(/[*:]+$/, '')
    .trim()
    .replaceAll(/[\s-]+/g, '_');

const synonymsByKind: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  country: [
    ...['country', 'country_code', 'country_codes', 'market', 'markets'],
    ...['target_country', 'target_countries', 'country/region'],
  ],
  platform: ['platform', 'platforms'],
  currency: ['currency_code'],
  url: ['website_url', 'landing_page', 'landing_page_url', 'landing_url', 'product_url'],
  richText: ['creative_brief', 'campaign_brief'],
};

/** Names that often, but not always, mean such a field: they are only suggested. */
const likelyByKind: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  url: ['link', 'final_url', 'product_link'],
  richText: ['body', 'description', 'campaign_description', 'product_description'],
};

/** Other names of each field, the surest first. */
function synonymsOf({ resource, fields }: RowType): ReadonlyMap<string, readonly string[]> {
  const { singular, title } = resource;
  const ofTitle = ['title', singular, `${singular}_name`, `${singular}_title`, 'creator', 'influencer', 'handle'];
  const byKind = Object.entries(synonymsByKind).flatMap(([kind, names]) =>
    fieldsOfKind(resource.fields, kind as Kind).map((field): [string, readonly string[]] => [field, names]),
  );
  byKind.unshift([title, ofTitle]);
  return new Map(byKind.filter(([field]) => fields.has(field)));
}

/** One `--map`, or one line of a mapping: the column, and its field, which is empty for a column to skip. */
function parseMap(map: string): { column: string; field: string } {
  // A column name may contain the sign; a field name does not.
  const at = map.lastIndexOf('=');
  if (at > 0) return { column: columnKey(map.slice(0, at)), field: map.slice(at + 1).trim() };
  throw usageError(
    `--map takes COLUMN=FIELD or @FILE, not "${sanitizeLine(map)}".`,
    toType("--map 'Campaign name=name'"),
  );
}

/** The maps of the command line; `@FILE` has one on each line. */
export const expandMaps = (maps: readonly string[]): string[] =>
  maps.flatMap((map) => {
    if (!map.startsWith('@') || map.includes('=')) return [map];
    const lines = textOf(readNamedFile(map.slice(1), '--map'), map.slice(1)).split(/\r?\n/);
    return lines.filter((line) => line.trim() !== '');
  });

/** Whether all columns are skipped that are neither mapped nor known. */
export const skipsOthers = (maps: readonly string[]): boolean => maps.some((map) => parseMap(map).column === '*');

/** Whether a column name is mapped or known. */
export function isColumnOf(maps: readonly string[], type: RowType): (column: string) => boolean {
  const mapped = new Set(maps.map((map) => parseMap(map).column));
  const known = new Set([...type.fields.keys(), ...type.readOnly, ...[...synonymsOf(type).values()].flat()]);
  return (column) => mapped.has(columnKey(column)) || known.has(fieldNameOf(column));
}

function mappedFields(maps: readonly string[], table: Table, { fields, readOnly, resource }: RowType) {
  const columns = new Map(table.columns.map((column) => [columnKey(column), column]));
  return new Map(
    maps.flatMap((map) => {
      const { column, field } = parseMap(map);
      const shown = sanitizeLine(map);
      const found = columns.get(column);
      // Mappings are kept for several files, which may lack a column to skip.
      if (found === undefined && field === '') return [];
      if (found === undefined) {
        const message = `--map ${shown}: the file has no column "${column}".`;
        throw usageError(message, `Columns: ${[...columns.keys()].join(', ')}`);
      }
      if (field === '' || fields.has(field)) return [[found, field] as const];
      const reason = readOnly.includes(field)
        ? `${field} is read-only.`
        : `"${sanitizeLine(field)}" is not a ${resource.singular} field.`;
      throw usageError(`--map ${shown}: ${reason}`, `Fields: ${[...fields.keys()].join(', ')}`);
    }),
  );
}

/** Budgets are not fields of a new campaign. */
const isBudget = (column: string): boolean => /(?:^|_)budget(?:_|$)/.test(fieldNameOf(column));

const textsOf = ({ rows }: Table, column: string): string[] =>
  rows.map((row) => String(row.get(column) ?? '').trim()).filter((text) => text !== '');

/** Why a cell of a table of text is not a value of the field; undefined if it is. */
function cellProblem(text: string, field: string, type: RowType): string | undefined {
  const flag = type.fields.get(field);
  const value = flag === undefined ? undefined : valueOfCell(text, flag, type);
  const [issue] = type.schema.shape[field]?.safeParse(value, { reportInput: true, ...codesOnly }).error?.issues ?? [];
  return issue === undefined ? undefined : valueMessage(issue);
}

const isValue = (text: string, field: string, type: RowType): boolean =>
  type.fields.has(field) && cellProblem(text, field, type) === undefined;

/** The field whose name is closest: `Max. payout ($)` is near `max_payout_amount`. */
function nearField(column: string, free: readonly string[], { resource }: RowType): string | undefined {
  const bare = columnKey(column.replaceAll(/\([^)]*\)|\./g, ' '));
  const isLikely = (field: string): boolean =>
    Object.entries(likelyByKind).some(
      ([kind, names]) => hasKind(resource.fields, field, kind as Kind) && names.includes(fieldNameOf(bare)),
    );
  return free.find(isLikely) ?? nearest(bare, free);
}

/** What a suggestion lacks: amounts with signs and separators would all be rejected. */
function amountProblem(table: Table, column: string, free: readonly string[], type: RowType): string {
  const near = nearField(column, free, type);
  const [amount] = table.isText ? textsOf(table, column).filter((text) => /\d/.test(text)) : [];
  const isAmount = near !== undefined && type.fields.get(near)?.kind === 'integer' && amount !== undefined;
  const problem = isAmount ? cellProblem(amount, near, type) : undefined;
  return problem === undefined ? '' : ` As ${near}, a cell ${problem}`;
}

/** The field that a column with an unknown name probably is: by its name, or by countries and currencies in its cells. */
function fieldMeant(
  table: Table,
  column: string,
  free: readonly string[],
  type: RowType,
  isExport: boolean,
): string | undefined {
  if (isBudget(column)) return undefined;
  const near = nearField(column, free, type);
  // A type in a file of a shop is not the content type.
  const isPart = near?.endsWith(`_${fieldNameOf(column)}`) === true;
  const texts = table.isText ? textsOf(table, column) : [];
  const isPossible = isExport || texts.length === 0 || texts.some((text) => isValue(text, near ?? '', type));
  if (near !== undefined && !isPart && isPossible) return near;
  const { fields } = type.resource;
  const coded = free.filter((field) => hasKind(fields, field, 'country') || hasKind(fields, field, 'currency'));
  // The others may be n/a or #N/A.
  return coded.find((field) => texts.filter((text) => isValue(text, field, type)).length * 2 > texts.length);
}

/** The columns that could be the names of the rows: in most rows they have a text with letters. */
const nameColumns = (table: Table, unknown: readonly string[]): string[] =>
  unknown
    .filter((column) => !isBudget(column))
    .filter((column) => textsOf(table, column).filter((text) => /\p{L}/u.test(text)).length * 2 > table.rows.length)
    .slice(0, 3);

/**
 * Finds the field of each column: the one that `--map` names, the one of the same name, or one with this other name. Rows
 * can be checked if every required field has a column (`isComplete`). `maps` are the mappings that solve the problems,
 * with alternatives for the required field that is missing.
 */
export function readColumns(table: Table, maps: readonly string[], type: RowType) {
  const mapped = mappedFields(maps, table, type);
  const { singular, fields: kinds } = type.resource;
  const byField = new Map<string, string>();
  const readOnly: string[] = [];
  let unknown: string[] = [];
  const problems: Problem[] = [];
  const advised: string[] = [];
  const report = (column: string, message: string): void => {
    const firstRow = table.isText ? 0 : 1 + table.rows.findIndex((row) => row.has(column));
    problems.push({ line: table.placeOf(firstRow, column).line, column: columnKey(column), message });
  };
  for (const column of table.columns) {
    const field = mapped.get(column) ?? fieldNameOf(column);
    const first = byField.get(field);
    if (field === '') continue;
    if (type.readOnly.includes(field)) readOnly.push(column);
    else if (!type.fields.has(field)) unknown.push(column);
    else if (first === undefined) byField.set(field, column);
    else {
      report(column, `maps to ${field}, and so does "${columnKey(first)}". Choose one with --map.`);
      advised.push(`${columnKey(column)}=`);
    }
  }
  const renamed: string[] = [];
  for (const [field, names] of table.isText ? synonymsOf(type) : []) {
    const column = names.flatMap((name) => unknown.find((each) => fieldNameOf(each) === name) ?? [])[0];
    if (byField.has(field) || column === undefined) continue;
    byField.set(field, column);
    renamed.push(`"${columnKey(column)}" as ${field}`);
    unknown = unknown.filter((each) => each !== column);
  }
  const free = new Set([...type.fields.keys()].filter((field) => !byField.has(field)));
  // An exported file may have fields that only the service it came from has.
  const isExport = fieldsOfKind(kinds, 'identity').every(
    (field) => readOnly.includes(field) || hasKind(kinds, field, 'url'),
  );
  let skipped: string[] = [];
  if (skipsOthers(maps)) [skipped, unknown] = [unknown, []];
  const unsolved: string[] = [];
  /** Problems of columns without a further hint. */
  const plain = new Set<Problem | undefined>();
  for (const column of unknown) {
    const suggestion = fieldMeant(table, column, [...free], type, isExport);
    if (suggestion === undefined && isExport) {
      readOnly.push(column);
      continue;
    }
    if (suggestion === undefined) unsolved.push(column);
    else {
      free.delete(suggestion);
      advised.push(`${columnKey(column)}=${suggestion}`);
    }
    const hint = isBudget(column)
      ? ' The budget is added on the website after creation.'
      : suggestion === undefined
        ? amountProblem(table, column, [...free], type)
        : ` Did you mean ${suggestion}?`;
    report(column, `is not a ${singular} field.${hint}`);
    if (hint === '') plain.add(problems.at(-1));
  }
  if (plain.size > 3) {
    const names = Array.from(plain, (problem) => `"${problem?.column}"`).join(', ');
    const rest = problems.filter((problem) => !plain.has(problem));
    const message = `these columns are not ${singular} fields: ${names}.`;
    problems.splice(0, Infinity, ...rest, { ...table.placeOf(0), message });
  }
  if (unsolved.length > 0) advised.push('*=');
  const missing = [...type.fields].flatMap(([field, { required }]) => (required && !byField.has(field) ? [field] : []));
  for (const field of missing)
    problems.push({ ...table.placeOf(0), message: `there is no column for the required field ${field}.` });
  // Without any field, each row would become an empty draft.
  if (byField.size === 0 && missing.length === 0)
    problems.push({ ...table.placeOf(0), message: `no column matches a ${singular} field.` });
  // Without a name, all rows would be called the same.
  const [lacking] = [...missing, type.resource.title].filter((field) => free.has(field));
  const alternatives = lacking === undefined ? [] : nameColumns(table, unsolved);
  return {
    byField,
    readOnly,
    skipped,
    renamed,
    problems,
    advised:
      lacking === undefined || (alternatives.length === 0 && missing.length === 0)
        ? [advised]
        : alternatives.map((column) => [`${columnKey(column)}=${lacking}`, ...advised]),
    isComplete: byField.size > 0 && missing.length === 0,
  };
}

/** Writes the mapping of these columns, for `--map @FILE`. */
export function saveMap(path: string, byField: ReadonlyMap<string, string>, maps: readonly string[]): void {
  const fields = [...byField].map(([field, column]) => `${columnKey(column)}=${field}`);
  const skips = maps.filter((map) => parseMap(map).field === '');
  try {
    writeFileSync(path, [...fields, ...skips].map((line) => `${line}\n`).join(''));
  } catch (cause) {
    throw fileError(`--save-map ${path}: ${(cause as NodeJS.ErrnoException).code}.`, cause);
  }
}
