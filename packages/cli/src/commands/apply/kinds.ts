import {
  campaignChanges,
  collabFields,
  contract,
  type Endpoint,
  type ResourceDescription,
  resources,
} from '@mkt/sdk/contract';
import type * as z from 'zod/mini';
import { campaigns, collabs, type Resource } from '../../api/resources.js';

interface Transition {
  readonly action: string;
  readonly from: readonly string[];
  readonly to: string;
  /** Whether the marketplace makes it, so that it can only be waited for. */
  readonly isReview: boolean;
}

/** The states of a resource, and the transitions that lead from one to another. */
export interface States {
  readonly field: string;
  readonly initial: string;
  readonly names: readonly string[];
  readonly transitions: readonly Transition[];
}

function statesOf(
  { field, initial, names, marketplace }: NonNullable<ResourceDescription['states']>,
  endpoints: Readonly<Record<string, Endpoint>>,
): States {
  const actions = Object.entries(endpoints).flatMap(([action, { transition }]) =>
    transition ? [{ ...transition, action, isReview: false }] : [],
  );
  const reviews = Object.entries(marketplace).flatMap(([action, transition]) =>
    transition.awaited ? [{ ...transition, action, isReview: true }] : [],
  );
  return { field, initial, names, transitions: [...actions, ...reviews] };
}

/** A kind of resource that a file can declare. */
export interface Kind {
  /** The key in the file. */
  readonly name: 'campaigns' | 'collabs';
  readonly resource: Resource;
  readonly states: States;
  /** The fields that can be written, with the contract's checks. */
  readonly fields: Readonly<Record<string, z.ZodMiniType>>;
  readonly description: ResourceDescription;
}

const kindOf = (name: Kind['name'], resource: Resource, fields: Kind['fields']): Kind => ({
  name,
  resource,
  fields,
  states: statesOf(resources[name].states, contract[name]),
  description: resources[name],
});

export const kinds: readonly Kind[] = [
  kindOf('campaigns', campaigns, campaignChanges.shape),
  kindOf('collabs', collabs, collabFields.shape),
];

/** The actions that lead to a declared state. */
export interface TransitionPath {
  readonly actions: readonly string[];
  /** Where the actions lead: the declared state, or the one that waits for the review. */
  readonly to: string;
  readonly waitsForReview: boolean;
}

/** The shortest path from a state to each that it can reach, itself included; breadth first. */
function pathsFrom({ transitions }: States, start: string): Map<string, readonly Transition[]> {
  const paths = new Map<string, readonly Transition[]>([[start, []]]);
  for (const [state, path] of paths) {
    for (const next of transitions) {
      if (next.from.includes(state) && !paths.has(next.to)) paths.set(next.to, [...path, next]);
    }
  }
  return paths;
}

export const reachableStates = (states: States, current: string): string[] => [...pathsFrom(states, current).keys()];

/** A review cannot be undone, so a state that only a review leaves counts as reached in the states after it. */
function isPassed(states: States, declared: string, current: string): boolean {
  const leaving = states.transitions.filter(({ from }) => from.includes(declared));
  const onlyReviews = leaving.length > 0 && leaving.every(({ isReview }) => isReview);
  return onlyReviews && reachableStates(states, declared).includes(current);
}

/** The path from a state to the declared one; undefined if there is none. */
export function transitionPath(states: States, current: string, declared: string): TransitionPath | undefined {
  if (isPassed(states, declared, current)) return { actions: [], to: current, waitsForReview: false };
  const path = pathsFrom(states, current).get(declared);
  if (path === undefined) return undefined;
  const review = path.findIndex(({ isReview }) => isReview);
  const actions = review === -1 ? path : path.slice(0, review);
  return {
    actions: actions.map(({ action }) => action),
    to: actions.at(-1)?.to ?? current,
    waitsForReview: review !== -1,
  };
}
