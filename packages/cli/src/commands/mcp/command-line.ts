import { PassThrough, Readable } from 'node:stream';
import type { Context } from '../../context/context.js';
import { type ExitCode, exitCodes } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';

/** A failed command line, with the error that it printed as JSON. */
export class CommandError extends Error {
  constructor(
    readonly code: ExitCode,
    readonly details: Readonly<Record<string, unknown>>,
  ) {
    super(String(details.message ?? `mkt exited with code ${code}.`));
  }
}

const collect = () => {
  const stream = new PassThrough();
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  return { stream, text: () => Buffer.concat(parts).toString('utf8') };
};

/** Flags of `mkt mcp` that its command lines inherit. */
const inherited = ['profile', 'base-url', 'timeout'] as const;

interface Running {
  /** Cancels the command. */
  readonly signal?: AbortSignal;
  /** Called with what a list has in all. */
  readonly listed?: Io['listed'];
}

/** Runs `mkt` in this process, without prompts, and returns what it prints. */
async function run(context: Context, argv: readonly string[], { signal, listed }: Running) {
  const { io, options } = context;
  const [out, errors] = [collect(), collect()];
  const pipe = { isTTY: false, columns: 100, rows: 24 };
  const given = inherited.flatMap((name) => (options[name] === undefined ? [] : [`--${name}=${options[name]}`]));
  const code = await context.run([...given, ...argv], {
    ...io,
    env: { ...io.env, MKT_NO_INPUT: '1', NO_COLOR: '1' },
    stdin: { stream: Readable.from([]), isTTY: false },
    stdout: { ...pipe, stream: out.stream },
    stderr: { ...pipe, stream: errors.stream },
    print: (text) => void out.stream.write(text),
    ...(signal !== undefined && { interrupted: AbortSignal.any([io.interrupted, signal]) }),
    ...(listed !== undefined && { listed }),
  });
  return { code, stdout: out.text(), stderr: errors.text() };
}

/** The text that a command prints. @throws {CommandError} */
export async function text(context: Context, argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(context, argv, {});
  if (code !== exitCodes.ok) throw new CommandError(code, { message: stderr.trim() });
  return stdout;
}

/** The JSON that a command prints. @throws {CommandError} unless the exit code is 0 or one of `accepted` */
export async function json(
  context: Context,
  argv: readonly string[],
  { accepted = [], ...running }: Running & { readonly accepted?: readonly ExitCode[] } = {},
): Promise<unknown> {
  const { code, stdout, stderr } = await run(context, ['--json', '--quiet', ...argv], running);
  if ((code === exitCodes.ok || accepted.includes(code)) && stdout !== '') return JSON.parse(stdout);
  const line = stderr.split('\n').find((each) => each.startsWith('{"error":'));
  const details = line === undefined ? { message: stderr.trim() } : JSON.parse(line).error;
  throw new CommandError(code, details);
}
