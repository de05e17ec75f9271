import { sha256 as portableSha256 } from '../digest.js';
import { randomText } from '../random.js';
import type { Context } from '../rules/context.js';
import { demoSeed, demoTokens } from '../seed/demo.js';
import { emptySeed } from '../seed/empty.js';
import { changeSeed, parseSeed } from '../seed/file.js';
import { largeSeed } from '../seed/large.js';
import { withOpaqueIds } from '../seed/opaque.js';
import { randomId } from '../store/opaque-id.js';
import type { Dump } from '../store/store.js';
import type { IdFormat } from '../store/tables.js';
import { timestamp } from '../timestamp.js';
import { createFactories, type PartialSeed } from './create.js';
import { ControlError } from './errors.js';

type SeedName = 'demo' | 'empty' | 'large';
type SeedContent = Readonly<Record<string, unknown>> & { readonly extends?: undefined };

/**
 * `demo`, `empty`, `large`, the text of a seed file (YAML or JSON), the content of such a file as an object, or additions to
 * one of the first three: `{ extends: 'demo', campaigns: [{ organization: 5, status: 'finished' }] }`.
 */
export type SeedSource = SeedName | `${string}:${string}` | PartialSeed | SeedContent;

/** The same, or a text that is only known at run time. */
export type AnySeed = SeedSource | string;

/** The type of a parameter whose text is `Text`: a misspelt name does not compile. The union makes editors complete it. */
export type CheckedSeed<Text extends string> = SeedSource | (Text & (string extends Text ? unknown : never));

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

/** The rows of any seed but the demo. @throws {ControlError} if there is no such seed */
export async function openOtherSeed(source: AnySeed, services: SeedServices): Promise<OpenedSeed> {
  const { now = timestamp(Date.now()), random = randomText, sha256 = portableSha256, ids = 'integer' } = services;
  if (source === 'large') return { dump: largeSeed({ ids }), tokens: demoTokens };
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
    const base = name === 'demo' ? { dump: demoSeed(ids), tokens: demoTokens } : await openOtherSeed(name, services);
    const tokens = { ...base.tokens };
    const dump = await changeSeed(base.dump, ids, async (store) => {
      Object.assign(tokens, await createFactories({ store, now: () => now, random, sha256 }).extend(source));
    });
    return { dump, tokens };
  }
  return parseSeed(source, { random, sha256, ids });
}
