import type { Context } from '../../context/context.js';
import { type Style, styleFor } from '../../text/style.js';
import { wrap } from '../../text/width.js';
import type { Step } from './tour.js';
import { typedLine } from './words.js';

/** Sentences in a pipe are as wide as on the usual terminal. */
const USUAL_WIDTH = 80;

/** What a step showed: each command as it was typed, and what it printed. */
export type Shown = readonly { readonly line: string; readonly text: string }[];

/** How the screens of this run look. */
export class Screens {
  readonly #width: number;
  readonly #typed: (line: string) => string;
  readonly #style: Style;
  readonly #total: number;

  constructor({ io, options }: Context, total: number) {
    this.#width = io.stdout.isTTY ? io.stdout.columns : USUAL_WIDTH;
    this.#typed = (line) =>
      typedLine(line, io.stdout.isTTY ? io.stdout.columns : Number.POSITIVE_INFINITY, io.platform);
    this.#style = styleFor(io.stdout, io.env, !options.color);
    this.#total = total;
  }

  /** One step, `number` counted from 1. */
  step({ title, text }: Step, shown: Shown, number: number): string {
    const typed = shown.map(({ line, text: output }) => `${this.#style('bold', this.#typed(line))}\n${output}`);
    return `${this.#head(`${number} of ${this.#total}`, title)}\n${this.text(text)}\n${typed.join('\n')}`;
  }

  /** The head of what follows the steps. */
  end(title: string): string {
    return this.#head('the end', title);
  }

  /** Sentences, broken between words. */
  text(sentences: string): string {
    return `${wrap(sentences, this.#width).join('\n')}\n`;
  }

  /** The keys that do something on this screen. */
  keys(...keys: readonly string[]): string {
    return this.#style('dim', keys.join('   '));
  }

  #head(where: string, title: string): string {
    return `${this.#style('dim', `mkt demo, ${where}:`)} ${this.#style('bold', title)}\n`;
  }
}
