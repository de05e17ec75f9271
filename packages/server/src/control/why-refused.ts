import { RuleError } from '../rules/errors.js';
import { Conflict } from '../store/store.js';
import { ControlError } from './errors.js';

/** Why a control verb was refused, in a sentence; null where it was not refused but failed. */
export function whyRefused(error: unknown): string | null {
  if (error instanceof Conflict) return `There is a row of ${error.table} with the same key already.`;
  if (error instanceof ControlError || error instanceof RuleError) return error.message;
  // Seed files are read by code that is loaded on demand: its class is not at hand here.
  return error instanceof Error && error.name === 'SeedError' ? error.message : null;
}
