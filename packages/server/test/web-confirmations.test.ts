import { inflateRawSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import type { SelectableTable, TableName } from '../src/store/tables.js';
import { campaigns, collabs } from './support/forms.js';
import { demoSite, type Site } from './support/visitor.js';

let site: Site;
beforeEach(async () => {
  site = await demoSite();
});

type Columns = Readonly<Record<string, unknown>>;

/** Another value for each column of a draft that people set. */
const draft = {
  name: 'Renamed',
  currency: 'jpy',
  countries: ['DE'],
  website: 'https://changed.example/',
  banner_image_key: 'img_other',
  brief: '<p>Another brief</p>',
};
const drafts = {
  campaigns: {
    ...draft,
    status: 'finished',
    content_type: 'clipping',
    category: 'music',
    platform_ids: ['instagram'],
    tiktok_music_id: '123',
    cpm_amount: 9999,
    min_payout_amount: 1,
    max_payout_amount: 99_999,
    base_reward_amount: 7,
    total_budget_amount: 5_000_000,
  },
  collabs: { ...draft, state: 'submitted_for_review', require_spark_ads: true, requires_product_shipment: true },
} as const;

interface Case {
  readonly action: string;
  /** The page that shows what is done, and where its form goes. */
  readonly page: string;
  readonly to: string;
  readonly table: TableName;
  readonly id: string | number;
  /** Other values of what the page shows. */
  readonly columns: Columns;
  /** The values at first. */
  readonly first?: Columns;
  readonly typed?: Readonly<Record<string, string>>;
  readonly who?: string;
}

/** The action on one item, and on selected ones. */
function both(action: string, table: SelectableTable, state: string): Case[] {
  const path = table === 'campaigns' ? campaigns : collabs;
  const first = { [table === 'campaigns' ? 'status' : 'state']: state };
  const asks = action === 'delete' ? '/delete' : action === 'publish' ? '/publish/confirm' : '';
  // What is deleted with it.
  const counts = {
    submissions_count: 15,
    ...(table === 'campaigns' ? { view_count: 7, used_amount: 5 } : { completed_count: 1 }),
  };
  const common = { table, id: 1, columns: { ...drafts[table], ...(action === 'delete' && counts) }, first };
  const to = action === 'delete' ? `${path}/1` : `${path}/1/${action}`;
  return [
    { ...common, action: `${action} ${table}`, page: `${path}/1${asks}`, to },
    {
      ...common,
      action: `${action} selected ${table}`,
      page: `${path}/actions?action=${action}&id=1&id=2`,
      to: `${path}/actions`,
    },
  ];
}

const brand = {
  name: 'Renamed',
  privacy_setting: 'public_setting',
  website: 'https://changed.example/',
  logo_key: 'img_other',
};
const member = { role: 'admin', is_owner: true };
const address = {
  ...{ address_one: 'Other street 1', address_two: 'Floor 9', city: 'Brno', state: 'JM', postal_code: '60200' },
  ...{ country_code: 'CZ', latitude: '49.2', longitude: '16.6', google_place_id: 'other' },
};

const cases: readonly Case[] = [
  ...both('publish', 'campaigns', 'draft'),
  ...both('pause', 'campaigns', 'active'),
  ...both('resume', 'campaigns', 'paused'),
  ...both('delete', 'campaigns', 'draft'),
  ...both('submit', 'collabs', 'draft'),
  ...both('pause', 'collabs', 'published'),
  ...both('unpause', 'collabs', 'paused'),
  ...both('delete', 'collabs', 'draft'),
  {
    action: 'change a role',
    page: '/organizations/5/members/mem_5_cleo/edit',
    to: '/organizations/5/members/mem_5_cleo',
    table: 'memberships',
    id: 'mem_5_cleo',
    columns: member,
  },
  {
    action: 'remove a member',
    page: '/organizations/5/members/mem_5_cleo/delete',
    to: '/organizations/5/members/mem_5_cleo',
    table: 'memberships',
    id: 'mem_5_cleo',
    columns: member,
  },
  {
    action: 'leave',
    page: '/organizations/5/members/mem_5_cleo/delete',
    to: '/organizations/5/members/mem_5_cleo',
    table: 'memberships',
    id: 'mem_5_cleo',
    columns: member,
    who: 'cleo_write',
  },
  {
    action: 'delete a brand',
    page: '/organizations/7/delete',
    to: '/organizations/7',
    table: 'organizations',
    id: 7,
    columns: brand,
    typed: { confirmation: 'Initech Audio' },
  },
  {
    action: 'disconnect an account',
    page: '/me/social_accounts/1/delete',
    to: '/me/social_accounts/1',
    table: 'social_accounts',
    id: 1,
    columns: { status: 'failed', account_url: 'https://www.tiktok.com/@changed', platform_id: 'youtube' },
  },
  {
    action: 'delete an address',
    page: '/me/address/delete',
    to: '/me/address',
    table: 'addresses',
    id: 1,
    columns: address,
  },
  {
    action: 'revoke a token',
    page: '/me/access_tokens/2/delete',
    to: '/me/access_tokens/2',
    table: 'access_tokens',
    id: 2,
    columns: { description: 'Changed', permission: 'write' },
  },
];

const update = (table: TableName, id: unknown, columns: Columns) =>
  site.store.transact((writer) => writer.update(table, id as never, columns as never));
const rowOf = (table: TableName, id: unknown) => site.store.read((reader) => reader.get(table, id as never));
const counted = (text: string, part: string): number => text.split(part).length - 1;

test.each(cases)('$action: nothing is done if a value changed after the page was opened', async (each) => {
  const { page, to, table, id, columns, first = {}, typed, who = 'ada_write' } = each;
  await update(table, id, first);
  if (page.includes('id=2')) await update(table, 2, first);
  const visitor = await site.signedIn(who);
  const form = { ...(await visitor.get(page)).form(to, 'name="shown"'), ...typed };
  const was = (await rowOf(table, id)) as Columns;
  // All that the page shows is changed below, but the counts of a brand and the name of a member, which have tests of their own.
  const [, packed = ''] = form.shown?.split('.') ?? [];
  const [[, item]] = JSON.parse(inflateRawSync(Buffer.from(packed, 'base64url')).toString());
  const values = Object.keys(item);
  const own = Object.keys(columns).map((column) => column.replace(/_key$/, '_url'));
  expect(values.length).toBeGreaterThan(0);
  expect(
    values.filter(
      (name) => !own.includes(name) && !/^(members|campaigns|collabs|submissions|budget_left|user)$/.test(name),
    ),
  ).toEqual([]);
  for (const [column, value] of Object.entries(columns)) {
    await update(table, id, { [column]: value });
    const changed = await rowOf(table, id);
    const again = await visitor.post(to, form);
    expect([column, again.status, await rowOf(table, id)]).toEqual([column, 422, changed]);
    expect(again.text).toContain('nothing was done');
    // The image has one URL before and after, and the address is its own name.
    const shown = [column, counted(again.text, 'When you opened the page'), counted(again.text, '<dt>Now</dt>')];
    expect(shown).toEqual([column, 1, 1]);
    await update(table, id, { [column]: was[column] });
  }
  expect((await visitor.post(to, form)).status).toBe(303);
  expect(await rowOf(table, id)).not.toEqual(was);
});

/** The link of a page to a question. */
const linkTo = (page: { attributes(): readonly (readonly [string, string])[] }, path: string): string =>
  page.attributes().find(([name, value]) => name === 'href' && value.split('?')[0] === path)?.[1] ?? 'none';

test.each(cases.filter(({ page }) => /\/(confirm|delete|edit)$/.test(page)))(
  '$action: the question names what changed since the page with its link was opened',
  async ({ page: question, table, id, columns, first = {}, who = 'ada_write' }) => {
    await update(table, id, first);
    const visitor = await site.signedIn(who);
    const isRow = /members|tokens/.test(question);
    const link = linkTo(
      await visitor.get(question.replace(isRow ? /\/[^/]*\/\w+$/ : /\/(publish\/confirm|delete)$/, '')),
      question,
    );
    const was = (await rowOf(table, id)) as Columns;
    const asked = await visitor.get(link);
    expect([asked.status, asked.all('.changes'), asked.find('[role=alert]')]).toEqual([200, [], null]);
    // The counts of what is deleted are only in the question, and tokens never change.
    const own = Object.entries(columns).filter(
      ([column]) => !/_count$|used_amount/.test(column) && table !== 'access_tokens',
    );
    for (const [column, value] of own) {
      await update(table, id, { [column]: value });
      const again = await visitor.get(link);
      expect([column, again.status, again.all('.changes').length]).toEqual([column, 200, 1]);
      expect(again.find('[role=alert]')).toMatch(/^This [a-z ]+ was changed after you opened the previous page\./);
      await update(table, id, { [column]: was[column] });
    }
  },
);

test.each(['admin', 'member'])(
  'the link to give the role %s asks for nothing else after a colleague was faster',
  async (role) => {
    await update('memberships', 'mem_5_cleo', { role: role === 'admin' ? 'member' : 'admin' });
    const ada = await site.signedIn('ada_write');
    for (const list of ['/organizations/5/members', '/organizations/5/search?name=cleo']) {
      const path = '/organizations/5/members/mem_5_cleo/edit';
      const link = linkTo(await ada.get(list), path);
      expect([link, (await ada.get(link)).find('form .actions button')]).toEqual([
        expect.stringContaining(`role=${role}&`),
        `Make ${role}`,
      ]);
      await update('memberships', 'mem_5_cleo', { role });
      const page = await ada.get(link);
      expect(page.find('h1')).toBe('The role of Cleo Martin cannot be changed');
      expect(page.text).toContain(`The role of Cleo Martin is &quot;${role}&quot; already.`);
      expect(page.all('form button').filter((label) => label.startsWith('Make'))).toEqual([]);
      await update('memberships', 'mem_5_cleo', { role: role === 'admin' ? 'member' : 'admin' });
    }
  },
);

test('the deletion of collabs shows how many submissions are deleted with each', async () => {
  const ada = await site.signedIn('ada_write');
  const page = await ada.get(`${collabs}/6/delete`);
  expect(page.all('.sheet :is(dt, dd)').slice(4, 8)).toEqual(['Submissions', '12', 'Completed', '0']);
  const many = await ada.get(`${collabs}/actions?action=delete&id=6`);
  expect([many.all('.plan thead th'), many.all('.plan tbody td')]).toEqual([
    ['Name', 'State', 'Submissions', 'Completed'],
    ['published', '12', '0'],
  ]);
  expect(many.find('form > p:first-of-type + .scroll')).not.toBeNull();
  for (const { text } of [page, many])
    expect(text).toContain('What creators submitted is deleted too. This cannot be undone.');
});

test('the deletion of an address shows it', async () => {
  await update('addresses', 1, address);
  const visitor = await site.signedIn('ada_write');
  expect((await visitor.get('/me/address/delete')).find('.sheet')).toMatch(/Other street 1.*Floor 9.*Brno.*60200/);
});

test('shows both values, and does what the second page shows', async () => {
  const ada = await site.signedIn('ada_write');
  const form = (await ada.get(`${campaigns}/1/publish/confirm`)).form(`${campaigns}/1/publish`);
  await update('campaigns', 1, { cpm_amount: 9999, currency: 'jpy' });
  const again = await ada.post(`${campaigns}/1/publish`, form);
  expect(again.all('.changes h2')).toEqual(['Currency', 'CPM amount']);
  expect(again.all('.changes dd').slice(2)).toEqual(['350 USD', '9,999 JPY']);
  expect(again.find('[role=alert]')).toBe(
    'This campaign was changed after you opened this page, so nothing was done. Check it, and confirm again.',
  );
  expect((await ada.post(`${campaigns}/1/publish`, again.form(`${campaigns}/1/publish`))).status).toBe(303);
  expect(await rowOf('campaigns', 1)).toMatchObject({ status: 'active', cpm_amount: 9999, currency: 'jpy' });
});

test('a text that changed after its beginning is said to differ, without its digest', async () => {
  const ada = await site.signedIn('ada_write');
  const start = `<p>${'Show the serum. '.repeat(6)}`;
  await update('campaigns', 1, { brief: `${start}Now.</p>`, website: `https://a.example/${'x'.repeat(90)}` });
  const form = (await ada.get(`${campaigns}/1/publish/confirm`)).form(`${campaigns}/1/publish`);
  await update('campaigns', 1, { brief: `${start}Later.</p>`, website: null });
  const again = await ada.post(`${campaigns}/1/publish`, form);
  expect(again.all('.changes dd')).toEqual([
    `https://a.example/${'x'.repeat(62)}…`,
    '–',
    expect.stringMatching(/^Show the serum\. [^<]*… The beginning is the same\. The text was changed further on\.$/),
    expect.stringMatching(/^Show the serum\. [^<]*…$/),
  ]);
});

test.each(['edit', 'delete'])('a member who was renamed after the page to %s was opened stays', async (page) => {
  const ada = await site.signedIn('ada_write');
  const cleo = '/organizations/5/members/mem_5_cleo';
  const form = (await ada.get(`${cleo}/${page}`)).form(cleo);
  await update('users', 'usr_cleo', { name: 'Someone else' });
  const again = await ada.post(cleo, form);
  expect([again.status, again.all('.changes dd')]).toEqual([
    422,
    [expect.stringMatching(/^Cleo Martin/), expect.stringMatching(/^Someone else/)],
  ]);
  expect(await rowOf('memberships', 'mem_5_cleo')).toMatchObject({ role: 'member' });
});

test('a brand that grew is not deleted', async () => {
  const ada = await site.signedIn('ada_write');
  const question = await ada.get('/organizations/7/delete');
  const form = { ...question.form('/organizations/7'), confirmation: 'Initech Audio' };
  expect(question.all('main li').slice(-3)).toEqual(['Collabs: 0', 'Submissions: 0', 'Budget left: none']);
  await site.json('ada_write', '/organizations/7/collabs.json', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"collab": {}}',
  });
  const again = await ada.post('/organizations/7', form);
  expect([again.status, again.all('.changes dd')]).toEqual([422, ['0', '1 (1 draft)']]);
  expect(await rowOf('organizations', 7)).not.toBeNull();
});

test.each(['campaigns', 'collabs'] as const)('a brand whose %s got submissions is not deleted', async (table) => {
  const ada = await site.signedIn('ada_write');
  const question = await ada.get('/organizations/5/delete');
  const form = { ...question.form('/organizations/5'), confirmation: 'Acme Cosmetics' };
  expect(question.all('main li').at(-2)).toBe('Submissions: 1,077');
  const row = (await rowOf(table, 6)) as Columns;
  await update(table, 6, { submissions_count: Number(row.submissions_count) + 1 });
  const again = await ada.post('/organizations/5', form);
  expect([again.status, again.all('.changes h2'), again.all('.changes dd')]).toEqual([
    422,
    ['Submissions'],
    ['1,077', '1,078'],
  ]);
  expect(await rowOf('organizations', 5)).not.toBeNull();
});

const same = 'The numbers are the same. Some of them were changed, or deleted and replaced.';
const send = (path: string, init: RequestInit) =>
  site.json('ada_write', path, { ...init, headers: { 'content-type': 'application/json' } });

test.each([
  {
    what: 'campaign was published',
    act: () => send(`${campaigns}/1/publish.json`, { method: 'POST' }),
    changes: {
      Campaigns: ['45 (6 draft, 32 active, 3 paused, 4 finished)', '45 (5 draft, 33 active, 3 paused, 4 finished)'],
    },
  },
  {
    what: 'campaign was funded',
    act: () =>
      update('campaigns', 3, { total_budget_amount: 400_000, unused_amount: 400_000, used_amount: 0, currency: 'jpy' }),
    changes: {
      'Budget left': [
        '5,076,500 USD, 790,500 GBP, 875,250 EUR, 212,750 JPY, 207,000 AUD, 45,000 SEK, 41,250 CAD',
        '4,784,000 USD, 790,500 GBP, 875,250 EUR, 612,750 JPY, 207,000 AUD, 45,000 SEK, 41,250 CAD',
      ],
    },
  },
  {
    what: 'campaign has another brief',
    act: () => send(`${campaigns}/1.json`, { method: 'PATCH', body: '{"campaign": {"brief": "Ours"}}' }),
    changes: {
      Campaigns: [
        `45 (6 draft, 32 active, 3 paused, 4 finished) ${same}`,
        '45 (6 draft, 32 active, 3 paused, 4 finished)',
      ],
    },
  },
  {
    what: 'collab was replaced by another one',
    act: async () => {
      await send(`${collabs}/1.json`, { method: 'DELETE' });
      await send(`${collabs}.json`, { method: 'POST', body: '{"collab": {}}' });
    },
    changes: {
      Collabs: [
        `23 (3 draft, 2 submitted for review, 15 published, 3 paused) ${same}`,
        '23 (3 draft, 2 submitted for review, 15 published, 3 paused)',
      ],
    },
  },
])('a brand whose $what is not deleted, and shows it', async ({ act, changes }) => {
  const ada = await site.signedIn('ada_write');
  const form = {
    ...(await ada.get('/organizations/5/delete')).form('/organizations/5'),
    confirmation: 'Acme Cosmetics',
  };
  await act();
  const again = await ada.post('/organizations/5', form);
  expect([again.status, again.all('.changes h2'), again.all('.changes dd')]).toEqual([
    422,
    Object.keys(changes),
    Object.values(changes).flat(),
  ]);
  expect(await rowOf('organizations', 5)).not.toBeNull();
  expect(
    (await ada.post('/organizations/5', { ...again.form('/organizations/5'), confirmation: 'Acme Cosmetics' })).status,
  ).toBe(303);
});

test('one of several selected campaigns that changed stops all of them', async () => {
  const ada = await site.signedIn('ada_write');
  const page = `${campaigns}/actions?action=pause&id=3&id=6&status=active&sort=-budget&page=2`;
  const to = `${campaigns}/actions?status=active&sort=-budget&page=2`;
  const form = (await ada.get(page)).form(to);
  await update('campaigns', 6, { name: 'Renamed' });
  const again = await ada.post(to, form);
  expect([again.status, again.find('main section.sheet h2')]).toEqual([422, 'Renamed']);
  const reason =
    'changed or deleted after you opened this page, so nothing was done. Check the page, and confirm again.';
  expect(again.find('[role=alert]')).toBe(`1 campaign was ${reason}`);
  expect(await rowOf('campaigns', 3)).toMatchObject({ status: 'active' });
  expect((await ada.post(to, again.form(to))).location).toBe(`${campaigns}?status=active&sort=-budget&page=2`);
  expect(await rowOf('campaigns', 3)).toMatchObject({ status: 'paused' });
});

test('selected campaigns that were deleted meanwhile have their names', async () => {
  const ada = await site.signedIn('ada_write');
  const name = `<b>Long</b> ${'name '.repeat(20)}`;
  await update('campaigns', 2, { name, total_budget_amount: 0 });
  const to = `${campaigns}/actions`;
  const form = (await ada.get(`${to}?action=publish&id=1&id=2&id=10`)).form(to);
  await ada.submit(`${to}?action=delete&id=1&id=2`, to);
  const again = await ada.post(to, form);
  expect([again.status, again.find('h1')]).toEqual([422, 'Publish 1 campaign?']);
  expect(again.find('[role=alert]')).toMatch(/^2 campaigns were changed or deleted after you opened this page/);
  expect(again.find('section.sheet:last-of-type p')).toBe('No longer in this brand.');
  expect(again.all('section.sheet:last-of-type li')).toEqual(['Summer UGC Campaign #1', `${name.slice(0, 80)}… #2`]);
});

test('a role that a colleague has given meanwhile is not taken away again', async () => {
  const [ada, ben] = [await site.signedIn('ada_write'), await site.signedIn('ben_write')];
  const cleo = '/organizations/5/members/mem_5_cleo';
  const form = (await ada.get(`${cleo}/edit`)).form(cleo);
  await ben.submit(`${cleo}/edit`, cleo);
  const again = await ada.post(cleo, form);
  expect([again.status, again.all('main > p')[0]]).toEqual([422, 'The role of Cleo Martin is "admin" already.']);
  expect(again.all('main button')).toEqual([]);
});

test('a button for what a colleague has deleted or removed meanwhile says so', async () => {
  const [ada, ben] = [await site.signedIn('ada_write'), await site.signedIn('ben_write')];
  const cleo = '/organizations/5/members/mem_5_cleo';
  for (const [page, to, what] of [
    [`${cleo}/delete`, cleo, 'member'],
    [`${campaigns}/1/publish/confirm`, `${campaigns}/1/publish`, 'campaign'],
  ] as const) {
    const form = (await ada.get(page)).form(to);
    const path = to.replace('/publish', '');
    await ben.submit(`${path}/delete`, path);
    const again = await ada.post(to, form);
    const gone = `This ${what} no longer exists, or you may not see it. Nothing was done.`;
    expect([again.status, again.find('.problem p')]).toEqual([404, gone]);
  }
  // Pages call an organization a brand.
  expect((await ada.get(`${campaigns}/1`)).find('.problem p')).toBe(
    'Campaign 1 was not found. Check the id, and that it is in this brand.',
  );
});

test('a button pressed too late explains why it does nothing, once', async () => {
  const ada = await site.signedIn('ada_write');
  const form = (await ada.get(`${collabs}/1/delete`)).form(`${collabs}/1`);
  await update('collabs', 1, { approved_submissions_count: 1 });
  const again = await ada.post(`${collabs}/1`, form);
  expect([again.status, again.find('h1')]).toEqual([422, expect.stringContaining('cannot be deleted')]);
  expect(counted(again.text, 'A collab with approved submissions cannot be deleted.')).toBe(1);
});

test.each(['', 'not base64', 'AAAA', Buffer.alloc(100).toString('base64url')])(
  'a form with the invalid state "%s" does nothing',
  async (shown) => {
    const ada = await site.signedIn('ada_write');
    const form = (await ada.get(`${campaigns}/1/publish/confirm`)).form(`${campaigns}/1/publish`);
    expect((await ada.post(`${campaigns}/1/publish`, { ...form, shown })).status).toBe(422);
    expect(await rowOf('campaigns', 1)).toMatchObject({ status: 'draft' });
  },
);

/** Every field of each form, saved and then changed by someone else. */
test.each([
  {
    what: 'a campaign',
    path: `${campaigns}/1`,
    wrapper: 'campaign',
    table: 'campaigns',
    id: 1,
    typed: {
      ...{ name: 'Mine', currency: 'eur', countries: 'FR', website: 'https://mine.example/', brief: 'Mine' },
      ...{ content_type: 'reviews', category: 'games', platform_ids: 'youtube', tiktok_music_id: '77' },
      ...{ cpm_amount: '3', min_payout_amount: '2', max_payout_amount: '200', base_reward_amount: '5' },
    },
    other: drafts.campaigns,
  },
  {
    what: 'a collab',
    path: `${collabs}/1`,
    wrapper: 'collab',
    table: 'collabs',
    id: 1,
    typed: {
      ...{ name: 'Mine', currency: 'eur', countries: 'FR', website: 'https://mine.example/', brief: 'Mine' },
    },
    other: drafts.collabs,
  },
  {
    what: 'a brand',
    path: '/organizations/5',
    wrapper: 'organization',
    table: 'organizations',
    id: 5,
    typed: { name: 'Mine', privacy_setting: 'restricted', website: 'https://mine.example/' },
    other: { ...brand, privacy_setting: 'private' },
  },
  {
    what: 'an address',
    path: '/me/address',
    wrapper: 'address',
    table: 'addresses',
    id: 1,
    typed: { address_one: 'Mine 1', city: 'Mine', state: 'MI', postal_code: '1', country_code: 'FR' },
    other: address,
  },
] as const)(
  'an undo of $what does not overwrite any field that was changed since, and shows it',
  async ({ path, wrapper, table, id, typed, other }) => {
    const ada = await site.signedIn('ada_write');
    const fields = Object.entries(typed).map(([name, text]) => [`${wrapper}[${name}]`, text] as const);
    const saved = await ada.follow(await ada.submit(`${path}/edit`, path, Object.fromEntries(fields)));
    const undo = saved.form(path, 'name="undo"');
    expect(Object.keys(undo)).toEqual(expect.arrayContaining(fields.map(([name]) => name)));
    const was = (await rowOf(table, id)) as Columns;
    for (const column of Object.keys(typed)) {
      const changed = { [column]: (other as Columns)[column] };
      await update(table, id, changed);
      const again = await ada.post(path, undo);
      expect([column, again.status, counted(again.text, '<dt>Saved now</dt>')]).toEqual([column, 422, 1]);
      expect(again.find('[role=alert]')).toContain('was changed after you saved it, so nothing was saved.');
      expect(await rowOf(table, id)).toEqual({ ...was, ...changed });
      await update(table, id, { [column]: was[column] });
    }
    expect((await ada.post(path, undo)).status).toBe(303);
  },
);
