import type { Schema } from '@mkt/sdk/contract';

/** The parts of a zod definition that contain messages, or schemas with messages. */
interface Definition {
  readonly type: string;
  readonly error?: (issue: object) => unknown;
  readonly checks?: readonly { readonly _zod: { readonly def: Pick<Definition, 'error'> } }[];
  readonly innerType?: Schema;
  readonly element?: Schema;
}

const definitionOf = (schema: Schema): Definition => schema._zod.def as unknown as Definition;

/** True of every text, so it is not repeated for each field. */
const everyText = 'must not contain NUL characters or half of a surrogate pair';

/** Messages of the checks of a field. */
function messagesOf(schema: Schema): string[] {
  const { checks = [], innerType, element } = definitionOf(schema);
  const own = checks.map((check) => check._zod.def.error?.({}));
  return [
    ...own.filter((text): text is string => typeof text === 'string' && text !== everyText),
    ...(innerType ? messagesOf(innerType) : []),
    ...(element ? messagesOf(element) : []),
  ];
}

/** A message as a limit: `must be at most 255 characters long` is `at most 255 characters`. */
const limitFrom = (message: string): string =>
  message
    .replace(/^must (not be |be )?/, (_, be: string | undefined) => (be === 'not be ' ? 'not ' : ''))
    .replace(/ long$/, '')
    // As code: otherwise Markdown viewers turn them into links.
    .replace(/https?:\/\/\S+|\S+@\S+/g, '`$&`');

/** The limits of a field as one text: `at most 255 characters; not blank`. */
export const limitsOf = (schema: Schema): string => [...new Set(messagesOf(schema).map(limitFrom))].join('; ');

export const isOptional = (schema: Schema): boolean => definitionOf(schema).type === 'optional';
