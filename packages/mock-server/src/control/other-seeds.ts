import type { OpenedSeed } from '@mkt/server';
import { sha256 as portableSha256, randomText, timestamp } from '@mkt/server/extend';
import { changeSeed, openSeed as openPlainSeed, type SeedServices } from '@mkt/server/seeds';
import { createFactories } from './create.js';
import { ControlError, checked } from './errors.js';
import { seedSource } from './inputs.js';
import type { AnySeed } from './new-items.js';

/** The rows of any seed but the demo. @throws {ControlError} if there is no such seed */
export async function openOtherSeed(source: AnySeed, services: SeedServices): Promise<OpenedSeed> {
  const { now = timestamp(Date.now()), random = randomText, sha256 = portableSha256, ids = 'integer' } = services;
  if (source === 'large' || source === 'empty') return openPlainSeed(source, services);
  checked('seed', seedSource, source);
  if (typeof source === 'string' && !source.includes(':'))
    throw new ControlError(`There is no seed ${source}. Use demo, empty or large, or the text of a seed file.`);
  if (typeof source !== 'string' && 'extends' in source) {
    const { extends: name } = source;
    if (name !== 'demo' && name !== 'empty' && name !== 'large')
      throw new ControlError('seed.extends must be demo, empty or large.');
    const base = await openPlainSeed(name, services);
    const tokens = { ...base.tokens };
    const dump = await changeSeed(base.dump, ids, async (store) => {
      Object.assign(tokens, await createFactories({ store, now: () => now, random, sha256 }).extend(source));
    });
    return { dump, tokens };
  }
  return openPlainSeed(source, services);
}
