import type { Marketplace } from '@mkt/sdk';
import type { Format } from '../config/format.js';
import { Settings } from '../config/settings.js';
import type { ExitCode } from '../errors/exit-codes.js';
import { type Io, isOn, type Prompter } from '../io/io.js';
import { Printer, Sink } from '../output/printer.js';
import type { Progress } from '../output/progress.js';
import { type Style, styleFor } from '../text/style.js';
import { wrap } from '../text/width.js';

/** The flags that every command takes, as they were given. */
export interface GlobalOptions {
  readonly org?: string | undefined;
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly format?: Format | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly jq?: string | undefined;
  readonly header: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly debug: boolean;
  readonly color: boolean;
  readonly input: boolean;
  readonly yes: boolean;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  /** Whether the profile may be one that is not there. */
  readonly newProfile?: boolean;
}

/** The organization that a command works in. */
export interface Organization {
  readonly id: string;
  /** `Acme Cosmetics (organization 5)`, or `organization 5` where the name cannot be had. */
  readonly label: () => Promise<string>;
  /** `Acme Cosmetics`, or `organization 5`. */
  readonly name: () => Promise<string>;
}

/** What a context is given from above it, so that imports run one way. */
export interface Makers {
  readonly client: (context: Context) => Promise<Marketplace>;
  readonly organization: (context: Context) => Promise<Organization>;
  /** Runs another command line in this process, on streams and an environment of its own. */
  readonly run: (argv: readonly string[], io: Io) => Promise<ExitCode>;
}

const page = async (io: Io, text: string): Promise<boolean> => {
  const { showInPager, wantsPager } = await import('../output/pager.js');
  return wantsPager(io, text) && showInPager(io, text);
};

/** What a command works with: streams, settings, the client, the person. Everything costly is made when it is asked for. */
export class Context {
  readonly io: Io;
  readonly options: GlobalOptions;
  readonly settings: Settings;
  readonly style: Style;
  readonly #makers: Makers;
  #printer: Printer | undefined;
  #client: Promise<Marketplace> | undefined;
  #organization: Promise<Organization> | undefined;

  constructor(io: Io, options: GlobalOptions, makers: Makers) {
    this.#makers = makers;
    this.io = io;
    this.options = options;
    this.settings = new Settings(io, options);
    this.style = styleFor(io.stderr, io.env, !options.color);
  }

  /** The same with other streams, environment or flags. */
  derived(io: Io, options: GlobalOptions): Context {
    return new Context(io, options, this.#makers);
  }

  /** Whether someone is there to answer: both ends are a terminal, and nothing says otherwise. */
  get interactive(): boolean {
    const { stdin, stderr, env } = this.io;
    return stdin.isTTY && stderr.isTTY && this.options.input && !isOn(env.MKT_NO_INPUT) && !isOn(env.CI);
  }

  get print(): Printer {
    // A jq expression reads JSON, whatever the profile prefers.
    this.#printer ??= this.printerFor(this.options.jq !== undefined ? 'json' : this.settings.format.value);
    return this.#printer;
  }

  /** A printer that asks no settings file for the format. */
  printerFor(format: Format): Printer {
    const { io, options } = this;
    return new Printer(new Sink(io.stdout.stream), {
      format,
      fields: options.fields,
      jq: options.jq,
      header: options.header,
      style: styleFor(io.stdout, io.env, !options.color),
      width: io.stdout.isTTY ? io.stdout.columns : undefined,
      ...(io.env.MKT_PAGER && io.stdout.isTTY && { page: (text: string) => page(io, text) }),
    });
  }

  /** A receipt, a footer, a next step: stderr, silenced by --quiet. */
  note(text: string): void {
    if (!this.options.quiet) this.io.stderr.stream.write(`${this.#broken(text)}\n`);
  }

  /** Something that the person must know, also with --quiet. */
  warn(text: string): void {
    const line = this.#broken(`warning: ${text}`).slice('warning:'.length);
    this.io.stderr.stream.write(`${this.style('yellow', 'warning:')}${line}\n`);
  }

  /** Broken between words where a terminal would break inside one. */
  #broken(text: string): string {
    const { isTTY, columns } = this.io.stderr;
    return isTTY ? wrap(text, columns).join('\n') : text;
  }

  /** Runs `mkt` with `argv` in this process. */
  run(argv: readonly string[], io: Io): Promise<ExitCode> {
    return this.#makers.run(argv, io);
  }

  client(): Promise<Marketplace> {
    this.#client ??= this.#makers.client(this);
    return this.#client;
  }

  /** The organization to work in: named, configured, the only one, or the one picked. */
  organization(): Promise<Organization> {
    this.#organization ??= this.#makers.organization(this);
    return this.#organization;
  }

  /** Who answers questions; undefined when nobody is there. */
  async prompter(): Promise<Prompter | undefined> {
    if (!this.interactive) return undefined;
    if (this.io.prompter !== undefined) return this.io.prompter;
    const { clackPrompter } = await import('../output/prompts.js');
    return clackPrompter(this.io.stdin.stream, this.io.stderr.stream, this.io.interrupted);
  }

  /** Runs `work` with a counter on stderr. */
  async withProgress<Result>(label: string, work: (progress: Progress) => Promise<Result>): Promise<Result> {
    const { Progress } = await import('../output/progress.js');
    const progress = new Progress(this.io.stderr, label, !this.options.quiet);
    try {
      return await work(progress);
    } finally {
      progress.end();
    }
  }
}
