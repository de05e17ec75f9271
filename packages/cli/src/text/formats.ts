import { formulaFree } from './formula-free.js';
import { jsonLine, jsonText, sanitize, withoutControls } from './values.js';

/** A line of cells, which is text as the API returns it. */
type Line = (cells: readonly string[]) => string;

/** How rows become text. What needs a library loads it. */
type Renderer =
  /** Columns that fit the terminal: output/table.ts. */
  | { readonly kind: 'table' }
  /** A file of a spreadsheet program: output/workbook.ts. */
  | { readonly kind: 'workbook' }
  /** One text for all rows. */
  | { readonly kind: 'value'; readonly load: () => Promise<(value: unknown) => string> }
  /** A text for each row, written as it arrives. */
  | { readonly kind: 'values'; readonly load: () => Promise<(value: unknown) => string> }
  /** A line of cells for each row, written as it arrives. */
  | { readonly kind: 'cells'; readonly load: (options: CellOptions) => Promise<CellRenderer> };

interface CellOptions {
  /** Separates the cells of csv. */
  readonly delimiter: string;
  /** Whether csv starts with a byte order mark, without which Excel shows accents and emoji wrongly. */
  readonly bom: boolean;
  readonly isTerminal: boolean;
}

interface CellRenderer {
  /** The line of the names, which `--no-header` omits. */
  readonly head: Line;
  readonly line: Line;
  /** What comes before and after all lines. */
  readonly around?: readonly [start: string, end: string];
}

interface FormatEntry {
  /** For `mkt help formatting`. */
  readonly about: string;
  readonly endings: readonly string[];
  readonly renderer: Renderer;
}

/** Cells that no program runs as a formula, and on a terminal without what it would obey. */
const safeCells = (cells: readonly string[], delimiter: string, isTerminal: boolean): string[] =>
  cells.map((cell) => formulaFree(isTerminal ? sanitize(cell) : withoutControls(cell), delimiter));

/** Quoted only if it could be misread, because scripts split TSV at its tabs. */
const tabCell = (cell: string): string => (/^"|[\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const tabs: Line = (cells) => `${cells.map(tabCell).join('\t')}\n`;

/** Every output format: its name, its line in the help, and how it is written. */
const entries = {
  table: {
    about: 'The default. Fits the terminal; in a pipe, nothing is cut',
    endings: [],
    renderer: { kind: 'table' },
  },
  json: {
    about: 'One array for a list, one object for a single row, with all fields of the API. Also --json',
    endings: ['json'],
    renderer: { kind: 'value', load: async () => jsonText },
  },
  ndjson: {
    about: 'One object on each line, written as the rows arrive',
    endings: ['ndjson', 'jsonl'],
    renderer: { kind: 'values', load: async () => jsonLine },
  },
  csv: {
    about: 'With a header. An apostrophe precedes text that a spreadsheet would run as a formula',
    endings: ['csv'],
    renderer: {
      kind: 'cells',
      load: async ({ delimiter, bom, isTerminal }) => {
        const { csvLine } = await import('./csv-line.js');
        const head: Line = (cells) => csvLine(cells, delimiter);
        const line: Line = (cells) => head(safeCells(cells, delimiter, isTerminal));
        return { head, line, around: [bom ? '\ufeff' : '', ''] };
      },
    },
  },
  tsv: {
    about: 'Like csv, with tabs. Only cells with tabs or line breaks, or with a quote at the start, are quoted',
    endings: ['tsv'],
    renderer: {
      kind: 'cells',
      load: async ({ isTerminal }) => ({ head: tabs, line: (cells) => tabs(safeCells(cells, '\t', isTerminal)) }),
    },
  },
  xlsx: {
    about: 'A workbook, only to a file: --out NAME.xlsx. Text stays text',
    endings: ['xlsx'],
    renderer: { kind: 'workbook' },
  },
  yaml: {
    about: 'Like json',
    endings: ['yaml', 'yml'],
    renderer: { kind: 'value', load: async () => (await import('./yaml.js')).yamlText },
  },
} as const satisfies Readonly<Record<string, FormatEntry>>;

/** The formats of files: those of stdout, and workbooks. */
export type FileFormat = keyof typeof entries;
export type Format = Exclude<FileFormat, 'xlsx'>;

export const formats: Readonly<Record<FileFormat, FormatEntry>> = entries;
export const FILE_FORMATS = Object.keys(entries) as FileFormat[];
/** The formats of stdout. */
export const FORMATS = FILE_FORMATS.filter((format): format is Format => format !== 'xlsx');

/** Those whose first line are the names of the fields. */
export const HEADED = FORMATS.filter((format) => ['table', 'cells'].includes(formats[format].renderer.kind));
/** The ending that each format of files is known by. */
export const ENDINGS = FILE_FORMATS.flatMap((format) =>
  formats[format].endings.slice(0, 1).map((ending) => `.${ending}`),
);

/** Whether rows are written as they arrive. */
export const isStreamed = (format: FileFormat): boolean => ['values', 'cells'].includes(formats[format].renderer.kind);
