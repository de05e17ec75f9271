import { contract, type Endpoint } from '@mkt/sdk/contract';
import type * as z from 'zod/mini';
import { type DraftResource, drafts } from '../../api/resources.js';
import { inputSchema } from '../../shared/fields/input-schema.js';

/** What a declaration needs to know about a resource, whose name is also the key in the file. */
function kindOf(resource: DraftResource) {
  const { name, states, changes } = resource;
  const actions = Object.entries<Endpoint>(contract[name]).flatMap(([action, { transition }]) =>
    transition ? [{ ...transition, action, isReview: false }] : [],
  );
  // Reviews by the marketplace follow actions of users.
  const reviews = Object.entries(states.marketplace).flatMap(([action, transition]) =>
    transition.awaited ? [{ ...transition, action, isReview: true }] : [],
  );
  // The fields that can be written, with the contract's checks.
  const fields: Readonly<Record<string, z.ZodMiniType>> = inputSchema(changes).shape;
  return { name, resource, fields, states, transitions: [...actions, ...reviews] };
}

export type Kind = ReturnType<typeof kindOf>;

export const kinds = { campaigns: kindOf(drafts.campaigns), collabs: kindOf(drafts.collabs) };

/** The shortest path from a state to each that it can reach, itself included; breadth first. */
export function pathsFrom({ transitions }: Kind, start: string): Map<string, Kind['transitions']> {
  const paths = new Map<string, Kind['transitions']>([[start, []]]);
  for (const [state, path] of paths) {
    for (const next of transitions) {
      if (next.from.includes(state) && !paths.has(next.to)) paths.set(next.to, [...path, next]);
    }
  }
  return paths;
}

/** A review cannot be undone, so a state that only a review leaves counts as reached in the states after it. */
function isPassed(kind: Kind, declared: string, current: string): boolean {
  const leaving = kind.transitions.filter(({ from }) => from.includes(declared));
  const onlyReviews = leaving.length > 0 && leaving.every(({ isReview }) => isReview);
  return onlyReviews && pathsFrom(kind, declared).has(current);
}

/**
 * The actions that lead from a state to the declared one, or to the one in which the review is awaited; undefined if no
 * actions do.
 */
export function transitionPath(kind: Kind, current: string, declared: string) {
  if (isPassed(kind, declared, current)) return { actions: [], to: current, waitsForReview: false };
  const path = pathsFrom(kind, current).get(declared);
  if (path === undefined) return undefined;
  const review = path.findIndex(({ isReview }) => isReview);
  const waitsForReview = review !== -1;
  const actions = waitsForReview ? path.slice(0, review) : path;
  return { actions: actions.map(({ action }) => action), to: actions.at(-1)?.to ?? current, waitsForReview };
}
