import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Whoever read stdout has left (`| head -1`): the rest is not wanted, and that is no failure. */
export class ReaderLeft extends Error {
  override readonly name = 'ReaderLeft';
}

/** A stream that waits for its reader, so that an export of any size stays small in memory. */
export class Sink {
  readonly #stream: Writable;
  #left = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') this.#left = true;
    });
  }

  async write(text: string): Promise<void> {
    if (this.#left || this.#stream.destroyed) throw new ReaderLeft();
    if (this.#stream.write(text)) return;
    const stop = new AbortController();
    const { signal } = stop;
    try {
      await Promise.race([once(this.#stream, 'drain', { signal }), once(this.#stream, 'close', { signal })]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
      throw new ReaderLeft();
    } finally {
      stop.abort();
    }
  }
}
