import type { Acts } from './act-inputs.js';
import type { Factories } from './new-items.js';

// Apart from the acts and factories themselves, whose code is loaded on demand.
const acts: Readonly<Record<keyof Acts, true>> = {
  fundCampaign: true,
  finishCampaign: true,
  addCampaignResults: true,
  reviewCollab: true,
  addCollabResults: true,
  syncSocialAccount: true,
  addMember: true,
  setSubscription: true,
  revokeToken: true,
};
const factories: Readonly<Record<keyof Factories, true>> = {
  campaign: true,
  collab: true,
  organization: true,
  member: true,
  user: true,
  socialAccount: true,
};

/** Methods with these names, which `perform` carries out. */
const methodsBy = <Name extends string>(names: object, perform: (name: Name, values: readonly unknown[]) => unknown) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, (...values: unknown[]) => perform(name as Name, values)]));

export const actsBy = (perform: (name: keyof Acts, values: readonly unknown[]) => Promise<unknown>) =>
  methodsBy(acts, perform) as unknown as Acts;

export const factoriesBy = (perform: (name: keyof Factories, values: readonly unknown[]) => Promise<unknown>) =>
  methodsBy(factories, perform) as unknown as Factories;
