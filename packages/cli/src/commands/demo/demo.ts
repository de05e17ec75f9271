import { on } from 'node:events';
import { emitKeypressEvents, type Key } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { NOWHERE } from '../../config/nowhere.js';
import type { Run } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { CliError, interrupted, usageError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import type { Io } from '../../io/io.js';
import { Sink } from '../../output/sink.js';
import { styleFor } from '../../text/style.js';
import { widthOf, wrap } from '../../text/width.js';
import { afterwards, type Step, tour, whileItRuns } from './tour.js';

const CLEAR = '\u001b[2J\u001b[H';
const CLEAR_LINE = '\r\u001b[2K';

/** The environment that a step sees: how the terminal looks and how connections are made, and nothing else. */
const PASSED_ON = ['NO_COLOR', 'FORCE_COLOR', 'TERM', 'LANG', 'LC_ALL', 'NODE_USE_ENV_PROXY'];

export const demo: Run = async (context, { flags }) => {
  const { io, options } = context;
  const { org, profile, baseUrl } = options;
  const given = [org && '--org', profile && '--profile', baseUrl && '--base-url'].find(Boolean);
  if (given) throw usageError(`mkt demo brings its own service and data, so ${given} cannot be used with it.`);
  if (flags.once === true) return once(context, tour);
  if (context.interactive && io.stdout.isTTY) return guided(context, tour);
  context.note('There is no terminal to read keys from, so the tour runs by itself.');
  return once(context, tour);
};

/** The tour by itself: one step after the other, everything on stdout. */
export async function once(context: Context, steps: readonly Step[]): Promise<void> {
  const { io } = context;
  const sink = new Sink(io.stdout.stream);
  const server = await startService(context);
  try {
    for (const [index, step] of steps.entries()) {
      const { text, failure } = await playStep(context, server, step, false, io.interrupted);
      await sink.write(`${heading(context, `${index + 1} of ${steps.length}`, step.title)}\n${text}\n`);
      if (failure) throw failure;
    }
  } finally {
    await server.close();
  }
  await sink.write(afterwards(io));
}

/** The tour on a terminal: one screen per step. A step runs when it is first reached; going back shows it again. */
export async function guided(context: Context, steps: readonly Step[]): Promise<void> {
  const { io } = context;
  const sink = new Sink(io.stdout.stream);
  const keys = new Keys(io);
  const clear = io.env.TERM === 'dumb' ? '\n' : CLEAR;
  const style = styleFor(io.stdout, io.env, !context.options.color);
  const seen: string[] = [];
  let server: Server | undefined;
  try {
    server = await startService(context);
    for (let at = 0; ; ) {
      const step = steps[at];
      if (step === undefined) {
        await sink.write(`${clear}${heading(context, 'the end', 'On your own')}\n${whileItRuns(server.url, io)}\n`);
      } else {
        if (seen[at] === undefined) {
          const { text, failure } = await playStep(context, server, step, true, keys.interrupted);
          seen[at] = `${clear}${heading(context, `${at + 1} of ${steps.length}`, step.title)}\n${text}`;
          if (failure) {
            await sink.write(seen[at] ?? '');
            throw failure;
          }
        }
        await sink.write(`${seen[at]}\n`);
      }
      const choices = [...(step ? ['Enter next'] : []), ...(at > 0 ? ['b back'] : []), 'q quit'];
      await sink.write(`${style('dim', choices.join('   '))} `);
      const action = await keys.next();
      await sink.write('\n');
      if (action === 'interrupt') throw interrupted('Interrupted; the service is stopped.');
      if (action === 'quit') return;
      at = action === 'next' ? Math.min(at + 1, steps.length) : Math.max(at - 1, 0);
    }
  } finally {
    keys.close();
    await server?.close();
  }
}

const startService = ({ io }: Context): Promise<Server> =>
  serve({ store: memoryStore(), seed: demoSeed(), port: 0, clock: () => io.now().getTime() });

function heading({ io, options }: Context, where: string, title: string): string {
  const style = styleFor(io.stdout, io.env, !options.color);
  return `${style('dim', `mkt demo, ${where}:`)} ${style('bold', title)}\n`;
}

interface Played {
  /** The step's sentences, and each command with what it printed. */
  readonly text: string;
  /** Why the tour does not go on, where a command ended with another exit code than the story expects. */
  readonly failure?: CliError;
}

async function playStep(
  context: Context,
  server: Server,
  { text: sentences, commands }: Step,
  oneScreen: boolean,
  signal: AbortSignal,
): Promise<Played> {
  const { io, options } = context;
  const { isTTY, columns } = io.stdout;
  const style = styleFor(io.stdout, io.env, !options.color);
  const parts = [`${wrap(sentences, isTTY ? columns : 80).join('\n')}\n`];
  for (const { line: everywhere, onOneScreen = everywhere, exit: expected = exitCodes.ok } of commands) {
    const line = oneScreen ? onOneScreen : everywhere;
    const { code, output } = await runLine(context, server.url, line, signal);
    if (signal.aborted) throw interrupted();
    parts.push(`${style('bold', typedLine(line, isTTY ? columns : Number.POSITIVE_INFINITY, io.platform))}\n${output}`);
    if (code === expected) continue;
    const failure = new CliError({
      code: 'demo_failed',
      // A command that succeeded although it should fail is a failure too.
      exitCode: code === exitCodes.ok ? exitCodes.unexpected : code,
      message: `The tour stops here: "${line}" ended with exit code ${code} instead of ${expected}.`,
      hints: ['This is a bug in mkt: please report it, with the output above'],
    });
    return { text: parts.join('\n'), failure };
  }
  return { text: parts.join('\n') };
}

/** Runs a command line against the service, over TCP, with none of this machine's settings. */
async function runLine(context: Context, url: string, line: string, signal: AbortSignal) {
  const { io, options } = context;
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const { isTTY, columns, rows } = io.stdout;
  const stdout = { stream, isTTY, columns, rows };
  const env = {
    ...Object.fromEntries(PASSED_ON.map((name) => [name, io.env[name]])),
    ...(!options.color && { NO_COLOR: '1' }),
    MKT_BASE_URL: url,
    MKT_TOKEN: demoTokens.ada_write,
    MKT_CONFIG_DIR: NOWHERE,
    MKT_NO_KEYRING: '1',
    MKT_NO_INPUT: '1',
  };
  const argv = wordsOf(line).slice(1);
  const code = await context.run(
    argv.map((word) => word.replaceAll(/['"]/g, '')),
    { ...io, env, cwd: undefined, home: NOWHERE, stdout, stderr: stdout, interrupted: signal },
  );
  // A progress counter leaves on a terminal only what came after its line was last cleared.
  const lines = Buffer.concat(chunks).toString('utf8').split('\n');
  return { code, output: lines.map((each) => each.split(CLEAR_LINE).at(-1)).join('\n') };
}

/** The words of a command line; quotes hold them together. */
const wordsOf = (line: string): readonly string[] => line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];

/** A command as it is typed on a terminal of `width` columns, continued on the next line as the shell takes it. */
export function typedLine(line: string, width: number, platform: NodeJS.Platform): string {
  const whole = `$ ${line}`;
  if (widthOf(whole) <= width) return whole;
  const continued = platform === 'win32' ? ' `' : ' \\';
  const [first = '', ...rest] = wordsOf(whole);
  const lines = [first];
  for (const word of rest) {
    const longer = `${lines.at(-1)} ${word}`;
    if (widthOf(longer + continued) <= width) lines[lines.length - 1] = longer;
    else lines.push(`    ${word}`);
  }
  return lines.join(`${continued}\n`);
}

type KeyAction = 'next' | 'back' | 'quit' | 'interrupt';

const keyActions: Readonly<Record<string, KeyAction>> = {
  ...Object.fromEntries(['return', 'enter', 'space', 'right', 'n'].map((name) => [name, 'next' as const])),
  ...Object.fromEntries(['left', 'b', 'p'].map((name) => [name, 'back' as const])),
  q: 'quit',
};

/** The keys of a terminal in raw mode, where Ctrl-C arrives as a key and not as a signal. */
class Keys {
  readonly #input: Io['stdin']['stream'] & Partial<Pick<ReadStream, 'setRawMode'>>;
  readonly #presses: AsyncIterator<[string | undefined, Key]>;
  readonly #stop = new AbortController();
  /** Aborts at Ctrl-C, also while a command runs. */
  readonly interrupted: AbortSignal;

  constructor({ stdin, interrupted: outside }: Io) {
    this.#input = stdin.stream;
    this.interrupted = AbortSignal.any([this.#stop.signal, outside]);
    emitKeypressEvents(this.#input);
    this.#input.setRawMode?.(true);
    this.#input.on('keypress', this.#onKey);
    const events = on(this.#input, 'keypress', { signal: this.interrupted, close: ['end'] });
    this.#presses = events as AsyncIterator<[string | undefined, Key]>;
    this.#input.resume();
  }

  /** The next key that has a meaning. Keys pressed meanwhile wait; the end of the terminal quits. */
  async next(): Promise<KeyAction> {
    while (!this.interrupted.aborted) {
      const press = await this.#presses.next().catch(() => undefined);
      if (press === undefined) break;
      if (press.done) return 'quit';
      const [, { name = '', ctrl }] = press.value;
      const action = ctrl ? (name === 'd' ? 'quit' : undefined) : keyActions[name];
      if (action !== undefined) return action;
    }
    return 'interrupt';
  }

  /** Gives the terminal back. */
  close(): void {
    void this.#presses.return?.();
    this.#input.off('keypress', this.#onKey);
    this.#input.setRawMode?.(false);
    this.#input.pause();
  }

  readonly #onKey = (_text: string | undefined, { name, ctrl }: Key): void => {
    if (ctrl && name === 'c') this.#stop.abort();
  };
}
