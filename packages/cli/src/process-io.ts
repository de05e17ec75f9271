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

/** A reader that left (`mkt ... | head -1`) is no failure: what it did not want is dropped (EPIPE). A full disk is one. */
const onFailedWrite = (stream: NodeJS.WriteStream, tell: (reason: string) => void): void => {
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    tell(code === 'ENOSPC' ? 'the disk is full' : message);
  });
};

/** The edge: the streams, environment and signals of this process. `onLostOutput` hears when stdout cannot be written. */
export function processIo(onLostOutput: () => void): Io {
  const interrupt = new AbortController();
  // The second Ctrl-C finds no listener and ends the process at once, whatever still hangs.
  process.once('SIGINT', () => interrupt.abort());
  onFailedWrite(process.stdout, (reason) => {
    process.stderr.write(`error: Cannot write the output: ${reason}.\n`);
    onLostOutput();
  });
  onFailedWrite(process.stderr, () => undefined);
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
