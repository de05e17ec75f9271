import type { Readable, Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { autocomplete, type CANCEL_SYMBOL, confirm, isCancel, password, settings, text } from '@clack/prompts';
import { interrupted } from '../errors/cli-error.js';
import type { Choice, Prompter } from '../io/io.js';
import { cutTo } from '../text/width.js';

/** Columns of a choice, so that it takes one line. */
const LABEL_WIDTH = 60;

/** Whether the value or any part of the whole label is what the user typed, in any letter case. */
const matches = ({ value, label }: Choice, typed: string): boolean =>
  [value, label].some((text) => text.toLowerCase().includes(typed.trim().toLowerCase()));

const checkCancelled = <Value extends string | boolean>(value: Value | typeof CANCEL_SYMBOL): Value => {
  if (isCancel(value)) throw interrupted('Cancelled; nothing was changed.');
  return value;
};

interface Streams {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/**
 * Aborts when readline has stopped reading and clack would wait forever: at Ctrl-D, or when the terminal is gone. After
 * Ctrl-Z and `fg`, readline has stopped too, but resumes.
 */
function leaving(input: Readable): { readonly signal: AbortSignal; readonly end: () => void } {
  const left = new AbortController();
  let check: NodeJS.Immediate | undefined;
  const onPause = () => {
    // Input also ends the reading, and arrives a moment later.
    check = setImmediate(() => ((input as Partial<ReadStream>).isRaw ? input.resume() : left.abort()));
  };
  input.on('pause', onPause);
  return {
    signal: left.signal,
    end: () => {
      input.off('pause', onPause);
      clearImmediate(check);
    },
  };
}

/** Prompts on stderr, so that stdout contains only data. `stop` cancels a prompt. */
export function clackPrompter(input: Readable, output: Writable, stop: AbortSignal): Prompter {
  const prompt = async <Value extends string | boolean>(
    show: (streams: Streams) => Promise<Value | typeof CANCEL_SYMBOL>,
  ): Promise<Value> => {
    const { signal, end } = leaving(input);
    try {
      return checkCancelled(await show({ input, output, signal: AbortSignal.any([stop, signal]) }));
    } finally {
      end();
    }
  };
  // By default, h, j, k and l move the cursor, and change the answer of a confirmation.
  for (const letter of 'hjkl') settings.aliases.delete(letter);
  return {
    text: (message, { hint, check } = {}) =>
      prompt((streams) =>
        text({
          ...streams,
          message,
          ...(hint !== undefined && { placeholder: hint }),
          ...(check && { validate: (value: string | undefined) => check(value ?? '') }),
        }),
      ),
    secret: (message, check) =>
      prompt((streams) =>
        password({ ...streams, message, validate: (value: string | undefined) => check(value ?? '') }),
      ),
    confirm: (message) => prompt((streams) => confirm({ ...streams, message, initialValue: false })),
    select: (message, choices) =>
      prompt((streams) =>
        autocomplete<string>({
          ...streams,
          message,
          options: choices.map(({ value, label, hint }) => ({
            value,
            label: `${cutTo(label, LABEL_WIDTH)}${hint === undefined ? '' : ` (${hint})`}`,
          })),
          filter: (typed, { value }) => choices.some((choice) => choice.value === value && matches(choice, typed)),
          validate: (value) => (value === undefined ? 'No row matches. Change what you typed.' : undefined),
          maxItems: 12,
        }),
      ),
  };
}
