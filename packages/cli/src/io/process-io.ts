import { fstatSync, statSync } from 'node:fs';
import type { Io, Output } from './io.js';
import { writeNow } from './write-now.js';

/**
 * Whether a descriptor is a terminal. node:tty loads all stream modules, which takes 2 ms, and is not needed to know that
 * a pipe, a file or the null device is not one.
 */
function isTerminal(descriptor: number): boolean {
  if (process.platform !== 'win32') {
    const stats = fstatSync(descriptor);
    if (!stats.isCharacterDevice() || stats.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev)
      return false;
  }
  return process.getBuiltinModule('node:tty').isatty(descriptor);
}

/** Some terminals do not know their size. Prompts read it from the stream. */
const withSize = (stream: NodeJS.WriteStream) =>
  Object.assign(stream, { columns: stream.columns || 80, rows: stream.rows || 24 });

/** A stream of this process with its terminal properties; created at its first use, which takes milliseconds. */
const output = (descriptor: 1 | 2, make: () => NodeJS.WriteStream): Output => {
  let made: NodeJS.WriteStream | undefined;
  const stream = (): NodeJS.WriteStream => {
    made ??= withSize(make());
    return made;
  };
  return {
    get isTTY() {
      return isTerminal(descriptor);
    },
    get stream() {
      return stream();
    },
    get columns() {
      return stream().columns || 80;
    },
    get rows() {
      return stream().rows || 24;
    },
  };
};

/** Ignores EPIPE, because a reader may stop early (`mkt ... | head -1`). Other errors, such as a full disk, count. */
const watched = (stream: NodeJS.WriteStream, onLost: (error: Error) => void): NodeJS.WriteStream =>
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') onLost(error);
  });

/** The home folder; `/` for an account without one, as in containers: no HOME, and a user id without an entry. */
export function homeFolder(read = () => process.getBuiltinModule('node:os').homedir()): string {
  try {
    return read() || '/';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SYSTEM_ERROR') return '/';
    throw error;
  }
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return homeFolder();
  }
}

/** Longer than requests under way are waited for. Container runtimes and service managers send SIGKILL after 10 s or more. */
const SIGTERM_GRACE_MS = 7000;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts at Ctrl-C, at SIGTERM and when the terminal is closed, so that commands can clean up; `ignores` says which signals are not for mkt. */
function interruption(ignores: (signal: NodeJS.Signals) => boolean): AbortSignal {
  const interrupt = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    if (ignores(signal)) return;
    // Without listeners, a second signal ends the process immediately.
    for (const each of signals) process.off(each, stop);
    interrupt.abort();
    // These are not sent twice, so each has to end a run that still hangs, for example on a blocked pipe.
    if (signal !== 'SIGINT') setTimeout(() => process.kill(process.pid, signal), SIGTERM_GRACE_MS).unref();
  };
  for (const each of signals) process.on(each, stop);
  return interrupt.signal;
}

/** The streams, environment and signals of this process. `onLost` is called if stdout cannot be written. */
export function processIo(onLost: (error: Error) => void): Io {
  let interrupted: AbortSignal | undefined;
  let lent = false;
  const io: Io = {
    env: process.env,
    cwd: workingFolder(),
    get home() {
      return homeFolder();
    },
    platform: process.platform,
    stdin: {
      get isTTY() {
        return isTerminal(0);
      },
      get stream() {
        return process.stdin;
      },
    },
    stdout: output(1, () => watched(process.stdout, onLost)),
    stderr: output(2, () => watched(process.stderr, () => undefined)),
    print: (text) => writeNow(text, onLost),
    now: () => new Date(),
    // Registered at the first use, because mkt serve handles signals itself.
    get interrupted() {
      interrupted ??= interruption((signal) => lent && signal === 'SIGINT');
      return interrupted;
    },
    lendTerminal: async (work) => {
      // Adds the listener, without which Ctrl-C would end this process.
      interrupted = io.interrupted;
      lent = true;
      try {
        return await work();
      } finally {
        lent = false;
      }
    },
  };
  return io;
}
