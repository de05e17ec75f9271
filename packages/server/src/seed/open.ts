import { sha256 as portableSha256, sha256 } from '../digest.js';
import { randomText } from '../random.js';
import type { Context } from '../rules/context.js';
import { randomId } from '../store/new-row.js';
import { type Dump, dumpTables } from '../store/store.js';
import type { IdFormat } from '../store/tables.js';
import { timestamp } from '../timestamp.js';
import { demoSeed, demoTokens } from './demo.js';
import { parseSeed } from './file.js';
import { largeSeed } from './large.js';
import { withOpaqueIds } from './opaque.js';

/** A seed that is ready to be loaded. */
export interface OpenedSeed {
  readonly dump: Dump;
  /** Secrets of the seeded tokens that are not revoked. */
  readonly tokens: Readonly<Record<string, string>>;
}

export type SeedServices = Partial<Pick<Context, 'now' | 'random' | 'sha256'>> & {
  /** The format of ids of the store that the seed is for. @default 'integer' */
  readonly ids?: IdFormat;
};

/**
 * The rows of a seed: `demo`, `empty`, `large`, the text of a seed file, or its content as an object. Import it lazily, because
 * it needs the YAML library. @throws {SeedError}
 */
export async function openSeed(source: string | object, services: SeedServices = {}): Promise<OpenedSeed> {
  const { now = timestamp(Date.now()), random = randomText, sha256 = portableSha256, ids = 'integer' } = services;
  if (source === 'demo') return { dump: demoSeed(ids), tokens: demoTokens };
  if (source === 'large') return { dump: largeSeed({ ids }), tokens: demoTokens };
  if (source === 'empty') {
    const secret = `mkt_${random(32)}`;
    const dump = emptySeed({ secret, now });
    return { dump: ids === 'opaque' ? withOpaqueIds(dump, randomId) : dump, tokens: { owner_write: secret } };
  }
  return parseSeed(source, { random, sha256, ids });
}

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
