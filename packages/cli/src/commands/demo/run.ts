import { on } from 'node:events';
import { emitKeypressEvents, type Key } from 'node:readline';
import { PassThrough, type Readable } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { NOWHERE } from '../../config/folders.js';
import type { Context } from '../../context/context.js';
import { CliError, interrupted, usageError } from '../../errors/cli-error.js';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.js';
import type { Io } from '../../io/io.js';
import { Sink } from '../../output/printer.js';
import { widthOf, wrap } from '../../text/width.js';
import { type Step, tour } from './tour.js';

const CLEAR_SCREEN = '\u001b[2J\u001b[H';
const CLEAR_LINE = '\r\u001b[2K';

/** The words of a line; quoted text is one word. */
const wordsOf = (line: string): readonly string[] => line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];

/** A line as a user types it on a terminal of `width` columns; a longer one is continued on the next line. */
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

/**
 * How to call this program: after `npx` it may not be on the PATH. `npx mkt` is only for a clone (`npm run`): if mkt is
 * not installed, npx would fetch an unrelated package of that name.
 */
const programIn = ({ npm_command: through }: Io['env']): string =>
  through === undefined ? 'mkt' : through === 'exec' ? 'npx @mkt/cli' : 'npx mkt';

/** Commands to try in a second terminal while the service runs. */
export function whileItRuns(url: string, { env, platform }: Pick<Io, 'env' | 'platform'>): string {
  const mkt = programIn(env);
  const settings =
    platform === 'win32'
      ? `  $env:MKT_BASE_URL = '${url}'\n  $env:MKT_TOKEN = '${demoTokens.ada_write}'`
      : `  export MKT_BASE_URL=${url} MKT_TOKEN=${demoTokens.ada_write}`;
  return `The service runs until you quit: ${url}

  ${url}/sign_in   the same in a browser; sign in with a token
  ${url}/docs      the API, to try each request

  Ada, owner of Acme Cosmetics   ${demoTokens.ada_write}
  Ada, with a read-only token    ${demoTokens.ada_read}
  Cleo, a member, sees no drafts ${demoTokens.cleo_write}

Try it in a second terminal:

${settings}
  ${mkt} campaigns pause 48 --org 5
  ${mkt} collabs list --org 5
  ${mkt} export campaigns --org 5 --out campaigns.csv

Programs use @mkt/sdk, front ends test against @mkt/mock-server.
`;
}

/** What to do next after the tour. */
export function afterwards({ env }: Pick<Io, 'env'>): string {
  const mkt = programIn(env);
  const command = (name: string) => `${mkt} ${name}`.padEnd(Math.max(16, mkt.length + 9));
  return `That was the tour. All commands really ran; the service has stopped and left no files behind.

  ${command('demo')} the tour at your own pace, on a terminal
  ${command('serve')} a service with the same data that keeps running
  ${command('--help')} every command
`;
}

const headOf = (context: Context, where: string, title: string): string => {
  const style = context.styleOf('stdout');
  return `${style('dim', `mkt demo, ${where}:`)} ${style('bold', title)}\n`;
};

interface Tour {
  readonly context: Context;
  readonly steps: readonly Step[];
  /** URL of the service. */
  readonly url: string;
  readonly signal: AbortSignal;
}

/** A service with the demo data, on a free port of this machine. */
const demoService = ({ io }: Context) =>
  serve({ store: memoryStore(), seed: demoSeed(), port: 0, clock: () => io.now().getTime() });

/** The only variables that the commands get from the environment. */
const PASSED_ON = ['NO_COLOR', 'FORCE_COLOR', 'TERM', 'LANG', 'LC_ALL', 'NODE_USE_ENV_PROXY'] as const;

/** Runs a command line, and returns its exit code and its output as a terminal would show it. */
async function play({ context, url, signal }: Tour, line: string): Promise<{ code: ExitCode; text: string }> {
  const { io, options } = context;
  const stream = new PassThrough();
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  const { isTTY, columns, rows } = io.stdout;
  const output = { stream, isTTY, columns, rows };
  const env = {
    ...Object.fromEntries(PASSED_ON.map((name) => [name, io.env[name]])),
    ...(options['no-color'] === true && { NO_COLOR: '1' }),
    MKT_BASE_URL: url,
    MKT_TOKEN: demoTokens.ada_write,
    MKT_CONFIG_DIR: NOWHERE,
    MKT_NO_KEYRING: '1',
    MKT_NO_INPUT: '1',
  };
  const argv = wordsOf(line).map((word) => word.replaceAll(/['"]/g, ''));
  const print = (printed: string) => void stream.write(printed);
  const streams = { stdout: output, stderr: output, print };
  const inner: Io = { ...io, ...streams, env, cwd: undefined, home: NOWHERE, interrupted: signal };
  const code = await context.run(argv.slice(1), inner);
  const lines = Buffer.concat(parts).toString('utf8').split('\n');
  // Progress lines are redrawn many times; only the text after the last clearing remains.
  return { code, text: lines.map((each) => each.split(CLEAR_LINE).at(-1)).join('\n') };
}

/** Runs a step, and returns its screen, and an error if a command exited with an unexpected code. */
async function playStep(tour: Tour, index: number, oneScreen: boolean): Promise<{ screen: string; error?: CliError }> {
  const { context, steps, signal } = tour;
  const { io } = context;
  const { title = '', text = '', commands = [] } = steps[index] ?? {};
  const { isTTY, columns } = io.stdout;
  const style = context.styleOf('stdout');
  const sentences = wrap(text, isTTY ? columns : 80).join('\n');
  let screen = `${headOf(context, `${index + 1} of ${steps.length}`, title)}\n${sentences}\n`;
  for (const { line: whole, onOneScreen = whole, exit = exitCodes.ok } of commands) {
    const line = oneScreen ? onOneScreen : whole;
    const { code, text: printed } = await play(tour, line);
    if (signal.aborted) throw interrupted();
    screen += `\n${style('bold', typedLine(line, isTTY ? columns : Number.POSITIVE_INFINITY, io.platform))}\n${printed}`;
    if (code === exit) continue;
    const error = new CliError({
      code: 'demo_failed',
      // An expected error that did not occur is a failure too.
      exitCode: code === exitCodes.ok ? exitCodes.unexpected : code,
      message: `The tour stops here: "${line}" exited with code ${code}, expected ${exit}.`,
      hints: ['This is a bug in mkt: please report it with the output above'],
    });
    return { screen, error };
  }
  return { screen };
}

/** All steps, one after the other, without keys. */
export async function once(context: Context, steps: readonly Step[]): Promise<void> {
  const { io } = context;
  const sink = new Sink(io.stdout.stream);
  {
    await using service = await demoService(context);
    const tour = { context, steps, url: service.url, signal: io.interrupted };
    for (const index of steps.keys()) {
      const { screen, error } = await playStep(tour, index, false);
      await sink.write(`${screen}\n`);
      if (error !== undefined) throw error;
    }
  }
  await sink.write(afterwards(io));
}

type Move = 'next' | 'back' | 'quit';

/** The effect of a key. */
function moveOf({ name = '', ctrl }: Key): Move | undefined {
  if (ctrl) return name === 'd' ? 'quit' : undefined;
  if (['return', 'enter', 'space', 'right', 'n'].includes(name)) return 'next';
  if (['left', 'b', 'p'].includes(name)) return 'back';
  return name === 'q' ? 'quit' : undefined;
}

/** Reads single keys while `work` runs. Ctrl-C arrives as a key, and aborts `signal`. */
async function withKeys(
  { stdin, interrupted }: Io,
  work: (next: () => Promise<Move>, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const input: Readable & Partial<Pick<ReadStream, 'setRawMode'>> = stdin.stream;
  const stop = new AbortController();
  const signal = AbortSignal.any([interrupted, stop.signal]);
  const onKey = (_text: string | undefined, { ctrl, name }: Key) => {
    if (ctrl && name === 'c') stop.abort();
  };
  emitKeypressEvents(input);
  input.setRawMode?.(true);
  input.on('keypress', onKey);
  const keys = on(input, 'keypress', { signal, close: ['end'] });
  const next = async (): Promise<Move> => {
    for (;;) {
      const { value, done } = await keys.next();
      // The terminal is gone.
      if (done === true) return 'quit';
      const move = moveOf(value[1] as Key);
      if (move !== undefined) return move;
    }
  };
  try {
    await work(next, signal);
  } finally {
    input.off('keypress', onKey);
    input.setRawMode?.(false);
    input.pause();
  }
}

/**
 * A screen for each step, driven by keys. A step runs when it is first reached; going back shows its screen again, since
 * a campaign is not created twice.
 */
export async function guided(context: Context, steps: readonly Step[]): Promise<void> {
  const { io } = context;
  const sink = new Sink(io.stdout.stream);
  const style = context.styleOf('stdout');
  const clear = io.env.TERM === 'dumb' ? '\n' : CLEAR_SCREEN;
  await withKeys(io, async (next, signal) => {
    await using service = await demoService(context);
    const tour = { context, steps, url: service.url, signal };
    const screens: string[] = [];
    for (let at = 0; ; ) {
      if (at === steps.length) {
        screens[at] = `${headOf(context, 'the end', 'On your own')}\n${whileItRuns(service.url, io)}`;
      } else if (screens[at] === undefined) {
        const { screen, error } = await playStep(tour, at, true);
        screens[at] = screen;
        if (error !== undefined) {
          await sink.write(`${clear}${screen}`);
          throw error;
        }
      }
      const keys = [at < steps.length && 'Enter next', at > 0 && 'b back', 'q quit'].filter(Boolean);
      await sink.write(`${clear}${screens[at]}\n${style('dim', keys.join('   '))} `);
      const move = await next().catch(() => 'interrupt');
      await sink.write('\n');
      if (move === 'interrupt') throw interrupted('Interrupted; the service has stopped.');
      if (move === 'quit') return;
      at = move === 'next' ? Math.min(at + 1, steps.length) : Math.max(at - 1, 0);
    }
  });
}

export async function demo(context: Context, runOnce: boolean): Promise<void> {
  const { io, options } = context;
  const { org, profile, 'base-url': baseUrl } = options;
  const named = [org && '--org', profile && '--profile', baseUrl && '--base-url'].find(Boolean);
  if (named) throw usageError(`mkt demo uses its own service and data, so it does not take ${named}.`);
  if (runOnce) return once(context, tour);
  if (context.interactive && io.stdout.isTTY) return guided(context, tour);
  context.note('There is no terminal, so the tour runs without waiting for keys.');
  return once(context, tour);
}
