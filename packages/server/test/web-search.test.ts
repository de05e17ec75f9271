import { expect, test } from 'vitest';
import { demoSeed } from '../src/index.js';
import { ada, eachWithAda, site } from './support/ada.js';
import { campaigns, collabs } from './support/forms.js';

eachWithAda();

const brand = '/organizations/5';
const search = (text: string, visitor = ada) => visitor.get(`${brand}/search?name=${encodeURIComponent(text)}`);

const { tables } = demoSeed();
const named = (table: 'campaigns' | 'collabs', text: string, hidden?: string) =>
  tables[table].filter(
    (row) =>
      row.organization_id === 5 &&
      row.name.toLowerCase().includes(text) &&
      ('status' in row ? row.status : row.state) !== hidden,
  );

test('every page of a brand has the search', async () => {
  for (const path of [brand, campaigns, `${campaigns}/3`, `${campaigns}/3/edit`, `${brand}/members`]) {
    const page = await ada.get(path);
    expect([path, page.form(`${brand}/search`), page.attribute('a.find', 'href')]).toEqual([
      path,
      { name: '' },
      `${brand}/search`,
    ]);
  }
  expect((await ada.get('/organizations')).find('.find')).toBeNull();
});

test('finds campaigns and collabs as their lists do, the first ones with a link to all', async () => {
  const page = await search('  SÚMMER ');
  const found = [named('campaigns', 'summer'), named('collabs', 'summer')];
  expect(found[0]?.length).toBeGreaterThan(0);
  const headings = ['Campaigns', 'Collabs'].flatMap((heading, place) =>
    found[place]?.length ? `${heading} (${found[place].length})` : [],
  );
  expect(page.all('.found h2')).toEqual(headings);
  expect(page.attribute('.found tbody th a', 'href')).toMatch(/^\/organizations\/5\/campaigns\/\d+$/);

  const many = await search('a');
  const total = named('campaigns', 'a').length;
  expect(many.all('.found:first-of-type tbody tr').length).toBe(5);
  expect(many.find('.found .after a')).toBe(`Show all ${total} campaigns`);
  const list = await ada.get(many.attribute('.found .after a', 'href') ?? '');
  expect(list.find('.pager p')).toMatch(new RegExp(` of ${total}$`));
});

test('finds members by name and email address, and the brands of the visitor', async () => {
  expect((await search('cleo@ac')).all('.found h2, .found tbody th')).toEqual([
    'Members (1)',
    expect.stringContaining('Cleo Martin'),
  ]);
  expect((await search('acme Martin')).all('.found tbody th')).toEqual([expect.stringContaining('Cleo Martin')]);
  const page = await search('acme');
  expect(page.all('.found h2').at(-1)).toMatch(/^Brands \(\d\)$/);
  expect(page.find('.found:last-of-type tbody th a')).toBe('Acme Cosmetics');
  // Eve is in other brands.
  expect((await search('eve')).all('.found h2').filter((text) => /Members/.test(text))).toEqual([]);
});

test('offers for members only what the list of members offers', async () => {
  const [found, list] = [await search('acme.example'), await ada.get('/organizations/5/members')];
  expect(found.all('tbody .actions').slice(0, 3)).toEqual(list.all('tbody .actions'));
  expect(list.all('tbody .actions')).toEqual(['', 'Make memberRemove', 'Make adminRemove']);
});

test('shows members no drafts, and others nothing', async () => {
  const cleo = await site.signedIn('cleo_write');
  expect(named('campaigns', 'a').length).toBeGreaterThan(named('campaigns', 'a', 'draft').length);
  expect((await search('a', cleo)).find('.found h2')).toBe(`Campaigns (${named('campaigns', 'a', 'draft').length})`);
  expect((await search('a', await site.signedIn('eve_write'))).status).toBe(404);
  expect((await search('a', site.visitor())).location).toMatch(/^\/sign_in\?return_to=/);
  expect((await site.json('ada_write', `${brand}/search`)).status).toBe(404);
});

test('says what it searches if nothing was found or entered', async () => {
  const none = await search('<b>zzz');
  expect(none.find('.empty')).toMatch(/^Nothing here is called "<b>zzz"\. ?This searches the names of campaigns/);
  expect(none.find('h1')).toBe('Search');
  const empty = await search(' ');
  expect([empty.find('.hint'), empty.find('.found, .empty')]).toEqual([expect.stringMatching(/^This searches/), null]);
  expect(((await search('x'.repeat(5000))).find('.empty') ?? '').length).toBeLessThan(1000);
});

test('says that of many members only the first were searched', async () => {
  await site.store.transact(async (writer) => {
    const time = '2026-01-05T15:00:00.000Z';
    for (let number = 0; number < 1000; number += 1) {
      const id = `many_${number}`;
      await writer.insert('users', { id, name: `Person ${number}`, email: `${id}@acme.example` });
      const role = { role: 'member', is_owner: false, created_at: time, updated_at: time };
      await writer.insert('memberships', { id, organization_id: 5, user_id: id, ...role });
    }
  });
  const page = await search('Person 77');
  expect(page.find('.found h2')).toBe('Members (19)');
  expect(page.find('.found .hint')).toBe('Only the first 1,000 members were searched.');
  expect(page.find('.found .after a')).toBe('Show all 19 members');
});

test('searches collabs, too', async () => {
  const [row] = named('collabs', '');
  expect((await search(row?.name ?? '')).all('.found tbody th a')).toContain(row?.name);
  expect((await ada.get(`${collabs}`)).find('.find')).not.toBeNull();
});

test('leads from members to a list of all that match', async () => {
  const search = await ada.get('/organizations/5/search?name=acme.example');
  expect(search.find('main')).toContain('Members (3)');
  const members = await ada.get('/organizations/5/members?name=cleo');
  expect([members.all('tbody th').length, members.find('tbody th')]).toEqual([
    1,
    expect.stringContaining('Cleo Martin'),
  ]);
  expect(members.find('.pager p')).toBe('1–1 of 1');
  expect(members.attribute('.filters [name=name]', 'value')).toBe('cleo');
});

test('finds campaigns and collabs by their id, which their pages show', async () => {
  expect((await ada.get('/organizations/5/campaigns/12')).find('.head')).toContain('#12');
  const list = await ada.get('/organizations/5/campaigns?name=%2312');
  expect(list.all('tbody th a').length).toBe(1);
  expect(list.attribute('tbody th a', 'href')).toBe('/organizations/5/campaigns/12');
  expect((await ada.get('/organizations/5/campaigns?name=%23999')).find('.empty')).toContain('Nothing matches');
  const cleo = await site.signedIn('cleo_write');
  expect((await cleo.get('/organizations/5/campaigns?name=%231')).find('.empty')).toContain('Nothing matches');
});
