import { gzipSync } from 'node:zlib';
import { computedFieldsOf, type Endpoint, endpoints, exampleIdsOf } from '@mkt/sdk/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Dump, demoSeed } from '../src/index.js';
import { demoSite, origin, type Page, type Site, type Visitor } from './support/visitor.js';

let site: Site;
let ada: Visitor;
beforeEach(async () => {
  site = await demoSite();
  ada = await site.signedIn('ada_write');
});

const campaigns = '/organizations/5/campaigns';

/** The page of an endpoint's example request. */
const readPath = (endpoint: Endpoint): string => {
  const ids = exampleIdsOf(endpoint);
  return endpoint.path.replace('.json', '').replace(/:([a-z_]+)/g, (_, name) => String(ids[name]));
};
const shows = endpoints.filter(({ method, paginated }) => method === 'GET' && !paginated).map(readPath);
const lists = endpoints.filter(({ paginated }) => paginated).map(readPath);

const regions = new Intl.DisplayNames('en', { type: 'region' });
const platforms = new Map([
  ['youtube', 'YouTube'],
  ['tiktok', 'TikTok'],
  ['instagram', 'Instagram'],
]);
/** Countries and platforms, as people call them. */
const named = (code: string) => platforms.get(code) ?? regions.of(code) ?? code;

describe('the page of an item', () => {
  test.each(shows)('%s has every field of the JSON and every computed field, each of them once', async (path) => {
    const json = await (await site.json('ada_write', `${path}.json`)).json();
    const page = await ada.get(path);
    const heading = [page.find('h1'), page.find('.head .badge')];
    const labels = page.all(':is(.sheet:not(.totals, .activity), .developers) dt');
    const inHeading = path === '/me/address' ? [] : ['name', 'status', 'state'].filter((field) => field in json);
    const computed = Object.values(computedFieldsOf(path.split('/').at(-2) ?? ''));
    expect(labels).toEqual(expect.arrayContaining(computed.map(({ label }) => label)));
    const fields = Object.keys(json).filter((field) => field !== 'brief' && !inHeading.includes(field));
    expect(labels).toHaveLength(fields.length + computed.length);
    expect(new Set(labels).size).toBe(labels.length);
    const values = page.all(':is(.sheet:not(.totals, .activity), .developers) dd');
    for (const [field, value] of Object.entries(json)) {
      if (field === 'brief') expect(page.find('.prose')).not.toBe('');
      else if (inHeading.includes(field)) expect(heading).toContain(value);
      else if (field === 'currency') expect(values).toContain('USD (US Dollar)');
      else if (field === 'platform_id' || field === 'country_code') expect(values).toContain(named(String(value)));
      else if (typeof value === 'string' && !field.endsWith('_at')) expect(values).toContain(value);
      else if (typeof value === 'number')
        expect(values).toContain(
          field === 'id'
            ? String(value)
            : value.toLocaleString('en-US') + (field.endsWith('_amount') ? ` ${json.currency.toUpperCase()}` : ''),
        );
      else if (Array.isArray(value)) expect(values).toContain(value.map(named).join(', ') || '–');
      else if (typeof value === 'string') expect(page.attribute(`time[datetime="${value}"]`, 'datetime')).toBe(value);
    }
  });

  test('dates have their time zone; the URL in the API, which is the same page in a browser, is not a link', async () => {
    const page = await ada.get(`${campaigns}/4`);
    expect(page.find('time')).toBe('6 Jan 2026, 14:00 UTC');
    expect(page.all('dt')).toContain('API URL');
    expect(page.all('.sheet dd a')).toEqual(['https://acme.example']);
  });
});

describe('lists', () => {
  test.each(lists)('%s has a row for each item, in the order of the JSON', async (path) => {
    const json: readonly Record<string, unknown>[] = await (await site.json('ada_write', `${path}.json`)).json();
    const page = await ada.get(`${path}?sort=created`);
    const names = page.all('tbody th');
    expect(names).toHaveLength(json.length);
    for (const [place, item] of json.entries()) {
      const user = item.user as { name: string } | undefined;
      expect(names[place]).toContain(user?.name ?? item.name ?? item.description ?? item.uid);
    }
  });

  test('have labels that people use', async () => {
    const page = await ada.get(campaigns);
    const labels = ['Name', 'Status', 'Used', 'Budget', '%', 'Views', 'Submissions', 'Published'];
    expect(page.all('thead th')).toEqual(labels);
    const oldest = await ada.get(`${campaigns}?sort=created`);
    expect(oldest.all('tbody tr:first-child td').at(-1)).toBe('–');
    // One word for the state of campaigns and of collabs.
    expect((await ada.get('/organizations/5/collabs')).all('thead th')[1]).toBe('Status');
  });

  test('the pager shows the position and links to other pages', async () => {
    const page = await ada.get(`${campaigns}?page=2`);
    expect(page.find('.pager p')).toBe('21–40 of 45');
    expect(page.all('.pager a')).toEqual(['Previous', '1', '2', '3', 'Next']);
    expect(page.find('.pager a[aria-current=page]')).toBe('2');
    expect((await ada.get(`${campaigns}?page=3`)).all('.pager a')).toEqual(['Previous', '1', '2', '3']);
    expect((await ada.get('/organizations')).all('.pager a')).toEqual([]);
  });

  test('other brands are a link away on the same list', async () => {
    const brand = async (path: string) =>
      (await ada.get(path)).attribute('[aria-label=Brands] li:nth-child(2) a', 'href');
    expect(await brand('/organizations/5')).toBe('/organizations/7');
    expect(await brand(`${campaigns}?status=active&page=2`)).toBe('/organizations/7/campaigns');
    expect(await brand('/organizations/5/members/new')).toBe('/organizations/7/members');
    expect(await brand(`${campaigns}/3`)).toBe('/organizations/7/campaigns');
  });

  test('the pager links to the first, nearby and last pages, with gaps between them', async () => {
    site = await demoSite({}, { pageSize: 1 });
    const pager = async (page: number) =>
      (await (await site.signedIn('ada_write')).get(`${campaigns}?page=${page}`)).all('.pager li');
    expect(await pager(10)).toEqual(['Previous', '1', '…', '9', '10', '11', '…', '45', 'Next']);
    expect(await pager(3)).toEqual(['Previous', '1', '2', '3', '4', '…', '45', 'Next']);
  });

  test('after the last page there is a link back to it; an invalid page is a 400 page (D3)', async () => {
    const past = await ada.get(`${campaigns}?page=99`);
    expect([past.status, past.find('.empty p')]).toEqual([200, 'There are no items on this page.']);
    expect(past.attribute('.pager a', 'href')).toBe(`${campaigns}?page=3`);
    expect((await ada.get(`${campaigns}?page=0`)).status).toBe(400);
  });

  test('an empty list explains what to do', async () => {
    const page = await ada.get('/organizations/7/campaigns');
    expect([page.find('.empty p'), page.find('.empty a'), page.find('.head a')]).toEqual([
      'There are no campaigns here yet.',
      'New campaign',
      null,
    ]);
    expect(page.find('.empty .hint')).toMatch(/^For example: /);
    const eve = await site.signedIn('eve_write');
    expect((await eve.get('/organizations')).find('.empty')).toContain('You are not a member of a brand yet.');
  });

  test('an error and a list without matches have a next step', async () => {
    const stepOf = async (visitor: typeof ada, path: string, part: string) => {
      const page = await visitor.get(path);
      return [page.find(`${part} .button`), page.attribute(`${part} .button`, 'href')];
    };
    expect(await stepOf(ada, `${campaigns}/999`, '.problem')).toEqual(['Go back', campaigns]);
    expect(await stepOf(ada, '/nowhere', '.problem')).toEqual(['Your brands', '/organizations']);
    const signIn = '/sign_in?return_to=%2Forganizations';
    expect(await stepOf(site.visitor(), '/nowhere', '.problem')).toEqual(['Sign in', signIn]);
    expect((await ada.get('/nowhere')).find('.problem p')).toBe(
      'There is nothing at this URL. Check it, or start from your brands.',
    );
    expect(await stepOf(ada, `${campaigns}?name=zzz`, '.empty')).toEqual(['Show all campaigns', campaigns]);
    expect(await stepOf(ada, `${campaigns}?page=99`, '.empty')).toEqual(['Last page', `${campaigns}?page=3`]);
  });

  test('a failure of the server offers another attempt, not to sign in', async () => {
    const { read } = site.store;
    site.store.read = async () => {
      throw new Error('The disk is gone.');
    };
    const page = await ada.get(campaigns);
    site.store.read = read;
    expect([page.status, page.all('main a')]).toEqual([500, ['Try again']]);
    expect(page.attribute('main a', 'href')).toBe(campaigns);
  });

  test('endpoints beyond the contract have plain pages', async () => {
    const [list] = endpoints.filter(({ operation }) => operation === 'organizations.list');
    const extra = { ...list, operation: 'brands.list', path: '/brands.json' } as (typeof endpoints)[number];
    const own = await demoSite(
      {},
      {
        endpoints: [...endpoints, extra],
        rules: {
          ...(await import('../src/index.js')).rules,
          'brands.list': async () => ({ items: [{ id: 1, name: 'One' }], total: 1 }),
        },
      },
    );
    const page = await (await own.signedIn('ada_write')).get('/brands');
    expect([page.find('h1'), page.all('thead th')]).toEqual([
      'brands',
      ['ID', 'Name', 'Privacy setting', 'Website', 'Created'],
    ]);
  });
});

describe('pages show nothing that the JSON does not show', () => {
  const reachable = async (visitor: Visitor): Promise<string> => {
    const seen = new Map<string, string>();
    const waiting = ['/organizations', '/me/social_accounts', '/me/address', '/me/access_tokens'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      const page = await visitor.get(path);
      seen.set(path, page.status === 200 ? page.text : '');
      if (page.status === 200)
        waiting.push(
          ...[...page.text.matchAll(/href="(\/(?:organizations|me)[^"]*)"/g)].map(([, href]) => href as string),
        );
    }
    expect(seen.size).toBeGreaterThan(8);
    return [...seen.values()].join('\n');
  };

  test.each(['cleo_write', 'dan_write', 'eve_write'])('%s, following every link', async (who) => {
    const { tables } = demoSeed();
    const visible = new Set<string>();
    const add = async (path: string): Promise<Record<string, unknown>[]> => {
      const all: Record<string, unknown>[] = [];
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const response = await site.json(who, `${path}.json?page=${page}`);
        pages = Number(response.headers.get('total-pages'));
        all.push(...(await response.json()));
      }
      for (const { name } of all) visible.add(String(name));
      return all;
    };
    for (const { id } of await add('/organizations'))
      for (const list of ['campaigns', 'collabs']) await add(`/organizations/${id}/${list}`);

    const everything = await reachable(await site.signedIn(who));
    const rows = [...tables.organizations, ...tables.campaigns, ...tables.collabs];
    const hidden = rows
      .map(({ name }) => name)
      .filter((name) => !visible.has(name) && ![...visible].some((other) => other.includes(name)));
    expect(hidden.length).toBeGreaterThan(5);
    for (const name of hidden) expect(everything).not.toContain(name.replaceAll('&', '&amp;').replaceAll("'", '&#39;'));
    expect(everything).not.toMatch(/mkt_demo_|digest|approved_submissions|has_active_subscription|brief_template/);
  });

  test('a hidden draft or organization gets the same page as one that does not exist', async () => {
    const cleo = await site.signedIn('cleo_write');
    for (const path of ['/organizations/6', '/organizations/999', `${campaigns}/1`, `${campaigns}/46`]) {
      const page = await cleo.get(path);
      expect([path, page.status, page.find('h1')]).toEqual([path, 404, 'Not found']);
      expect(page.text).not.toMatch(/Globex|Summer UGC/);
    }
  });
});

describe('hostile data is shown as text', () => {
  const hostile = `"><img src=x onerror=alert(1)></title><script>alert('x')</script>&lt;{{7*7}}\${7*7}\u202E`;

  const hostileSeed = (): Dump => {
    const { tables, serials } = demoSeed();
    return {
      serials,
      tables: {
        ...tables,
        users: tables.users.map((row) => ({ ...row, name: hostile, email: `${row.id}<b>@x.example` })),
        access_tokens: tables.access_tokens.map((row) => ({ ...row, description: hostile })),
        organizations: tables.organizations.map((row) => ({ ...row, name: hostile, website: 'javascript:alert(1)' })),
        campaigns: tables.campaigns.map((row) => ({
          ...row,
          name: hostile,
          website: 'javascript:alert(1)',
          category: hostile,
          countries: [hostile],
          platform_ids: [hostile],
          brief:
            '<p onclick="alert(1)">hi</p><script>alert(1)</script><a href="javascript:alert(1)">x</a><style>*{}</style>',
        })),
        social_accounts: tables.social_accounts.map((row) => ({
          ...row,
          uid: hostile,
          account_url: 'data:text/html,x',
        })),
        addresses: tables.addresses.map((row) => ({ ...row, city: hostile })),
      },
    };
  };

  const harmless = (page: Page): void => {
    expect(
      page.all('script:not([src^="/assets/"]), iframe, object, embed, style, main img:not(.picture, .current)'),
    ).toEqual([]);
    const attributes = page.attributes();
    expect(attributes.length).toBeGreaterThan(10);
    const bad = attributes.filter(
      ([name, value]) =>
        /^(on|style$)/i.test(name) || (/^(href|src|action)$/.test(name) && /^\s*(javascript|data):/i.test(value)),
    );
    expect(bad).toEqual([]);
  };

  test('on every page and form', async () => {
    await site.store.load(hostileSeed());
    const paths = [
      ...shows,
      ...lists,
      '/sign_in',
      '/organizations/5/edit',
      '/organizations/5/delete',
      `${campaigns}/3/edit`,
      `${campaigns}/1/delete`,
      '/organizations/5/members/mem_5_ben/delete',
      '/me/access_tokens/2/delete',
      '/me/address/edit',
      `${campaigns}/3?as=json`,
    ];
    for (const path of paths) {
      const page = await ada.get(path);
      expect([path, page.status]).toEqual([path, 200]);
      harmless(page);
    }
    expect((await ada.get(`${campaigns}/3`)).find('h1')).toContain(`"><img src=x onerror=alert(1)>`);
    expect((await ada.get(`${campaigns}/3`)).attribute('.prose p', 'onclick')).toBeNull();
  });

  test('in URLs', async () => {
    for (const path of [
      '/%3Cscript%3Ealert(1)%3C/script%3E',
      '/organizations/%22%3E%3Cb%3E',
      '/organizations/%E0%A4%A',
      `${campaigns}?page=%22%3E%3Cscript%3E`,
    ]) {
      const page = await ada.get(path);
      expect(page.status).toBeGreaterThanOrEqual(400);
      harmless(page);
    }
    const json = await ada.get(`${campaigns}?as=json&x='%22%3E%3Cscript%3E`);
    harmless(json);
    expect(json.find('.developers code')?.split("'")).toHaveLength(5);
  });
});

describe('the section for developers', () => {
  test('shows the request for the JSON of each page', async () => {
    for (const path of [...lists, ...shows]) {
      const page = await ada.get(path);
      expect([path, page.find('.developers code')]).toEqual([
        path,
        `curl '${origin}${path}.json' -H 'Accept: application/json' -H "Authorization: Bearer $MKT_TOKEN"`,
      ]);
      expect(page.attribute('.developers pre ~ a', 'href')).toBe(`${path}?as=json`);
    }
    expect((await ada.get(`${campaigns}?page=2`)).find('.developers code')).toContain('campaigns.json?page=2');
  });

  test('links to the JSON response', async () => {
    const page = await ada.get(`${campaigns}?page=3&as=json`);
    const [head = '', body = ''] = page.text.match(/<pre><code>(.*?)<\/code>/s)?.[1]?.split('\n\n') ?? [];
    const plain = body
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
    expect(JSON.parse(plain)).toEqual(await (await site.json('ada_write', `${campaigns}.json?page=3`)).json());
    expect(head).toContain('Total-Count: 45');
  });
});

test('pages call an organization a brand, but not in what they say about the API', async () => {
  const forms = ['/organizations', campaigns, '/me/social_accounts', '/me/access_tokens'].map((path) => `${path}/new`);
  const questions = ['/organizations/5', `${campaigns}/1`, '/organizations/5/members/mem_5_cleo'].flatMap((path) => [
    `${path}/edit`,
    `${path}/delete`,
  ]);
  const others = ['/organizations/10/members/mem_10_ben/edit', '/organizations/999', `${campaigns}/999`, '/nowhere'];
  for (const path of [...lists, ...shows, ...forms, ...questions, ...others, '/organizations/5/search', '/sign_in']) {
    const page = await ada.get(path);
    const labels = page
      .attributes()
      .flatMap(([name, value]) => (/^(aria-label|placeholder|title|alt)$/.test(name) ? value : []));
    const text = (page.find('body') ?? '').replace(page.find('.developers') ?? '', '');
    const words = [page.find('title'), text, ...labels].join(' ').match(/\w* ?organi[sz]ation\w*/gi);
    expect([path, words]).toEqual([path, null]);
  }
});

test('no two pages have the same title', async () => {
  const paths = [
    ...shows,
    ...lists,
    ...[...shows, ...lists].map((path) => `${path}?as=json`),
    `${campaigns}?page=2`,
    '/organizations/7/campaigns',
    '/organizations/7/collabs',
    '/organizations/7/members',
    ...['/organizations', campaigns, '/me/social_accounts', '/me/access_tokens'].map((path) => `${path}/new`),
    ...['/organizations/5', `${campaigns}/3`, '/me/address'].flatMap((path) => [`${path}/edit`, `${path}/delete`]),
    '/sign_in',
    '/nowhere',
  ];
  const titles = new Map<string | null, string>();
  for (const path of paths) {
    const title = (await ada.get(path)).find('title');
    expect([path, titles.get(title)]).toEqual([path, undefined]);
    titles.set(title, path);
  }
  expect(titles.get('Campaigns · page 2 · Acme Cosmetics · mkt')).toBe(`${campaigns}?page=2`);
});

describe('headers', () => {
  test('forbid inline code, frames, content sniffing and caching', async () => {
    for (const path of ['/organizations', '/sign_in', '/nowhere', `${campaigns}/new`]) {
      const { headers } = await ada.get(path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; connect-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; script-src 'self'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('vary')).toContain('Cookie');
    }
  });

  test('let browsers cache the stylesheet permanently, under a name that changes with its content', async () => {
    const page = await ada.get('/organizations');
    const style = await ada.get(page.attribute('link[rel=stylesheet]', 'href') ?? '');
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(style.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(style.text).not.toMatch(/url\(["']?https?:|@import/);
  });

  test('let crawlers read what needs no session (D167)', async () => {
    const robots = await site.visitor().get('/robots.txt');
    expect([robots.status, robots.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(robots.text).toBe('User-agent: *\nDisallow:\n');
    expect((await ada.get(campaigns)).attribute('meta[name=description]', 'content')).toContain('Campaigns');
  });

  test('show language models where the API is described', async () => {
    const { status, headers, text } = await site.visitor().get('/llms.txt');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toMatch(/^# .+\n\n> .+/);
  });

  test('are the same for HEAD and GET', async () => {
    const page = await ada.fetch(campaigns, { method: 'HEAD' });
    expect([page.status, page.text, Number(page.headers.get('content-length'))]).toEqual([200, '', expect.any(Number)]);
    expect(Number(page.headers.get('content-length'))).toBeGreaterThan(5000);
  });
});

describe('weight', () => {
  test('is at most 60 kB for every page, with the longest names there can be', async () => {
    const { tables, serials } = demoSeed();
    const name = '漢'.repeat(255);
    await site.store.load({
      serials,
      tables: { ...tables, campaigns: tables.campaigns.map((row) => ({ ...row, name })) },
    });
    for (const path of [...lists, ...shows, `${campaigns}/new`, `${campaigns}/3/edit`, `${campaigns}?as=json`]) {
      const { text } = await ada.get(path);
      expect([path, new TextEncoder().encode(text).length < 60_000]).toEqual([path, true]);
    }
  });

  test('is at most 20 kB for the stylesheet, compressed', async () => {
    const page = await ada.get('/organizations');
    const style = await ada.get(page.attribute('link[rel=stylesheet]', 'href') ?? '');
    expect(style.status).toBe(200);
    expect(gzipSync(style.text).length).toBeLessThan(20_000);
  });
});
