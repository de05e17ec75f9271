import { homedir } from 'node:os';
import { isatty } from 'node:tty';
import type { Io, Output } from './io.js';
import { writeNow } from './write-now.js';

/** A stream of this process with what a terminal would say about it; made at its first use, which costs milliseconds. */
const output = (descriptor: 1 | 2, make: () => NodeJS.WriteStream): Output => {
  let made: NodeJS.WriteStream | undefined;
  const stream = (): NodeJS.WriteStream => {
    made ??= make();
    return made;
  };
  return {
    isTTY: isatty(descriptor),
    get stream() {
      return stream();
    },
    get columns() {
      return stream().columns ?? 80;
    },
    get rows() {
      return stream().rows ?? 24;
    },
  };
};

/** A reader that left (`mkt ... | head -1`) is no failure: what it did not want is dropped (EPIPE). A full disk is one. */
const watched = (stream: NodeJS.WriteStream, onLost: (reason: string) => void): NodeJS.WriteStream =>
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') onLost(message);
  });

/** The home folder; `/` for an account without one, as in containers: no HOME, and a user id without an entry. */
export function homeFolder(ask: () => string = homedir): string {
  try {
    return ask() || '/';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SYSTEM_ERROR') return '/';
    throw error;
  }
}

/** The folder that one is in; it may have been deleted meanwhile. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return homeFolder();
  }
}

/** Whoever stops a program from outside (`kill`, a container that ends) uses force before long. */
const LAST_MOMENT_MS = 3000;

/** Aborts at Ctrl-C and at SIGTERM, so that what is under way is put away. */
function interruption(): AbortSignal {
  const interrupt = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    // A second one finds no listener and ends the process at once, whatever still hangs.
    for (const each of ['SIGINT', 'SIGTERM'] as const) process.off(each, stop);
    interrupt.abort();
    // Nobody is there to repeat a SIGTERM: it ends what still waits then, such as for a reader that does not read.
    if (signal === 'SIGTERM') setTimeout(() => process.kill(process.pid, signal), LAST_MOMENT_MS).unref();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return interrupt.signal;
}

/** The edge: the streams, environment and signals of this process. `onLostOutput` hears when stdout cannot be written. */
export function processIo(onLostOutput: () => void): Io {
  let interrupted: AbortSignal | undefined;
  const onLost = (reason: string): void => {
    process.stderr.write(`error: Cannot write the output: ${reason}.\n`);
    onLostOutput();
  };
  return {
    env: process.env,
    cwd: workingFolder(),
    home: homeFolder(),
    platform: process.platform,
    stdin: {
      isTTY: isatty(0),
      get stream() {
        return process.stdin;
      },
    },
    stdout: output(1, () => watched(process.stdout, onLost)),
    stderr: output(2, () => watched(process.stderr, () => undefined)),
    print: (text) => writeNow(text, onLost),
    now: () => new Date(),
    // Listened for from the first use on: a server ends in its own way.
    get interrupted() {
      interrupted ??= interruption();
      return interrupted;
    },
  };
}
