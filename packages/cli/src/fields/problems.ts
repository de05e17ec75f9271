import { type FieldProblem, problemOf, problemText } from '@mkt/sdk/contract';
import type * as z from 'zod/mini';
import type { Resource } from '../api/labels.js';
import { CliError, type Details, type FlagStyle, messageText } from '../errors/cli-error.js';
import { didYouMean, nearest } from '../text/nearest.js';
import { sanitizeLine } from '../text/values.js';
import { cutTo } from '../text/width.js';
import { codeMessage, type UnknownCode } from './codes.js';

/** A problem in a file, found before anything is sent. */
export interface Problem {
  readonly line: number;
  /** The number of the character in the line, or the name of the column of a table. */
  readonly column?: number | string;
  /** The number of the row in a spreadsheet, where a line break in a cell does not start a new row. */
  readonly sheetRow?: number;
  /** A sentence; with the name of a column, the rest of a sentence that begins with its name. */
  readonly message: string;
}

/** How many problems or rows the JSON of an error holds at most. */
const MAX_RESULTS = 1000;
const LINES_SHOWN = 20;

/** The first lines of many, and how many more there are. @param advice how to see them */
export function firstLines<Item>(items: readonly Item[], text: (item: Item) => string, advice = ''): string[] {
  const lines = items.slice(0, LINES_SHOWN).map(text);
  return items.length > LINES_SHOWN ? [...lines, `... and ${items.length - LINES_SHOWN} more${advice}`] : lines;
}

function placeText({ line, column, sheetRow = line }: Problem): string {
  if (typeof column === 'number') return `${line}:${column}: `;
  const row = sheetRow === line ? '' : ` (row ${sheetRow})`;
  return `${line}${row}: ${column === undefined ? '' : `"${column}" `}`;
}

/** All problems of a file in one error, in the order of the file. Its message begins with their number. */
export function problemsError(
  file: string,
  problems: readonly Problem[],
  details: Omit<Details, 'fields' | 'lines' | 'results'>,
): CliError {
  const sorted = problems
    .map(({ column, message, ...problem }) => ({
      ...problem,
      ...(column !== undefined && { column: typeof column === 'string' ? sanitizeLine(column) : column }),
      message: sanitizeLine(message),
    }))
    .sort((one, other) => one.line - other.line || Number(one.column) - Number(other.column) || 0);
  return new CliError({
    ...details,
    message: `${problems.length} problem${problems.length === 1 ? '' : 's'} in ${file}. ${messageText(details.message)}`,
    lines: firstLines(
      sorted,
      (problem) => `${file}:${placeText(problem)}${problem.message}`,
      '. To see all, add --json.',
    ),
    results: sorted.slice(0, MAX_RESULTS).map(({ sheetRow: _, ...problem }) => problem),
  });
}

interface UnknownKeyOptions {
  readonly readOnly?: readonly string[];
  readonly place?: string;
  readonly suggestion?: string | undefined;
}

/** Why a key cannot be in a file; `place` is ` in a campaign`. */
export function unknownKey(
  key: string,
  known: readonly string[],
  { readOnly = [], place = '', suggestion = nearest(key, known) }: UnknownKeyOptions = {},
): string {
  if (readOnly.includes(key)) return `${key} is read-only. Leave it out.`;
  const hint = suggestion === undefined ? `Known keys: ${known.join(', ')}.` : `Did you mean ${suggestion}?`;
  return `unknown key "${key}"${place}. ${hint}`;
}

const typeNames: Readonly<Record<string, string>> = { boolean: 'true or false', number: 'a number', string: 'text' };
export const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : (typeNames[typeof value] ?? 'an object');

/** A value that this program rejects, besides those that the contract does. */
export type ValueProblem =
  | FieldProblem
  | UnknownCode
  | { readonly code: 'unknown_state'; readonly names: readonly string[] };

/** What is wrong with the value of a field: the rest of a sentence that begins with the field. @param source the value as the file has it */
export function valueMessage(issue: z.core.$ZodIssue, source?: string): string {
  const { input } = issue;
  const problem = problemOf(issue) as ValueProblem;
  switch (problem.code) {
    case 'unknown_code':
      return codeMessage(problem);
    case 'unknown_state': {
      const suggestion = nearest(String(input), problem.names);
      return `must be one of ${problem.names.join(', ')}.${didYouMean(suggestion)}`;
    }
    case 'wrong_type':
      if (problem.expected !== 'boolean') return typeMessage(problem.expected, input, source);
  }
  const text = problemText(problem);
  const hasValue = input !== undefined && typeof input !== 'object';
  if (!hasValue || ['blank', 'too_long', 'too_large'].includes(problem.code)) return `${text}.`;
  const shown = typeof input === 'string' ? JSON.stringify(input) : (source ?? String(input));
  return `${text}${problem.code === 'not_integer' ? ', such as 700' : ''}, not ${cutTo(sanitizeLine(shown), 40)}.`;
}

function typeMessage(expected: string, input: unknown, source: string | undefined): string {
  if (input === undefined) return 'must not be empty.';
  const isText = expected === 'string' || expected === 'strings';
  if (isText && ['number', 'boolean'].includes(typeof input)) {
    const shown = source ?? String(input);
    return `must be text, but ${shown} is ${typeName(input)}. Put it in quotes: "${shown}".`;
  }
  const items = (typeof input === 'string' && input.length <= 40 ? input : 'US, CA').split(/[,;|]/);
  const list = items.map((item) => JSON.stringify(item.trim())).join(', ');
  const wanted = isText ? 'text' : expected === 'array' ? `a list, such as [${list}]` : 'another type';
  return `must be ${wanted}, not ${typeName(input)}.`;
}

/** As the API calls a field. */
export const asField: FlagStyle = (name) => name;

/** The amounts that exceed their maximum, such as `min_payout_amount`. */
export const exceededRanges = ({ money }: Resource, fieldValue: (field: string) => unknown) =>
  (money?.ranges ?? []).flatMap(({ min, max }) => {
    const [least, most] = [fieldValue(min), fieldValue(max)];
    if (typeof least !== 'number' || typeof most !== 'number' || least <= most) return [];
    return { min, max, message: (named: FlagStyle) => `must be at most ${named(max)}, which is ${most}.` };
  });
