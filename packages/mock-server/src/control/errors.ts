import { ownMessages } from '@mkt/sdk/contract';
import { Conflict, RuleError } from '@mkt/server';
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
  const { success, data, error } = schema.safeParse(value, ownMessages);
  if (success) return data;
  const reasons = error.issues.map(({ path, message }) => `${[what, ...path].join('.')} ${message}`);
  throw new ControlError(`${reasons.join('; ')}.`);
}

/** An object without other fields than these. */
export function onlyFields<Shape extends z.core.$ZodShape>(shape: Shape): z.ZodMiniObject<Shape, z.core.$strict> {
  const names = Object.keys(shape).join(', ');
  return z.strictObject(shape, `accepts only ${names.replace(/, (\w+)$/, ' and $1')}`);
}

/** The message for a rejected call of a control method; null for unexpected errors. */
export function rejectionMessage(error: unknown): string | null {
  if (error instanceof Conflict) return `A row of ${error.table} with the same key already exists.`;
  if (error instanceof ControlError || error instanceof RuleError) return error.message;
  // The code that reads seed files is loaded on demand, so its class cannot be used here.
  return error instanceof Error && error.name === 'SeedError' ? error.message : null;
}
