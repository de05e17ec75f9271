import { beforeEach, describe, expect, test, vi } from 'vitest';
import { demoSeed, type Prefill } from '../src/index.js';
import { invalid } from '../src/rules/errors.js';
import { campaigns, collabs } from './support/forms.js';
import { demoSite, type Page, type Site, type Visitor } from './support/visitor.js';

let site: Site;
let ada: Visitor;
beforeEach(async () => {
  site = await demoSite();
  ada = await site.signedIn('ada_write');
});

const csrfTokenOf = async (visitor: Visitor): Promise<string> =>
  (await visitor.get('/organizations')).form('/sign_out').csrf_token ?? '';

describe('a form that is submitted twice', () => {
  test('creates one resource and gets the first response again', async () => {
    const form = (await ada.get('/me/access_tokens/new')).form('/me/access_tokens');
    const sent = { ...form, 'access_token[description]': 'CI', 'access_token[permission]': 'read' };
    const secrets = [];
    for (let time = 0; time < 2; time += 1)
      secrets.push((await ada.follow(await ada.post('/me/access_tokens', sent))).find('.secret'));
    expect(secrets[0]).toMatch(/^mkt_/);
    expect(secrets[1]).toBe(secrets[0]);
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

  test('is processed again in another session, or after it was rejected', async () => {
    const form = (await ada.get(`${campaigns}/new`)).form(campaigns);
    expect((await ada.post(campaigns, { ...form, 'campaign[name]': '' })).status).toBe(422);
    expect((await ada.post(campaigns, { ...form, 'campaign[name]': 'A' })).location).toBe(`${campaigns}/48`);
    const ben = await site.signedIn('ben_write');
    const copied = { ...form, csrf_token: await csrfTokenOf(ben), 'campaign[name]': 'B' };
    expect((await ben.post(campaigns, copied)).location).toBe(`${campaigns}/49`);
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
        'This form was sent before. Its secret was shown then.',
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

describe('a button that is pressed twice', () => {
  const publish = `${campaigns}/1/publish`;

  test('publishes once, and says so twice', async () => {
    const form = (await ada.get(`${publish}/confirm`)).form(publish);
    for (let time = 0; time < 2; time += 1)
      expect((await ada.follow(await ada.post(publish, form))).find('.flash')).toBe('Campaign published.');
  });

  test('deletes once, and says so twice', async () => {
    const form = (await ada.get(`${campaigns}/1/delete`)).form(`${campaigns}/1`);
    for (let time = 0; time < 2; time += 1)
      expect((await ada.follow(await ada.post(`${campaigns}/1`, form))).find('.flash')).toBe('Campaign deleted.');
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
