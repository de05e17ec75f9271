import { sha256 } from '../digest.js';
import { type Dump, dumpTables } from '../store/store.js';

/** The first content of a persistent store: one user with one write token, of whose secret only the digest is stored. */
export const emptySeed = ({ secret, now }: { readonly secret: string; readonly now: string }): Dump => ({
  tables: {
    ...dumpTables(() => []),
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
  },
  serials: {},
});
