import type { Transition } from '@mkt/sdk/contract';
import { type RuleError, refused } from './errors.js';

/** Why something in this state cannot make the transition (D37, D38); null where it can. @param name `Campaign 3` */
export const transitionError = (name: string, state: string, { from, done }: Transition): RuleError | null =>
  from.includes(state) ? null : refused(`${name} is ${state}: it can be ${done} only when it is ${from.join(' or ')}.`);

/** @throws refused where the state does not permit the transition */
export function checkTransition(name: string, state: string, transition: Transition): void {
  const error = transitionError(name, state, transition);
  if (error) throw error;
}
