import type { CorsPolicy, Prefill, RateLimit, SeedSource } from '@mkt/server';

/** What a page that `?website=` names says of itself; the mock reads no pages from the network (D42). */
export type PageFixture = Partial<Omit<Prefill, 'website'>>;

export interface MarketplaceMockOptions<Seed extends SeedSource = SeedSource> {
  /** Where the API seems to be, a path included; `https://api.example.com` by default. */
  readonly baseUrl?: string;
  /** `demo` (the default), `empty`, `large`, or a seed of your own: the text of a seed file, or the same as an object. */
  readonly seed?: Seed;
  /**
   * `session`: data, clock and faults survive a reload of the page, in the tab's sessionStorage; where there is none,
   * as in Node, it does nothing. `none` by default.
   */
  readonly persist?: 'none' | 'session';
  /** Items in a page; 20 by default (D1). */
  readonly pageSize?: number;
  /** Milliseconds that every answer waits, as over a slow network; 0 by default. */
  readonly latency?: number;
  readonly rateLimit?: RateLimit;
  /** Which origins the API answers; by default pages on this machine (D16). It takes effect with `strictCors` alone. */
  readonly cors?: CorsPolicy;
  /**
   * Answers calls from another origin as a browser would hand them over: refused without CORS, headers that are not
   * exposed hidden. Without it a mocked answer shows everything, and mistakes show only in production. The calling origin
   * is the page's; name one where there is no page. `false` by default.
   */
  readonly strictCors?: boolean | string;
  /** Pages for `?website=`, by address. Any other address is a page that cannot be read: 422. */
  readonly pages?: Readonly<Record<string, PageFixture>>;
}
