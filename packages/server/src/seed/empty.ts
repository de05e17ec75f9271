import { sha256 } from '../digest.js';
import type { Dump } from '../store/store.js';

export interface EmptySeedOptions {
  /** The secret of the one token: random, and shown to the user once. The store keeps its digest alone (D21). */
  readonly secret: string;
  /** This moment as the API writes it (D11). */
  readonly now: string;
}

/** What a kept store starts with: one user with one write token, and nothing else. */
export const emptySeed = ({ secret, now }: EmptySeedOptions): Dump => ({
  tables: {
    users: [{ id: 'usr_owner', name: 'Owner', email: 'owner@example.com' }],
    access_tokens: [
      {
        id: 1,
        user_id: 'usr_owner',
        digest: sha256(secret),
        description: 'First token',
        permission: 'write',
        created_at: now,
        revoked_at: null,
      },
    ],
    organizations: [],
    memberships: [],
    campaigns: [],
    collabs: [],
    social_accounts: [],
    addresses: [],
    images: [],
  },
  serials: {},
});
