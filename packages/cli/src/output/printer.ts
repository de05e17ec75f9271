import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { usageError } from '../errors/cli-error.js';
import { isObject, jsonLine, jsonText } from '../text/json.js';
import { nearest } from '../text/nearest.js';
import { pathsOf, pick, type Row, valueAt } from '../text/row.js';
import type { Style } from '../text/style.js';
import type { FileFormat } from './file-format.js';
import { type Column, namesOf, type View } from './view.js';

export interface PrinterOptions {
  readonly format: FileFormat;
  /** `--fields`. */
  readonly fields: readonly string[] | undefined;
  /** `--jq`. */
  readonly jq: string | undefined;
  readonly header: boolean;
  /** Separates the cells of csv. */
  readonly delimiter?: string;
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

type Pages = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;

const collect = async (pages: Pages): Promise<Row[]> => {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
};

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
    return this.options.format === 'table';
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

  /** Prints rows. ndjson, csv and tsv are written page by page; other formats need all rows first. */
  async rows(pages: Pages, view: View): Promise<void> {
    const { format } = this.options;
    if (this.options.jq === undefined && (format === 'ndjson' || format === 'csv' || format === 'tsv')) {
      await this.#stream(pages, view, format);
      return;
    }
    const rows = await collect(pages);
    await this.#checkFields(rows, view);
    if (format === 'xlsx') return this.#workbook(rows, view);
    if (format === 'table' && this.options.jq === undefined) {
      const { renderTable } = await import('./table.js');
      const { header, style, width, fields } = this.options;
      const columns = this.#columns(view);
      await this.#show(renderTable(rows, columns, { header, style, width, keepColumns: fields !== undefined }));
      return;
    }
    await this.#value(rows.map((row) => this.#picked(row)));
  }

  /** Prints one object: as details in tables, as an object in json and yaml, as a row in other formats. */
  async row(row: Row, view: View): Promise<void> {
    const { format, jq, fields, style, width } = this.options;
    await this.#checkFields([row], view);
    if (format === 'table' && jq === undefined) {
      const { renderDetail } = await import('./detail.js');
      await this.#show(renderDetail(row, fields, { style, width }));
      return;
    }
    if (format === 'csv' || format === 'tsv' || format === 'xlsx') await this.rows([[row]], view);
    else await this.#value(this.#picked(row));
  }

  /** Prints the result of a change: a table row, because the receipt has the rest, or the same as `row`. */
  async changed(row: Row, view: View): Promise<void> {
    if (this.isHumanReadable && this.options.jq === undefined) await this.rows([[row]], view);
    else await this.row(row, view);
  }

  /** Rejects unknown `--fields` before anything is changed. */
  checkKnown(view: View): Promise<void> {
    return this.#checkFields([], view);
  }

  #columns(view: View): readonly Column[] {
    const { fields } = this.options;
    if (fields === undefined) return view.columns;
    return fields.map((field) => {
      const known = view.columns.find((column) => column.field === field);
      return known ?? { field, header: field.toUpperCase(), priority: 0 };
    });
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
      const fields = await namesOf(view.fields);
      if (fields.includes(top) && !isInside) continue;
      const { fields: unlisted = [], command } = view.unlisted ?? {};
      if (!isInside && (await namesOf(unlisted)).includes(top)) {
        const hints = [`For one: mkt ${command} show ID --fields ${field}`, `For all: mkt export ${command}`];
        throw usageError(`Lists do not contain ${field}.`, ...hints);
      }
      const known = [...new Set([...fields, ...rows.slice(0, 1).flatMap((row) => pathsOf(row))])];
      const suggestion = nearest(field, known);
      if (suggestion !== undefined) throw usageError(`Unknown field "${field}". Did you mean ${suggestion}?`);
      throw usageError(`Unknown field "${field}".`, `Fields: ${known.join(', ')}`);
    }
  }

  /** Prints one row per line. The first page decides the columns of csv and tsv. */
  async #stream(pages: Pages, view: View, format: 'ndjson' | 'csv' | 'tsv'): Promise<void> {
    const begin = async (page: readonly Row[]): Promise<(row: Row) => string> => {
      await this.#checkFields(page, view);
      if (format === 'ndjson') return (row) => jsonLine(this.#picked(row));
      const { delimitedPaths, lineFormats } = await import('./delimited.js');
      const { head, line } = lineFormats(this.options.delimiter)[format];
      const paths = this.options.fields ?? delimitedPaths(await namesOf(view.fields), page);
      if (this.options.header) await this.write(head(paths));
      return (row) => line(row, paths);
    };
    let line: ((row: Row) => string) | undefined;
    for await (const page of pages) {
      line ??= await begin(page);
      if (page.length > 0) await this.write(page.map(line).join(''));
    }
    if (line === undefined) await begin([]);
  }

  async #workbook(rows: readonly Row[], view: View): Promise<void> {
    const [{ delimitedPaths }, { workbookOf }] = await Promise.all([import('./delimited.js'), import('./workbook.js')]);
    const { fields, header, warn } = this.options;
    const paths = fields ?? delimitedPaths(await namesOf(view.fields), rows);
    const { data, cut } = await workbookOf(rows, paths, header);
    await this.#sink.write(data);
    if (cut > 0)
      warn?.(`${cut} ${cut === 1 ? 'text was' : 'texts were'} cut at 32,767 characters, the limit of a cell in .xlsx.`);
  }

  async #value(value: unknown): Promise<void> {
    const { format, jq, width } = this.options;
    if (jq !== undefined) {
      const { filterWithJq } = await import('./jq.js');
      await this.write(await filterWithJq(value, jq, width !== undefined));
    } else if (format === 'yaml') {
      const { yamlText } = await import('./yaml.js');
      await this.write(yamlText(value));
    } else {
      await this.write(format === 'ndjson' ? jsonLine(value) : jsonText(value));
    }
  }
}
