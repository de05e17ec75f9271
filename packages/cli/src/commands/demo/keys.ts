import { emitKeypressEvents, type Key } from 'node:readline';
import type { Readable } from 'node:stream';
import type { ReadStream } from 'node:tty';

/** What a key asks for. */
export type Wish = 'next' | 'back' | 'quit' | 'interrupt';

const wishes: Readonly<Record<string, Wish>> = {
  return: 'next',
  enter: 'next',
  space: 'next',
  right: 'next',
  n: 'next',
  left: 'back',
  b: 'back',
  p: 'back',
  q: 'quit',
};

const wishOf = ({ name = '', ctrl }: Key): Wish | undefined => {
  if (ctrl) return name === 'c' ? 'interrupt' : name === 'd' ? 'quit' : undefined;
  return Object.hasOwn(wishes, name) ? wishes[name] : undefined;
};

/** The keys of a terminal, one at a time, without Enter. Ctrl-C comes as a key here and not as a signal. */
export class Keys {
  readonly #input: Readable & Partial<Pick<ReadStream, 'setRawMode'>>;
  readonly #pressed: Wish[] = [];
  /** Aborts at Ctrl-C, whether somebody waits for a key or not. */
  readonly #stop = new AbortController();
  #waiting: ((wish: Wish) => void) | undefined;

  constructor(input: Readable, interrupted: AbortSignal) {
    this.#input = input;
    emitKeypressEvents(input);
    this.#input.setRawMode?.(true);
    input.on('keypress', this.#onKey);
    input.on('end', this.#onEnd);
    input.resume();
    // Ctrl-C from elsewhere: `kill -INT`.
    if (interrupted.aborted) this.#press('interrupt');
    else interrupted.addEventListener('abort', () => this.#press('interrupt'), { once: true });
  }

  get interrupted(): AbortSignal {
    return this.#stop.signal;
  }

  /** The next key that means something; those pressed meanwhile are kept. */
  next(): Promise<Wish> {
    const wish = this.#stop.signal.aborted ? 'interrupt' : this.#pressed.shift();
    if (wish !== undefined) return Promise.resolve(wish);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Gives the terminal back. Call it whatever happens. */
  close(): void {
    this.#input.off('keypress', this.#onKey);
    this.#input.off('end', this.#onEnd);
    this.#input.setRawMode?.(false);
    this.#input.pause();
  }

  readonly #onKey = (_text: string | undefined, key: Key): void => {
    const wish = wishOf(key);
    if (wish !== undefined) this.#press(wish);
  };

  /** The terminal is gone. */
  readonly #onEnd = (): void => this.#press('quit');

  #press(wish: Wish): void {
    if (wish === 'interrupt') this.#stop.abort();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#pressed.push(wish);
    else waiting(wish);
  }
}
