import type * as z from 'zod/mini';
import { RuleError } from '../rules/errors.js';
import { Conflict } from '../store/store.js';

/** A control verb that cannot be carried out, in a plain sentence that says what to do. Nothing was changed. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}

/**
 * What a control verb was given, checked: the same check for a call in this process and for one over HTTP.
 * @throws {ControlError} which names the part that is wrong
 */
export function checked<Output>(what: string, schema: z.ZodMiniType<Output>, value: unknown): Output {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const reasons = error.issues.map(({ path, message }) => `${[what, ...path].join('.')} ${message}`);
  throw new ControlError(`${reasons.join('; ')}.`);
}

/** Why a control verb was refused, in a sentence; null where it was not refused but failed. */
export function rejectionMessage(error: unknown): string | null {
  if (error instanceof Conflict) return `There is a row of ${error.table} with the same key already.`;
  if (error instanceof ControlError || error instanceof RuleError) return error.message;
  // Seed files are read by code that is loaded on demand: its class is not at hand here.
  return error instanceof Error && error.name === 'SeedError' ? error.message : null;
}
