import { expect, test } from 'vitest';
import { ada, eachWithAda, json, site } from './support/ada.js';
import { campaigns, collabs } from './support/forms.js';
import { jpeg, organizationForm, png } from './support/pictures.js';
import type { Page } from './support/visitor.js';

eachWithAda();

const campaign = `${campaigns}/3`;

/** Sends the form of an edit page, and follows to the page with the message. */
const edited = async (path: string, fields: Readonly<Record<string, string>>, visitor = ada) =>
  visitor.follow(await visitor.submit(`${path}/edit`, path, fields));

const press = async (page: Page, path: string) => ada.post(path, page.form(path, 'name="undo"'));

test('an update can be taken back, and done again', async () => {
  const before = await json(campaign);
  const page = await edited(campaign, {
    'campaign[category]': 'gardening',
    'campaign[countries]': 'DE, FR',
    'campaign[website]': '',
  });
  expect([page.find('.flash p'), page.find('.flash button')]).toEqual(['Saved: Website, Category, Countries.', 'Undo']);
  const after = await json(campaign);
  expect([after.category, after.countries, after.website]).toEqual(['gardening', ['DE', 'FR'], null]);

  const undone = await ada.follow(await press(page, campaign));
  expect(await json(campaign)).toEqual({ ...before, updated_at: expect.any(String) });
  expect(undone.find('.flash button')).toBe('Redo');

  await press(undone, campaign);
  expect(await json(campaign)).toEqual({ ...after, updated_at: expect.any(String) });
});

test('restores a long brief exactly, and empties what was empty', async () => {
  const brief = `One\n\n* two${' <b>three</b>'.repeat(4000)}`;
  await site.store.transact((writer) => writer.update('collabs', 3, { brief, website: null, countries: [] }));
  const page = await edited(`${collabs}/3`, {
    'collab[brief]': 'Short',
    'collab[website]': 'https://shop.example',
    'collab[countries]': 'US',
  });
  expect((await json(`${collabs}/3`)).brief).toBe('<p>Short</p>');
  await press(page, `${collabs}/3`);
  expect(await json(`${collabs}/3`)).toMatchObject({ brief, website: null, countries: [] });
});

test('restores a text without markup as it was', async () => {
  await site.store.transact((writer) => writer.update('campaigns', 3, { brief: '- one\n- two' }));
  await press(await edited(campaign, { 'campaign[brief]': 'Short' }), campaign);
  expect((await json(campaign)).brief).toBe('- one\n- two');
});

test('does not overwrite what was changed since, but other fields may have changed', async () => {
  const page = await edited(campaign, { 'campaign[category]': 'gardening' });
  await site.store.transact((writer) => writer.update('campaigns', 3, { website: 'https://other.example' }));
  expect((await press(page, campaign)).status).toBe(303);
  expect(await json(campaign)).toMatchObject({ category: 'beauty', website: 'https://other.example' });

  const again = await edited(campaign, { 'campaign[category]': 'gardening' });
  await site.store.transact((writer) => writer.update('campaigns', 3, { category: 'toys' }));
  const refused = await press(again, campaign);
  expect([refused.status, refused.all('.versions dd'), refused.find('[role=alert] p')]).toEqual([
    422,
    ['toys', 'beauty'],
    'This campaign was changed after you saved it, so nothing was saved. Compare the values, then save again.',
  ]);
  expect(await json(campaign)).toMatchObject({ category: 'toys' });
});

test('the organization and the address, too', async () => {
  const { name } = await json('/organizations/5');
  const page = await edited('/organizations/5', { 'organization[name]': 'Acme' });
  expect(page.find('.flash p')).toBe('Saved: Name.');
  await press(page, '/organizations/5');
  expect((await json('/organizations/5')).name).toEqual(name);

  const { city } = await json('/me/address');
  const moved = await edited('/me/address', { 'address[city]': 'Lyon' });
  await press(moved, '/me/address');
  expect((await json('/me/address')).city).toBe(city);
});

test('is offered once, to the session that changed it, and not for what is final or new', async () => {
  const page = await edited(campaign, { 'campaign[category]': 'gardening' });
  expect(page.find('.flash button')).toBe('Undo');
  expect((await ada.get(campaign)).find('.flash')).toBeNull();

  const sent = await ada.submit(`${campaign}/edit`, campaign, { 'campaign[category]': 'toys' });
  await ada.signIn('ada_write');
  expect((await ada.follow(sent)).find('.flash button')).toBeNull();

  const unchanged = await edited(campaign, {});
  expect([unchanged.find('.flash p'), unchanged.find('.flash button')]).toEqual(['Nothing was changed.', null]);
  const published = await ada.submit(`${campaigns}/1/publish/confirm`, `${campaigns}/1/publish`);
  expect((await ada.follow(published)).find('.flash button')).toBeNull();
});

test('restores an image that was replaced or removed, and does not replace that of another user', async () => {
  const brand = '/organizations/5';
  const picture = async () => {
    const { logo_url: url } = await json(brand);
    if (typeof url !== 'string') return null;
    const response = await ada.get(new URL(url).pathname);
    return [response.headers.get('content-type'), response.headers.get('content-length')];
  };
  const logo = (page: Page, fields = {}, bytes = jpeg) => {
    const form = organizationForm({}, bytes, 'new.jpg');
    for (const [name, value] of Object.entries({ ...page.form(brand), ...fields })) form.set(name, String(value));
    return ada.post(brand, form);
  };
  const first = await picture();
  const replaced = await ada.follow(await logo(await ada.get(`${brand}/edit`)));
  expect([replaced.find('.flash p'), replaced.find('.flash button')]).toEqual(['Saved: Logo.', 'Undo']);
  const second = await picture();
  expect(second).not.toEqual(first);

  const undone = await ada.follow(await press(replaced, brand));
  expect([await picture(), undone.find('.flash p'), undone.find('.flash button')]).toEqual([
    first,
    'Restored: Logo.',
    'Redo',
  ]);
  const again = await ada.follow(await press(undone, brand));
  expect([await picture(), again.find('.flash button')]).toEqual([second, 'Undo']);

  const removed = await edited(brand, { 'organization[purge_logo]': '1' });
  expect([await picture(), removed.find('.flash p')]).toEqual([null, 'Saved: Logo.']);
  await ada.follow(await press(removed, brand));
  expect(await picture()).toEqual(second);

  // The page of an edit, and an undo, of an image that another user has replaced.
  const old = await ada.get(`${brand}/edit`);
  const stale = await ada.follow(await logo(await ada.get(`${brand}/edit`)));
  await ada.follow(await logo(await ada.get(`${brand}/edit`), {}, png));
  const third = await picture();
  for (const [rejected, since] of [
    [await logo(old), 'you opened this form'],
    [await press(stale, brand), 'you saved it'],
  ] as const) {
    expect([rejected.status, rejected.find('#field-logo-error'), await picture()]).toEqual([
      422,
      expect.stringContaining(`The image was changed after ${since}, so nothing was saved.`),
      third,
    ]);
    // The page has both: the saved image, and the name of the other one.
    expect(rejected.find('#field-logo-error')).toContain('The form shows the saved one. Save again to change it.');
    expect(rejected.attribute('img.current', 'src')).toBe(new URL(String((await json(brand)).logo_url)).pathname);
    expect(rejected.find('#field-logo-hint')).toContain('is uploaded');
  }
});

test('restores the banner of a collab', async () => {
  const collab = `${collabs}/3`;
  const banner = async () => {
    const { banner_image_url: url } = await json(collab);
    return url && (await ada.get(new URL(String(url)).pathname)).text;
  };
  const before = await banner();
  expect(before).not.toBeNull();
  const old = (await ada.get(`${collab}/edit`)).form(collab);
  const removed = await edited(collab, { 'collab[purge_banner_image]': '1' });
  expect([await banner(), removed.find('.flash p')]).toEqual([null, 'Saved: Banner image.']);
  const { uploaded_file: key = '', ...rest } = removed.form(collab, 'uploaded_file');
  const gone = await ada.post(collab, { ...rest, uploaded_file: 'x'.repeat(key.length) });
  expect([gone.status, gone.find('[role=alert]')]).toEqual([
    422,
    'The image is no longer stored, so nothing was saved. Save again without it.',
  ]);
  expect((await ada.follow(await press(removed, collab))).find('.flash p')).toBe('Restored: Banner image.');
  expect(await banner()).toBe(before);
  // The form of a collab shows no image.
  const stale = await ada.post(collab, { ...old, 'collab[purge_banner_image]': '1' });
  expect(stale.find('[role=alert]')).toBe(
    'The image was changed after you opened this form, so nothing was saved. Save again to change it.',
  );
});
