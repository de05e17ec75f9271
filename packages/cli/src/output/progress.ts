import type { Output } from '../io/io.js';

const DELAY_MS = 200;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const CLEAR_LINE = '\r\u001b[2K';

/** A spinner on stderr for operations that take longer, with a counter if there is one. Only if stderr is a terminal. */
export class Progress {
  /** The text after the spinner. */
  label: string;
  readonly #output: Output;
  readonly #timer: NodeJS.Timeout | undefined;
  #done: number | undefined;
  #total: number | undefined;
  #frame = 0;
  #shown = false;

  constructor(output: Output, label: string, enabled: boolean) {
    this.#output = output;
    this.label = label;
    if (!enabled || !output.isTTY) return;
    this.#timer = setTimeout(() => {
      this.#draw();
      this.#timer?.refresh();
    }, DELAY_MS);
    this.#timer.unref();
  }

  /** Updates the count, and the total if it is known. */
  update(done: number, total?: number): void {
    this.#done = done;
    if (total !== undefined) this.#total = total;
  }

  /** Removes the line. Must always be called. */
  end(): void {
    clearTimeout(this.#timer);
    if (this.#shown) this.#output.stream.write(CLEAR_LINE);
    this.#shown = false;
  }

  #draw(): void {
    const frame = FRAMES[this.#frame++ % FRAMES.length];
    const total = this.#total === undefined ? '' : ` of ${this.#total}`;
    const count = this.#done === undefined ? '' : ` ${this.#done}${total}`;
    this.#output.stream.write(`${CLEAR_LINE}${frame} ${this.label}${count}`);
    this.#shown = true;
  }
}
