import { Conflict, RuleError } from '@mkt/server';
import { ControlError } from './errors.js';

/** The message for a rejected call of a control method; null for unexpected errors. */
export function rejectionMessage(error: unknown): string | null {
  if (error instanceof Conflict) return `A row of ${error.table} with the same ${error.key || 'key'} already exists.`;
  if (error instanceof ControlError || error instanceof RuleError) return error.message;
  // The code that reads seed files is loaded on demand, so its class cannot be used here.
  return error instanceof Error && error.name === 'SeedError' ? error.message : null;
}
