import {
  type CorsPolicy,
  differencesIn,
  type IdFormat,
  type Like,
  type Prefill,
  type RateLimit,
  serviceDifferences,
} from '@mkt/server';
import type { Milliseconds } from './control/fault-rules.js';
import type { AnySeed, SeedSource } from './control/new-items.js';

/** The content of a page for `?website=`: the mock does not read pages from the network. */
export type PageFixture = Partial<Omit<Prefill, 'website'>>;

export interface MarketplaceMockOptions<Seed extends AnySeed = SeedSource> {
  /** The URL of the API, which may have a path. @default 'https://api.example.com' */
  readonly baseUrl?: string;
  /** `demo`, `empty`, `large`, or your own seed: the text of a seed file, or its content as an object. @default 'demo' */
  readonly seed?: Seed;
  /**
   * The ids of resources: `integer`, as in the API document, or `opaque`, short texts as the service returns. `idOf` finds the
   * opaque ones. @default those that the seed asks for, else 'integer'
   */
  readonly ids?: IdFormat;
  /**
   * How responses differ from the API document: not, `live` as those of today's service do, or a list of single
   * differences, such as `['absent-null', 'empty-404']`. @default 'document'
   */
  readonly like?: Like;
  /**
   * `session` saves data, clock, faults, delay and simulation in the tab's sessionStorage, large data in IndexedDB, so that they survive a reload
   * of the page. Without sessionStorage, as in Node, it has no effect. @default 'none'
   */
  readonly persist?: 'none' | 'session';
  /** Items per page. @default 20 */
  readonly pageSize?: number;
  /**
   * Milliseconds that delay every response, like a slow network; or the least and the most, `[100, 800]`: such delays are
   * spread evenly, and are the same in every run. `mock.setLatency` changes it. @default 0
   */
  readonly latency?: Milliseconds;
  readonly rateLimit?: RateLimit;
  /** Origins that may call, with `strictCors`; by default pages on this machine. Without it, any origin may. */
  readonly cors?: CorsPolicy;
  /**
   * Applies CORS to calls from another origin as a browser does: rejects what is not allowed and hides headers that are not
   * exposed. Otherwise such mistakes appear only in production. The calling origin is that of the page, or the one that you
   * name. @default false
   */
  readonly strictCors?: boolean | string;
  /** Pages for `?website=`, by URL. Other pages cannot be read: 422. */
  readonly pages?: Readonly<Record<string, PageFixture>>;
}

const optionNames: Readonly<Record<keyof MarketplaceMockOptions, true>> = {
  baseUrl: true,
  cors: true,
  ids: true,
  latency: true,
  like: true,
  pageSize: true,
  pages: true,
  persist: true,
  rateLimit: true,
  seed: true,
  strictCors: true,
};

/** Rejects misspelt options: without this they would have no effect, silently. @throws {TypeError} */
export function checkOptions(options: MarketplaceMockOptions<AnySeed>): void {
  const { pageSize = 1, persist = 'none', ids = 'integer', like = 'document' } = options;
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(optionNames, name));
  if (unknown !== undefined)
    throw new TypeError(
      `createMarketplaceMock has no option ${unknown}. Its options: ${Object.keys(optionNames).join(', ')}.`,
    );
  if (!(Number.isInteger(pageSize) && pageSize > 0))
    throw new TypeError('The option pageSize must be a whole number from 1.');
  if (ids !== 'integer' && ids !== 'opaque')
    throw new TypeError(`The option ids must be 'integer' or 'opaque'. It is ${JSON.stringify(ids)}.`);
  if (!differencesIn(like))
    throw new TypeError(
      `The option like must be 'document', 'live', or a list of: ${serviceDifferences.join(', ')}. It is ${JSON.stringify(like)}.`,
    );
  if (persist !== 'none' && persist !== 'session')
    throw new TypeError(`The option persist must be 'none' or 'session'. It is ${JSON.stringify(persist)}.`);
}
