import { setTimeout as sleep } from 'node:timers/promises';
import type { Marketplace } from '@mkt/sdk';
import { Settings } from '../config/settings.js';
import { type ExitCode, usageError } from '../errors/cli-error.js';
import { Journal } from '../history/journal.js';
import { hostOf } from '../history/place.js';
import { type Io, isOn, type Prompter } from '../io/io.js';
import { Printer, Sink } from '../output/printer.js';
import type { Progress } from '../output/progress.js';
import { columnOf } from '../output/view.js';
import type { FileFormat } from '../text/formats.js';
import { upcoming } from '../text/local-time.js';
import { quoted } from '../text/quoted.js';
import { type Style, styleFor } from '../text/style.js';
import { wrap } from '../text/width.js';
import { DELIMITERS, type Flag, type FlagValues, type GlobalOptions, placeFlags, words } from './flags.js';
import { RunningRequests } from './running-requests.js';

/** What a note about organizations says. */
export interface About {
  /** `Acme Cosmetics`, or `60 organizations`. */
  readonly organizations: string;
  readonly isSeveral: boolean;
  /** What was counted, in all of them. */
  readonly counts: readonly number[];
  /** The flags that choose them, for hints with another command: ` --org 5`. */
  readonly place: string;
}

/** A note about one organization, collected until those of all are known. */
export interface Note {
  readonly text: (about: About) => string;
  readonly organization: string;
  readonly counts: readonly number[];
  readonly isWarning: boolean;
}

/** Up to how many seconds a countdown shows them. */
const COUNTED_S = 600;
/** After how many of them it writes a line where stderr is not a terminal. */
const LOG_EVERY_S = 10;

/** The organization that a command works in. */
export interface Organization {
  readonly id: string;
  /** `Acme Cosmetics (organization 5)`, or `organization 5` if the name cannot be read. */
  readonly label: () => Promise<string>;
  /** `Acme Cosmetics`, or `organization 5`. */
  readonly name: () => Promise<string>;
}

interface Destination {
  /** `--out`; `-` means stdout, and so does undefined. */
  readonly out: string | undefined;
  readonly example: string;
  /** `--no-bom`: by default CSV files start with a byte order mark, and stdout and devices do not. */
  readonly bom?: boolean | undefined;
}

/** Functions of higher layers, passed in so that imports point in one direction. */
export interface Services {
  readonly client: (context: Context) => Promise<Marketplace>;
  /** The organization to work in: given, configured, the only one, or chosen at a prompt. */
  readonly organization: (context: Context) => Promise<Organization>;
  /** Runs another command line in this process, on its own streams and environment. */
  readonly run: (argv: readonly string[], io: Io) => Promise<ExitCode>;
  /** Whether the profile may be one that does not exist yet. */
  readonly newProfile?: boolean;
  /** The command line, as the user typed it. */
  readonly argv: readonly string[];
  /** The same as it was read. */
  readonly invocation: {
    readonly path: string;
    readonly args: readonly string[];
    readonly flags: FlagValues;
    readonly command: { readonly flags?: readonly Flag[] };
  };
}

/** Streams, settings, the client and prompts for a command. Expensive parts are created at their first use. */
export class Context {
  readonly io: Io;
  readonly options: GlobalOptions;
  readonly settings: Settings;
  /** What the command reads and changes, for the history. */
  readonly journal: Journal;
  readonly run: Services['run'];
  readonly #services: Services;
  #printer: Printer | undefined;
  #client: Promise<Marketplace> | undefined;
  #organization: Promise<Organization> | undefined;
  #stdout: Sink | undefined;
  #notes: Note[] | undefined;
  readonly #counters = new Set<Progress>();
  #requests: RunningRequests | undefined;
  /** The time at which the longest wait ends, in milliseconds. */
  #waitsUntil = 0;
  #countdown: Promise<void> | undefined;

  constructor(io: Io, options: GlobalOptions, services: Services, journal?: Journal) {
    this.#services = services;
    this.io = io;
    this.options = options;
    this.settings = new Settings(io, options, services.newProfile);
    this.run = services.run;
    this.journal =
      journal ??
      new Journal({
        io,
        argv: services.argv,
        profile: () => this.settings.profileName.value,
        warn: (text) => this.warn(text),
      });
  }

  /** A copy with other streams, environment or flags. @param argv the command line for the history, if it is another one */
  derived(io: Io, options: GlobalOptions, argv = this.#services.argv): Context {
    return new Context(io, options, { ...this.#services, argv });
  }

  /**
   * A copy for one of several organizations, which shares the client and the record, and prints with `printer`.
   * @param notes gets its notes and warnings instead of stderr
   */
  within(organization: Organization, printer: Printer, notes?: Note[]): Context {
    const { 'all-orgs': _, ...others } = this.options;
    const options = { ...others, org: organization.id, quiet: true };
    const context = new Context(this.io, options, this.#services, this.journal);
    context.#client = this.client();
    context.#organization = Promise.resolve(organization);
    context.#printer = printer;
    context.#stdout = this.stdout;
    context.#notes = notes;
    return context;
  }

  /** Whether the command line may name several organizations; a name can have a comma. */
  get mayNameSeveral(): boolean {
    return this.options['all-orgs'] === true || this.settings.organization?.value.includes(',') === true;
  }

  /** Whether mkt can prompt: stdin and stderr are terminals, and no setting turns prompts off. */
  get interactive(): boolean {
    const { stdin, stderr, env } = this.io;
    return stdin.isTTY && stderr.isTTY && this.options['no-input'] !== true && !isOn(env.MKT_NO_INPUT) && !isOn(env.CI);
  }

  get print(): Printer {
    const { jq, format } = this.options;
    // The format of the profile is not for the results of jq.
    this.#printer ??= this.printerFor(jq === undefined ? this.settings.format.value : (format ?? 'json'));
    return this.#printer;
  }

  /** stdout. Text on a terminal ends the counters: they would share a line with it. */
  get stdout(): Sink {
    const { stream, isTTY } = this.io.stdout;
    this.#stdout ??= new Sink(stream, () => {
      if (isTTY) for (const progress of this.#counters) progress.end();
    });
    return this.#stdout;
  }

  /** A printer that does not read the settings; for stdout, or for a file. @param bom as in `PrinterOptions` */
  printerFor(format: FileFormat, { file, bom = false }: { file?: Sink; bom?: boolean } = {}): Printer {
    const { io, options } = this;
    const isTTY = io.stdout.isTTY && file === undefined;
    const delimiter = options.delimiter && DELIMITERS[options.delimiter];
    if (delimiter !== undefined && format !== 'csv')
      throw usageError('--delimiter works only with csv.', 'Add --format csv');
    return new Printer(file ?? this.stdout, {
      format,
      fields: options.fields,
      jq: options.jq,
      header: options['no-header'] !== true,
      ...(delimiter && { delimiter }),
      bom: bom && format === 'csv',
      style: file === undefined ? this.styleOf('stdout') : (_tone, text) => text,
      width: isTTY ? io.stdout.columns : undefined,
      warn: (text) => this.warn(text),
      ...(io.env.MKT_PAGER &&
        isTTY && {
          page: async (text: string) => (await import('../output/pager.js')).showInPager(io, text),
        }),
    });
  }

  /**
   * Prints to the file of `--out`, in the format of its ending, or to stdout with the given printer. The ending is
   * checked before anything is requested.
   */
  async printTo<Result>(
    { out, example, bom }: Destination,
    stdout: () => Printer,
    print: (printer: Printer, sink: Sink) => Promise<Result>,
  ): Promise<Result> {
    if (out === undefined || out === '-') return print(stdout(), this.stdout);
    // Loaded here, because most lists are printed.
    const [{ formatOfFile }, { isDevice, writeTo }] = await Promise.all([
      import('../output/file-format.js'),
      import('../output/file-target.js'),
    ]);
    const { format: given, jq } = this.options;
    const format = formatOfFile(out, { given, fallback: 'csv', jq });
    return writeTo({ path: out, stdout: this.stdout, example }, (file) =>
      print(this.printerFor(format, { file, bom: bom ?? !isDevice(out) }), file),
    );
  }

  /** Whether the command line asks for data. The format of the profile is only for rows. */
  get asksForData(): boolean {
    const { format = 'table', jq, fields } = this.options;
    return format !== 'table' || (jq ?? fields) !== undefined;
  }

  /** Prints one value: bare, or as the field of an object if the command line asks for data. */
  async printValue(name: string, value: string | boolean | null): Promise<void> {
    if (this.asksForData) await this.print.row({ [name]: value }, { columns: [columnOf(name)], fields: [name] });
    else if (value !== null) await this.stdout.write(`${value}\n`);
  }

  /** The same command with other flags, ready to be typed: `mkt campaigns list --org 5 --page 2`. */
  commandWith(change: FlagValues): string {
    const { path, args, flags, command } = this.#services.invocation;
    const { org, 'all-orgs': every, profile, 'base-url': baseUrl } = this.options;
    const place = { org, 'all-orgs': every, profile, 'base-url': baseUrl };
    const given = Object.entries({ ...place, ...flags, ...change }).flatMap(([name, value]) => {
      const isRepeated = command.flags?.some((flag) => flag.name === name && flag.repeatable === true);
      return (Array.isArray(value) && isRepeated ? value : [value]).flatMap((each: unknown) => words(name, each));
    });
    return ['mkt', path, ...args.map(quoted), ...given].join(' ');
  }

  styleOf(stream: 'stdout' | 'stderr'): Style {
    return styleFor(this.io[stream], this.io.env, this.options['no-color'] === true);
  }

  /** A receipt, a footer, a next step: stderr, silenced by --quiet. */
  note(text: string): void {
    if (this.#collects(text, false)) return;
    if (this.options.quiet !== true) this.io.stderr.stream.write(`${this.#wrapped(text)}\n`);
  }

  warn(text: string): void {
    if (this.#collects(text, true)) return;
    const line = this.#wrapped(`warning: ${text}`).slice('warning:'.length);
    this.io.stderr.stream.write(`${this.styleOf('stderr')('yellow', 'warning:')}${line}\n`);
  }

  #collects(text: string, isWarning: boolean): boolean {
    this.#notes?.push({ text: () => text, organization: '', counts: [], isWarning });
    return this.#notes !== undefined;
  }

  /** A note about the organization. In a command about several, those that differ only in what they count become one. */
  async noteAbout(text: Note['text'], counts: readonly number[] = [], isWarning = false): Promise<void> {
    const organization = await (await this.organization()).name();
    if (this.#notes !== undefined) this.#notes.push({ text, organization, counts, isWarning });
    else {
      const about = { organizations: organization, isSeveral: false, counts, place: placeFlags(this) };
      this[isWarning ? 'warn' : 'note'](text(about));
    }
  }

  #wrapped(text: string): string {
    const { isTTY, columns } = this.io.stderr;
    return isTTY ? wrap(text, columns).join('\n') : text;
  }

  /** The requests of this command line, which Ctrl-C ends. */
  get requests(): RunningRequests {
    this.#requests ??= RunningRequests.endedBy(this.io.interrupted, (count) => {
      if (!this.print.isHumanReadable && !this.interactive) return;
      for (const progress of this.#counters) progress.end();
      const requests = count === 1 ? 'one request' : `${count} requests`;
      this.note(`Stopping: waiting for ${requests} under way. Press Ctrl-C again to quit immediately.`);
    });
    return this.#requests;
  }

  get signal(): AbortSignal {
    return this.requests.signal;
  }

  client(): Promise<Marketplace> {
    this.#client ??= this.#services.client(this);
    return this.#client;
  }

  organization(): Promise<Organization> {
    this.#organization ??= this.#services.organization(this);
    return this.#organization;
  }

  /** ` on api.example.com`, for questions and receipts of changes: if the configuration knows another service, and of a copy always. */
  get onService(): string {
    const { requiredBaseUrl, config, usesOwnService } = this.settings;
    const host = hostOf(requiredBaseUrl);
    if (this.journal.isCopy) return ` on the copy at ${host}`;
    return Object.keys(config.profiles).length > 1 || !usesOwnService ? ` on ${host}` : '';
  }

  /** Prompts the user; undefined without a terminal. */
  async prompter(): Promise<Prompter | undefined> {
    if (!this.interactive) return undefined;
    if (this.io.prompter !== undefined) return this.io.prompter;
    const { clackPrompter } = await import('../output/prompts.js');
    return clackPrompter(this.io.stdin.stream, this.io.stderr.stream, this.io.interrupted);
  }

  /** Runs `work` with a counter on stderr. */
  async withProgress<Result>(label: string, work: (progress: Progress) => Promise<Result>): Promise<Result> {
    const { Progress } = await import('../output/progress.js');
    const progress = new Progress(this.io.stderr, label, this.options.quiet !== true);
    this.#counters.add(progress);
    try {
      return await work(progress);
    } finally {
      this.#counters.delete(progress);
      progress.end();
    }
  }

  /** Shows the seconds that are left of a wait on stderr. Waits at the same time share one countdown, to the end of the longest. */
  countDown(reason: string, delayMs: number): void {
    this.#waitsUntil = Math.max(this.#waitsUntil, Date.now() + delayMs);
    this.#countdown ??= this.#showCountdown(reason).finally(() => {
      this.#countdown = undefined;
    });
  }

  async #showCountdown(reason: string): Promise<void> {
    const isTTY = this.io.stderr.isTTY;
    const count = async (): Promise<void> => {
      let shown = Number.POSITIVE_INFINITY;
      for (;;) {
        const leftMs = this.#waitsUntil - Date.now();
        if (leftMs <= 0 || this.io.interrupted.aborted) break;
        const left = Math.ceil(leftMs / 1000);
        const isLong = left > COUNTED_S;
        const text = `${reason} Continuing ${isLong ? upcoming(leftMs, this.io.now()) : `in ${left} s`}`;
        for (const progress of this.#counters) progress.notice = text;
        // A log gets a line now and then.
        if (!isTTY && left <= shown - (isLong ? COUNTED_S : LOG_EVERY_S)) {
          this.note(text);
          shown = left;
        }
        // Unlike the wait itself, its display does not keep the process alive. Ctrl-C ends it.
        await sleep(Math.min(1000, leftMs), undefined, { signal: this.io.interrupted, ref: false }).catch(
          () => undefined,
        );
      }
      for (const progress of this.#counters) progress.notice = undefined;
    };
    await (isTTY && this.#counters.size === 0 ? this.withProgress(reason, count) : count());
  }

  /** Shows on a terminal that mkt waits, unless a counter does. */
  whileWaiting<Result>(label: string, work: () => Promise<Result>): Promise<Result> {
    return this.#counters.size > 0 ? work() : this.withProgress(label, work);
  }
}
