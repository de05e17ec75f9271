import { contract, type Endpoint } from '@mkt/sdk/contract';
import type { ResourceName, States } from '@mkt/sdk/contract/resources';
import type * as z from 'zod/mini';
import {
  address,
  type DraftResource,
  drafts,
  members,
  organizations,
  type Resource,
  socialAccounts,
  tokens,
} from '../api/labels.js';
import type { SchemaName } from '../context/command.js';
import { inputSchema } from '../fields/input-schema.js';

interface Transition {
  readonly action: string;
  readonly from: readonly string[];
  readonly to: string;
  /** Whether the marketplace makes it. */
  readonly isReview: boolean;
}

/** What a declaration needs to know about a resource. */
export interface Kind {
  /** The key in the file, for those that a file declares. */
  readonly name: ResourceName;
  readonly resource: Resource;
  /** Whether it is created by its name, has states, and can be deleted as a draft. */
  readonly isDraft: boolean;
  /** The fields that can be written, with the contract's checks. */
  readonly fields: Readonly<Record<string, z.ZodMiniType>>;
  readonly states: States;
  readonly transitions: readonly Transition[];
}

const fieldsOf = (schema: SchemaName): Kind['fields'] => inputSchema(schema).shape;

function draftKind(resource: DraftResource): Kind {
  const { name, states, changes } = resource;
  const actions = Object.entries<Endpoint>(contract[name]).flatMap(([action, { transition }]) =>
    transition ? [{ ...transition, action, isReview: false }] : [],
  );
  // Reviews by the marketplace follow actions of users.
  const reviews = Object.entries(states.marketplace).flatMap(([action, transition]) =>
    transition.awaited ? [{ ...transition, action, isReview: true }] : [],
  );
  return { name, resource, isDraft: true, fields: fieldsOf(changes), states, transitions: [...actions, ...reviews] };
}

const stateless = (resource: Resource, changes: SchemaName): Kind => ({
  name: resource.name,
  resource,
  isDraft: false,
  fields: fieldsOf(changes),
  states: { field: '', names: [], initial: '', marketplace: {} },
  transitions: [],
});

/** In the order in which they are planned. */
export const kinds = {
  campaigns: draftKind(drafts.campaigns),
  collabs: draftKind(drafts.collabs),
  members: stateless(members, 'membershipChanges'),
  address: stateless(address, 'addressFields'),
};

export const allKinds: readonly Kind[] = Object.values(kinds);

/** The kinds of all that commands change, by group of commands. Files declare only some of them. */
export const kindsByCommand: Readonly<Record<string, Kind>> = Object.fromEntries(
  [
    ...allKinds,
    stateless(organizations, 'organizationChanges'),
    stateless(socialAccounts, 'socialAccountFields'),
    stateless(tokens, 'accessTokenFields'),
  ].map((kind) => [kind.resource.command, kind]),
);

/** The shortest path from a state to each that it can reach, itself included; breadth first. */
export function pathsFrom({ transitions }: Kind, start: string): Map<string, readonly Transition[]> {
  const paths = new Map<string, readonly Transition[]>([[start, []]]);
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

/** The JSON Schema of the file that `mkt apply` reads, as it is published with a version of mkt. */
export const declarationUrl = (version: string): string =>
  `https://unpkg.com/@mkt/cli@${version}/declaration.schema.json`;
