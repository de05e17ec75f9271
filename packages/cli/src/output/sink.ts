import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Whoever read stdout has left (`| head -1`): the rest is not wanted, and that is no failure. */
export class ReaderLeft extends Error {
  override readonly name = 'ReaderLeft';
}

/** A stream that waits for its reader, so that an export of any size stays small in memory. */
export class Sink {
  readonly #stream: Writable;
  #failure: NodeJS.ErrnoException | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure ??= error;
    });
  }

  async write(text: string): Promise<void> {
    this.#check();
    if (this.#stream.write(text)) return;
    const stop = new AbortController();
    const { signal } = stop;
    try {
      await Promise.race([once(this.#stream, 'drain', { signal }), once(this.#stream, 'close', { signal })]);
    } catch (error) {
      this.#failure ??= error as NodeJS.ErrnoException;
    } finally {
      stop.abort();
    }
    this.#check();
  }

  #check(): void {
    // A stream is destroyed a moment before it emits why.
    const failure: NodeJS.ErrnoException | null = this.#failure ?? this.#stream.errored;
    if (failure !== null && failure.code !== 'EPIPE') throw failure;
    if (failure !== null || this.#stream.destroyed) throw new ReaderLeft();
  }
}
