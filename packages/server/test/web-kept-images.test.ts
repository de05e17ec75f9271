import { maxImageBytes } from '@mkt/sdk/contract';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BodyBudget } from '../src/http/body-budget.js';
import { demoSeed, memoryStore } from '../src/index.js';
import type { Reader, Store, Writer } from '../src/store/store.js';
import { replacedImages } from '../src/web/uploads.js';
import { fault } from './support/forms.js';
import { png } from './support/pictures.js';
import { openTestStore, storeKinds, type TestStore } from './support/stores.js';
import { demoSite, type Site, type Visitor } from './support/visitor.js';

const KiB = 1024;
const brand = '/organizations/5';
const rejectedName = { 'organization[name]': '' };

/** What comes after the end of an image does not matter. */
function imageOf(size: number): Uint8Array {
  const bytes = new Uint8Array(size).fill(7);
  bytes.set(png);
  return bytes;
}

function formWith(fields: Readonly<Record<string, string>>, logo: Uint8Array = new Uint8Array()): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('organization[logo]', new File([logo as BlobPart], logo.length > 0 ? 'logo.png' : ''));
  return form;
}

async function reject(visitor: Visitor, logo: Uint8Array): Promise<Readonly<Record<string, string>>> {
  const form = (await visitor.get(`${brand}/edit`)).form(brand);
  const page = await visitor.post(brand, formWith({ ...form, ...rejectedName }, logo));
  expect([page.status, fault(page, 'name')[1], page.find('#field-logo-hint')]).toEqual([
    422,
    'true',
    'logo.png is uploaded. Choose a file only to replace it.',
  ]);
  return page.form(brand);
}

/** A store, and the calls of it with what they returned. */
function watched(store: Store) {
  const calls: { readonly name: string; readonly table: string; readonly result: unknown }[] = [];
  const watch = <Source extends Reader | Writer>(source: Source): Source =>
    new Proxy(source, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (table: string, ...rest: readonly unknown[]) => {
          const result: unknown = await value.call(target, table, ...rest);
          calls.push({ name: String(name), table, result });
          return result;
        };
      },
    });
  const watching: Store = {
    ...store,
    read: (work) => store.read((reader) => work(watch(reader))),
    transact: (work, by) => store.transact((writer) => work(watch(writer)), by),
  };
  return { store: watching, calls };
}

describe.each(storeKinds)('images of rejected forms on the %s store', (kind) => {
  let opened: TestStore;
  let calls: ReturnType<typeof watched>['calls'];
  let site: Site;
  let ada: Visitor;
  const siteOfProcess = (store: Store) => demoSite({ sessionSecret: 'one secret for all processes of it' }, { store });
  beforeEach(async () => {
    opened = await openTestStore(kind);
    await opened.store.load(demoSeed());
    const { store, ...own } = watched(opened.store);
    calls = own.calls;
    site = await siteOfProcess(store);
    ada = await site.signedIn('ada_write');
  });
  afterEach(() => opened?.dispose());

  test('are saved, as they were sent, by another process', async () => {
    const logo = imageOf(300 * KiB);
    const form = await reject(ada, logo);
    const elsewhere = (await siteOfProcess(opened.store)).visitor();
    for (const [name, value] of ada.cookies) elsewhere.cookies.set(name, value);
    const page = await elsewhere.follow(
      await elsewhere.post(brand, formWith({ ...form, 'organization[name]': 'Umbrella' })),
    );
    expect([page.find('h1'), page.find('.flash p')]).toEqual(['Umbrella', 'Saved: Name, Logo.']);
    const src = page.attribute('img.picture', 'src') ?? '';
    const served = await site.app.fetch(new Request(`http://127.0.0.1:4010${src}`));
    expect(Buffer.from(await served.arrayBuffer()).equals(Buffer.from(logo))).toBe(true);
  });

  test('are on the page of the form again, which the URL in the history of the browser names, for their user', async () => {
    const { uploaded_file: key } = await reject(ada, imageOf(300 * KiB));
    const edit = `${brand}/edit?uploaded_file=${key}`;
    expect((await ada.get(edit)).form(brand).uploaded_file).toBe(key);
    expect((await (await site.signedIn('ben_write')).get(edit)).form(brand).uploaded_file).toBeUndefined();
  });

  test('are not read by other forms, nor by those that only show them', async () => {
    const form = await reject(ada, imageOf(300 * KiB));
    calls.length = 0;
    const ben = await site.signedIn('ben_write');
    const created = await ben.submit(`${brand}/campaigns/new`, `${brand}/campaigns`, { 'campaign[name]': 'Other' });
    expect(created.status).toBe(303);
    expect(calls.filter(({ table }) => table === 'kept_images')).toEqual([]);
    const swept = calls.flatMap(({ name, table, result }) =>
      name === 'page' && table === 'processed_forms' ? (result as object[]) : [],
    );
    expect(swept.map((row) => Object.keys(row))).toEqual(swept.map(() => ['id', 'expires_at']));

    const shown = await ada.post(`${brand}/edit`, formWith({ ...form, ...rejectedName }));
    expect(shown.form(brand).uploaded_file).toBe(form.uploaded_file);
    const read = calls.filter(({ table }) => table === 'kept_images');
    expect(read.length).toBeGreaterThan(0);
    for (const { name, result } of read) expect([name, JSON.stringify(result).length < KiB]).toEqual(['getMany', true]);
    // Its logo does not change, so the old one is not needed.
    calls.length = 0;
    await ada.submit(`${brand}/edit`, brand, { 'organization[name]': 'Renamed' });
    expect(calls.filter(({ table, name }) => table === 'images' && name === 'get')).toEqual([]);
  });

  test('expire after an hour, and are removed by the next ones', async () => {
    const form = await reject(ada, png);
    await reject(ada, png);
    try {
      vi.useFakeTimers({ now: Date.now() + 61 * 60_000, toFake: ['Date'] });
      const page = await ada.post(brand, formWith({ ...form, 'organization[name]': 'Umbrella' }));
      expect([page.status, fault(page, 'logo')[0]]).toEqual([
        422,
        'The file is no longer stored, so nothing was saved. Choose it again.',
      ]);
      const { uploaded_file: key = '' } = await reject(ada, png);
      const left = await opened.store.read((reader) =>
        reader.page('kept_images', 'byExpiry', [], { offset: 0, limit: 9 }),
      );
      expect(left.map(({ id, size }) => ({ id, size }))).toEqual([{ id: key, size: png.length }]);
    } finally {
      vi.useRealTimers();
    }
  });
});

test('a new file replaces the one that was kept, also on a page that shows the form again', async () => {
  const site = await demoSite();
  const ada = await site.signedIn('ada_write');
  const form = await reject(ada, imageOf(KiB));
  const again = await ada.post(`${brand}/edit`, formWith({ ...form, ...rejectedName }, imageOf(2 * KiB)));
  const { uploaded_file: key = '' } = again.form(brand);
  expect(await site.store.read((reader) => reader.get('kept_images', key))).toMatchObject({ size: 2 * KiB });
});

test('a form that names a kept image counts it in the memory of bodies, and still has it if that is used up', async () => {
  const bodyBudget = new BodyBudget(3 * 1024 * KiB);
  const site = await demoSite({}, { bodyBudget });
  const ada = await site.signedIn('ada_write');
  const form = { ...(await reject(ada, imageOf(600 * KiB))), 'organization[name]': 'Umbrella' };
  const other = bodyBudget.lease({ userId: 'usr_ada' });
  other.grow(500 * KiB);
  const busy = await ada.post(brand, formWith(form));
  expect([busy.status, busy.find('[role=alert] p')]).toEqual([
    429,
    'You send too much at once. Try again when some of your requests have ended.',
  ]);
  other.end();
  expect((await ada.post(brand, formWith(busy.form(brand)))).status).toBe(303);
  const { logo_url: url } = await (await site.json('ada_write', `${brand}.json`)).json();
  expect((await (await site.app.fetch(new Request(url))).arrayBuffer()).byteLength).toBe(600 * KiB);
});

test('the image that an update replaces is counted too', async () => {
  const bodyBudget = new BodyBudget(3 * 1024 * KiB);
  const store = memoryStore();
  const ada = await (await demoSite({}, { bodyBudget, store })).signedIn('ada_write');
  const edit = async () => (await ada.get(`${brand}/edit`)).form(brand);
  expect((await ada.post(brand, formWith(await edit(), imageOf(600 * KiB)))).status).toBe(303);
  const other = bodyBudget.lease({ userId: 'usr_ada' });
  other.grow(500 * KiB);
  const purge = { ...(await edit()), 'organization[purge_logo]': '1' };
  expect((await ada.post(brand, purge)).status).toBe(429);
  other.end();
  expect((await ada.post(brand, purge)).status).toBe(303);
});

describe('a new logo with "Remove the logo" ticked', () => {
  const purge = { 'organization[purge_logo]': '1' };
  const openBrand = async () => {
    const ada = await (await demoSite()).signedIn('ada_write');
    const form = (await ada.get(`${brand}/edit`)).form(brand);
    await ada.post(brand, formWith(form, png));
    return ada;
  };
  const logoOf = async (ada: Visitor) => (await ada.get(brand)).attribute('main img', 'src');

  test('is not saved, and is kept for the same form', async () => {
    const ada = await openBrand();
    const [before, form] = [await logoOf(ada), (await ada.get(`${brand}/edit`)).form(brand)];
    const page = await ada.post(brand, formWith({ ...form, ...purge }, imageOf(2000)));
    expect([page.status, fault(page, 'logo')[0], page.find('#field-logo-hint')]).toEqual([
      422,
      'You chose a file and ticked "Remove the logo", so nothing was saved. Save again to use the file, or tick it again to remove the logo.',
      'logo.png is uploaded. Choose a file only to replace it.',
    ]);
    expect([await logoOf(ada), page.attribute('#field-purge_logo', 'checked')]).toEqual([before, null]);
    expect((await ada.post(brand, formWith(page.form(brand)))).status).toBe(303);
    expect(await logoOf(ada)).not.toBe(before);
  });

  test('is removed when it is ticked again', async () => {
    const ada = await openBrand();
    const form = (await ada.get(`${brand}/edit`)).form(brand);
    const page = await ada.post(brand, formWith({ ...form, ...purge }, imageOf(2000)));
    const saved = await ada.post(brand, formWith({ ...page.form(brand), ...purge }));
    expect((await ada.follow(saved)).find('.flash')).toContain('Saved: Logo.');
    expect(await logoOf(ada)).toBeNull();
  });
});

describe('when there is no room for another image', () => {
  const future = '2999-01-01T00:00:00Z';
  const past = '2000-01-01T00:00:00Z';
  const rowsOf = (user_id: string, count: number, size: number, expires_at = future) =>
    Array.from({ length: count }, (_, at) => ({
      id: `${user_id}${at}`,
      position: at,
      user_id,
      size,
      expires_at,
      name: '',
      type: '',
    }));
  const users = (count: number, each: number, size: number) =>
    Array.from({ length: count }, (_, at) => rowsOf(`user${at}-`, each, size)).flat();

  test('of a user, the oldest of the same user leave', () => {
    const others = rowsOf('ben', 9, 1);
    expect(replacedImages([...rowsOf('ada', 9, 1), ...others], 'ada', 1)).toEqual([]);
    expect(replacedImages([...rowsOf('ada', 10, 1), ...others], 'ada', 1)).toEqual(['ada0']);
    expect(replacedImages([...others, ...rowsOf('ada', 4, maxImageBytes)], 'ada', 1)).toEqual(['ada0']);
    expect(replacedImages(rowsOf('ada', 4, maxImageBytes - 1), 'ada', 4)).toEqual([]);
    expect(replacedImages(rowsOf('ada', 4, maxImageBytes - 1), 'ada', 2 * KiB)).toEqual(['ada0']);
  });

  test('of all users, the oldest of the one with most leaves', () => {
    const full = [...users(48, 1, maxImageBytes), ...rowsOf('heavy', 2, maxImageBytes)];
    expect(replacedImages(full.slice(1), 'ada', maxImageBytes)).toEqual([]);
    expect(replacedImages(full, 'ada', maxImageBytes)).toEqual(['heavy0']);
    expect(replacedImages(users(200, 5, 1), 'ada', 1)).toEqual(['user0-0']);
  });

  test('a few that have expired leave each time', () => {
    const expired = rowsOf('old', 5, maxImageBytes, past);
    expect(replacedImages(expired, 'ada', 1)).toEqual(['old0', 'old1']);
    expect(replacedImages([...expired, ...users(47, 1, maxImageBytes)], 'ada', maxImageBytes)).toHaveLength(3);
  });
});
