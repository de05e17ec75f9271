import { codesOnly, problemOf, problemText } from '@mkt/sdk/contract';
import * as z from 'zod/mini';

/** A rejected call of a control method. The message says what to do. Nothing was changed. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}

/**
 * Checks the input of a control method, both for calls in this process and over HTTP.
 * @throws {ControlError} that names the invalid part
 */
export function checked<Output>(what: string, schema: z.ZodMiniType<Output>, value: unknown): Output {
  const { success, data, error } = schema.safeParse(value, codesOnly);
  if (success) return data;
  const reasons = error.issues.map((issue) => `${[what, ...issue.path].join('.')} ${problemText(problemOf(issue))}`);
  throw new ControlError(`${reasons.join('; ')}.`);
}

export const text = z.string('must be text').check(z.refine((value) => value !== '', 'must not be empty'));

export const inRange = (number: z.ZodMiniType<number>, least: number, most: number, problem: string) =>
  number.check(z.refine((value) => value >= least && value <= most, problem));

const enumerated = (names: readonly string[], conjunction: string): string =>
  names.join(', ').replace(/, (\w+)$/, ` ${conjunction} $1`);

export const oneOf = <const Name extends string>(names: readonly Name[]) =>
  z.enum(names, `must be ${enumerated(names, 'or')}`);

/** An object without other fields than these. */
export function onlyFields<Shape extends z.core.$ZodShape>(shape: Shape): z.ZodMiniObject<Shape, z.core.$strict> {
  return z.strictObject(shape, `accepts only ${enumerated(Object.keys(shape), 'and')}`);
}

/** Calls a listener of the caller. Its error must not end the request or the change that it is about. */
export function reported(call: () => void): void {
  try {
    call();
  } catch (error) {
    console.error('[mkt mock] A listener threw:', error);
  }
}
