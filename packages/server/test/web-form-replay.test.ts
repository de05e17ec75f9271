import { beforeEach, describe, expect, test, vi } from 'vitest';
import { demoSeed, demoTokens, memoryStore, type Prefill } from '../src/index.js';
import { invalid } from '../src/rules/errors.js';
import { campaigns, collabs } from './support/forms.js';
import { demoSite, type Page, type Site, type Visitor } from './support/visitor.js';

let site: Site;
let ada: Visitor;
beforeEach(async () => {
  site = await demoSite();
  ada = await site.signedIn('ada_write');
});

const json = async (path: string) => (await site.json('ada_write', `${path}.json`)).json();

const csrfTokenOf = async (visitor: Visitor): Promise<string> =>
  (await visitor.get('/organizations')).form('/sign_out').csrf_token ?? '';

describe('a form that is submitted twice', () => {
  test('creates one resource and gets the first response again', async () => {
    const form = (await ada.get('/me/access_tokens/new')).form('/me/access_tokens');
    const sent = { ...form, 'access_token[description]': 'CI', 'access_token[permission]': 'read' };
    await ada.post('/me/access_tokens', sent);
    const pages = [];
    for (let time = 0; time < 2; time += 1) pages.push(await ada.follow(await ada.post('/me/access_tokens', sent)));
    expect(pages[0]?.find('.secret')).toMatch(/^mkt_/);
    // Once it was shown.
    expect([pages[1]?.find('.flash'), pages[1]?.find('.secret')]).toEqual([
      expect.stringMatching(
        /^This form was sent before, on .* UTC: Access token created. Nothing was done again. Its secret was shown then.$/,
      ),
      null,
    ]);
    expect((await ada.get('/me/access_tokens')).all('tbody th').filter((name) => name === 'CI')).toHaveLength(1);
  });

  test('creates another resource if its values were changed', async () => {
    const form = (await ada.get(`${campaigns}/new`)).form(campaigns);
    for (const [name, id] of [
      ['A', 48],
      ['B', 49],
      ['A', 48],
    ])
      expect((await ada.post(campaigns, { ...form, 'campaign[name]': String(name) })).location).toBe(
        `${campaigns}/${id}`,
      );
  });

  test('shows no secret after the session has ended', async () => {
    const form = (await ada.get('/me/access_tokens/new')).form('/me/access_tokens');
    const sent = { ...form, 'access_token[description]': 'CI', 'access_token[permission]': 'read' };
    await ada.post('/me/access_tokens', sent);
    ada.cookies.delete('mkt_flash_4010');
    await site.json('ada_write', '/me/access_tokens/1.json', { method: 'DELETE' });
    const page = await ada.post('/me/access_tokens', sent);
    expect([page.status, page.find('h1')]).toEqual([401, 'Sign in']);
    expect(page.text).not.toMatch(/class="secret"|mkt_[\w-]{43}/);
  });

  test.each(['later', 'at once'])('shows no secret to another session of its user: %s', async (when) => {
    const store = memoryStore();
    let writes = 0;
    const transact: typeof store.transact = async (work, by) => {
      writes += 1;
      if (when === 'at once') await vi.waitUntil(() => writes > 1, { timeout: 20_000 });
      return store.transact(work, by);
    };
    site = await demoSite({}, { store: { ...store, transact } });
    const [one, other] = [await site.signedIn('ada_write'), await site.signedIn('ada_write')];
    const form = (await one.get('/me/access_tokens/new')).form('/me/access_tokens');
    const sent = { ...form, 'access_token[description]': 'CI', 'access_token[permission]': 'read' };
    const again = { ...sent, csrf_token: await csrfTokenOf(other) };
    const first = one.post('/me/access_tokens', sent);
    if (when === 'later') await first;
    const second = other.post('/me/access_tokens', again);
    const pages = [await one.follow(await first), await other.follow(await second)];
    const secrets = pages.map((page) => page.find('.secret') !== null);
    expect(secrets.filter(Boolean)).toEqual([true]);
    expect(pages[secrets.indexOf(false)]?.find('.flash')).toContain(
      'Nothing was done again. Its secret was shown then.',
    );
  });

  test('is processed again for another user, or after it was rejected', async () => {
    const form = (await ada.get(`${campaigns}/new`)).form(campaigns);
    expect((await ada.post(campaigns, { ...form, 'campaign[name]': '' })).status).toBe(422);
    expect((await ada.post(campaigns, { ...form, 'campaign[name]': 'A' })).location).toBe(`${campaigns}/48`);
    const ben = await site.signedIn('ben_write');
    const copied = { ...form, csrf_token: await csrfTokenOf(ben), 'campaign[name]': 'B' };
    expect((await ben.post(campaigns, copied)).location).toBe(`${campaigns}/49`);
  });

  test.each([
    ['campaigns', campaigns, { 'campaign[name]': 'A', 'campaign[cpm_amount]': '1,000', 'campaign[brief]': '<p>B</p>' }],
    ['collabs', collabs, { 'collab[name]': 'A', 'collab[brief]': 'B', 'collab[countries]': 'Germany, France' }],
    ['organizations', '/organizations', { 'organization[name]': 'A' }],
  ])('creates one of %s if its answer was lost, and its session has ended', async (_, list, fields) => {
    const shared = { store: site.store };
    // Browsers do not send the field by which they recognize a form.
    const enabled = (all: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith('usr_')));
    const form = { ...enabled((await ada.get(`${list}/new`)).form(list)), ...fields };
    expect((await ada.post(list, form)).status).toBe(303);
    // A restart, with another secret.
    const again = (await demoSite({}, shared)).visitor();
    const expired = await again.post(list, form);
    const continued = await again.post('/sign_in', {
      ...expired.form('/sign_in', 'type="password"'),
      token: demoTokens.ada_write,
    });
    const page = await again.post(`${list}/new`, continued.form(`${list}/new`));
    expect(page.find('[role=alert] p')).toBe(
      'You are signed in as Ada Okafor. Check the form, then save it in this name.',
    );
    const shown = await again.post(list, enabled(page.form(list)));
    expect([shown.status, (await again.follow(shown)).find('.flash')]).toEqual([
      303,
      expect.stringContaining('This form was sent before'),
    ]);
  });

  test('leads to what was made for an hour, as after going back; a fresh form makes another one', async () => {
    const page = await ada.get(`${campaigns}/new`);
    const back = await ada.fetch(`${campaigns}/new`);
    expect(back.location).toMatch(/\/new\?form=[\w-]{12}$/);
    const [form, again] = [await ada.get(back.location ?? ''), await ada.get(back.location ?? '')].map((one) => ({
      ...one.form(campaigns),
      'campaign[name]': 'A',
    }));
    if (!form || !again) throw new Error('There is no form.');
    expect(again).toEqual(form);
    expect((await ada.post(campaigns, form)).location).toBe(`${campaigns}/48`);
    try {
      vi.useFakeTimers({ now: Date.now() + 59 * 60_000, toFake: ['Date'] });
      expect((await ada.post(campaigns, again)).location).toBe(`${campaigns}/48`);
      expect((await ada.post(campaigns, { ...again, 'campaign[name]': 'B' })).location).toBe(`${campaigns}/49`);
      const fresh = { ...page.form(campaigns), 'campaign[name]': 'A' };
      expect((await ada.post(campaigns, fresh)).location).toBe(`${campaigns}/50`);
      vi.setSystemTime(Date.now() + 2 * 60_000);
      expect((await ada.post(campaigns, again)).location).toBe(`${campaigns}/51`);
      const stored = await site.store.read((reader) => reader.count('processed_forms', 'byExpiry', []));
      expect(stored).toBe(3);
    } finally {
      vi.useRealTimers();
    }
  });

  test('shows the secret of a token for a minute', async () => {
    const form = (await ada.get('/me/access_tokens/new')).form('/me/access_tokens');
    const sent = { ...form, 'access_token[description]': 'CI', 'access_token[permission]': 'read' };
    await ada.post('/me/access_tokens', sent);
    try {
      vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] });
      const page = await ada.follow(await ada.post('/me/access_tokens', sent));
      expect([page.find('.flash'), page.find('.secret')]).toEqual([
        expect.stringMatching(
          /^This form was sent before, on .*: Access token created. .* Its secret was shown then.$/,
        ),
        null,
      ]);
    } finally {
      vi.useRealTimers();
    }
    const rows = await site.store.read((reader) =>
      reader.page('processed_forms', 'byExpiry', [], { offset: 0, limit: 9 }),
    );
    expect(JSON.stringify(rows)).not.toContain('mkt_');
  });
});

test.each([
  ['campaign', campaigns, { 'campaign[name]': 'Picnic' }],
  ['brand', '/organizations', { 'organization[name]': 'Picnic' }],
  ['access token', '/me/access_tokens', { 'access_token[description]': 'CI', 'access_token[permission]': 'read' }],
  [
    'social account',
    '/me/social_accounts',
    { 'social_account[platform_id]': 'youtube', 'social_account[account_url]': 'https://youtube.com/@picnic' },
  ],
])(
  'says that the %s that the same form created is gone, and creates another one if it is sent again',
  async (name, list, typed) => {
    const total = async () => Number((await site.json('ada_write', `${list}.json`)).headers.get('total-count'));
    const before = await total();
    const form = { ...(await ada.get(`${list}/new`)).form(list), ...typed };
    const created = await ada.post(list, form);
    await ada.follow(created);
    const last = (await (await site.json('ada_write', `${list}.json?page=1`)).json()).at(-1);
    const [id = last.id] = /(?<=\/)\d+$/.exec(created.location ?? '') ?? [];
    await site.json('ada_write', `${list}/${id}.json`, { method: 'DELETE' });
    expect(await total()).toBe(before);
    const page = await ada.post(list, form);
    const reason = `^This form was sent before, on .* created\\..* It no longer exists. Send the form again to create another ${name}.$`;
    expect([page.status, page.find('[role=alert] p')]).toEqual([422, expect.stringMatching(new RegExp(reason))]);
    expect([page.find('.secret'), page.form(list)]).toEqual([null, expect.objectContaining(typed)]);
    expect(await total()).toBe(before);
    expect((await ada.post(list, page.form(list))).status).toBe(303);
    expect(await total()).toBe(before + 1);
  },
);

describe('a button that is pressed twice', () => {
  const publish = `${campaigns}/1/publish`;

  test.each([
    ['publishes', `${publish}/confirm`, publish, 'Campaign published.'],
    ['deletes', `${campaigns}/1/delete`, `${campaigns}/1`, 'Campaign deleted.'],
  ])('%s once, says so twice, and later that it was sent before', async (_, page, action, done) => {
    const form = (await ada.get(page)).form(action);
    await ada.post(action, form);
    for (const text of [done, `${done} Nothing was done again.`])
      expect((await ada.follow(await ada.post(action, form))).find('.flash')).toMatch(
        text === done ? done : new RegExp(`^This form was sent before, on .* UTC: ${text}$`),
      );
  });

  test('says that what it changed no longer exists', async () => {
    const form = (await ada.get(`${publish}/confirm`)).form(publish);
    await ada.follow(await ada.post(publish, form));
    await site.store.transact((writer) => writer.delete('campaigns', 1));
    const page = await ada.follow(await ada.post(publish, form));
    expect([page.find('h1'), page.find('.flash')]).toEqual([
      'Campaigns',
      expect.stringMatching(/: Campaign published. It no longer exists.$/),
    ]);
  });
});

describe('a change that is saved twice', () => {
  const campaign = `${campaigns}/1`;

  test.each([
    ['Brief', campaign, { 'campaign[brief]': '<p>Show <b>the</b> serum &amp; smile</p>' }],
    ['Website', campaign, { 'campaign[website]': 'new.example' }],
    ['Countries. "UK" was taken for United Kingdom', campaign, { 'campaign[countries]': 'Germany, UK' }],
    [
      'City, Country code, Latitude, Longitude, Google place ID',
      '/me/address',
      { 'address[city]': 'Berlin', 'address[country_code]': 'Germany' },
    ],
  ])('is saved once, and says so twice: %s', async (names, path, typed) => {
    const form = { ...(await ada.get(`${path}/edit`)).form(path), ...typed };
    await ada.post(path, form);
    const page = await ada.follow(await ada.post(path, form));
    expect([page.find('.flash p'), page.find('.flash button')]).toEqual([`Saved: ${names}.`, 'Undo']);
  });

  test('says so twice if the page after it was made, and did not arrive', async () => {
    const form = { ...(await ada.get(`${campaign}/edit`)).form(campaign), 'campaign[website]': 'new.example' };
    const first = await ada.post(campaign, form);
    const cookies = new Map(ada.cookies);
    await ada.follow(first);
    for (const [name, value] of cookies) ada.cookies.set(name, value);
    expect((await ada.follow(await ada.post(campaign, form))).find('.flash p')).toBe('Saved: Website.');
    // While the browser received the page, or later.
    expect((await ada.follow(await ada.post(campaign, form))).find('.flash p')).toBe('Saved: Website.');
    try {
      vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] });
      expect((await ada.follow(await ada.post(campaign, form))).find('.flash p')).toBe('Nothing was changed.');
    } finally {
      vi.useRealTimers();
    }
  });

  test('is taken back once, and says so twice', async () => {
    const before = (await json(campaign)).website;
    const saved = await ada.follow(
      await ada.submit(`${campaign}/edit`, campaign, { 'campaign[website]': 'new.example' }),
    );
    const undo = saved.form(campaign, 'name="undo"');
    await ada.post(campaign, undo);
    const page = await ada.follow(await ada.post(campaign, undo));
    expect([page.find('.flash p'), page.find('.flash button')]).toEqual(['Restored: Website.', 'Redo']);
    expect((await json(campaign)).website).toBe(before);
  });
});

describe('a form that is submitted again before the response (D85)', () => {
  const action = `${collabs}?website=https%3A%2F%2Fshop.example%2F`;
  const product: Prefill = { website: 'https://shop.example/', name: null, brief: null, countries: null, image: null };
  let reads: (() => Promise<Prefill>)[];
  let started: number;
  let open: () => void;

  /** The same form three times, while the product's page is read slowly. */
  const submitThreeTimes = async (): Promise<readonly Page[]> => {
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    started = 0;
    const readPage = async () => {
      const read = reads[started++] as () => Promise<Prefill>;
      await gate;
      return read();
    };
    site = await demoSite({}, { readPage });
    ada = await site.signedIn('ada_write');
    const form = (await ada.get(`${collabs}/new`)).form(collabs);
    const sent = [1, 2, 3].map(() => ada.post(action, form));
    await vi.waitUntil(() => started > 0, { timeout: 20_000 });
    open();
    return Promise.all(sent);
  };
  const good = async () => product;
  const bad = async () => {
    throw invalid('website', 'Website cannot be read.');
  };

  test('waits for the first response and creates nothing', async () => {
    reads = [good, good, good];
    expect((await submitThreeTimes()).map(({ location }) => location)).toEqual(Array(3).fill(`${collabs}/25`));
    expect(started).toBe(1);
  });

  test('is processed if the first one is rejected', async () => {
    reads = [bad, good, good];
    const pages = await submitThreeTimes();
    expect(pages.map(({ status }) => status)).toEqual([422, 303, 303]);
    expect(pages.slice(1).map(({ location }) => location)).toEqual(Array(2).fill(`${collabs}/25`));
  });
});

test('after the data was replaced, the same form is processed again', async () => {
  const form = { ...(await ada.get(`${campaigns}/new`)).form(campaigns), 'campaign[name]': 'A' };
  await ada.post(campaigns, form);
  await site.store.load(demoSeed());
  const { location } = await ada.post(campaigns, form);
  expect((await ada.get(location ?? '')).status).toBe(200);
});
