import {
  contract,
  type Endpoint,
  type MarketplaceTransition,
  type ResourceDescription,
  resources,
  type States,
  type Transition,
} from '@mkt/sdk/contract';
import type * as z from 'zod/mini';
import { campaigns, collabs, type Resource } from '../../api/resources.js';
import type { SchemaName } from '../../context/command.js';
import { inputSchema } from '../../shared/fields/input-schema.js';

/** A kind of resource that a file can declare. */
export interface Kind {
  /** The key in the file. */
  readonly name: 'campaigns' | 'collabs';
  readonly resource: Resource;
  /** The fields that can be written, with the contract's checks. */
  readonly fields: Readonly<Record<string, z.ZodMiniType>>;
  readonly description: ResourceDescription;
  readonly states: States;
  /** The actions of users, and the reviews of the marketplace that follow them. */
  readonly transitions: readonly (Transition & { readonly action: string; readonly isReview: boolean })[];
}

function kindOf(name: Kind['name'], resource: Resource, schema: SchemaName): Kind {
  const description = resources[name];
  const { states } = description;
  const actions = Object.entries<Endpoint>(contract[name]).flatMap(([action, { transition }]) =>
    transition ? [{ ...transition, action, isReview: false }] : [],
  );
  const reviews = Object.entries<MarketplaceTransition>(states.marketplace).flatMap(([action, transition]) =>
    transition.awaited ? [{ ...transition, action, isReview: true }] : [],
  );
  return {
    name,
    resource,
    fields: inputSchema(schema).shape,
    description,
    states,
    transitions: [...actions, ...reviews],
  };
}

export const kinds = {
  campaigns: kindOf('campaigns', campaigns, 'campaignChanges'),
  collabs: kindOf('collabs', collabs, 'collabFields'),
};

/** The actions that lead to a declared state. */
export interface TransitionPath {
  readonly actions: readonly string[];
  /** Where the actions lead: the declared state, or the one that waits for the review. */
  readonly to: string;
  readonly waitsForReview: boolean;
}

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

/** The path from a state to the declared one; undefined if there is none. */
export function transitionPath(kind: Kind, current: string, declared: string): TransitionPath | undefined {
  if (isPassed(kind, declared, current)) return { actions: [], to: current, waitsForReview: false };
  const path = pathsFrom(kind, current).get(declared);
  if (path === undefined) return undefined;
  const review = path.findIndex(({ isReview }) => isReview);
  const actions = review === -1 ? path : path.slice(0, review);
  return {
    actions: actions.map(({ action }) => action),
    to: actions.at(-1)?.to ?? current,
    waitsForReview: review !== -1,
  };
}
