import { INPUT_FORMATS, type InputFormat } from '../../context/importable.js';
import { usageError } from '../../errors/cli-error.js';
import { isObject } from '../../text/json.js';

/** The first line: what is imported, and where to. Neither tokens nor values of rows are ever in a report. */
export interface Header {
  /** Version of the format. */
  readonly mkt_import: 1;
  /** Version of mkt. */
  readonly mkt: string;
  readonly command: string;
  readonly noun: string;
  readonly file: string;
  readonly input_format: InputFormat;
  readonly map: readonly string[];
  readonly service: string;
  readonly organization: string;
}

/** Begins a run: the first one, and each `--resume`. */
export interface RunLine {
  readonly run: number;
  readonly at: string;
  /** Of the file as it was then. */
  readonly sha256: string;
  readonly rows: number;
  /** Things that were there before and bear the name of a row: none of them was made by this import. */
  readonly existing: readonly string[];
}

/**
 * What became of a row, each time that something did: `sent` before its request; then `created`, `failed` (refused, or
 * never there), or `lost` (no answer: it may have been created). A row that was lost and looked for is `created`,
 * `absent` (it may be sent again) or `unclear` (several things may be it).
 */
export type RowLine =
  | (RowPlace & { readonly state: 'sent'; readonly at: string; readonly key: string })
  | (RowPlace & { readonly state: 'created'; readonly id: string | number })
  | (RowPlace & { readonly state: 'failed'; readonly code: string; readonly error: string })
  | (RowPlace & { readonly state: 'lost'; readonly at: string; readonly error: string })
  | (RowPlace & { readonly state: 'absent' })
  | (RowPlace & { readonly state: 'unclear'; readonly candidates: readonly string[]; readonly error: string });

interface RowPlace {
  readonly row: number;
  readonly line: number;
}

export type ReportLine = RunLine | RowLine;

const states = ['sent', 'created', 'failed', 'lost', 'absent', 'unclear'];

const isText = (...values: readonly unknown[]): boolean => values.every((value) => typeof value === 'string');
const isTexts = (value: unknown): boolean => Array.isArray(value) && isText(...value);
const isId = (value: unknown): boolean => typeof value === 'number' || (typeof value === 'string' && value !== '');

const isHeader = (value: unknown): value is Header => {
  if (!isObject(value)) return false;
  const { mkt_import: version, noun, file, input_format, map, service, organization } = value;
  const known = INPUT_FORMATS.some((format) => format === input_format);
  return version === 1 && known && isText(noun, file, service, organization) && isTexts(map);
};

const isRun = (value: unknown): value is RunLine =>
  isObject(value) &&
  typeof value.run === 'number' &&
  typeof value.rows === 'number' &&
  isText(value.at, value.sha256) &&
  isTexts(value.existing);

const isRow = (value: unknown): value is RowLine => {
  if (!isObject(value) || !Number.isInteger(value.row) || !Number.isInteger(value.line)) return false;
  const { state, at, key, id, code, error, candidates } = value;
  if (state === 'sent') return isText(at, key);
  if (state === 'created') return isId(id);
  if (state === 'failed') return isText(code, error);
  if (state === 'lost') return isText(at, error);
  if (state === 'unclear') return isTexts(candidates) && isText(error);
  return states.includes(String(state));
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

export interface ReportText {
  /** Undefined where not even the first line was written whole: nothing was sent then. */
  readonly header: Header | undefined;
  readonly lines: readonly ReportLine[];
  /** Bytes of all whole lines: a crash may have torn the last one. */
  readonly whole: number;
}

/** Reads a report. @throws a usage error where it is none, or is damaged elsewhere than at its torn end */
export function parseReport(bytes: Buffer, path: string): ReportText {
  const end = bytes.lastIndexOf('\n') + 1;
  const [first, ...rest] = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
  if (first === undefined) {
    // The beginning of a header, torn by a crash; anything else is a file of somebody.
    if ('{"mkt_import":'.startsWith(bytes.toString('utf8').slice(0, 14)))
      return { header: undefined, lines: [], whole: 0 };
    throw usageError(`${path} is no report of mkt import.`);
  }
  const header = parsed(first);
  if (isObject(header) && typeof header.mkt_import === 'number' && header.mkt_import > 1) {
    throw usageError(`${path} was written by a newer mkt.`, 'npm install -g @mkt/cli@latest');
  }
  if (!isHeader(header)) throw usageError(`${path} is no report of mkt import.`);
  const lines = rest.map((text, index) => {
    const line = parsed(text);
    if (isRun(line) || isRow(line)) return line;
    throw usageError(`${path}:${index + 2} is damaged: it is no line of a report of mkt import.`);
  });
  return { header, lines, whole: end };
}
