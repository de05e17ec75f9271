import { demoSeed, demoTokens, type OpenedSeed } from '@mkt/server';
import type { SeedServices } from '@mkt/server/seeds';
import type { AnySeed } from './new-items.js';

/** The rows of a seed. What reads or makes others than the demo is loaded on demand. @throws {ControlError} */
export async function openSeed(source: AnySeed, services: SeedServices = {}): Promise<OpenedSeed> {
  if (source === 'demo') return { dump: demoSeed(services.ids), tokens: demoTokens };
  return (await import('./on-demand.js')).openOtherSeed(source, services);
}
