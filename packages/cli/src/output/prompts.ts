import type { Readable, Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { type CANCEL_SYMBOL, confirm, isCancel, password, select, text } from '@clack/prompts';
import { interrupted } from '../errors/cli-error.js';
import type { Prompter } from '../io/io.js';

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
        select<string>({ ...streams, message, options: choices.map((choice) => ({ ...choice })), maxItems: 12 }),
      ),
  };
}
