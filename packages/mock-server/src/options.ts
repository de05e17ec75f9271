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
import { type MistakeKind, mistakeKinds, type Strict } from './control/mistake-kinds.js';
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
  /**
   * Lists mistakes that the API ignores or does not explain in `assertNoUnexpected` and `requests.list`, with the line of the
   * call and the right name: unknown and read-only fields, unknown parameters, `undefined` in URLs and tokens, and others.
   * `{ allow: ['foreign-id'] }` does not list these. Responses stay the same. To know the line, `mock.guard` wraps `fetch`,
   * XMLHttpRequest and `node:http`, and the SDK notes its callers. @default false
   */
  readonly strict?: boolean | { readonly allow: readonly MistakeKind[] };
  /**
   * Serves the control API at `/__mkt/v1` below `baseUrl`, for calls on this machine with this token: the panel of a page
   * controls a mock in a server process by `mountPanel(connectControl({ url, token }))`. @default none
   */
  readonly controlToken?: string;
  /** Pages for `?website=`, by URL. Other pages cannot be read: 422. */
  readonly pages?: Readonly<Record<string, PageFixture>>;
}

/** Undefined if mistakes are not looked for. */
export const strictOf = ({ strict }: Pick<MarketplaceMockOptions<AnySeed>, 'strict'>): Strict | undefined =>
  strict === true ? { allow: [] } : strict || undefined;

type Check = readonly [isValid: (value: unknown) => boolean, what: string];
const any: Check = [() => true, ''];
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0;
const choice = (...choices: readonly unknown[]): Check => [
  (value) => choices.includes(value),
  choices.map((value) => `'${value}'`).join(' or '),
];
const isListOf = (value: unknown, names: readonly unknown[]): boolean =>
  Array.isArray(value) && value.every((name) => names.includes(name));
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const checks: Readonly<Record<keyof MarketplaceMockOptions, Check>> = {
  baseUrl: any,
  controlToken: [(value) => typeof value === 'string' && value !== '', 'a text'],
  cors: any,
  ids: choice('integer', 'opaque'),
  latency: any,
  like: [
    (value) => differencesIn(value) !== undefined,
    `'document', 'live', or a list of: ${serviceDifferences.join(', ')}`,
  ],
  pageSize: [isCount, 'a whole number from 1'],
  pages: [
    (value) => isObject(value) && Object.keys(value).every((url) => URL.canParse(url)),
    'pages by their URL, such as https://shop.example/p',
  ],
  persist: choice('none', 'session'),
  rateLimit: [
    (value) => isObject(value) && isCount(value.requests) && isCount(value.seconds),
    'such as { requests: 60, seconds: 60 }',
  ],
  seed: any,
  strict: [
    (value) => typeof value === 'boolean' || (isObject(value) && isListOf(value.allow, mistakeKinds)),
    `true, false, or { allow: [...] } with some of: ${mistakeKinds.join(', ')}`,
  ],
  strictCors: any,
};

/** React Native lacks some of them. */
const neededGlobals = ['crypto', 'structuredClone', 'TextDecoder', 'TextEncoder'];

/** Rejects misspelt options: without this they would have no effect, silently. @throws {TypeError} */
export function checkOptions(options: MarketplaceMockOptions<AnySeed>): void {
  const missing = neededGlobals.filter((name) => !Reflect.get(globalThis, name));
  if (missing.length > 0) throw new TypeError(`This environment lacks ${missing.join(', ')}. Add polyfills.`);
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name))
      throw new TypeError(
        `createMarketplaceMock has no option ${name}. Its options: ${Object.keys(checks).join(', ')}.`,
      );
    const [isValid, what] = checks[name as keyof MarketplaceMockOptions];
    if (value !== undefined && !isValid(value))
      throw new TypeError(`The option ${name} must be ${what}. It is ${JSON.stringify(value)}.`);
  }
}
