import { type Endpoint, endpoints } from '@mkt/sdk/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, createApp, demoSeed } from '../src/index.js';
import { webPages } from '../src/web/web-pages.js';
import { type Everything, everythingIn } from './support/everything.js';
import { anyRequest, type GeneratedRequest, toRequest } from './support/generated-requests.js';
import { isLong } from './support/long.js';
import { openTestStore, storeKinds, type TestStore } from './support/stores.js';

/** Requests to each store: 400, or 20,000 in `npm run test:long`. */
const sequences = isLong ? 250 : 5;
const perSequence = 80;
const patience = 2000;
/** A bound for what hangs: a long run on a busy machine takes a quarter of an hour on PostgreSQL. */
const patienceOfRun = isLong ? 3_600_000 : 600_000;

const byOperation = new Map(endpoints.map((endpoint) => [endpoint.operation, endpoint]));

/** The statuses that the document and the decisions give an endpoint. */
function documented(endpoint: Endpoint): readonly number[] {
  const statuses = [endpoint.status, 401, 404];
  if (endpoint.etag) statuses.push(304);
  if (endpoint.paginated) statuses.push(400);
  if (endpoint.role !== 'none' && endpoint.scope === 'write') statuses.push(403);
  if (endpoint.request) statuses.push(400, 413, 415, 422);
  if (endpoint.method === 'DELETE') statuses.push(422);
  // `If-None-Match: *` of something that exists (D101).
  if (endpoint.method === 'DELETE' || endpoint.method === 'PATCH') statuses.push(412);
  return statuses;
}

/** What an answer promises beyond its status: its body is what the contract says, or an error that can be read. */
function checkBody(endpoint: Endpoint, status: number, text: string): void {
  if ([204, 303, 304].includes(status)) {
    expect(text).toBe('');
    return;
  }
  const body = JSON.parse(text);
  if (status === 422) {
    for (const [field, sentences] of Object.entries(body.errors)) {
      expect([field, sentences]).toEqual([field, expect.arrayContaining([expect.stringMatching(/^[A-Z].*\.$/s)])]);
    }
  } else if (status >= 400) expect(body).toEqual({ error: expect.stringMatching(/^["A-Z].*\.$/s) });
  else {
    for (const item of endpoint.paginated ? body : [body]) {
      const read = endpoint.response?.safeParse(item);
      expect(read?.error?.issues ?? []).toEqual([]);
      const known = Object.keys((endpoint.response as unknown as { shape: object }).shape);
      expect(known).toEqual(expect.arrayContaining(Object.keys(item)));
    }
  }
}

describe.each(storeKinds)('whatever is sent to the %s store', (kind) => {
  let opened: TestStore;
  let everything: Everything;
  let app: App;
  const unexpected: unknown[] = [];
  /** All rows as text, where no write was accepted since they were read. */
  let state: string | null = null;

  beforeAll(async () => {
    opened = await openTestStore(kind);
    everything = await everythingIn(opened);
    app = createApp({ store: opened.store, renderer: webPages(), onError: (error) => unexpected.push(error) });
  });
  afterAll(async () => {
    await everything?.close();
    await opened?.dispose();
  });

  const send = async (request: GeneratedRequest): Promise<void> => {
    const endpoint = byOperation.get(request.operation) as Endpoint;
    const before = state ?? (await everything.read());
    const started = performance.now();
    const response = await app.fetch(toRequest(request));
    const text = await response.text();
    expect(performance.now() - started).toBeLessThan(patience);
    expect(unexpected).toEqual([]);
    // An odd id such as `..` or `1/2` makes the path another one; the router's own words are documented everywhere.
    const elsewhere = [405, 404].includes(response.status) ? [response.status] : [];
    expect([...documented(endpoint), ...elsewhere]).toContain(response.status);
    expect(response.headers.get('x-request-id')).toMatch(/^[\w.:-]{1,128}$/);
    if (response.status !== 405) checkBody(endpoint, response.status, text);
    const rejected = response.status >= 400;
    if (rejected && endpoint.scope === 'write') expect(await everything.read()).toBe(before);
    state = rejected || endpoint.scope === 'read' ? before : null;
  };

  test(
    `${sequences * perSequence} generated requests: no 5xx, no silence, nothing undocumented, nothing half-applied`,
    async () => {
      const sequence = fc.array(anyRequest, { minLength: perSequence, maxLength: perSequence, size: 'max' });
      await fc.assert(
        fc.asyncProperty(sequence, async (requests) => {
          unexpected.length = 0;
          state = null;
          await opened.store.load(demoSeed());
          for (const request of requests) await send(request);
        }),
        { numRuns: sequences, endOnFailure: !isLong },
      );
    },
    patienceOfRun,
  );
});
