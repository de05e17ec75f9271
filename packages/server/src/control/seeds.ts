import { sha256 as portableSha256 } from '../digest.js';
import { randomText } from '../random.js';
import type { Context } from '../rules/context.js';
import { demoSeed, demoTokens } from '../seed/demo.js';
import { emptySeed } from '../seed/empty.js';
import { withOpaqueIds } from '../seed/opaque.js';
import { randomId } from '../store/opaque-id.js';
import type { Dump, Store } from '../store/store.js';
import type { IdFormat } from '../store/tables.js';
import { timestamp } from '../timestamp.js';
import type { PartialSeed } from './create.js';
import { ControlError } from './errors.js';

/**
 * `demo`, `empty`, `large`, the text of a seed file (YAML or JSON), the content of such a file as an object, or additions to
 * one of the first three: `{ extends: 'demo', campaigns: [{ organization: 5, status: 'finished' }] }`.
 */
export type SeedSource = 'demo' | 'empty' | 'large' | (string & {}) | PartialSeed | Readonly<Record<string, unknown>>;

/** A seed that is ready to be loaded. */
export interface OpenedSeed {
  readonly dump: Dump;
  /** Secrets of the seeded tokens that are not revoked. */
  readonly tokens: Readonly<Record<string, string>>;
}

/** The format of ids that a seed asks for with its key `ids`. */
export function idsOfSeed(source: SeedSource): IdFormat | undefined {
  const inText = /^(?:ids| {2}"ids"): *["']?(\w+)/m;
  const ids = typeof source === 'string' ? inText.exec(source)?.[1] : Object(source).ids;
  return ids === 'integer' || ids === 'opaque' ? ids : undefined;
}

type Services = Partial<Pick<Context, 'now' | 'random' | 'sha256'>> & {
  /** The format of ids of the store that the seed is for. @default 'integer' */
  readonly ids?: IdFormat;
};

/** The rows of a seed. The generator and the YAML reader are loaded on demand, because most users do not need them. */
export async function openSeed(source: SeedSource, services: Services = {}): Promise<OpenedSeed> {
  const { now = timestamp(Date.now()), random = randomText, sha256 = portableSha256, ids = 'integer' } = services;
  if (source === 'demo') return { dump: demoSeed(ids), tokens: demoTokens };
  if (source === 'large') return { dump: (await import('./on-demand.js')).largeSeed({ ids }), tokens: demoTokens };
  if (source === 'empty') {
    const secret = `mkt_${random(32)}`;
    const dump = emptySeed({ secret, now });
    return { dump: ids === 'opaque' ? withOpaqueIds(dump, randomId) : dump, tokens: { owner_write: secret } };
  }
  if (typeof source === 'string' && !source.includes(':'))
    throw new ControlError(`There is no seed ${source}. Use demo, empty or large, or the text of a seed file.`);
  if (typeof source !== 'string' && (typeof source !== 'object' || source === null))
    throw new ControlError('A seed must be demo, empty, large, or the text or object of a seed file.');
  if (typeof source !== 'string' && 'extends' in source) {
    const { extends: name } = source;
    if (name !== 'demo' && name !== 'empty' && name !== 'large')
      throw new ControlError('seed.extends must be demo, empty or large.');
    const base = await openSeed(name, services);
    const { changeSeed, createFactories } = await import('./on-demand.js');
    const tokens = { ...base.tokens };
    const dump = await changeSeed(base.dump, ids, async (store) => {
      Object.assign(tokens, await createFactories({ store, now: () => now, random, sha256 }).extend(source));
    });
    return { dump, tokens };
  }
  const { parseSeed } = await import('./on-demand.js');
  return typeof source === 'string'
    ? parseSeed(source, { random, sha256, ids })
    : parseSeed(JSON.stringify(source), { random, sha256, ids, isPlainJson: true });
}

/** The rows of a store as the text of a seed file, in YAML. Without tokens, because their secrets are not stored. */
export const seedText = async (store: Store): Promise<string> =>
  (await import('./on-demand.js')).exportSeed(await store.dump(), store.ids);
