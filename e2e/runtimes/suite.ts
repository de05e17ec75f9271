// The tests of the SDK that run on every runtime, from the packed package against a real server. They use only what all
// runtimes have; `support/sdk-suite.ts` compiles and starts them.
import {
  AbortedError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  type Drift,
  HttpError,
  Marketplace,
  MarketplaceError,
  type MarketplaceOptions,
  NotFoundError,
  PreconditionFailedError,
  RateLimitError,
  ResponseParseError,
  ResponseValidationError,
  type Retry,
  ServerError,
  TimeoutError,
  TransitionError,
  ValidationError,
} from '@mkt/sdk';
import { endpoints } from '@mkt/sdk/contract';
import { resources } from '@mkt/sdk/contract/resources';
import { marketplaceQueries } from '@mkt/sdk/query';
import * as z from 'zod/mini';

/** The server that the tests use, and what they may assume of the runtime. */
export interface Environment {
  readonly url: string;
  readonly token: string;
  readonly control: { readonly url: string; readonly token: string };
  /** A URL where nothing listens. */
  readonly closedUrl: string;
  /**
   * Whether it is workerd, which has none of Node's modules, and does not say why a connection failed.
   * On others `MKT_TOKEN` and `MKT_BASE_URL` are set to the server's.
   */
  readonly isWorkerd: boolean;
}

/** A test that failed has an error. */
export interface Result {
  readonly name: string;
  readonly error?: string;
}

type Test = (context: ReturnType<typeof contextOf>) => Promise<void>;

const png = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='),
  (letter) => letter.charCodeAt(0),
);

function equal(actual: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) throw new Error(`expected ${other}, got ${one}`);
}

/** The error that a promise is rejected with. */
async function failure<E>(promise: PromiseLike<unknown>, type: abstract new (...given: never[]) => E): Promise<E> {
  const settled = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in settled)) throw new Error(`expected ${type.name}, got ${JSON.stringify(settled.value)}`);
  if (settled.error instanceof type) return settled.error;
  throw settled.error;
}

function contextOf(environment: Environment) {
  const { url, token, control } = environment;
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${control.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${control.token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text && JSON.parse(text);
  };
  const client = (options: MarketplaceOptions = {}) =>
    new Marketplace({ token, baseUrl: url, retry: { minDelay: 1 }, ...options });
  return {
    ...environment,
    client,
    mkt: client(),
    reset: () => send('POST', '/reset'),
    fault: (operation: string, effect: unknown, times?: number) =>
      send('POST', '/faults', { match: { operation }, effect, times }),
    /** Waits until the server has received a request. */
    received: (operation: string) => send('GET', `/requests/next?operation=${operation}&timeout=10000`),
    /** The statuses of the requests of an operation that the server has received; null without a response. */
    statuses: async (operation: string) =>
      ((await send('GET', `/requests?operation=${operation}`)) as { status: number | null }[]).map(
        ({ status }) => status,
      ),
  };
}

const tests: Record<string, Test> = {
  async 'starts calls at once, awaited or not'({ mkt, received, fault }) {
    await fault('campaigns.get', { delay: 200 });
    const [first, second] = [mkt.campaigns.get(5, 1), mkt.campaigns.get(5, 2)];
    void mkt.campaigns.create(5, { name: 'Not awaited' });
    await received('campaigns.create');
    equal([(await first).id, (await second).id], [1, 2]);
  },

  async 'reads one page as plain data, and the pages next to it'({ mkt }) {
    const page = await mkt.campaigns.list(5);
    equal([page.items.length, page.number, page.totalCount, page.totalPages, page.hasNext()], [20, 1, 45, 3, true]);
    equal(structuredClone({ ...page }), page);
    const next = await page.next();
    equal([next?.number, (await next?.previous())?.items[0]?.id], [2, page.items[0]?.id]);
  },

  async 'reads whole lists: by for await, all() and pages()'({ mkt, statuses }) {
    const all = (await mkt.campaigns.list(5).all()).map(({ id }) => id);
    const walked: unknown[] = [];
    for await (const { id } of mkt.campaigns.list(5)) walked.push(id);
    const paged: unknown[] = [];
    for await (const { items } of mkt.campaigns.list(5).pages()) paged.push(...items.map(({ id }) => id));
    equal([all.length, new Set(all).size], [45, 45]);
    equal(walked, all);
    equal(paged, all);
    equal(await mkt.campaigns.list(5).count(), 45);
    for await (const _ of mkt.collabs.list(5)) break;
    equal((await statuses('collabs.list'))[0], 200);
  },

  async 'retries a read after 503 and 429, as late as Retry-After asks'({ client, fault }) {
    const retries: Retry[] = [];
    const mkt = client({ onRetry: (retry) => retries.push(retry) });
    await fault('campaigns.get', { status: 503 }, 1);
    await fault('campaigns.get', { status: 429, retryAfter: 1 }, 1);
    const start = Date.now();
    const { meta } = await mkt.campaigns.get(5, 1).withResponse();
    equal([meta.attempts, retries.map(({ status }) => status).sort()], [3, [429, 503]]);
    equal([retries.find(({ status }) => status === 429)?.delayMs, Date.now() - start >= 990], [1000, true]);
  },

  async 'retries a POST only if it was not processed'({ client, mkt, fault, statuses, closedUrl, isWorkerd }) {
    await fault('campaigns.create', { status: 503 }, 1);
    await failure(mkt.campaigns.create(5, { name: 'x' }), ServerError);
    equal(await statuses('campaigns.create'), [503]);
    await fault('collabs.create', { status: 429 }, 1);
    equal((await mkt.collabs.create(5, { name: 'x' }).withResponse()).meta.attempts, 2);

    const retried: unknown[] = [];
    const away = client({ baseUrl: closedUrl, onRetry: ({ error }) => retried.push(error?.name) });
    const error = await failure(away.campaigns.create(5, { name: 'x' }), ConnectionError);
    equal([retried, error.mayHaveArrived], isWorkerd ? [[], true] : [['ConnectionError', 'ConnectionError'], false]);
  },

  async 'retries a read whose connection breaks, before or inside the response'({ mkt, fault }) {
    for (const effect of [{ drop: true }, { truncate: 20 }]) {
      await fault('campaigns.get', effect, 1);
      const { data, meta } = await mkt.campaigns.get(5, 1, { cache: 'no-store' }).withResponse();
      // All but Node repeat a read on their own if there is no response at all.
      equal([data.id, meta.attempts === 2 || 'drop' in effect], [1, true]);
    }
  },

  async 'does not repeat a POST whose connection breaks, before or inside the response'({ mkt, fault, statuses }) {
    for (const effect of [{ drop: true }, { truncate: 20 }]) {
      await fault('campaigns.create', effect, 1);
      equal((await failure(mkt.campaigns.create(5, { name: 'x' }), ConnectionError)).mayHaveArrived, true);
    }
    equal((await statuses('campaigns.create')).length, 2);
  },

  async 'ends attempts and calls that take too long, in the headers or in the body'({ client, fault }) {
    await fault('campaigns.get', { hang: true });
    const impatient = client({ timeout: 100, retry: 1 });
    equal((await failure(impatient.campaigns.get(5, 1), TimeoutError)).phase, 'attempt');
    const total = await failure(client({ totalTimeout: 100 }).campaigns.get(5, 1), TimeoutError);
    equal([total.phase, total.timeoutMs], ['total', 100]);
    await fault('campaigns.list', { slowBody: 50 });
    equal((await failure(impatient.campaigns.list(5), TimeoutError)).phase, 'attempt');
  },

  async 'aborts calls and loops'({ mkt, fault }) {
    await fault('campaigns.get', { hang: true });
    const controller = new AbortController();
    const call = mkt.campaigns.get(5, 1, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 50);
    const error = await failure(call, AbortedError);
    equal([error.name, (error.cause as Error).message], ['AbortError', 'enough']);

    const loop = new AbortController();
    let items = 0;
    const walk = async () => {
      for await (const _ of mkt.campaigns.list(5, { signal: loop.signal })) {
        items += 1;
        loop.abort();
      }
    };
    await failure(walk(), AbortedError);
    equal(items, 1);
  },

  async 'uploads files, bytes, streams and responses, and reports progress'({ mkt, isWorkerd }) {
    const file = new File([png], 'logo.png', { type: 'image/png' });
    const { id, logo_url } = await mkt.organizations.create({ name: 'Logo', privacy_setting: 'private', logo: file });
    equal(typeof logo_url, 'string');
    const fetched = await fetch(String(logo_url));
    equal([...new Uint8Array(await fetched.clone().arrayBuffer())], [...png]);
    for (const data of [png, new Blob([png]).stream(), fetched]) {
      const { logo_url: changed } = await mkt.organizations.update(id, { logo: { data, type: 'image/png' } });
      equal(typeof changed, 'string');
    }
    const big = new File([png, new Uint8Array(200_000)], 'big.png', { type: 'image/png' });
    const sent: number[] = [];
    let total = 0;
    await mkt.organizations.update(
      id,
      { logo: big },
      {
        onUploadProgress: ({ sentBytes, totalBytes }) => {
          sent.push(sentBytes);
          total = totalBytes;
        },
      },
    );
    equal([sent.length > 2, sent.at(-1), sent.at(-1) === total], [true, total, true]);
    if (isWorkerd) return;
    const [{ writeFile, mkdtemp, rm }, { join }, { tmpdir }, { fileFromPath, FileStore }] = await Promise.all([
      import('node:fs/promises'),
      import('node:path'),
      import('node:os'),
      import('@mkt/sdk/node'),
    ]);
    const folder = await mkdtemp(join(tmpdir(), 'mkt-runtime-'));
    await writeFile(join(folder, 'logo.png'), png);
    await mkt.organizations.update(id, { logo: await fileFromPath(join(folder, 'logo.png')) });
    const stored = mkt.withOptions({ cache: new FileStore({ folder: join(folder, 'cache') }) });
    const fromCache: boolean[] = [];
    for (let read = 0; read < 2; read += 1)
      fromCache.push((await stored.campaigns.get(5, 1).withResponse()).meta.fromCache);
    equal(fromCache, [false, true]);
    await rm(folder, { recursive: true, maxRetries: 5 });
  },

  async 'throws an error of the right class, without secrets'({ client, mkt, fault, token }) {
    const invalid = await failure(mkt.campaigns.create(5, { name: '', cpm_amount: -1 }), ValidationError);
    equal(Object.keys(invalid.fieldErrors).sort(), ['cpm_amount', 'name']);
    const missing = await failure(mkt.campaigns.get(5, 999), NotFoundError);
    equal([missing.status, missing instanceof HttpError, missing instanceof MarketplaceError], [404, true, true]);
    await failure(client({ token: 'wrong' }).address.get(), AuthenticationError);
    await failure(mkt.campaigns.get(5, ''), ConfigurationError);
    await fault('organizations.get', { status: 429, retryAfter: 2 });
    const limited = await failure(mkt.organizations.get(5, { retry: false }), RateLimitError);
    equal(limited.retryAfterMs, 2000);
    for (const error of [invalid, missing, limited])
      equal([String(error.stack).includes(token), JSON.stringify(error).includes(token)], [false, false]);
    const { status, message } = JSON.parse(JSON.stringify(missing));
    equal([status, message], [404, missing.message]);
  },

  async 'throws for a response that is not JSON'({ client, fault }) {
    await fault('campaigns.get', { malformed: true });
    await fault('organizations.get', { wrongType: true });
    const mkt = client({ retry: false });
    equal((await failure(mkt.campaigns.get(5, 1), ResponseParseError)).status, 200);
    await failure(mkt.organizations.get(5), ResponseParseError);
  },

  async 'revalidates by ETag, and changes only what it has read'({ mkt, statuses }) {
    const read = await mkt.campaigns.get(5, 1).withResponse();
    const again = await mkt.campaigns.get(5, 1).withResponse();
    equal([read.meta.fromCache, again.meta.fromCache, await statuses('campaigns.get')], [false, true, [200, 304]]);
    equal(again.data, read.data);
    const ifMatch = String(read.meta.etag);
    await mkt.campaigns.update(5, 1, { name: 'Changed' }, { ifMatch });
    equal((await mkt.campaigns.get(5, 1)).name, 'Changed');
    await failure(mkt.campaigns.update(5, 1, { name: 'Late' }, { ifMatch }), PreconditionFailedError);
  },

  async 'shares identical reads, and limits how many requests run'({ client, mkt, fault, statuses }) {
    await fault('organizations.get', { delay: 100 });
    await Promise.all([mkt.organizations.get(5), mkt.organizations.get(5)]);
    equal((await statuses('organizations.get')).length, 1);
    let [running, most] = [0, 0];
    const limited = client({
      maxConcurrency: 2,
      middleware: [
        async (request, next) => {
          most = Math.max(most, ++running);
          const response = await next(request);
          running -= 1;
          return response;
        },
      ],
    });
    await Promise.all([1, 2, 3, 4, 5].map((id) => limited.campaigns.get(5, id)));
    equal(most, 2);
  },

  async 'reads the result of an action behind its redirect'({ mkt }) {
    equal((await mkt.campaigns.publish(5, 1)).status, 'active');
    equal((await mkt.campaigns.publish(5, 1)).status, 'active');
    const { from, wanted } = await failure(mkt.campaigns.pause(5, 5), TransitionError);
    equal([from, wanted], ['finished', 'paused']);
  },

  async 'runs middleware around each attempt'({ client, fault, statuses }) {
    await fault('campaigns.get', { status: 503 }, 1);
    const seen: unknown[] = [];
    const mkt = client({
      middleware: [
        async (request, next, { operation, attempt }) => {
          const changed = new Request(request, { headers: { ...Object.fromEntries(request.headers) } });
          const { status } = await next(changed);
          seen.push([operation, attempt, status]);
          return status === 200 ? Response.json({ id: 1, replaced: true }) : new Response('', { status });
        },
      ],
    });
    equal(await mkt.campaigns.get(5, 1), { id: 1, replaced: true });
    equal(seen, [
      ['campaigns.get', 1, 503],
      ['campaigns.get', 2, 200],
    ]);
    equal(await statuses('campaigns.get'), [503, 200]);
  },

  async 'takes another fetch, also behind middleware'({ client }) {
    const urls: string[] = [];
    const custom = (url: string, init: object) => {
      urls.push(url);
      return fetch(url, init);
    };
    for (const middleware of [
      [],
      [(request: Request, next: (request: Request) => Promise<Response>) => next(request)],
    ]) {
      const mkt = client({ fetch: custom, middleware });
      equal((await mkt.campaigns.update(5, 1, { name: 'By another fetch' })).name, 'By another fetch');
    }
    equal(urls.length, 2);
  },

  async 'sends any request, and checks the response by a schema'({ mkt }) {
    const schema = z.object({ id: z.number(), created_at: z.coerce.date() });
    const { created_at } = await mkt.request('GET', '/organizations/5.json', { schema });
    equal(created_at instanceof Date, true);
    const wrong = mkt.request('GET', '/organizations/5.json', { schema: z.object({ id: z.string() }) });
    equal((await failure(wrong, ResponseValidationError)).issues[0]?.path, ['id']);
    const body = { campaign: { name: 'Plain' } };
    const made = await mkt.request<{ name: string }>('POST', '/organizations/5/campaigns.json', { body });
    equal(made.name, 'Plain');
    const { data, response } = await mkt.request('HEAD', '/organizations.json').withResponse();
    equal([data, response.headers.has('total-count')], [undefined, true]);
  },

  async 'reports responses that differ from the contract, without eval'({ client, fault }) {
    await fault('campaigns.get', { patch: { cpm_amount: 'much', extra: 1 } });
    const drifts: Drift[] = [];
    const found = await client({ onDrift: (drift) => drifts.push(drift) }).campaigns.get(5, 1);
    equal([drifts.map(({ issues }) => issues[0]?.path), 'extra' in found], [[['cpm_amount']], true]);
    await failure(client({ validation: 'strict' }).campaigns.get(5, 2), ResponseValidationError);
  },

  async 'logs without the token'({ client, token }) {
    const lines: string[] = [];
    const log = (...given: unknown[]) => void lines.push(JSON.stringify(given));
    const mkt = client({ logger: { debug: log, info: log, warn: log } });
    await mkt.request('GET', `/organizations/5.json?token=${token}`);
    equal([lines.length, lines.join().includes(token)], [1, false]);
  },

  async 'has the contract and the options for TanStack Query'({ mkt }) {
    equal([endpoints.length > 30, resources.campaigns.states.field], [true, 'status']);
    const { queryFn, queryKey } = marketplaceQueries(mkt).campaigns.list.queryOptions(5, { page: 3 });
    const { signal } = new AbortController();
    equal([queryKey.at(-1), (await queryFn({ signal })).items.length], [{ page: 3 }, 5]);
  },

  async 'has defaults from the environment and a tracing channel where there is Node, and works without'(context) {
    const { isWorkerd, client, mkt, received } = context;
    const agents: unknown[] = [];
    const spy = (url: string, init: { headers: Record<string, string> }) => {
      agents.push(init.headers['user-agent']?.startsWith('mkt-sdk/') ?? false);
      return fetch(url, init);
    };
    await client({ fetch: spy }).campaigns.get(5, 1);
    equal(agents, [!isWorkerd]);
    if (isWorkerd) {
      await failure(
        Promise.resolve().then(() => new Marketplace()),
        ConfigurationError,
      );
      return;
    }
    const { tracingChannel } = await import('node:diagnostics_channel');
    const attempts: unknown[] = [];
    const nothing = () => undefined;
    const subscribers = {
      start: nothing,
      end: nothing,
      asyncStart: nothing,
      asyncEnd: (attempt: unknown) => attempts.push(attempt),
      error: nothing,
    };
    const channel = tracingChannel('mkt:request');
    channel.subscribe(subscribers);
    await new Marketplace().campaigns.get(5, 1);
    channel.unsubscribe(subscribers);
    await mkt.campaigns.get(5, 2);
    const path = '/organizations/:organization_id/campaigns/:id.json';
    equal(attempts, [{ operation: 'campaigns.get', method: 'GET', path, attempt: 1, headers: {}, status: 200 }]);
    await received('campaigns.get');
  },
};

/** Runs all tests, one after the other, each on the demo data. */
export async function run(environment: Environment): Promise<Result[]> {
  const results: Result[] = [];
  for (const [name, test] of Object.entries(tests)) {
    const context = contextOf(environment);
    await context.reset();
    try {
      await test(context);
      results.push({ name });
    } catch (error) {
      results.push({ name, error: error instanceof Error ? String(error.stack) : String(error) });
    }
  }
  return results;
}
