import * as accessTokens from './access-tokens.js';
import * as address from './address.js';
import * as campaigns from './campaigns.js';
import * as collabs from './collabs.js';
import * as members from './members.js';
import * as organizations from './organizations.js';
import * as socialAccounts from './social-accounts.js';

/** A rule as the pipeline calls it: the contract's entry says which context and input it gets. */
export type Rule = (context: never, input: never) => Promise<unknown>;

/** The rule of every operation of the contract. */
export const rules: Readonly<Record<string, Rule>> = {
  'accessTokens.list': accessTokens.list,
  'accessTokens.create': accessTokens.create,
  'accessTokens.delete': accessTokens.remove,
  'organizations.list': organizations.list,
  'organizations.get': organizations.get,
  'organizations.create': organizations.create,
  'organizations.update': organizations.update,
  'organizations.delete': organizations.remove,
  'members.list': members.list,
  'members.update': members.update,
  'members.remove': members.remove,
  'campaigns.list': campaigns.list,
  'campaigns.get': campaigns.get,
  'campaigns.create': campaigns.create,
  'campaigns.update': campaigns.update,
  'campaigns.delete': campaigns.remove,
  'campaigns.publish': campaigns.publish,
  'campaigns.pause': campaigns.pause,
  'campaigns.resume': campaigns.resume,
  'collabs.list': collabs.list,
  'collabs.get': collabs.get,
  'collabs.create': collabs.create,
  'collabs.update': collabs.update,
  'collabs.delete': collabs.remove,
  'collabs.submit': collabs.submit,
  'collabs.pause': collabs.pause,
  'collabs.unpause': collabs.unpause,
  'socialAccounts.list': socialAccounts.list,
  'socialAccounts.get': socialAccounts.get,
  'socialAccounts.create': socialAccounts.create,
  'socialAccounts.delete': socialAccounts.remove,
  'address.get': address.get,
  'address.update': address.update,
  'address.delete': address.remove,
};
