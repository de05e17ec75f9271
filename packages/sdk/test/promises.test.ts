import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

// Each promise that the SDK's pages and docstrings make, and the test that fails when it is broken. A sentence with one of these
// words is a promise.
const promising =
  /\b(always|never|(?<!at )once|equal|at most|every|everything that (a client|it may)|no (cookie|error)|fails no call|not cached|all of them|all calls|only to|separate for|mayHaveArrived)\b/i;

const root = join(import.meta.dirname, '../../..');

const failures = 'findings: every kind of failure is a MarketplaceError, and says whether it may have arrived: %s';
const stores = [
  'stores: that %s fails no call, and delays none by more than 100 ms',
  'stores: delays a call by 100 ms at most, its write included',
];
const tokens = [
  'tokens: separates the cache, reads in flight and pauses of its users',
  'tokens: maxConcurrency counts per token: hanging calls of one user delay no other',
];

/** Sentences, with the files of tests (below `test` unless they name a folder) and titles in them. */
const promises: Readonly<Record<string, readonly string[]>> = {
  'A browser loads at most 29.0 kB at first, and 32.0 kB with everything in one file: ky and zod included, bundled for browsers by esbuild, minified and compressed with gzip, which CI measures.':
    ['scripts/checks/size.mjs: does not name the limit of'],
  'every item, each id once; leaving the loop cancels pending requests': [
    'pagination: yields no id twice while rows are inserted',
    'pagination: ends what is under way when the loop is left',
  ],
  "an array; 8 pages at a time, in the server's order, each id once": [
    'pagination: has at most %i pages under way, by default 8, as pages() has',
    'pagination: returns everything in order even if later pages arrive first',
    'pagination: gives each id once where rows moved between two pages',
  ],
  'The SDK caches the latest 500 in memory (at most cacheBytes, 16 MB) and revalidates them: an unchanged one costs a 304.':
    [
      'cache: in memory stores the 500 latest responses',
      'cache: is stored in as many bytes as cacheBytes allows: text of %s',
    ],
  'sent with every request, also per call; an object or a Headers; null removes one': [
    'client: headers are merged whatever their case, and null takes one away',
    'client: headers may be a Headers or pairs',
  ],
  '@mkt/sdk/once creates a resource once, also if the program is killed or the connection cut.': [
    'once: when the program is killed while the service still works on it',
    'once: when the connection is cut and the service processes the request late',
  ],
  '@mkt/sdk/contract contains the API as data: every endpoint, schema and description.': [
    'contract: the contract has every endpoint of the document as it is written there',
    'contract: the fields of each resource are those of the document, in its order of tables',
  ],
  'After a 401 it is called once more, with rejected: true; if it returns another token, the call is sent again, also with retry: 0.':
    ['calls: is asked once more after a 401 of a %s, without a retry'],
  'A create or an action is a POST: it is retried only after 429, or when no connection was made, so the SDK never sends one again that may have been processed.':
    [
      'retry: is retried on 429, since it was not processed',
      'retry: is retried if no connection was made',
      'retry: is not retried after a timeout',
      'retry: of a web action is retried only on 429',
    ],
  'If a list changes while it is read, a row may be missing; loops over items and .all() give each id once.': [
    'pagination: yields no id twice while rows are inserted',
    'pagination: gives each id once where rows moved between two pages',
  ],
  'Every call takes a signal.': ['endpoints: $operation takes a signal'],
  'Two reads of an unchanged page are equal.': ['pagination: gives a page that is plain data'],
  'init adds fields to every call, or to one: dispatcher for undici, next for Next.js, cf for Cloudflare Workers.': [
    'client: passes more fields on to fetch, those of the call after those of the client',
  ],
  '@mkt/sdk/query makes the options of queries, infinite queries and mutations for every operation, for React, Vue, Solid and the other adapters of TanStack Query 5.':
    ['e2e/query.test.ts: has $operation of the contract'],
  'It takes at most 1.5 kB and depends on nothing but types.': [
    'scripts/checks/size.mjs: does not name the limit of',
    'e2e/packages.test.ts: nothing for TanStack Query',
  ],
  'The request is sent once, in the next microtask, whether the promise is awaited or not.': [
    'client: sends its request at once, awaited or not',
    'client: sends one request, however often it is awaited',
  ],
  'Base of every error that a client throws.': [failures],
  'Everything that a client throws is a MarketplaceError: all classes.': [failures],
  'All of them are MarketplaceErrors; those of a call have operation, method, path (without ids) and attempts (0 if nothing was sent).':
    [failures, 'calls: an error names its call'],
  'mayHaveArrived is true if the server may have processed the call; otherwise you can repeat it.': [failures],
  'A create can fail although the server processed it: mayHaveArrived of its error is true then.': [
    failures,
    'connection: yes: %s',
  ],
  'No error, log line or printed client contains the token.': [
    'redaction: printed values never contain the token',
    'redaction: a client, its resources, its promises and its results',
    'tokens: is masked in errors',
    'loggers: %s gets the message and the fields, without tokens and bodies',
  ],
  'JSON.stringify(error) contains the message, status, headers and body, but no token and no cookie.': [
    'errors: shows the status, headers and body of an HTTP error once, without cookies',
    'redaction: printed values never contain the token',
  ],
  'Entries are separate for each token.': ['cache: belongs to one token'],
  'A store that hangs, fails or returns something else fails no call, and delays none by more than 100 ms.': stores,
  'A store that fails, hangs or returns something else fails no call and delays none by more than 100 ms; after three failures in a row it is left out for 30 s.':
    [...stores, 'stores: is left out for 30 s after 3 failures, said once'],
  'A response marked no-store is not cached.': [
    'stores: gets no response that is marked no-store, and loses an older one',
  ],
  'A 429 pauses all calls of that token; those that cannot wait fail unsent.': [
    'tokens: pauses all calls of its token: those that cannot wait fail at once, unsent',
  ],
  'Cache, pauses, maxConcurrency and shared reads are separate for each token:': tokens,
  'Cache, pauses, limits and shared reads are separate for each token.': tokens,
  'The token is sent only to the origin of baseUrl.': [
    'redaction: is not sent to other servers',
    'bytes: to another origin is an error that names it, and nothing is sent there',
  ],
  "The token and the headers of the client are sent only to the client's own server; browsers follow redirects themselves, with the headers.":
    ['bytes: sends nothing of the client to another host, directly or by a redirect'],
  'When a mutation ends, it invalidates everything that it may have changed: publishing a campaign invalidates the campaigns of that organization, and removing a member also the organizations, campaigns and collabs, because roles decide what members see.':
    [
      'e2e/query.test.ts: invalidates everything that %s changes',
      'e2e/query.test.ts: invalidates all of an organization when it is deleted, and when its members change',
    ],
  'A stream is never retried.': ['retry: a body that is a stream is never sent twice'],
  'How many calls run at the same time, at most, within maxConcurrency.': [
    'calls: settles all calls in the order of the items, a few at a time',
    'tokens: each: the time of a call begins with its turn, also if maxConcurrency is smaller than its concurrency',
  ],
  'When the server asks to wait (429), for retry.maxRetryAfter at most, it waits, and runs the function again, up to ten times, unless retry is 0: make one call in it.':
    [
      'calls: begins the time of a call when it is made, and pauses on 429',
      'calls: each: a call that cannot wait within its total time is made again after the wait, unless there are no retries',
      'calls: each: a call that must wait each time ends with that error after ten more',
    ],
  'The token is never sent to another server.': ['redaction: is not sent to other servers'],
  'The body as text, so that callers never share an object.': [
    'cache: holds plain data, and neither the token nor an object that callers share',
  ],
  'Every method may be synchronous or asynchronous.': ['cache: may be a Map', 'cache: may be Keyv'],
  'How many more attempts, at most.': ['retry: fails with the last response after the last attempt'],
  'They never contain tokens or bodies.': ['loggers: %s gets the message and the fields, without tokens and bodies'],
  'If it differs, the request is sent once more.': ['calls: is asked once more after a 401 of a %s, without a retry'],
  "Sent with every request to the service, in addition to the SDK's own.": [
    'client: headers are merged whatever their case, and null takes one away',
  ],
  'Always called with a URL and a plain object.': [
    'client: calls a custom fetch with a URL and a plain object, behind middleware too',
  ],
  'Requests with the same token that run at the same time, at most; the others wait in order.': [
    'client: at most maxConcurrency requests run at the same time, for all variants of a client',
    'client: 50 requests run at the same time by default, in order, and a waiting one can be aborted',
  ],
  'How many items, at most.': ['pagination: requests no page beyond its limit'],
  "Awaiting it returns one page, which is requested in the next microtask; iterating it returns every item once, in the server's order, and fetches pages ahead: one at first, up to eight if the loop is faster.":
    [
      'pagination: sends one request, at once, however often it is awaited',
      'pagination: yields no id twice while rows are inserted',
      'pagination: walks 25 pages at least 2.5 times as fast as page by page, at most 8 pages at a time',
    ],
  "All items as an array, in the server's order, each id once.": [
    'pagination: gives each id once where rows moved between two pages',
  ],
  'Several processes may share the folder: a file is written under a temporary name and then renamed, so that it is never read half written.':
    ['cache: is shared by processes without a torn entry'],
  'It sends nothing: each method that has a fake returns the data of the fake, every other one rejects with a ConfigurationError.':
    [
      'testing: a fake is called with the arguments of its method, and returns its data in every form of a call',
      'testing: a method without a fake sends nothing and says so, also request() and download()',
    ],
};

/** Sentences of a text: its lines may be broken anywhere, except in tables, lists and headings. */
const sentencesIn = (text: string): string[] =>
  text
    .replaceAll(/```[\s\S]*?```/g, '\n\n')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .split(/\n\s*\n|\n(?=[-|#*])|\|/)
    .flatMap((part) => part.replaceAll(/\s+/g, ' ').split(/(?<=[.!?])\s+(?=[A-Z`])/))
    .map((sentence) => sentence.replaceAll('`', '').trim());

/** The docstrings of what a file exports, and of the members of it. */
const docstringsIn = (code: string): string[] =>
  [...code.matchAll(/^( *)\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n *(export )?/gm)].flatMap(
    ([, indent, text = '', exported]) =>
      indent || exported ? [text.replaceAll(/^\s*\* ?/gm, '').replaceAll(/^@/gm, '\n\n@')] : [],
  );

const source = join(root, 'packages/sdk/src');
// What the API promises is in `contract/`: the server's tests hold it. `transport/` and `clients/resource-client.ts` are internal.
const published = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    /^(clients\/(?!resource|methods)|node\/(?!platform))?[\w-]+\.ts$/.test(file) &&
    !/^(log|iterate-pages)\./.test(file),
);

it('each promise of README, guide and docstrings has a test', () => {
  const pages = ['packages/sdk/README.md', 'docs/guides/sdk.md'].map((page) => readFileSync(join(root, page), 'utf8'));
  const docstrings = published.flatMap((file) => docstringsIn(readFileSync(join(source, file), 'utf8')));
  expect(docstrings.length).toBeGreaterThan(150);
  const made = [...pages, ...docstrings].flatMap(sentencesIn).filter((sentence) => promising.test(sentence));
  expect(Object.keys(promises).sort()).toEqual([...new Set(made)].sort());
});

it('the tests of promises exist', () => {
  const missing = Object.values(promises)
    .flat()
    .filter((place) => {
      const [, file = '', title = ''] = /^([^:]+): (.*)$/.exec(place) ?? [];
      const path = file.includes('/') ? file : `packages/sdk/test/${file}.test.ts`;
      return title === '' || !readFileSync(join(root, path), 'utf8').includes(title);
    });
  expect(missing).toEqual([]);
});
