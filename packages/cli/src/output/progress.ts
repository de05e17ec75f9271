import type { Output } from '../io/io.js';
import { cutTo, widthOf } from '../text/width.js';

const DELAY_MS = 200;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const CLEAR_LINE = '\r\u001b[2K';
const BAR_WIDTH = 24;

/** A bar in at most `room` columns; empty if it would be too short to read. */
function barOf(done: number, total: number, room: number): string {
  const width = Math.min(BAR_WIDTH, room - 1);
  if (total < 1 || width < 8) return '';
  const filled = Math.floor((Math.min(done, total) / total) * width);
  return ` ${'█'.repeat(filled)}${'░'.repeat(width - filled)}`;
}

/**
 * A spinner on stderr for operations that take longer, with a counter if there is one, and a bar if its total is known.
 * Only if stderr is a terminal.
 */
export class Progress {
  label: string;
  /** Shown instead of the label and the counter. */
  notice: string | undefined;
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
    this.#shown = true;
    if (this.notice !== undefined) {
      this.#output.stream.write(`${CLEAR_LINE}${cutTo(`${frame} ${this.notice}`, this.#output.columns - 1)}`);
      return;
    }
    const text = `${frame} ${this.label}`;
    const total = this.#total === undefined ? '' : ` of ${this.#total}`;
    const count = this.#done === undefined ? '' : ` ${this.#done}${total}`;
    const room = this.#output.columns - widthOf(text) - count.length - 1;
    const bar = this.#done === undefined || this.#total === undefined ? '' : barOf(this.#done, this.#total, room);
    this.#output.stream.write(`${CLEAR_LINE}${text}${bar}${count}`);
  }
}
