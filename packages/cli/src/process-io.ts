import { homedir } from 'node:os';
import type { Io, Output } from './io.js';

const output = (stream: NodeJS.WriteStream): Output => ({
  stream,
  isTTY: stream.isTTY === true,
  get columns() {
    return stream.columns ?? 80;
  },
  get rows() {
    return stream.rows ?? 24;
  },
});

/** A reader that left (`mkt ... | head -1`) is no failure: what it did not want is dropped (EPIPE). */
const quietWhenClosed = (stream: NodeJS.WriteStream): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = 1;
  });
};

/** The edge: the streams, environment and signals of this process. */
export function processIo(): Io {
  const interrupt = new AbortController();
  // The second Ctrl-C finds no listener and ends the process at once, whatever still hangs.
  process.once('SIGINT', () => interrupt.abort());
  quietWhenClosed(process.stdout);
  quietWhenClosed(process.stderr);
  return {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    platform: process.platform,
    stdin: { stream: process.stdin, isTTY: process.stdin.isTTY === true },
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    now: () => new Date(),
    interrupted: interrupt.signal,
  };
}
