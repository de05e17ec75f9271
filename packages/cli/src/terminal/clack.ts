import type { Readable, Writable } from 'node:stream';
import { type CANCEL_SYMBOL, confirm, isCancel, password, select, text } from '@clack/prompts';
import { interrupted } from '../errors/cli-error.js';
import type { Prompter } from './prompter.js';

const answered = <Value extends string | boolean>(answer: Value | typeof CANCEL_SYMBOL): Value => {
  if (isCancel(answer)) throw interrupted('Cancelled; nothing was changed.');
  return answer;
};

/** Questions on a terminal: asked on stderr, so that stdout stays data. */
export function clackPrompter(input: Readable, output: Writable): Prompter {
  const streams = { input, output };
  return {
    text: async (message, { hint, check } = {}) =>
      answered(
        await text({
          ...streams,
          message,
          ...(hint !== undefined && { placeholder: hint }),
          ...(check && { validate: (answer: string | undefined) => check(answer ?? '') }),
        }),
      ),
    secret: async (message) => answered(await password({ ...streams, message })),
    confirm: async (message) => answered(await confirm({ ...streams, message, initialValue: false })),
    select: async (message, choices) =>
      answered(
        await select<string>({ ...streams, message, options: choices.map((choice) => ({ ...choice })), maxItems: 12 }),
      ),
  };
}
