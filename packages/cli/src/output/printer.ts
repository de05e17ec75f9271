import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { toType, unknownName, usageError } from '../errors/cli-error.js';
import { type FileFormat, formats, HEADED, isStreamed } from '../text/formats.js';
import type { Style } from '../text/style.js';
import { cellText, isObject, pathsOf, pick, type Row, textAt, valueAt, withoutControls } from '../text/values.js';
import { type Column, columnOf, namesOf, type View } from './view.js';

/** Columns of formats with cells: the contract's fields, objects as `user.email`, then all others of the first rows. */
function cellPaths(fields: readonly string[], rows: readonly Row[]): string[] {
  const found = new Set(rows.flatMap((row) => pathsOf(row)));
  const opened = fields.flatMap((field) => {
    const inside = [...found].filter((path) => path.startsWith(`${field}.`));
    return inside.length > 0 ? inside : [field];
  });
  return [...new Set([...opened, ...found])];
}

export interface PrinterOptions {
  readonly format: FileFormat;
  /** `--fields`. */
  readonly fields: readonly string[] | undefined;
  /** `--jq`. */
  readonly jq: string | undefined;
  readonly header: boolean;
  /** Separates the cells of csv. */
  readonly delimiter?: string;
  /** Whether csv starts with a byte order mark, without which Excel shows accents and emoji wrongly. */
  readonly bom?: boolean;
  readonly style: Style;
  /** Columns of the terminal; undefined in a pipe. */
  readonly width: number | undefined;
  /** Shows long text in the user's pager; false if it did not. */
  readonly page?: (text: string) => Promise<boolean>;
  readonly warn?: (text: string) => void;
}

/** The reader closed stdout (`| head -1`), which is not an error. */
export class BrokenPipe extends Error {
  override readonly name = 'BrokenPipe';
}

/** A stream that waits for its reader, so that memory use does not grow with the output. */
export class Sink {
  readonly #stream: Writable;
  readonly #beforeWrite: () => void;
  #failure: NodeJS.ErrnoException | undefined;

  constructor(stream: Writable, beforeWrite: () => void = () => undefined) {
    this.#stream = stream;
    this.#beforeWrite = beforeWrite;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure ??= error;
    });
  }

  async write(text: string | Uint8Array): Promise<void> {
    this.#check();
    this.#beforeWrite();
    if (this.#stream.write(text)) return;
    const stop = new AbortController();
    const { signal } = stop;
    try {
      await Promise.race([once(this.#stream, 'drain', { signal }), once(this.#stream, 'close', { signal })]);
    } catch (error) {
      this.#failure ??= error as NodeJS.ErrnoException;
    } finally {
      stop.abort();
    }
    this.#check();
  }

  #check(): void {
    // A stream is destroyed before it emits its error.
    const failure: NodeJS.ErrnoException | null = this.#failure ?? this.#stream.errored;
    if (failure !== null && failure.code !== 'EPIPE') throw failure;
    if (failure !== null || this.#stream.destroyed) throw new BrokenPipe();
  }
}

const SHOWN_ROWS = 10;

/** A row in warnings: by its id, else by its number. */
const rowLabel = (row: Row, index: number): string => {
  const id = valueAt(row, 'id');
  return id === undefined ? `row ${index + 1}` : `id ${cellText(id)}`;
};

type Pages = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;

const collect = async (pages: Pages): Promise<Row[]> => {
  const rows: Row[] = [];
  // As arguments of one call, too many rows would overflow the stack.
  for await (const page of pages) for (const row of page) rows.push(row);
  return rows;
};

async function* completed(pages: Pages, { complete }: View): AsyncGenerator<readonly Row[]> {
  for await (const page of pages) yield complete === undefined ? page : page.map(complete);
}

/** Prints data to stdout, with one renderer per format, loaded when it is used. Commands pass rows, not text. */
export class Printer {
  readonly #sink: Sink;
  readonly options: PrinterOptions;

  constructor(sink: Sink, options: PrinterOptions) {
    this.#sink = sink;
    this.options = options;
  }

  /** Whether the output is a table and text, not data for programs. */
  get isHumanReadable(): boolean {
    return this.options.format === 'table' && this.options.jq === undefined;
  }

  /** Whether a command with a text of its own prints it: for people, and without `--fields`. */
  get isText(): boolean {
    return this.isHumanReadable && this.options.fields === undefined;
  }

  /** Prints text, in the pager if there is one. */
  async #show(text: string): Promise<void> {
    if (!(await this.options.page?.(text))) await this.write(text);
  }

  /** Writes text as it is. */
  write(text: string): Promise<void> {
    return this.#sink.write(text);
  }

  /** How the format is written; a jq expression always reads JSON. */
  get #renderer() {
    return formats[this.options.jq === undefined ? this.options.format : 'json'].renderer;
  }

  /** Prints rows: some formats page by page, the others after all rows were read. */
  async rows(given: Pages, view: View): Promise<void> {
    const pages = completed(given, view);
    const { format, jq } = this.options;
    if (jq === undefined && isStreamed(format)) return this.#stream(pages, view);
    const rows = await collect(pages);
    await this.#checkFields(rows, view);
    switch (this.#renderer.kind) {
      case 'table': {
        const { renderTable } = await import('./table.js');
        const { header, style, width, fields } = this.options;
        const columns = this.#columns(view);
        return this.#show(renderTable(rows, columns, { header, style, width, keepColumns: fields !== undefined }));
      }
      case 'workbook':
        return this.#workbook(rows, view);
      case 'value':
      case 'values':
      case 'cells':
        return this.#value(rows.map((row) => this.#picked(row)));
    }
  }

  /** Prints one object: as details in tables, as an object in json and yaml, as a row in formats with cells. */
  async row(given: Row, view: View): Promise<void> {
    const row = view.complete?.(given) ?? given;
    const { fields, style, width } = this.options;
    await this.#checkFields([row], view);
    switch (this.#renderer.kind) {
      case 'table': {
        const { renderDetail } = await import('./detail.js');
        return this.#show(renderDetail(row, fields, { kinds: view.kinds ?? {}, style, width }));
      }
      case 'cells':
      case 'workbook':
        return this.rows([[row]], view);
      case 'value':
      case 'values':
        return this.#value(this.#picked(row));
    }
  }

  /** Prints the result of a change: a table row, because the receipt has the rest, or the same as `row`. */
  async changed(row: Row, view: View): Promise<void> {
    if (this.isHumanReadable) await this.rows([[row]], view);
    else await this.row(row, view);
  }

  /** Rejects unknown `--fields` before anything is changed. */
  checkKnown(view: View): Promise<void> {
    return this.#checkFields([], view);
  }

  #columns(view: View): readonly Column[] {
    const { fields } = this.options;
    if (fields === undefined) return view.columns;
    return fields.map((field) => view.columns.find((column) => column.field === field) ?? columnOf(field));
  }

  #picked(row: Row): Row {
    return this.options.fields === undefined ? row : pick(row, this.options.fields);
  }

  async #checkFields(rows: readonly Row[], view: View): Promise<void> {
    for (const field of this.options.fields ?? []) {
      if (rows.some((row) => valueAt(row, field) !== undefined)) continue;
      const [top = field, inside] = field.split('.');
      // The view does not list the fields of nested objects, but rows do.
      const isInside = inside !== undefined && rows.some((row) => isObject(valueAt(row, top)));
      const fields = [...(await namesOf(view.fields)), ...(view.computed ?? [])];
      if (fields.some((each) => each === top || each.startsWith(`${top}.`)) && !isInside) continue;
      const { fields: unlisted = [], command } = view.unlisted ?? {};
      if (!isInside && (await namesOf(unlisted)).includes(top)) {
        const hints = [
          toType(`mkt ${command} show ID --fields ${field}`, 'For one'),
          toType(`mkt export ${command}`, 'For all'),
        ];
        throw usageError(`Lists do not contain ${field}.`, ...hints);
      }
      const known = [...new Set([...fields, ...rows.slice(0, 1).flatMap((row) => pathsOf(row))])];
      throw unknownName(`Unknown field "${field}".`, field, known);
    }
  }

  /** Says in which rows the format could not hold the text. */
  #warnLost(rows: readonly string[], what: string): void {
    if (rows.length === 0) return;
    const more = rows.length > SHOWN_ROWS ? ` and ${rows.length - SHOWN_ROWS} more` : '';
    this.options.warn?.(`${what}: ${rows.slice(0, SHOWN_ROWS).join(', ')}${more}. JSON keeps it.`);
  }

  /** Prints one row per line. The first page decides the columns of formats with cells. */
  async #stream(pages: Pages, view: View): Promise<void> {
    let end = '';
    let count = 0;
    const lost: string[] = [];
    const begin = async (page: readonly Row[]): Promise<(row: Row) => string> => {
      await this.#checkFields(page, view);
      const renderer = this.#renderer;
      if (renderer.kind === 'values') {
        const textOf = await renderer.load();
        return (row) => textOf(this.#picked(row));
      }
      if (renderer.kind !== 'cells') throw new Error(`${this.options.format} is not written row by row.`);
      const { delimiter = ',', bom = false, fields, header, width } = this.options;
      const {
        head,
        line,
        around = ['', ''],
      } = await renderer.load({ delimiter, bom, isTerminal: width !== undefined });
      const paths = fields ?? cellPaths(await namesOf(view.fields), page);
      const start = around[0] + (header ? head(paths) : '');
      if (start !== '') await this.write(start);
      end = around[1];
      return (row) => {
        const cells = paths.map((path) => textAt(row, path));
        count += 1;
        if (width === undefined && cells.some((cell) => withoutControls(cell) !== cell)) {
          lost.push(rowLabel(row, count - 1));
        }
        return line(cells);
      };
    };
    let line: ((row: Row) => string) | undefined;
    for await (const page of pages) {
      line ??= await begin(page);
      if (page.length > 0) await this.write(page.map(line).join(''));
    }
    if (line === undefined) await begin([]);
    if (end !== '') await this.write(end);
    this.#warnLost(lost, `Left out control characters, which ${this.options.format} cannot hold`);
  }

  async #workbook(rows: readonly Row[], view: View): Promise<void> {
    const { workbookOf } = await import('./workbook.js');
    const { fields, header } = this.options;
    const paths = fields ?? cellPaths(await namesOf(view.fields), rows);
    const { data, cut } = await workbookOf(rows, paths, header, view.kinds);
    await this.#sink.write(data);
    const labels = rows.flatMap((row, index) => (cut.has(row) ? [rowLabel(row, index)] : []));
    this.#warnLost(labels, 'Cut text at 32,767 characters, the limit of a cell in .xlsx');
  }

  async #value(value: unknown): Promise<void> {
    const { jq, width, format } = this.options;
    if (jq !== undefined) {
      const { filterWithJq, rowsFromJq } = await import('./jq.js');
      if (!HEADED.some((headed) => headed === format))
        return this.write(await filterWithJq(value, jq, width !== undefined));
      const { rows, names, isNamed } = await rowsFromJq(value, jq, format);
      if (names.length === 0) return;
      const header = this.options.header && isNamed;
      const printer = new Printer(this.#sink, { ...this.options, jq: undefined, fields: undefined, header });
      return printer.rows([rows], { columns: names.map(columnOf), fields: names });
    }
    const renderer = this.#renderer;
    if (renderer.kind !== 'value' && renderer.kind !== 'values')
      throw new Error(`${this.options.format} has no text for one value.`);
    await this.write((await renderer.load())(value));
  }
}
