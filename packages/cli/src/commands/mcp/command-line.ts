import { PassThrough, Readable } from 'node:stream';
import type { Context } from '../../context/context.js';
import type { Io } from '../../io/io.js';

/** Flags of `mkt mcp` that its command lines inherit. */
const inherited = ['profile', 'base-url', 'timeout'] as const;

/** For commands without a terminal: they ask nothing, write nothing to the streams of the protocol, and print to `out`. */
export function withoutTerminal(io: Io, out: PassThrough, signal?: AbortSignal): Io {
  const pipe = { isTTY: false, columns: 100, rows: 24 };
  return {
    ...io,
    env: { ...io.env, MKT_NO_INPUT: '1', NO_COLOR: '1' },
    stdin: { stream: Readable.from([]), isTTY: false },
    stdout: { ...pipe, stream: out },
    stderr: { ...pipe, stream: new PassThrough().resume() },
    print: (text) => void out.write(text),
    isBrief: true,
    interrupted: signal === undefined ? io.interrupted : AbortSignal.any([io.interrupted, signal]),
  };
}

/** The JSON that a command prints, which runs in this process. @throws its error */
export async function json(
  { io, options, run }: Context,
  argv: readonly string[],
  { signal, listed }: { readonly signal: AbortSignal; readonly listed?: Io['listed'] },
): Promise<unknown> {
  const out = new PassThrough();
  const parts: Buffer[] = [];
  out.on('data', (part: Buffer) => parts.push(part));
  const failures: Error[] = [];
  const given = inherited.flatMap((name) => (options[name] === undefined ? [] : [`--${name}=${options[name]}`]));
  await run([...given, '--json', '--quiet', ...argv], {
    ...withoutTerminal(io, out, signal),
    failed: (error) => void failures.push(error),
    ...(listed !== undefined && { listed }),
  });
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}
