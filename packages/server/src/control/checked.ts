import type * as z from 'zod/mini';
import { ControlError } from './errors.js';

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
