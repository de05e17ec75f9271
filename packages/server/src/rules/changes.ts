import type { Transition } from '@mkt/sdk/contract';
import { type RuleError, refused } from './errors.js';

/** The fields in the request: undefined leaves a field as it is, null sets it. */
export const definedFields = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof Fields]: Exclude<Fields[K], undefined>;
  };

const same = (left: unknown, right: unknown): boolean =>
  left === right || (Array.isArray(left) && JSON.stringify(left) === JSON.stringify(right));

export const differences = <Fields extends object>(row: Readonly<Record<string, unknown>>, changes: Fields) =>
  Object.fromEntries(Object.entries(changes).filter(([name, value]) => !same(row[name], value))) as Partial<Fields>;

/** The changes that differ from `row`, with `updated_at` if there are any. */
export function withUpdatedAt<Fields extends object>(
  row: Readonly<Record<string, unknown>>,
  changes: Fields,
  now: string,
): Partial<Fields> & { updated_at?: string } {
  const changed = differences(row, changes);
  return Object.keys(changed).length > 0 ? { ...changed, updated_at: now } : changed;
}

/** Why a resource in this state cannot make the transition; null if it can. @param name `Campaign 3` */
export const transitionError = (name: string, state: string, { from, done }: Transition): RuleError | null =>
  from.includes(state) ? null : refused(`${name} is ${state}: it can be ${done} only when it is ${from.join(' or ')}.`);

/** @throws {RuleError} if the state does not permit the transition */
export function checkTransition(name: string, state: string, transition: Transition): void {
  const error = transitionError(name, state, transition);
  if (error) throw error;
}
