import { homedir } from 'node:os';
import { isatty } from 'node:tty';
import type { Io, Output } from './io.js';

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
    if (code !== 'EPIPE') onLost(code === 'ENOSPC' ? 'the disk is full' : message);
  });

/** The folder that one is in; it may have been deleted meanwhile. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return homedir();
  }
}

/** The edge: the streams, environment and signals of this process. `onLostOutput` hears when stdout cannot be written. */
export function processIo(onLostOutput: () => void): Io {
  const interrupt = new AbortController();
  // The second Ctrl-C finds no listener and ends the process at once, whatever still hangs.
  process.once('SIGINT', () => interrupt.abort());
  return {
    env: process.env,
    cwd: workingFolder(),
    home: homedir(),
    platform: process.platform,
    stdin: {
      isTTY: isatty(0),
      get stream() {
        return process.stdin;
      },
    },
    stdout: output(1, () =>
      watched(process.stdout, (reason) => {
        process.stderr.write(`error: Cannot write the output: ${reason}.\n`);
        onLostOutput();
      }),
    ),
    stderr: output(2, () => watched(process.stderr, () => undefined)),
    now: () => new Date(),
    interrupted: interrupt.signal,
  };
}
