import { PassThrough, Readable } from 'node:stream';
import type { Context } from '../../context/context.js';
import type { ExitCode } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';

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
  const out = collect();
  const failures: Error[] = [];
  const pipe = { isTTY: false, columns: 100, rows: 24 };
  const given = inherited.flatMap((name) => (options[name] === undefined ? [] : [`--${name}=${options[name]}`]));
  const code = await context.run([...given, ...argv], {
    ...io,
    env: { ...io.env, MKT_NO_INPUT: '1', NO_COLOR: '1' },
    stdin: { stream: Readable.from([]), isTTY: false },
    stdout: { ...pipe, stream: out.stream },
    stderr: { ...pipe, stream: new PassThrough().resume() },
    print: (text) => void out.stream.write(text),
    isBrief: true,
    failed: (error) => void failures.push(error),
    ...(signal !== undefined && { interrupted: AbortSignal.any([io.interrupted, signal]) }),
    ...(listed !== undefined && { listed }),
  });
  return { code, stdout: out.text(), error: failures[0] };
}

/** The JSON that a command prints. @throws its error, unless it printed data and the exit code is one of `accepted` */
export async function json(
  context: Context,
  argv: readonly string[],
  { accepted = [], ...running }: Running & { readonly accepted?: readonly ExitCode[] } = {},
): Promise<unknown> {
  const { code, stdout, error } = await run(context, ['--json', '--quiet', ...argv], running);
  if (error !== undefined && !(accepted.includes(code) && stdout !== '')) throw error;
  return JSON.parse(stdout);
}
