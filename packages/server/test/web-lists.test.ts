import { computedFields, computedValue } from '@mkt/sdk/contract';
import { describe, expect, test, vi } from 'vitest';
import { demoSeed } from '../src/index.js';
import type { PageContext } from '../src/web/page-context.js';
import { type PageDescription, pageDescriptions } from '../src/web/page-descriptions.js';
import { noListQuery } from '../src/web/pages/filters.js';
import { Table } from '../src/web/pages/table.js';
import { ada, eachWithAda, json, site } from './support/ada.js';
import { everyStore } from './support/every-store.js';
import { campaigns, collabs } from './support/forms.js';
import { demoSite } from './support/visitor.js';

eachWithAda();

const { tables } = demoSeed();
const rows = tables.campaigns.filter(({ organization_id }) => organization_id === 5);
const namesOf = (status?: string) =>
  rows
    .filter((row) => status === undefined || row.status === status)
    .map(({ name }) => name.replace(/\s+/g, ' ').trim());

/** Adds "Copy 0", "Copy 1", ... to the campaigns of the organization. */
async function withCopies(count: number): Promise<void> {
  const { id: _, ...row } = tables.campaigns[3] ?? {};
  const copies = Array.from({ length: count }, (__, index) => ({ ...row, id: 1000 + index, name: `Copy ${index}` }));
  const dump = demoSeed();
  const campaignRows = [...dump.tables.campaigns, ...copies] as typeof dump.tables.campaigns;
  await site.store.load({ ...dump, tables: { ...dump.tables, campaigns: campaignRows } });
}

describe('a list of campaigns', () => {
  test.each(['draft', 'active', 'paused', 'finished'])('can be filtered by the status %s', async (status) => {
    const page = await ada.get(`${campaigns}?status=${status}`);
    expect(page.all('tbody th')).toEqual(namesOf(status).toReversed().slice(0, 20));
    expect(page.find('.pager p')).toBe(`1–${Math.min(20, namesOf(status).length)} of ${namesOf(status).length}`);
    expect(page.attribute('[name=status][checked]', 'value')).toBe(status);
    expect(page.all('.filters .ticks label')).toContain(`${status} (${namesOf(status).length})`);
    expect(page.find('title')).toBe(`Campaigns · ${status} · Acme Cosmetics · mkt`);
  });

  test('has the totals of states only while they are true: without other filters', async () => {
    for (const query of ['name=a', 'used=80', 'platform=tiktok', 'country=US', 'currency=usd', 'from=2026-01-01'])
      expect([query, (await ada.get(`${campaigns}?${query}`)).all('.filters .ticks label')]).toEqual([
        query,
        ['draft', 'active', 'paused', 'finished'],
      ]);
    const sorted = (await ada.get(`${campaigns}?status=paused&sort=name`)).all('.filters .ticks label');
    expect(sorted[1]).toBe(`active (${namesOf('active').length})`);
  });

  test('shows the newest first, or the oldest, on every page', async () => {
    for (const [sort, names] of [
      ['', namesOf().toReversed()],
      ['unknown', namesOf().toReversed()],
      ['created', namesOf()],
    ] as const) {
      const seen: string[] = [];
      for (const page of [1, 2, 3])
        seen.push(...(await ada.get(`${campaigns}?sort=${sort}&page=${page}`)).all('tbody th'));
      expect(seen).toEqual(names);
    }
    const active = await ada.get(`${campaigns}?status=active&sort=created&page=2`);
    expect(active.all('tbody th')).toEqual(namesOf('active').slice(20));
    expect(active.attribute('.pager a', 'href')).toBe(`${campaigns}?status=active&sort=created&page=1`);
    expect((await ada.get(`${campaigns}?page=9`)).all('tbody th')).toEqual([]);
  });

  test('can be filtered by several states at once, and by campaigns without a budget', async () => {
    const wanted = rows.filter(({ status }) => status === 'paused' || status === 'finished').toReversed();
    for (const query of ['status=paused&status=finished', 'status=finished%2Cpaused']) {
      const page = await ada.get(`${campaigns}?${query}`);
      expect(page.all('tbody th')).toEqual(wanted.map(({ name }) => name.replace(/\s+/g, ' ').trim()));
      expect(page.attribute('a[download]', 'href')).toMatch(/status=(paused%2Cfinished|finished%2Cpaused)$/);
    }
    await site.store.transact((writer) => writer.update('campaigns', 3, { total_budget_amount: 0, used_amount: 0 }));
    const page = await ada.get(`${campaigns}?used=none&status=active`);
    expect(page.all('tbody th')).toEqual([tables.campaigns[2]?.name]);
    expect(page.find('[name=used] option[selected]')).toBe('No budget');
  });

  test('is sorted by the heads of its columns, both ways', async () => {
    const page = await ada.get(campaigns);
    expect(page.all('thead th a')).toEqual(['Name', 'Used', 'Budget', '%', 'Views', 'Submissions', 'Published']);
    const views = await ada.get(`${campaigns}?sort=-views`);
    const expected = rows.toSorted((one, other) => other.view_count - one.view_count).map(({ name }) => name);
    expect(views.all('tbody th')[0]).toBe(expected[0]);
    expect(views.attribute('[aria-sort]', 'aria-sort')).toBe('descending');
    expect(views.attribute('[aria-sort] a', 'href')).toBe(`${campaigns}?sort=views`);
    const budget = (await ada.get(`${campaigns}?sort=-budget&currency=eur`)).all('tbody td[data-label=Budget]');
    const amounts = budget.map((text) => Number(/([\d,]+) EUR/.exec(text)?.[1]?.replaceAll(',', '')));
    expect(amounts).toEqual(amounts.toSorted((one, other) => other - one));
    expect(amounts.length).toBeGreaterThan(2);
    expect((await ada.get(`${collabs}?sort=-submissions`)).attribute('[aria-sort]', 'aria-sort')).toBe('descending');
  });

  test('can be filtered by platform, country, currency and the used part of the budget, all at once', async () => {
    const isWanted = (row: (typeof rows)[number]) =>
      row.countries.includes('US') && row.currency === 'usd' && row.platform_ids.includes('tiktok');
    const expected = rows.filter(isWanted).map(({ name }) => name.replace(/\s+/g, ' ').trim());
    expect(expected.length).toBeGreaterThan(3);
    const all: string[] = [];
    for (let page = 1; page <= Math.ceil(expected.length / 20); page += 1)
      all.push(
        ...(await ada.get(`${campaigns}?platform=tiktok&country=us&currency=USD&sort=created&page=${page}`)).all(
          'tbody th',
        ),
      );
    expect(all).toEqual(expected);
    const used = rows.filter(
      ({ used_amount: used, total_budget_amount: budget }) => budget > 0 && used / budget >= 0.8,
    );
    const page = await ada.get(`${campaigns}?used=80&sort=created`);
    expect(page.all('tbody th')).toEqual(used.map(({ name }) => name));
    expect(page.find('title')).toBe('Campaigns · 80 % used or more, by created · Acme Cosmetics · mkt');
    expect((await ada.get(`${campaigns}?used=100&name=glow`)).all('tbody th')).toEqual(['Graduation day glow']);
    expect((await ada.get(`${campaigns}?used=7&sort=created`)).all('tbody th')).toHaveLength(20);
    expect((await ada.get(`${campaigns}?country=XX`)).find('.empty p')).toBe('Nothing matches this filter.');
    const days = await ada.get(`${campaigns}?from=2026-01-10&to=2026-01-10`);
    const published = rows.filter(({ published_at: at }) => at?.startsWith('2026-01-10'));
    expect(published.length).toBeGreaterThan(2);
    expect(days.all('tbody th').toSorted()).toEqual(published.map(({ name }) => name).toSorted());
    expect(days.find('title')).toMatch(/ · published from 2026-01-10, published to 2026-01-10, by published · /);
    expect(days.all('select[name=sort] [selected]')).toEqual(['Last published']);
    expect((await ada.get(`${campaigns}?to=2026-01-09&status=draft`)).all('tbody th')).toEqual([]);
    for (const day of ['2026-13-99', '2026-02-31', '2026-02'])
      expect((await ada.get(`${campaigns}?from=${day}`)).find('.pager p')).toBe('1–20 of 45');
    const chosen = async (query: string) => (await ada.get(`${campaigns}?${query}`)).all('details option[selected]');
    expect(await chosen('platform=TikTok&country=us&currency=USD')).toEqual(['TikTok', 'United States', 'USD']);
    expect(await chosen('country=US%22%20value=%22DE')).toEqual([]);
    expect(await chosen('')).toEqual([]);
  });

  test('can be searched by a part of the name, ignoring case and accents', async () => {
    const search = async (query: string) => (await ada.get(`${campaigns}?${query}`)).all('tbody th');
    expect(await search('name=CREME')).toEqual(['Crème de nuit: avant et après']);
    expect(await search('name=apres+NUIT')).toEqual(['Crème de nuit: avant et après']);
    const all = await search('name=+to+');
    expect(all.length).toBeGreaterThan(2);
    expect(all.every((name) => name.toLowerCase().includes('to'))).toBe(true);
    expect(await search('name=to&sort=created')).toEqual(all.toReversed());
    expect(await search('name=to&sort=name')).toEqual(all.toSorted());
    const active = namesOf('active').filter((name) => name.toLowerCase().includes('to'));
    expect(await search('name=to&status=active&sort=created')).toEqual(active);
    const page = await ada.get(`${campaigns}?name=%3Cb%3EBold`);
    expect([page.attribute('main [name=name]', 'value'), page.all('tbody th')]).toEqual([
      '<b>Bold',
      ['<b>Bold</b> launch'],
    ]);
    expect((await ada.get('/organizations?name=Acme')).all('tbody th')).toHaveLength(2);
  });

  test('is searched completely, and shows the newest 500 matches, in no other order', async () => {
    await withCopies(2100);
    const page = await ada.get(`${campaigns}?name=lip+tint`);
    expect(page.all('tbody th')).toEqual(['Lip tint shade finder']);
    expect(page.find('.filters + .hint')).toBeNull();
    const many = await ada.get(`${campaigns}?name=copy&page=25`);
    expect([many.find('.pager p'), many.all('tbody th').at(-1)]).toEqual(['481–500 of 500', 'Copy 1600']);
    expect(many.find('.filters + .hint')).toMatch(/^These are the newest 500 matches, /);
    const newest = await ada.get(`${campaigns}?name=copy&sort=name`);
    expect([newest.all('tbody th')[0], newest.find('[aria-sort]')]).toEqual(['Copy 2099', null]);
    const few = await ada.get(`${campaigns}?name=copy+20&sort=name`);
    expect([few.all('tbody th')[0], few.attribute('[aria-sort]', 'aria-sort')]).toEqual(['Copy 1020', 'ascending']);
  });

  test('says that nothing matches, and links to all', async () => {
    const page = await ada.get(`${campaigns}?status=none`);
    expect([page.status, page.find('.empty p'), page.attribute('.empty a', 'href')]).toEqual([
      200,
      'Nothing matches this filter.',
      campaigns,
    ]);
  });

  test('shows members no drafts, also not by the filter', async () => {
    const cleo = await site.signedIn('cleo_write');
    const page = await cleo.get(`${campaigns}?status=draft`);
    const states = page.all('.filters .ticks label');
    expect([page.all('tbody th'), states.some((text) => text.startsWith('draft'))]).toEqual([[], false]);
    expect((await cleo.get(`${campaigns}?status=draft&status=paused`)).all('tbody th')).toEqual(
      namesOf('paused').toReversed(),
    );
    expect((await cleo.get(collabs)).find('.filters .ticks label')).toMatch(/^submitted for review/);
    expect((await cleo.get(`${collabs}?status=draft`)).all('tbody th')).toEqual([]);
  });

  test('is not filtered as JSON', async () => {
    const all = await json(campaigns);
    expect(await (await site.json('ada_write', `${campaigns}.json?status=draft&sort=-views`)).json()).toEqual(all);
    expect((await ada.get(`${campaigns}?status=draft`)).find('.developers')).toBeNull();
    const shown = await ada.get(`${campaigns}?status=draft&as=json`);
    expect(shown.find('pre')).toContain('Total-Count: 45');
  });

  test('jumps to a page of many', async () => {
    const short = await (await demoSite({}, { pageSize: 2 })).signedIn('ada_write');
    const page = await short.get(`${campaigns}?status=active&page=3`);
    expect(page.form(campaigns, 'type="number"')).toEqual({ status: 'active', page: '3' });
    expect(page.attribute('.jump input[type=number]', 'max')).toBe('16');
    expect((await short.get('/organizations')).find('.jump')).toBeNull();
  });

  test('shows the used part of each budget', async () => {
    await site.store.transact((writer) =>
      writer.update('campaigns', 4, { used_amount: 29, total_budget_amount: 400, view_count: 3 }),
    );
    const page = await ada.get(`${campaigns}/4`);
    expect([page.attribute('meter', 'value'), page.attribute('meter', 'max')]).toEqual(['7.3', '100']);
    expect(page.all('.figures div')).toEqual(
      expect.arrayContaining(['Budget used7.3 %', 'Cost per thousand views9,666.67 GBP']),
    );
    expect((await ada.get(`${campaigns}/1`)).find('meter')).toBeNull();
  });
});

describe('computed fields of a list', () => {
  test('are a column while the list is sorted by them, and an order of its form', async () => {
    const page = await ada.get(`${campaigns}?sort=-effective_cpm&currency=usd`);
    expect(page.all('thead th').slice(0, 2)).toEqual(['Name', 'Cost per thousand views ↓']);
    expect(page.attribute('[aria-sort] a', 'href')).toBe(`${campaigns}?currency=usd&sort=effective_cpm`);
    expect(page.find('[name=sort] option[selected]')).toBe('Highest cost per thousand views');
    const costs = rows
      .filter(({ currency, view_count: views }) => currency === 'usd' && views > 0)
      .map((row) => computedValue(computedFields.campaigns.effective_cpm, row) ?? 0)
      .sort((one, other) => other - one);
    expect(page.all('tbody td:nth-child(3)').slice(0, 10)).toEqual(
      costs.slice(0, 10).map((cost) => `${cost.toLocaleString('en-US')} USD`),
    );
    expect((await ada.get(`${campaigns}?sort=-used_percent`)).all('thead th')).toHaveLength(8);
    expect((await ada.get(campaigns)).all('[name=sort] option')).toContain('Highest cost per thousand views');
  });

  test('have no order where stores have none', async () => {
    const described = pageDescriptions.find(({ name }) => name === 'campaigns') as PageDescription;
    const { used_percent, effective_cpm } = computedFields.campaigns;
    const resource: PageDescription = {
      ...described,
      columns: ['name', 'effective_cpm', 'other'],
      computed: { ...described.computed, other: { ...used_percent, label: 'Other' } },
      computedSorts: ['effective_cpm'],
    };
    const items = [{ id: 1, name: 'Glow', currency: 'usd', used_amount: 29, total_budget_amount: 400, view_count: 3 }];
    const context = { parameters: { organization_id: '5' }, visitor: null, csrf: null } as unknown as PageContext;
    const table = Table({ context, resource, items, path: campaigns, query: { ...noListQuery, sort: 'other' } });
    const html = String(await table.toString());
    expect(html).toContain(`>${effective_cpm.label}</a>`);
    expect(html).toContain('<th scope="col" class="number">Other</th>');
    expect(html).toContain('<td class="number" data-label="Other">7.3 %</td>');
  });
});

describe('the CSV file of a list', () => {
  const csvOf = async (href: string, token = 'ada_write') => {
    const response = await site.json(token, href, { headers: { accept: '*/*' } });
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
    return { response, lines: text.slice(1).split('\r\n'), text };
  };

  test.each(['Acme '.repeat(50).trim(), `x${'\u{20bb7}'.repeat(100)}`])(
    'has the filter and the date, in UTC, in its name, also for a brand with a long name: %#',
    async (name) => {
      await site.store.transact((writer) => writer.update('organizations', 5, { name }));
      const { response } = await csvOf(`${campaigns}.csv?status=active&name=${'serum'.repeat(20)}`);
      expect(response.headers.get('content-disposition')).toMatch(
        /^attachment; filename=".+ campaigns serum.+ active \d{4}-\d\d-\d\d UTC\.csv";/,
      );
    },
  );

  test('has all items, newest first and with the filter of the page that links to it', async () => {
    const page = await ada.get(`${campaigns}?status=active&used=80&currency=usd`);
    const href = page.attribute('a[download]', 'href') ?? '';
    expect(href).toBe(`${campaigns}.csv?status=active&currency=usd&used=80`);
    const { response, lines, text } = await csvOf(href);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="Acme Cosmetics campaigns active usd 80 \d{4}-\d\d-\d\d UTC\.csv"; filename\*=UTF-8''Acme%20/,
    );
    expect(text.startsWith('\ufeffid,name,status,')).toBe(true);
    const expected = rows.filter(
      ({ status, currency, used_amount: used, total_budget_amount: budget }) =>
        status === 'active' && currency === 'usd' && budget > 0 && used >= budget * 0.8,
    );
    expect(expected.length).toBeGreaterThan(0);
    expect(lines.slice(1, -1).map((line) => Number(line.split(',')[0]))).toEqual(
      expected.map(({ id }) => id).reverse(),
    );
    expect((await ada.get(`${campaigns}?status=none`)).find('a[download]')).toBeNull();
    expect((await ada.get('/organizations')).find('a[download]')).toBeNull();
  });

  test('has the order of the page that links to it, unless the list is too long to be sorted', async () => {
    const { lines } = await csvOf(`${campaigns}.csv?sort=name&status=active`);
    const names = lines.slice(1, -1).map((each) => Number(each.split(',')[0]));
    const expected = rows
      .filter(({ status }) => status === 'active')
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
    expect(names).toEqual(expected.map(({ id }) => id));
    await withCopies(2100);
    const many = await ada.get(`${campaigns}?name=copy&sort=name`);
    expect(many.find('a[download]')).toBe('Download CSV, newest first');
    expect((await csvOf(many.attribute('a[download]', 'href') ?? '')).lines[1]).toContain('Copy 2099');
  });

  test('has the fields of the API and the computed ones, with quotes where they are needed', async () => {
    const { lines } = await csvOf(`${campaigns}.csv?sort=created`);
    const [item] = (await json(campaigns)) as unknown as readonly Record<string, unknown>[];
    const computed = Object.keys(computedFields.campaigns);
    expect(lines[0]).toBe([...Object.keys({ ...item }), ...computed].join(','));
    const percents = rows.map((row) => computedValue(computedFields.campaigns.used_percent, row));
    expect(
      lines.slice(1, -1).map((line) => line.split(',').at(computed.indexOf('used_percent') - computed.length)),
    ).toEqual(percents.map((each) => String(each ?? '')));
    expect(lines[1]).toContain(`${item?.id},${item?.name},${item?.status},`);
    await site.store.transact((writer) =>
      writer.update('campaigns', 1, { name: 'A "new", one', countries: ['US', 'CA'] }),
    );
    expect((await csvOf(`${campaigns}.csv?sort=created`)).lines[1]).toMatch(/^1,"A ""new"", one",.*,"US,CA",/);
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1+1', "'＝1+1"],
    ["'=1", "''=1"],
    ['\t=1', "\t'=1"],
    ['x;=1+1', "x;'=1+1"],
    ['x;\t-1;@b', "x;\t'-1;'@b"],
    ['x\n+1', `"x\n'+1"`],
    ['x\r\n=1\r=2', `"x\r\n'=1\r'=2"`],
    ['1-1;a=b @c', '1-1;a=b @c'],
  ])('contains no formula: %j', async (name, cell) => {
    await site.store.transact((writer) => writer.update('campaigns', 1, { name }));
    expect((await csvOf(`${campaigns}.csv?sort=created`)).text).toContain(`\n1,${cell},`);
  });

  test('in the order of the page is sent in parts too: what was deleted meanwhile is left out, and it ends with the access', async () => {
    await withCopies(1900);
    const sorted = `${campaigns}.csv?sort=-created`;
    expect((await csvOf(sorted)).lines).toHaveLength(1900 + rows.length + 2);
    const reader = await site.store.read(async (reader) => reader);
    const [whole, some] = [vi.spyOn(reader, 'select'), vi.spyOn(reader, 'getMany')];
    const parts = async () => {
      const { body } = await site.json('ada_write', sorted, { headers: { accept: '*/*' } });
      const reader = body?.getReader();
      return async () => new TextDecoder().decode((await reader?.read())?.value).split('\r\n');
    };
    const [next, again] = [await parts(), await parts()];
    const firstLines = await next();
    expect([firstLines.length, (await again()).length]).toEqual([502, 502]);
    await site.store.transact((writer) => writer.delete('campaigns', 1));
    const secondLines = await next();
    expect(secondLines).toHaveLength(501);
    await next();
    const lastLines = await next();
    expect(lastLines).toHaveLength(400 + rows.length);
    expect(lastLines.some((each) => each.startsWith('1,'))).toBe(false);
    await site.store.transact((writer) => writer.delete('memberships', 'mem_5_ada'));
    await expect(again()).rejects.toThrow('was not found');
    // The rows that wait for a slow reader would take a gigabyte for hundreds of them.
    expect(whole).not.toHaveBeenCalled();
    expect(Math.max(...some.mock.calls.map(([, ids]) => ids.length))).toBe(500);
    vi.restoreAllMocks();
  });

  test('is sent in parts, and ends when the access ends', async () => {
    await withCopies(2500);
    expect((await csvOf(`${campaigns}.csv`)).lines).toHaveLength(2500 + rows.length + 2);
    expect((await csvOf(`${campaigns}.csv?name=copy&platform=tiktok`)).lines).toHaveLength(2502);
    const { body } = await site.json('ada_write', `${campaigns}.csv`, { headers: { accept: '*/*' } });
    const reader = body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value).split('\r\n')).toHaveLength(502);
    await site.store.transact((writer) => writer.delete('memberships', 'mem_5_ada'));
    await expect(reader?.read()).rejects.toThrow('was not found');
  });

  test('needs the same access as the list, and has only what the list shows', async () => {
    const visitor = site.visitor();
    expect((await visitor.get(`${campaigns}.csv?status=draft`)).location).toBe(
      `/sign_in?return_to=${encodeURIComponent(`${campaigns}.csv?status=draft`)}`,
    );
    const cleo = await csvOf(`${collabs}.csv`, 'cleo_write');
    expect(cleo.lines.some((line) => line.includes(',draft,'))).toBe(false);
    expect((await csvOf(`${campaigns}.csv`, 'eve_write')).response.status).toBe(404);
    expect((await ada.post(`${campaigns}.csv`, {})).status).toBe(405);
  });
});

describe('the print view of a list', () => {
  const number = (value: number): string => value.toLocaleString('en-US');

  test('has all rows that match, their order, the date, and the sums of each currency', async () => {
    const page = await ada.get(`${campaigns}?status=active&sort=-views&print=1`);
    const active = rows.filter(({ status }) => status === 'active');
    const views = active.map(({ view_count }) => view_count).sort((one, other) => other - one);
    expect(page.all('tbody td:nth-child(6)')).toEqual(views.map(number));
    expect(page.find('main > p')).toMatch(
      new RegExp(`^${active.length} campaigns, active, by views, \\d{1,2} [A-Z][a-z]{2} 20\\d\\d UTC$`),
    );
    const sums = [...new Set(active.map(({ currency }) => currency))].map((currency) => {
      const sum = (field: 'used_amount' | 'total_budget_amount' | 'view_count' | 'submissions_count') =>
        number(active.reduce((all, row) => all + (row.currency === currency ? row[field] : 0), 0));
      const own = [sum('used_amount'), sum('total_budget_amount'), sum('view_count'), sum('submissions_count')];
      return `Total ${currency.toUpperCase()}${own.join('')}`;
    });
    expect(page.all('tfoot tr').toSorted()).toEqual(sums.toSorted());
    expect(page.find('main :is(form, input, button, select)')).toBeNull();
  });

  test('has at most 1,000 rows, and says so', async () => {
    await withCopies(2100);
    const page = await ada.get(`${campaigns}?print=1`);
    expect([page.all('tbody tr').length, page.find('main > p')]).toEqual([
      1000,
      expect.stringMatching(/^The first 1,000 of 2,145, /),
    ]);
  });
});

test('a campaign can be duplicated as a draft', async () => {
  const page = await ada.get(`${campaigns}/4`);
  expect(page.all('.head .actions a')).toContain('Duplicate');
  const made = await ada.submit(`${campaigns}/new?from=4`, campaigns);
  const { id: _, url: __, created_at: ___, updated_at: ____, ...original } = await json(`${campaigns}/4`);
  expect(await json(made.location ?? '')).toMatchObject({
    ...original,
    name: `${original.name} (copy)`,
    status: 'draft',
    published_at: null,
    paused_at: null,
    total_budget_amount: 0,
    used_amount: 0,
    unused_amount: 0,
    view_count: 0,
    submissions_count: 0,
  });
  expect((await ada.get(`${campaigns}/new?from=999`)).status).toBe(404);
  // Its form, in the history of the browser, is still there after the original was deleted.
  const later = await ada.get(`${campaigns}/new?from=999&form=${'x'.repeat(12)}`);
  expect([later.status, later.form(campaigns).from]).toEqual([200, '999']);
  const cleo = await site.signedIn('cleo_write');
  for (const id of [1, 4]) expect((await cleo.get(`${campaigns}/new?from=${id}`)).status).toBe(403);
});

test('a duplicate of a collab has its banner', async () => {
  const collabs = '/organizations/5/collabs';
  const page = await ada.get(`${collabs}/new?from=3`);
  expect(page.find('#field-purge_banner_image-hint')).toBe('The image of the original will be used.');
  const made = await ada.post(collabs, page.form(collabs));
  const [copy, original] = [await json(made.location ?? ''), await json(`${collabs}/3`)];
  expect(copy.banner_image_url).toMatch(/\/images\//);
  expect(copy.banner_image_url).not.toBe(original.banner_image_url);

  const later = (await ada.get(`${collabs}/new?from=3`)).form(collabs);
  await site.store.transact((writer) => writer.delete('images', original.banner_image_url.split('/images/')[1]));
  const rejected = await ada.post(collabs, { ...later, 'collab[currency]': 'x' });
  expect([rejected.status, rejected.find('.flash-warm'), rejected.find('#field-purge_banner_image')]).toEqual([
    422,
    'The image of the original is gone, so this collab will have none.',
    null,
  ]);
  for (const form of [later, { ...rejected.form(collabs), 'collab[currency]': 'eur' }]) {
    const gone = await ada.post(collabs, form);
    expect((await ada.follow(gone)).find('.flash p')).toBe(
      'Collab created. The image of the original is gone, so this collab has none.',
    );
    expect(await json(gone.location ?? '')).toMatchObject({ name: `${original.name} (copy)`, banner_image_url: null });
  }
  const without = await ada.post(collabs, { ...later, 'collab[purge_banner_image]': '1' });
  expect((await ada.follow(without)).find('.flash p')).toBe('Collab created.');
});

test('the skip link leads to the rows, and a flash message gets the focus', async () => {
  const page = await ada.get(campaigns);
  expect([page.attribute('.skip', 'href'), page.attribute('section#content', 'aria-label')]).toEqual([
    '#content',
    'Campaigns',
  ]);
  expect((await ada.get(`${campaigns}/4`)).find('#content h1')).toBe('Lip tint shade finder');
  const saved = await ada.follow(await ada.submit(`${campaigns}/1/edit`, `${campaigns}/1`));
  expect([saved.attribute('.flash', 'role'), saved.attribute('.flash', 'autofocus')]).toEqual(['status', '']);
});

everyStore((stage) => {
  test('totals per status follow every change', async () => {
    const { store } = stage;
    await store.load(demoSeed());
    const count = (status: string) =>
      store.read((reader) => reader.count('campaigns', 'byOrganizationAndStatus', [5, status]));
    const before = [await count('draft'), await count('active')];
    await store.transact((writer) => writer.update('campaigns', 1, { status: 'active' }));
    expect([await count('draft'), await count('active')]).toEqual([(before[0] ?? 0) - 1, (before[1] ?? 0) + 1]);
    await store.transact((writer) => writer.delete('campaigns', 1));
    expect(await count('active')).toBe(before[1]);
  });
});
