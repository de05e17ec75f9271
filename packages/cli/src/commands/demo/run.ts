import { on } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emitKeypressEvents, type Key } from 'node:readline';
import { PassThrough, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadStream } from 'node:tty';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { sqliteDriver } from '@mkt/server/sqlite';
import { NOWHERE } from '../../config/folders.js';
import type { Context } from '../../context/context.js';
import { CliError, type ExitCode, exitCodes, interrupted, usageError } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';
import { Sink } from '../../output/printer.js';
import { wrap } from '../../text/width.js';
import { type Step, tour } from './tour.js';

const CLEAR_LINE = '\r\u001b[2K';
const CLEAR_SCREEN = '\u001b[2J\u001b[H';

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

/** A service whose clock the tour moves. */
interface DemoService {
  readonly url: string;
  readonly history: string;
  readonly now: () => number;
  /** Lets hours pass, in which active campaigns earn views. */
  readonly pass: (hours: number) => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

interface Tour {
  readonly context: Context;
  readonly sink: Sink;
  readonly service: DemoService;
  readonly signal: AbortSignal;
}

const headOf = (context: Context, where: string, title: string): string => {
  const style = context.styleOf('stdout');
  return `${style('dim', `mkt demo, ${where}:`)} ${style('bold', title)}\n`;
};

async function demoService({ io }: Context): Promise<DemoService> {
  const store = memoryStore();
  let passed = 0;
  const now = () => io.now().getTime() + passed;
  const service = await serve({ store, seed: demoSeed(), port: 0, clock: now });
  const folder = mkdtempSync(join(tmpdir(), 'mkt-demo-'));
  return {
    url: service.url,
    history: join(folder, 'history.db'),
    now,
    pass: async (hours) => {
      passed += hours * 3_600_000;
      // Fewer at night.
      const part = (passed / 3_600_000) % 24 > 12 ? 0.2 : 1;
      await store.transact(async (writer) => {
        const active = await writer.page('campaigns', 'byOrganizationAndStatus', [5, 'active'], {
          offset: 0,
          limit: 100,
        });
        for (const { id, view_count } of active)
          await writer.update('campaigns', id, { view_count: view_count + Math.round(part * hours * 40 * Number(id)) });
      });
    },
    [Symbol.asyncDispose]: async () => {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The steps for this machine: one without SQLite cannot record anything. */
async function possible(steps: readonly Step[]): Promise<readonly Step[]> {
  const canRecord = await sqliteDriver().then(
    () => true,
    () => false,
  );
  return canRecord ? steps : steps.filter(({ readings }) => readings === undefined);
}

/** The only variables that the commands get from the environment. */
const PASSED_ON = ['NO_COLOR', 'FORCE_COLOR', 'TERM', 'LANG', 'LC_ALL', 'NODE_USE_ENV_PROXY'] as const;

/** Runs a command line, and returns its exit code and its output as a terminal would show it. */
async function play({ context, service, signal }: Tour, line: string): Promise<{ code: ExitCode; text: string }> {
  const { io, options } = context;
  const stream = new PassThrough();
  const output = { ...io.stdout, stream };
  const env = {
    ...Object.fromEntries(PASSED_ON.map((name) => [name, io.env[name]])),
    ...(options['no-color'] === true && { NO_COLOR: '1' }),
    MKT_BASE_URL: service.url,
    MKT_TOKEN: demoTokens.ada_write,
    MKT_CONFIG_DIR: NOWHERE,
    MKT_HISTORY: service.history,
    MKT_NO_KEYRING: '1',
    MKT_NO_INPUT: '1',
  };
  const streams = { stdout: output, stderr: output, print: (printed: string) => void stream.write(printed) };
  const now = () => new Date(service.now());
  const inner: Io = { ...io, ...streams, env, now, cwd: undefined, home: NOWHERE, interrupted: signal };
  // Quoted text is one word.
  const [, ...argv] = [...line.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)].map(([word, one, two]) => one ?? two ?? word);
  const [code, printed] = await Promise.all([context.run(argv, inner).finally(() => stream.end()), text(stream)]);
  // Progress lines are redrawn many times; only the text after the last clearing remains.
  const lines = printed.split('\n').map((each) => each.split(CLEAR_LINE).at(-1));
  return { code, text: lines.join('\n') };
}

/** Runs a step, and returns its screen. @throws with what was printed if a command exits with an unexpected code */
async function playStep(tour: Tour, step: Step, where: string, oneScreen: boolean): Promise<string> {
  const { context, sink, signal } = tour;
  const { isTTY, columns } = context.io.stdout;
  const style = context.styleOf('stdout');
  const sentences = wrap(step.text, isTTY ? columns : 80).join('\n');
  for (let reading = 0; reading < (step.readings ?? 0); reading += 1) {
    if (reading > 0) await tour.service.pass(4);
    await play(tour, 'mkt watch --org 5 --once');
  }
  let screen = `${headOf(context, where, step.title)}\n${sentences}\n`;
  for (const { line: whole, onOneScreen = whole, exit = exitCodes.ok } of step.commands) {
    const line = oneScreen ? onOneScreen : whole;
    const { code, text: printed } = await play(tour, line);
    if (signal.aborted) throw interrupted();
    screen += `\n${style('bold', `$ ${line}`)}\n${printed}`;
    if (code === exit) continue;
    await sink.write(screen);
    throw new CliError({
      code: 'demo_failed',
      // An expected error that did not occur is a failure too.
      exitCode: code === exitCodes.ok ? exitCodes.unexpected : code,
      message: `The tour stops here: "${line}" exited with code ${code}, expected ${exit}.`,
      hints: ['This is a bug in mkt: please report it with the output above'],
    });
  }
  return screen;
}

/** All steps, one after the other, without keys. */
export async function once(context: Context, all: readonly Step[]): Promise<void> {
  const { io } = context;
  const steps = await possible(all);
  const sink = new Sink(io.stdout.stream);
  {
    await using service = await demoService(context);
    const tour = { context, sink, service, signal: io.interrupted };
    for (const [index, step] of steps.entries())
      await sink.write(`${await playStep(tour, step, `${index + 1} of ${steps.length}`, false)}\n`);
  }
  await sink.write(afterwards(io));
}

/** Node's names of the keys. */
const NEXT = ['return', 'enter', 'space', 'right', 'n'];
const BACK = ['left', 'b', 'p'];
const QUIT = ['q', 'ctrl d'];
const nameOf = ({ ctrl, name }: Key): string => `${ctrl ? 'ctrl ' : ''}${name}`;

/**
 * A screen for each step, driven by keys. A step runs when it is first reached; going back shows its screen again, since
 * a campaign is not created twice.
 */
export async function guided(context: Context, all: readonly Step[]): Promise<void> {
  const { io } = context;
  const steps = await possible(all);
  const sink = new Sink(io.stdout.stream);
  const clear = io.env.TERM === 'dumb' ? '\n' : CLEAR_SCREEN;
  const input: Readable & Partial<Pick<ReadStream, 'setRawMode'>> = io.stdin.stream;
  // Ctrl-C arrives as a key, also while a step runs.
  const stop = new AbortController();
  const onKey = (_text: string | undefined, key: Key) => nameOf(key) === 'ctrl c' && stop.abort();
  const signal = AbortSignal.any([io.interrupted, stop.signal]);
  emitKeypressEvents(input);
  input.setRawMode?.(true);
  input.on('keypress', onKey);
  const keys = on(input, 'keypress', { signal, close: ['end'] });
  try {
    await using service = await demoService(context);
    const tour = { context, sink, service, signal };
    const screens: string[] = [];
    const show = async (at: number): Promise<void> => {
      const step = steps[at];
      screens[at] ??= step
        ? await playStep(tour, step, `${at + 1} of ${steps.length}`, true)
        : `${headOf(context, 'the end', 'On your own')}\n${whileItRuns(service.url, io)}`;
      const offered = [step && 'Enter next', at > 0 && 'b back', 'q quit'].filter(Boolean).join('   ');
      await sink.write(`${clear}${screens[at]}\n${context.styleOf('stdout')('dim', offered)} `);
    };
    let at = 0;
    await show(at);
    for await (const [, key] of keys) {
      const name = nameOf(key);
      if (QUIT.includes(name)) break;
      if (!NEXT.includes(name) && !BACK.includes(name)) continue;
      await sink.write('\n');
      at = NEXT.includes(name) ? Math.min(at + 1, steps.length) : Math.max(at - 1, 0);
      await show(at);
    }
    await sink.write('\n');
  } catch (error) {
    if (!signal.aborted) throw error;
    await sink.write('\n');
    throw interrupted('Interrupted; the service has stopped.');
  } finally {
    input.off('keypress', onKey);
    input.setRawMode?.(false);
    input.pause();
  }
}

export async function demo(context: Context, runOnce: boolean): Promise<void> {
  const { io, options } = context;
  const named = (['org', 'profile', 'base-url'] as const).find((name) => options[name] !== undefined);
  if (named) throw usageError(`mkt demo uses its own service and data, so it does not take --${named}.`);
  if (!runOnce && context.interactive && io.stdout.isTTY) return guided(context, tour);
  if (!runOnce) context.note('There is no terminal, so the tour runs without waiting for keys.');
  return once(context, tour);
}
