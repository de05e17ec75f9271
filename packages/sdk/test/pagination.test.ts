import { ConfigurationError, type Id, MarketplaceError, NotFoundError, type Page, ResponseParseError } from '@mkt/sdk';
import { describe, expect, it } from 'vitest';
import { client, eventually, failure } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { after, json, type ScriptedServer, type Step, scripted } from './support/scripted-server.js';

const pageOf = (url: string): number => Number(new URL(url, 'http://x').searchParams.get('page') ?? 1);

interface ListServer {
  count: number;
  size?: number;
  totals?: boolean | Record<string, string>;
  /** Delay of a page in milliseconds. */
  delay?: (page: number) => number;
}

/** A list of `count` campaigns as the contract has it (D1, D2, D3). */
const listing =
  ({ count, size = 20, totals = true, delay = () => 0 }: ListServer): Step =>
  async (response, request) => {
    const number = pageOf(request.url);
    const ids = Array.from({ length: count }, (_, index) => index + 1).slice((number - 1) * size, number * size);
    const headers = { 'total-count': String(count), 'total-pages': String(Math.max(1, Math.ceil(count / size))) };
    const step = json(
      ids.map((id) => sampleCampaign({ id })),
      totals ? { headers: totals === true ? headers : totals } : {},
    );
    await after(delay(number), step)(response, request);
  };

const idsTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const pagesAsked = (server: ScriptedServer) => server.seen.map(({ url }) => pageOf(url));
const idsOf = (items: Iterable<{ id: Id }>) => [...items].map(({ id }) => id);

describe('awaiting a list', () => {
  it('gives its first page', async () => {
    await using server = await scripted(listing({ count: 45 }));
    const page = await client(server.url).campaigns.list(5);
    expect(page).toMatchObject({ number: 1, totalCount: 45, totalPages: 3 });
    expect(idsOf(page.items)).toEqual(idsTo(20));
    expect(page.hasNext()).toBe(true);
    // Page 1 is asked for as the document writes the path.
    expect(server.seen[0]?.url).toBe('/organizations/5/campaigns.json');
  });

  it('gives the metadata of the response and a page', async () => {
    await using server = await scripted(listing({ count: 5 }));
    const page = await client(server.url).campaigns.list(5);
    expect(page).toMatchObject({ totalCount: 5, totalPages: 1, meta: { status: 200, attempts: 1 } });
    expect(page.hasNext()).toBe(false);
  });

  it('returns the requested page', async () => {
    await using server = await scripted(listing({ count: 45 }));
    const page = await client(server.url).campaigns.list(5, { page: 3 });
    expect(idsOf(page.items)).toEqual([41, 42, 43, 44, 45]);
    expect(page.hasNext()).toBe(false);
    expect(await page.next()).toBeNull();
    expect(pagesAsked(server)).toEqual([3]);
  });

  it('sends one request, at once, however often it is awaited', async () => {
    await using server = await scripted(listing({ count: 3 }));
    const list = client(server.url).campaigns.list(5);
    await eventually(() => expect(server.seen).toHaveLength(1));
    await Promise.all([list, list.withResponse(), list.first(), list.count()]);
    expect(server.seen).toHaveLength(1);
  });

  it('requests no page of a walk that has not begun', async () => {
    await using server = await scripted(listing({ count: 45 }));
    const mkt = client(server.url);
    const pages = mkt.campaigns.list(5).pages();
    const items = mkt.campaigns.list(5)[Symbol.asyncIterator]();
    expect(await mkt.campaigns.list(5).all({ limit: 0 })).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.seen).toHaveLength(0);
    await pages.return();
    expect((await items.next()).value).toMatchObject({ id: 1 });
  });

  it('walks on from the page that was requested at the start', async () => {
    await using server = await scripted(listing({ count: 45 }));
    const list = client(server.url).campaigns.list(5);
    await eventually(() => expect(server.seen).toHaveLength(1));
    expect(idsOf(await list.all())).toEqual(idsTo(45));
    expect(pagesAsked(server)).toEqual([1, 2, 3]);
    // A second walk reads the list as it is then.
    expect(idsOf(await list.all())).toEqual(idsTo(45));
    expect(server.seen).toHaveLength(6);
  });

  it('continues with next()', async () => {
    await using server = await scripted(listing({ count: 45 }));
    const ids: Id[] = [];
    let page: Page<{ id: Id }> | null = await client(server.url).campaigns.list(5);
    for (; page; page = await page.next()) ids.push(...idsOf(page.items));
    expect(ids).toEqual(idsTo(45));
    expect(pagesAsked(server)).toEqual([1, 2, 3]);
  });

  it('goes back with previous()', async () => {
    await using server = await scripted(listing({ count: 45 }));
    const last = await client(server.url).campaigns.list(5, { page: 3 });
    const second = await last.previous();
    expect(idsOf(second?.items ?? [])).toEqual(idsTo(40).slice(20));
    const first = await second?.previous();
    expect([first?.number, await first?.previous()]).toEqual([1, null]);
    expect(pagesAsked(server)).toEqual([3, 2, 1]);
  });

  it('gives a page that is plain data', async () => {
    await using server = await scripted(listing({ count: 45 }));
    const mkt = client(server.url);
    const page = await mkt.campaigns.list(5);
    const data = { items: page.items, number: 1, totalCount: 45, totalPages: 3 };
    expect(Object.getPrototypeOf(page)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(page))).toEqual(data);
    expect(structuredClone(page)).toEqual(data);
    // React rejects properties that are not enumerable, so a client component gets a copy.
    expect(
      Object.values(Object.getOwnPropertyDescriptors({ ...page })).map(({ enumerable, value }) => [enumerable, value]),
    ).toEqual(Object.values(data).map((value) => [true, value]));
    // Equal although the responses differ, in their request ids for one: caches share their structure.
    expect(await mkt.campaigns.list(5)).toEqual(page);
    expect(page.meta).toMatchObject({ status: 200, issues: [] });
  });

  it('continues with next() from a page of a finished walk', async () => {
    await using server = await scripted(listing({ count: 100 }));
    let kept: Page<{ id: Id }> | undefined;
    for await (const page of client(server.url).campaigns.list(5).pages()) {
      kept = page;
      if (page.number === 2) break;
    }
    const next = await kept?.next();
    expect(idsOf(next?.items ?? [])).toEqual(idsTo(60).slice(40));
    expect((await next?.next())?.number).toBe(4);
  });

  it('continues after the caller removed or sorted its items', async () => {
    await using server = await scripted(listing({ count: 45, totals: false }));
    let page: Page<{ id: Id }> | null = await client(server.url).campaigns.list(5);
    let found = 0;
    for (; page; page = await page.next()) {
      page.items.reverse();
      found += page.items.splice(0).length;
    }
    expect(found).toBe(45);
  });

  it('an empty list has one empty page', async () => {
    await using server = await scripted(listing({ count: 0 }));
    const list = client(server.url).campaigns.list(5);
    expect(await list).toMatchObject({ items: [], totalCount: 0, totalPages: 1 });
    expect(await list.first()).toBeUndefined();
    expect(await list.all()).toEqual([]);
    expect(await list.count()).toBe(0);
  });
});

describe('for await', () => {
  it('walks all items in order, one page ahead', async () => {
    await using server = await scripted(listing({ count: 45 }));
    const ids: Id[] = [];
    for await (const { id } of client(server.url).campaigns.list(5)) {
      if (id === 1) await eventually(() => expect(pagesAsked(server)).toEqual([1, 2]));
      ids.push(id);
    }
    expect(ids).toEqual(idsTo(45));
    expect(pagesAsked(server)).toEqual([1, 2, 3]);
  });

  it('ends what is under way when the loop is left', async () => {
    let aborted = 0;
    await using server = await scripted(listing({ count: 100 }), (response) => {
      response.socket?.on('close', () => {
        aborted += 1;
      });
    });
    // Neither the server nor a time limit ends it first.
    for await (const { id } of client(server.url, { timeout: 60_000 }).campaigns.list(5)) {
      expect(id).toBe(1);
      await eventually(() => expect(server.seen).toHaveLength(2));
      break;
    }
    await eventually(() => expect(aborted).toBe(1));
    expect(server.seen).toHaveLength(2);
  });

  it('gives the pages before a failure, then throws', async () => {
    const failing: Step = (response, request) =>
      pageOf(request.url) === 3
        ? json({ error: 'Gone.' }, { status: 404 })(response, request)
        : listing({ count: 100 })(response, request);
    await using server = await scripted(failing);
    const ids: Id[] = [];
    await expect(async () => {
      for await (const { id } of client(server.url).campaigns.list(5)) ids.push(id);
    }).rejects.toBeInstanceOf(NotFoundError);
    expect(ids).toEqual(idsTo(40));
  });

  it('ends by what is thrown into it, as any generator does', async () => {
    await using server = await scripted(listing({ count: 45 }));
    const items = client(server.url).campaigns.list(5)[Symbol.asyncIterator]();
    await items.next();
    await expect(items.throw(new Error('mine'))).rejects.toThrow('mine');
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  it('begins with the option page', async () => {
    await using server = await scripted(listing({ count: 45 }));
    const ids: Id[] = [];
    for await (const { id } of client(server.url).campaigns.list(5, { page: 2 })) ids.push(id);
    expect(ids).toEqual(idsTo(45).slice(20));
  });
});

describe('pages()', () => {
  it('gives the pages of a range', async () => {
    await using server = await scripted(listing({ count: 200 }));
    const numbers: Id[] = [];
    for await (const page of client(server.url).campaigns.list(5).pages({ from: 3, to: 5 })) numbers.push(page.number);
    expect(numbers).toEqual([3, 4, 5]);
    expect(pagesAsked(server)).toEqual([3, 4, 5]);
  });

  it('comes in order although several are under way', async () => {
    await using server = await scripted(listing({ count: 195, delay: (page) => 60 - page * 5 }));
    const numbers: Id[] = [];
    for await (const page of client(server.url).campaigns.list(5).pages({ concurrency: 8 })) numbers.push(page.number);
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});

describe('all()', () => {
  it('returns everything in order even if later pages arrive first', async () => {
    await using server = await scripted(listing({ count: 195, delay: (page) => 60 - page * 5 }));
    expect(idsOf(await client(server.url).campaigns.list(5).all())).toEqual(idsTo(195));
  });

  it.each([1, 3, 8])('has at most %i pages under way, by default 8, as pages() has', async (concurrency) => {
    let running = 0;
    let most = 0;
    await using server = await scripted(async (response, request) => {
      running += 1;
      most = Math.max(most, running);
      // The pages after the first are held until all that may be under way have come; one more would come in the pause.
      if (pageOf(request.url) > 1) await eventually(() => expect(most).toBeGreaterThanOrEqual(concurrency));
      await new Promise((resolve) => setTimeout(resolve, 15));
      running -= 1;
      await listing({ count: 400 })(response, request);
    });
    const list = client(server.url).campaigns.list(5);
    expect(await list.all(concurrency === 8 ? {} : { concurrency })).toHaveLength(400);
    expect(most).toBe(concurrency);
    most = 0;
    for await (const page of list.pages({ concurrency })) expect(page.items).toHaveLength(20);
    expect(most).toBe(concurrency);
  });

  it('requests no page beyond its limit', async () => {
    await using server = await scripted(listing({ count: 400 }));
    const list = client(server.url).campaigns.list(5);
    expect(idsOf(await list.all({ limit: 45 }))).toEqual(idsTo(45));
    expect(pagesAsked(server).sort()).toEqual([1, 2, 3]);
    expect(await list.all({ limit: 0 })).toEqual([]);
    expect(idsOf(await list.all({ limit: 5, from: 3 }))).toEqual([41, 42, 43, 44, 45]);
    expect(server.seen).toHaveLength(4);
  });

  it('gives each id once where rows moved between two pages', async () => {
    await using server = await scripted((response, request) => {
      const first = pageOf(request.url) === 1 ? 1 : 20;
      const items = Array.from({ length: 20 }, (_, index) => sampleCampaign({ id: first + index }));
      return json(items, { headers: { 'total-pages': '2' } })(response, request);
    });
    expect(idsOf(await client(server.url).campaigns.list(5).all())).toEqual(idsTo(39));
  });

  it('finds as many as wanted although some came twice', async () => {
    await using server = await scripted((response, request) => {
      const number = pageOf(request.url);
      const items = Array.from({ length: 20 }, (_, index) => sampleCampaign({ id: (number - 1) * 10 + index + 1 }));
      return json(items, { headers: { 'total-pages': '9' } })(response, request);
    });
    expect(idsOf(await client(server.url).campaigns.list(5).all({ limit: 60 }))).toEqual(idsTo(60));
  });

  it('follows a list that grows and one that shrinks', async () => {
    const totals = (from: string, to: string): Step => {
      let first = true;
      return (response, request) => {
        const number = pageOf(request.url);
        const headers = { 'total-pages': first ? from : to };
        first = false;
        const items = number <= 4 ? [sampleCampaign({ id: number })] : [];
        return json(items, { headers })(response, request);
      };
    };
    await using growing = await scripted(totals('2', '4'));
    expect(idsOf(await client(growing.url).campaigns.list(5).all())).toEqual([1, 2, 3, 4]);
    await using shrinking = await scripted(totals('30', '4'));
    expect(idsOf(await client(shrinking.url).campaigns.list(5).all({ concurrency: 2 }))).toEqual([1, 2, 3, 4]);
    expect(shrinking.seen.length).toBeLessThan(7);
  });
});

it('gives every item of a list whose items have no ids', async () => {
  await using server = await scripted((response, request) => {
    const number = pageOf(request.url);
    const items = number > 3 ? [] : [{ name: `a${number}` }, { id: null, name: `b${number}` }, { id: null }];
    return json(items, { headers: { 'total-pages': '3' } })(response, request);
  });
  const names = (await client(server.url).campaigns.list(5).all()).map(({ name }) => name);
  expect(names).toEqual(['a1', 'b1', undefined, 'a2', 'b2', undefined, 'a3', 'b3', undefined]);
});

describe('without totals (CORS hides the headers)', () => {
  it('a page has a next one where it has items', async () => {
    await using server = await scripted(json([sampleCampaign()]), json([]));
    const list = () => client(server.url).campaigns.list(5);
    expect((await list()).hasNext()).toBe(true);
    expect((await list()).hasNext()).toBe(false);
  });

  it('walks until a page is short', async () => {
    await using server = await scripted(listing({ count: 45, totals: false }));
    const list = client(server.url).campaigns.list(5);
    expect(await list).toMatchObject({ totalCount: null, totalPages: null });
    expect(await list.all()).toHaveLength(45);
    expect(pagesAsked(server)).toEqual([1, 1, 2, 3]);
  });

  it.each([5, 20])('walks until a page is empty, whatever the page size: %i', async (size) => {
    await using server = await scripted(listing({ count: 40, size, totals: false }));
    const list = client(server.url).campaigns.list(5);
    expect(await list.all()).toHaveLength(40);
    expect(await list.count()).toBe(40);
    let pages = 0;
    for (let page = await list; page; page = (await page.next()) as typeof page) pages += 1;
    expect(pages).toBe(40 / size);
  });
});

it('totals below the number of received items are ignored', async () => {
  const zero = { 'total-count': '0', 'total-pages': '0' };
  await using server = await scripted(listing({ count: 45, totals: zero }));
  const list = client(server.url).campaigns.list(5);
  expect(await list).toMatchObject({ totalCount: null, totalPages: null });
  expect(await list.all()).toHaveLength(45);
  expect(await list.count()).toBe(45);
});

describe('a walk ends whatever the server sends', () => {
  const ids = (list: ReturnType<ReturnType<typeof client>['campaigns']['list']>) => list.all().then(idsOf);

  it.each([
    ['the same page for ever, without totals', {}],
    ['the same page for ever, with growing totals', { 'total-pages': '99999', 'total-count': '999999' }],
    ['totals that are not numbers', { 'total-pages': 'NaN', 'total-count': '-1' }],
  ])('%s', async (_, headers) => {
    await using server = await scripted(json([sampleCampaign({ id: 1 }), sampleCampaign({ id: 2 })], { headers }));
    expect(await ids(client(server.url).campaigns.list(5))).toEqual([1, 2]);
    expect(server.seen.length).toBeLessThan(12);
  });

  it('by next(), without totals: the same page again is the end', async () => {
    await using server = await scripted(json([sampleCampaign({ id: 1 })]));
    const page = await client(server.url).campaigns.list(5);
    expect(await page.next()).toBeNull();
  });

  it('empty pages with large totals', async () => {
    await using server = await scripted(json([], { headers: { 'total-pages': '1000' } }));
    expect(await ids(client(server.url).campaigns.list(5))).toEqual([]);
    expect(server.seen).toHaveLength(1);
  });

  it('the last page again for every page after it: it is given once', async () => {
    await using server = await scripted((response, request) =>
      json([sampleCampaign({ id: Math.min(pageOf(request.url), 7) })])(response, request),
    );
    const given: Id[] = [];
    for await (const { id } of client(server.url).campaigns.list(5)) given.push(id);
    expect(given).toEqual(idsTo(7));
  });

  it('pages that come round again after a while', async () => {
    await using server = await scripted((response, request) =>
      json([sampleCampaign({ id: pageOf(request.url) % 9 })])(response, request),
    );
    const found = await ids(client(server.url).campaigns.list(5));
    expect(found.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(server.seen.length).toBeLessThan(60);
  });

  it('two pages in turn', async () => {
    await using server = await scripted((response, request) =>
      json([sampleCampaign({ id: pageOf(request.url) % 2 })])(response, request),
    );
    expect(await ids(client(server.url).campaigns.list(5))).toEqual([1, 0]);
  });

  const endless = (totalPages: (page: number) => number) =>
    client('http://localhost:1', {
      cache: false,
      validation: 'off',
      fetch: async (address) => {
        const number = pageOf(String(address));
        return new Response(JSON.stringify([{ id: number }]), {
          headers: { 'total-pages': String(totalPages(number)) },
        });
      },
    });

  it('new items for ever: an error says so', { timeout: 30_000 }, async () => {
    const error = await failure(
      endless((page) => page + 1)
        .campaigns.list(5)
        .all(),
      MarketplaceError,
    );
    expect(error.message).toContain('1000 pages');
  });

  it('not before the end of a list that is announced to be long', { timeout: 30_000 }, async () => {
    let items = 0;
    for await (const page of endless(() => 1010)
      .campaigns.list(5)
      .pages())
      items += page.items.length;
    expect(items).toBe(1010);
  });

  it.each([
    ['an object', { campaigns: [] }],
    ['null', null],
    ['text', 'none'],
  ])('%s instead of a list: an error says so', async (_, body) => {
    await using server = await scripted(json(body));
    const error = await failure(client(server.url).campaigns.list(5).all(), ResponseParseError);
    expect(error.message).toContain('campaigns.list');
  });
});

it.each([{ page: 0 }, { page: -1 }, { page: 1.5 }])(
  'a page of %j is rejected before anything is sent',
  async (options) => {
    await using server = await scripted(listing({ count: 1 }));
    const mkt = client(server.url);
    await failure(mkt.campaigns.list(5, options), ConfigurationError);
    await failure(mkt.campaigns.list(5, options).all(), ConfigurationError);
    await failure(mkt.campaigns.list(5).all({ from: 0 }), ConfigurationError);
    await failure(mkt.campaigns.list(5).all({ concurrency: 0 }), ConfigurationError);
    expect(() => mkt.campaigns.list(5).pages({ concurrency: 0.5 })).toThrow(ConfigurationError);
    expect(() => mkt.campaigns.list(5).pages({ limit: 45 } as object)).toThrow('There is no option limit.');
    await failure(mkt.campaigns.list(5).all({ limit: -1 }), ConfigurationError);
    await failure(mkt.campaigns.list(5).all({ limit: 2.5 }), ConfigurationError);
    await failure(mkt.campaigns.list(5).all({ limit: null as never }), ConfigurationError);
    expect(server.seen).toHaveLength(0);
  },
);

describe('for await ramps up like a connection', () => {
  it('asks for at most 2 pages before the second row, and for 4 on the second page', async () => {
    await using server = await scripted(listing({ count: 500, delay: () => 10 }));
    const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
    for await (const { id } of client(server.url).campaigns.list(5)) {
      if (id === 1) await pause();
      if (id === 1) break;
    }
    expect(pagesAsked(server)).toEqual([1, 2]);
    server.seen.length = 0;
    const ids: Id[] = [];
    for await (const { id } of client(server.url).campaigns.list(5)) {
      ids.push(id);
      if (id === 40) await pause();
      if (id === 40) break;
    }
    expect(ids).toEqual(idsTo(40));
    expect(pagesAsked(server).sort()).toEqual([1, 2, 3, 4]);
  });

  it('walks 25 pages at least 2.5 times as fast as page by page, at most 8 pages at a time', async () => {
    // All requests of a round are answered together, so that a busy machine makes no more of them.
    const server = { rounds: 0, most: 0 };
    const waiting: (() => void)[] = [];
    const answer = () => {
      server.rounds += 1;
      server.most = Math.max(server.most, waiting.length);
      for (const resolve of waiting.splice(0)) resolve();
    };
    const fetch = async (url: string): Promise<Response> => {
      const number = pageOf(url);
      await new Promise<void>((resolve) => {
        if (waiting.push(resolve) === 1) setTimeout(answer, 10);
      });
      const items = Array.from({ length: 20 }, (_, index) => ({ id: (number - 1) * 20 + index + 1 }));
      return new Response(JSON.stringify(items), { headers: { 'total-pages': '25', 'total-count': '500' } });
    };
    let count = 0;
    for await (const { id } of client('http://localhost:1', { fetch, validation: 'off' }).campaigns.list(5)) {
      expect(id).toBe(++count);
    }
    expect(count).toBe(500);
    expect(server.rounds).toBeLessThanOrEqual(25 / 2.5);
    expect(server.most).toBe(8);
  });

  it('stays one page ahead of a slow loop', async () => {
    await using server = await scripted(listing({ count: 100 }));
    let ahead = 0;
    for await (const { id } of client(server.url).campaigns.list(5)) {
      if (Number(id) % 20 !== 1) continue;
      await eventually(() =>
        expect(server.seen.length).toBeGreaterThanOrEqual(Math.min(5, Math.ceil(Number(id) / 20) + 1)),
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
      ahead = Math.max(ahead, server.seen.length - Math.ceil(Number(id) / 20));
    }
    expect(ahead).toBe(1);
  });

  it('yields no id twice while rows are inserted', async () => {
    const rows = idsTo(100);
    let next = 1000;
    await using server = await scripted((response, request) => {
      const number = pageOf(request.url);
      const items = rows.slice((number - 1) * 20, number * 20).map((id) => sampleCampaign({ id }));
      if (number === 1) rows.unshift(...Array.from({ length: 7 }, () => next++));
      return json(items, { headers: { 'total-pages': String(Math.ceil(rows.length / 20)) } })(response, request);
    });
    const ids: Id[] = [];
    for await (const { id } of client(server.url).campaigns.list(5)) ids.push(id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(idsTo(100));
  });
});

it('a page is plain data without a Symbol.iterator: React would send an array', async () => {
  await using server = await scripted(listing({ count: 45 }));
  const page = await client(server.url).campaigns.list(5);
  expect(Symbol.iterator in page).toBe(false);
  expect(Object.keys(page)).toEqual(['items', 'number', 'totalCount', 'totalPages']);
  expect(structuredClone(page)).toEqual({ items: page.items, number: 1, totalCount: 45, totalPages: 3 });
});
