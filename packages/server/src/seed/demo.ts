import type { Dump } from '../store/store.js';
import { campaigns } from './demo/campaigns.js';
import { collabs } from './demo/collabs.js';
import { images } from './demo/images.js';
import { memberships, organizations } from './demo/organizations.js';
import { accessTokens, addresses, socialAccounts, users } from './demo/people.js';
import { timeline } from './demo/timeline.js';

export { demoTokens, revokedDemoToken } from './demo/people.js';

/**
 * The demo data: five people, six brands in every state that a rule depends on, 47 campaigns, 24 collabs. The same
 * rows at every call, made without a clock or chance: documentation, examples and tests rely on them.
 */
export function demoSeed(): Dump {
  const next = timeline();
  return {
    tables: {
      users: users.map((user) => ({ ...user })),
      organizations: organizations(next),
      memberships: memberships(next),
      access_tokens: accessTokens(next),
      campaigns: campaigns(next),
      collabs: collabs(next),
      social_accounts: socialAccounts(next),
      addresses: addresses(next),
      images: images(),
    },
    serials: {
      access_tokens: 8,
      organizations: 11,
      memberships: 10,
      campaigns: 48,
      collabs: 25,
      social_accounts: 5,
      addresses: 2,
    },
  };
}
