import type { Readable, Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { type CANCEL_SYMBOL, confirm, isCancel, password, select, text } from '@clack/prompts';
import { interrupted } from '../errors/cli-error.js';
import type { Prompter } from '../io/io.js';

const answered = <Value extends string | boolean>(answer: Value | typeof CANCEL_SYMBOL): Value => {
  if (isCancel(answer)) throw interrupted('Cancelled; nothing was changed.');
  return answer;
};

interface Streams {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/**
 * Aborts where readline has stopped reading and clack would wait for ever: at Ctrl-D, or when the terminal is gone. After
 * Ctrl-Z and `fg` readline has stopped too, and goes on.
 */
function leaving(input: Readable): { readonly signal: AbortSignal; readonly end: () => void } {
  const left = new AbortController();
  let check: NodeJS.Immediate | undefined;
  const onPause = () => {
    // An answer ends the reading as well, and is told a moment later.
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

/** Questions on a terminal: asked on stderr, so that stdout stays data. `stop` takes a question back. */
export function clackPrompter(input: Readable, output: Writable, stop: AbortSignal): Prompter {
  const asked = async <Value extends string | boolean>(
    ask: (streams: Streams) => Promise<Value | typeof CANCEL_SYMBOL>,
  ): Promise<Value> => {
    const { signal, end } = leaving(input);
    try {
      return answered(await ask({ input, output, signal: AbortSignal.any([stop, signal]) }));
    } finally {
      end();
    }
  };
  return {
    text: (message, { hint, check } = {}) =>
      asked((streams) =>
        text({
          ...streams,
          message,
          ...(hint !== undefined && { placeholder: hint }),
          ...(check && { validate: (answer: string | undefined) => check(answer ?? '') }),
        }),
      ),
    secret: (message) => asked((streams) => password({ ...streams, message })),
    confirm: (message) => asked((streams) => confirm({ ...streams, message, initialValue: false })),
    select: (message, choices) =>
      asked((streams) =>
        select<string>({ ...streams, message, options: choices.map((choice) => ({ ...choice })), maxItems: 12 }),
      ),
  };
}
