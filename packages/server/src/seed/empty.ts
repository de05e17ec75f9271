import { sha256 } from '../digest.js';
import type { Dump } from '../store/store.js';

export interface EmptySeedOptions {
  /** The secret of the only token: random, and shown to the user once. Only its digest is stored (D21). */
  readonly secret: string;
  /** The current time as the API writes it (D11). */
  readonly now: string;
}

/** The first content of a persistent store: one user with one write token. */
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
    ended_sessions: [],
  },
  serials: {},
});
