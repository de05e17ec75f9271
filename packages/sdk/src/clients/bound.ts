import type { Id } from '../contract/types.js';
import type { Campaigns } from './campaigns.js';
import type { Collabs } from './collabs.js';
import type { Members } from './members.js';
import { methodNames } from './methods.js';

/** The same methods without their first argument, the organization. */
export type Bound<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (organization: Id, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** The resources of one organization: `mkt.organization(5)`. */
export interface BoundOrganization {
  /** The organization's id, as it was given. */
  readonly id: Id;
  readonly members: Bound<Members>;
  readonly campaigns: Bound<Campaigns>;
  readonly collabs: Bound<Collabs>;
}

/** A resource whose methods pass the organization before their own arguments. */
export function bind<Methods extends object>(resource: Methods, organization: Id): Bound<Methods> {
  const names = methodNames(resource);
  const methods = resource as Record<string, (...given: unknown[]) => unknown>;
  return Object.fromEntries(
    names.map((name) => [name, (...given: unknown[]) => methods[name]?.(organization, ...given)]),
  ) as Bound<Methods>;
}
