import { writeSync } from 'node:fs';

/**
 * Writes to stdout without `process.stdout`, whose first use loads stream modules for 2 ms. Ignores EPIPE, because a
 * reader may stop early.
 */
export function writeNow(text: string, onError: (error: Error) => void): void {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EAGAIN') {
        if (code !== 'EPIPE') onError(error as Error);
        return;
      }
      // The pipe is full: wait for its reader.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
