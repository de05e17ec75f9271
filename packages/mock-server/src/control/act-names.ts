import type { Acts } from './acts.js';
import type { Factories } from './create.js';

/** Apart from the acts themselves, whose code is loaded on demand. */
const names: Readonly<Record<keyof Acts, true>> = {
  fundCampaign: true,
  finishCampaign: true,
  addCampaignResults: true,
  reviewCollab: true,
  addCollabResults: true,
  syncSocialAccount: true,
  addMember: true,
  setSubscription: true,
};

/** Acts that `perform` carries out. */
export function actsBy(perform: (name: keyof Acts, values: readonly unknown[]) => Promise<unknown>): Acts {
  const acts = Object.keys(names).map((name) => {
    return [name, (...values: readonly unknown[]) => perform(name as keyof Acts, values)] as const;
  });
  return Object.fromEntries(acts) as unknown as Acts;
}

const factoryNames = ['campaign', 'collab', 'organization', 'member', 'user'] as const satisfies (keyof Factories)[];

/** Factories whose rows `create` creates. */
export function factoriesBy(create: (name: keyof Factories, fields: unknown) => Promise<unknown>): Factories {
  const factories = factoryNames.map((name) => [name, (fields: unknown) => create(name, fields)] as const);
  return Object.fromEntries(factories) as unknown as Factories;
}
