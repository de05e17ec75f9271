import { demoSeed, demoTokens } from '../seed/demo.js';
import type { IdFormat } from '../store/tables.js';
import type { AnySeed, OpenedSeed, SeedServices } from './other-seeds.js';

/** The format of ids that a seed asks for with its key `ids`; integers by default. */
export const idsOfSeed = (source: AnySeed): IdFormat =>
  (
    typeof source === 'string'
      ? /(?:^\ufeff?|\r|\n)(?: {2}")?ids"?: *["']?opaque/.test(source)
      : Object(source).ids === 'opaque'
  )
    ? 'opaque'
    : 'integer';

/** Items per page of the service that a twin was pulled from; undefined for other seeds. */
export const pageSizeOfSeed = (source: AnySeed): number | undefined => {
  const size: unknown =
    typeof source === 'string'
      ? /^\ufeff?\{\n {2}"twin": \{[^}]*\n {4}"page_size": (\d+)/.exec(source)?.[1]
      : Object(Object(source).twin).page_size;
  return Number(size) || undefined;
};

/** The rows of a seed. What reads or makes others than the demo is loaded on demand. */
export async function openSeed(source: AnySeed, services: SeedServices = {}): Promise<OpenedSeed> {
  if (source === 'demo') return { dump: demoSeed(services.ids), tokens: demoTokens };
  return (await import('./on-demand.js')).openOtherSeed(source, services);
}
