import { describe, expect, test } from 'vitest';
import { allowedElements } from '../src/rules/rich-text.js';
import { ada, eachWithAda, json, site } from './support/ada.js';
import { campaigns, fault } from './support/forms.js';
import { png } from './support/pictures.js';
import { demoSite } from './support/visitor.js';

eachWithAda();

describe('a new campaign', () => {
  test('has the defaults of the API and the organization in its fields', async () => {
    const form = (await ada.get(`${campaigns}/new`)).form(campaigns);
    expect(form).toMatchObject({
      'campaign[website]': 'https://acme.example',
      'campaign[currency]': 'usd',
      'campaign[cpm_amount]': '500',
      'campaign[max_payout_amount]': '10,000',
      'campaign[platform_ids]': 'youtube, tiktok',
      'campaign[countries]': 'US',
    });
    expect((await ada.get(`${campaigns}/new`)).all('small').join()).not.toContain('By default');
    const page = await ada.submit(`${campaigns}/new`, campaigns, { 'campaign[name]': 'Defaults' });
    const fromForm = await json(page.location ?? '');
    const response = await site.json('ada_write', `${campaigns}.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ campaign: { name: 'Defaults' } }),
    });
    const varying = { id: 0, url: '', created_at: '', updated_at: '' };
    expect({ ...fromForm, ...varying }).toEqual({ ...(await response.json()), ...varying });
  });

  test.each([
    ['currency', 'EUR', 'eur'],
    ['category', 'Home & Garden', 'home-garden'],
    ['content_type', 'UGC', 'ugc'],
    ['countries', 'us, Germany', ['US', 'DE']],
    ['countries', 'gb United States fr', 'rejected'],
    ['countries', 'United States,fr, FR', ['US', 'FR']],
    ['countries', 'UK, U.S.A., England, Czech Republic, Côte d’Ivoire, Turkey', ['GB', 'US', 'CZ', 'CI', 'TR']],
    ['countries', 'Bosnia and Herzegovina, Trinidad & Tobago', ['BA', 'TT']],
    ['countries', 'Germany, France, Narnia', 'rejected'],
    ['platform_ids', 'YouTube Instagram', ['youtube', 'instagram']],
    ['platform_ids', 'Instagram, My Space!', ['instagram', 'my-space']],
    ['platform_ids', 'TikTok + IG', ['tiktok', 'instagram']],
    ['platform_ids', 'tik tok; X / constructor', ['tiktok', 'twitter', 'constructor']],
    ['countries', 'us/ca, Germany and France', ['US', 'CA', 'DE', 'FR']],
    ['platform_ids', '', []],
    ['countries', '', []],
    ['website', '', null],
    ['brief', '', null],
    ['website', 'acme.example/sale', 'https://acme.example/sale'],
    ['website', 'Shop.example:8080?a=b', 'https://Shop.example:8080?a=b'],
    ['website', 'acme shop', 'rejected'],
    ['website', 'mailto:a@acme.example', 'rejected'],
  ])('accepts %s as %j', async (field, typed, stored) => {
    const fields = { 'campaign[name]': 'Typed', [`campaign[${field}]`]: typed };
    const page = await ada.submit(`${campaigns}/new`, campaigns, fields);
    if (stored === 'rejected') expect([page.status, fault(page, field)[1]]).toEqual([422, 'true']);
    else expect(await json(page.location ?? '')).toMatchObject({ [field]: stored });
  });

  test('takes platforms from checkboxes and an input, and countries from two inputs', async () => {
    const form = new URLSearchParams((await ada.get(`${campaigns}/new`)).form(campaigns));
    form.set('campaign[name]', 'Boxes');
    for (const name of ['platform_ids', 'countries']) form.delete(`campaign[${name}]`);
    for (const platform of ['', 'tiktok', 'Twitch']) form.append('campaign[platform_ids]', platform);
    for (const country of ['US', 'Austria']) form.append('campaign[countries]', country);
    const page = await ada.fetch(campaigns, { method: 'POST', body: form });
    expect(await json(page.location ?? '')).toMatchObject({
      platform_ids: ['tiktok', 'twitch'],
      countries: ['US', 'AT'],
    });
    expect((await ada.get(`${page.location}/edit`)).attribute('input[value=twitch]', 'checked')).not.toBeNull();
  });

  test('suggests currencies and countries by name', async () => {
    const page = await ada.get(`${campaigns}/new`);
    expect(page.find('option[value=eur]')).toBe('EUR (Euro)');
    expect(page.find('#country-options option[value=AT]')).toBe('Austria');
    // In the order of the names: Germany comes before Greece and after Georgia, whatever their codes.
    const names = page.all('#country-options option');
    expect(names.length).toBeGreaterThan(200);
    expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other, 'en')));
    expect(page.attribute('#field-countries', 'list')).toBe('country-options');
    expect(page.all('.ticks label')).toEqual(['YouTube', 'TikTok', 'Instagram', 'Twitter', 'United States']);
  });

  test('a preview shows the brief with its line breaks and creates nothing', async () => {
    const page = await ada.get(`${campaigns}/new`);
    expect(page.attribute('button[name=preview]', 'formaction')).toBe(`${campaigns}/new`);
    const fields = { ...page.form(campaigns), 'campaign[name]': 'P', preview: '1' };
    const plain = await ada.post(`${campaigns}/new`, { ...fields, 'campaign[brief]': 'Be kind.\r\nBe funny.' });
    expect([plain.status, plain.text]).toEqual([200, expect.stringContaining('<p>Be kind.\nBe funny.</p>')]);
    for (const selector of ['.prose', 'textarea', '#field-name']) expect(plain.attribute(selector, 'dir')).toBe('auto');
    expect(plain.form(campaigns)).toMatchObject({ 'campaign[name]': 'P' });
    const html = await ada.post(`${campaigns}/new`, {
      ...fields,
      'campaign[brief]':
        '<h1>Rules</h1><script>alert(1)</script><p><img src="https://cdn.example/a.png" alt="A &lt;jar&gt;"><img src="/b.png"></p>',
    });
    // Images of other hosts are not loaded.
    expect(html.find('.prose p')).toContain('[Image "A <jar>": https://cdn.example/a.png]');
    expect(html.text).toContain('<img src="/b.png">');
    expect([html.find('.prose h3'), html.all('h1'), html.text.includes('alert(1)</script>')]).toEqual([
      'Rules',
      ['New campaign'],
      false,
    ]);
    expect((await site.json('ada_write', `${campaigns}.json`)).headers.get('total-count')).toBe('45');
  });
});

test.each([
  ['countries', 'Germany, France, Narnia', '"Narnia" is not a country.', 'DE, FR, Narnia'],
  ['countries', 'Narnia, Oz', '"Narnia" and "Oz" are not countries.', 'Narnia, Oz'],
  [
    'platform_ids',
    'Instagram, My Space!, 日本',
    '"日本" is not possible here. Use letters',
    'instagram, my-space, 日本',
  ],
  ['website', 'acme shop', '"acme shop" is not a web address.', 'acme shop'],
])('%s with %j names what is wrong and keeps the rest', async (field, typed, message, shown) => {
  const fields = { 'campaign[name]': 'Typed', [`campaign[${field}]`]: typed };
  const page = await ada.submit(`${campaigns}/new`, campaigns, fields);
  expect([page.status, page.find(`#field-${field}-error`)]).toEqual([422, expect.stringContaining(message)]);
  expect(page.form(campaigns)[`campaign[${field}]`]).toBe(shown);
});

test('a brief may be plain text or Markdown, is stored as HTML, and is shown as it was typed after an error', async () => {
  const brief = 'Dear creators,\r\nhello.\r\n\r\n- a phone\r\n- light';
  const sent = { 'campaign[name]': '', 'campaign[brief]': brief };
  const rejected = await ada.submit(`${campaigns}/new`, campaigns, sent);
  expect(rejected.form(campaigns)['campaign[brief]']).toBe(brief);
  const created = await ada.post(campaigns, { ...rejected.form(campaigns), 'campaign[name]': 'Markdown' });
  const html = '<p>Dear creators,\nhello.</p>\n<ul>\n<li>a phone</li>\n<li>light</li>\n</ul>';
  expect((await json(created.location ?? '')).brief).toBe(html);
  await ada.submit(`${created.location}/edit`, created.location ?? '', { 'campaign[brief]': '**Bold**' });
  expect((await json(created.location ?? '')).brief).toBe('<p><strong>Bold</strong></p>');
});

test('a saved brief is edited as the Markdown that was typed, and stays byte for byte if it is sent as it was opened', async () => {
  const brief = '## Do\r\n\r\n- a **phone**\r\n- light & air';
  const typed = { 'campaign[name]': 'Typed', 'campaign[brief]': brief };
  const location = String((await ada.submit(`${campaigns}/new`, campaigns, typed)).location);
  const before = (await json(location)).brief;
  expect((await ada.get(`${location}/edit`)).form(location)['campaign[brief]']).toBe(brief.replaceAll('\r', ''));
  await ada.submit(`${location}/edit`, location, {});
  expect((await ada.get(location)).find('.flash')).toContain('Nothing was changed.');
  await ada.submit(`${location}/edit`, location, { 'campaign[name]': 'Renamed' });
  expect(await json(location)).toMatchObject({ name: 'Renamed', brief: before });
});

test('a member who may not create campaigns gets that answer, also with an invalid brief', async () => {
  const failures: unknown[] = [];
  const cleo = await (await demoSite({}, { onError: (error) => failures.push(error) })).signedIn('cleo_write');
  const { csrf_token = '' } = (await cleo.get('/organizations')).form('/sign_out');
  const sent = { csrf_token, 'campaign[name]': 'A', 'campaign[brief]': '\0' };
  expect([(await cleo.post(campaigns, sent)).status, failures]).toEqual([403, []]);
  expect([(await cleo.post('/organizations/999/campaigns', sent)).status, failures]).toEqual([404, []]);
});

test('after saving, the page says what is not stored of a brief', async () => {
  const brief = '---\r\ntitle: A\r\n---\r\n[a](tg://b) <a href="file:///c">c</a> **d**';
  const created = await ada.submit(`${campaigns}/new`, campaigns, { 'campaign[name]': 'A', 'campaign[brief]': brief });
  expect((await ada.follow(created)).find('.flash')).toBe(
    'Campaign created. The brief was stored without 2 links. A link needs an address such as https://acme.example. The front matter of the brief (the lines between ---) was left out.',
  );
  const path = created.location ?? '';
  const saved = await ada.submit(`${path}/edit`, path, { 'campaign[brief]': '<p>a</p>' });
  expect((await ada.follow(saved)).find('.flash')).toBe('Saved: Brief.Undo');
});

test('after saving, the page says what platforms were taken for, and which are not known', async () => {
  const typed = { 'campaign[name]': 'A', 'campaign[platform_ids]': 'TikTok + IG, My Space!; snapchat' };
  const created = await ada.submit(`${campaigns}/new`, campaigns, typed);
  expect((await ada.follow(created)).find('.flash')).toBe(
    'Campaign created. "IG" was taken for Instagram. "My Space!" was taken for my-space, which is not a known platform. "snapchat" is not a known platform.',
  );
  const path = created.location ?? '';
  const saved = await ada.submit(`${path}/edit`, path, { 'campaign[platform_ids]': 'youtube, snapchat' });
  expect((await ada.follow(saved)).find('.flash')).toBe('Saved: Platforms.Undo');
  const warning = '"snapchat" is not a known platform.';
  expect((await ada.get(`${path}/publish/confirm`)).find('.flash-warm')).toContain(warning);
  expect((await ada.get(`${path}/edit`)).find('.summary')).toContain(warning);
});

test.each([
  ['content_type', 'ugc, story', '"ugc, story" was saved as ugc-story.'],
  ['category', 'Home & Garden', '"Home & Garden" was saved as home-garden.'],
  ['content_type', 'UGC', null],
  ['countries', 'England, korea', '"England" was taken for United Kingdom. "korea" was taken for South Korea.'],
  ['countries', 'uk, United states, de, Côte d’Ivoire', '"uk" was taken for United Kingdom.'],
])('after saving, the page says what %s "%s" was taken for', async (field, typed, message) => {
  const created = await ada.submit(`${campaigns}/new`, campaigns, {
    'campaign[name]': 'A',
    [`campaign[${field}]`]: typed,
  });
  expect((await ada.follow(created)).find('.flash')).toBe(['Campaign created.', message].filter(Boolean).join(' '));
  const path = created.location ?? '';
  const saved = await ada.submit(`${path}/edit`, path, { 'campaign[name]': 'B' });
  expect((await ada.follow(saved)).find('.flash')).toBe('Saved: Name.Undo');
});

test('after saving, the page says what the country of an address was taken for', async () => {
  const saved = await ada.submit('/me/address/edit', '/me/address', { 'address[country_code]': 'Holland' });
  expect((await ada.follow(saved)).find('.flash')).toMatch(/^Saved: .*\. "Holland" was taken for Netherlands\./);
});

test.each(['content_type', 'category'])('an empty %s has one message', async (name) => {
  const page = await ada.submit(`${campaigns}/1/edit`, `${campaigns}/1`, { [`campaign[${name}]`]: '' });
  expect(page.find(`#field-${name}-error`)).toMatch(/^(Content type|Category) must not be blank\.$/);
});

test('a brief that is too long names the image in it', async () => {
  const edit = (brief: string) => ada.submit(`${campaigns}/1/edit`, `${campaigns}/1`, { 'campaign[brief]': brief });
  const tooLong = 'Brief must be at most 64 KiB long.';
  const image = `<p>a<img src="data:image/png;base64,${'A'.repeat(70_000)}"></p>`;
  expect((await edit(image)).find('#field-brief-error')).toBe(
    `${tooLong} Most of it may be an image in its text: remove it.`,
  );
  expect((await edit(`<p>${'a'.repeat(70_000)}</p>`)).find('#field-brief-error')).toBe(tooLong);
});

test('after saving, the page says which images of a brief are on other sites', async () => {
  const brief = '![a](https://acme.example/a.png) ![b](//acme.example/b.png) ![c](/images/c)';
  const created = await ada.submit(`${campaigns}/new`, campaigns, { 'campaign[name]': 'A', 'campaign[brief]': brief });
  expect((await ada.follow(created)).find('.flash')).toBe(
    'Campaign created. 2 images are on other sites: these pages show only their addresses.',
  );
});

test('values that are stored already are not called saved', async () => {
  const path = `${campaigns}/1`;
  await ada.submit(`${path}/edit`, path, { 'campaign[countries]': 'US' });
  const page = await ada.submit(`${path}/edit`, path, { 'campaign[countries]': 'US America' });
  expect((await ada.follow(page)).find('.flash')).toBe('Nothing was changed.');
});

test('a name that several countries share is an error that names them', async () => {
  const fields = { 'campaign[name]': 'A', 'campaign[countries]': 'Congo' };
  const page = await ada.submit(`${campaigns}/new`, campaigns, fields);
  expect(fault(page, 'countries')[0]).toBe(
    '"Congo" is not a country. Type names or two-letter codes, such as Congo - Kinshasa (CD) or Congo - Brazzaville (CG).',
  );
});

test.each(['__proto__', 'constructor', 'toString'])('the form has no field named %s', async (name) => {
  const page = await ada.submit(`${campaigns}/new`, campaigns, { [`campaign[${name}]`]: '!' });
  expect([page.status, page.text]).toEqual([422, expect.stringContaining('Name must not be blank')]);
});

test('the form lists the elements that a brief may have', async () => {
  const hint = (await ada.get(`${campaigns}/new`)).find('details.hint');
  for (const element of allowedElements) expect(hint).toContain(element);
});

test('the fields that publication locks are read-only, with the reason', async () => {
  const page = await ada.get(`${campaigns}/4/edit`);
  for (const field of ['currency', 'cpm_amount', 'min_payout_amount', 'max_payout_amount', 'base_reward_amount']) {
    expect(page.attribute(`#field-${field}`, 'readonly')).not.toBeNull();
    expect(page.attribute(`#field-${field}`, 'name')).toBeNull();
    expect(page.find(`#field-${field}-hint`)).toBeNull();
  }
  expect(page.text.match(/Fixed since the campaign was published\./g)).toHaveLength(1);
  expect((await ada.get(`${campaigns}/new`)).text.match(/Fixed once published\./g)).toHaveLength(1);
  expect(page.attribute('#field-currency', 'value')).toBe('GBP (British Pound)');
  expect(page.attribute('#field-max_payout_amount', 'value')).toBe('5,000');
  expect((await ada.get(`${campaigns}/1/edit`)).attribute('#field-cpm_amount', 'readonly')).toBeNull();
});

test('amounts have their currency on pages, in lists and in forms', async () => {
  const { currency, total_budget_amount, used_amount } = await json(`${campaigns}/4`);
  const amount = `${total_budget_amount.toLocaleString('en-US')} ${currency.toUpperCase()}`;
  expect((await ada.get(`${campaigns}/4`)).all('dd')).toContain(amount);
  const row = (await ada.get(`${campaigns}?sort=created`)).all('td');
  const used = `${used_amount.toLocaleString('en-US')} ${currency.toUpperCase()}`;
  expect(row).toEqual(expect.arrayContaining([used, amount]));
  const form = await ada.get(`${campaigns}/4/edit`);
  expect(form.find('#field-cpm_amount-unit')).toBe(currency.toUpperCase());
  expect(form.attribute('#field-cpm_amount', 'aria-describedby')).toContain('field-cpm_amount-unit');
});

test('the form of an organization shows its current logo', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries((await ada.get('/organizations/5/edit')).form('/organizations/5')))
    form.set(name, value);
  form.set('organization[logo]', new File([png as BlobPart], 'logo.png'));
  await ada.post('/organizations/5', form);
  const page = await ada.get('/organizations/5/edit');
  expect([page.attribute('img.current', 'src'), page.attribute('img.current', 'alt')]).toEqual([
    expect.stringMatching(/^\/images\//),
    'The current logo',
  ]);
});

test('the form of an address says what another place empties, if it has that', async () => {
  const page = await ada.get('/me/address/edit');
  expect(page.find('.section .hint')).toBe(
    'Another street, city, state, postal code or country empties Latitude, Longitude and Google place ID under "More", unless you change one of them too.',
  );
  expect(page.text).not.toContain('decimal string');
  await ada.submit('/me/address/edit', '/me/address', { 'address[city]': 'Brno' });
  expect((await ada.get('/me/address/edit')).find('.section .hint')).toBeNull();
});

test('browsers can fill in the address', async () => {
  const page = await ada.get('/me/address/edit');
  const tokens = ['address_one', 'address_two', 'city', 'state', 'postal_code', 'country_code'].map((field) =>
    page.attribute(`#field-${field}`, 'autocomplete'),
  );
  expect(tokens).toEqual([
    'address-line1',
    'address-line2',
    'address-level2',
    'address-level1',
    'postal-code',
    'country',
  ]);
  expect(page.find('#field-city-hint')).toBeNull();
  const saved = await ada.submit('/me/address/edit', '/me/address', { 'address[country_code]': 'austria' });
  expect([saved.status, (await json('/me/address')).country_code]).toEqual([303, 'AT']);
});

describe('amounts', () => {
  const edit = async (text: string) =>
    ada.submit(`${campaigns}/1/edit`, `${campaigns}/1`, { 'campaign[max_payout_amount]': text });

  test('are text fields, grouped, which a mouse wheel does not change', async () => {
    const page = await ada.get(`${campaigns}/1/edit`);
    expect(page.attribute('#field-max_payout_amount', 'type')).toBe('text');
    expect(page.attribute('#field-max_payout_amount', 'inputmode')).toBe('numeric');
    expect(page.attribute('#field-max_payout_amount', 'value')).toMatch(/^\d+,\d{3}$/);
  });

  test.each([
    ['20000', 20_000],
    ['20,000', 20_000],
    ['1 234 567', 1_234_567],
    ["1'234'567", 1_234_567],
    ['1\u00a0234', 1234],
  ])('"%s" is %d', async (text, amount) => {
    expect((await edit(text)).status).toBe(303);
    expect((await json(`${campaigns}/1`)).max_payout_amount).toBe(amount);
  });

  test.each(['5,50', '1k', '1e3', '1.000', '12,34', '1,234 567', '0x10', '1,0000'])(
    '"%s" is an error that says how to write it',
    async (text) => {
      const page = await edit(text);
      expect([page.status, page.find('#field-max_payout_amount-error')]).toEqual([
        422,
        `"${text}" is not a whole number. Write it without decimals and letters, such as 500 or 1,000.`,
      ]);
      expect(page.attribute('#field-max_payout_amount', 'value')).toBe(text);
    },
  );

  test.each(['9007199254740992', '10000000000000000', '9'.repeat(400), '-1', '-9007199254740993'])(
    '"%s" is an error that says what is possible',
    async (text) => {
      const page = await edit(text);
      expect([page.status, page.find('#field-max_payout_amount-error')]).toEqual([
        422,
        expect.stringMatching(/^Max payout amount must be (at most 9007199254740991|0 or more)\.$/),
      ]);
    },
  );

  test.each(['cpm_amount', 'min_payout_amount', 'max_payout_amount', 'base_reward_amount'])(
    'an emptied %s is an error, and no default is stored',
    async (name) => {
      const message = expect.stringMatching(/is required\. Type a whole number, such as 500\.$/);
      const page = await ada.submit(`${campaigns}/new`, campaigns, {
        'campaign[name]': 'X',
        [`campaign[${name}]`]: '',
      });
      expect([page.status, page.find(`#field-${name}-error`)]).toEqual([422, message]);
      const changed = await ada.submit(`${campaigns}/1/edit`, `${campaigns}/1`, { [`campaign[${name}]`]: ' ' });
      expect([changed.status, changed.find(`#field-${name}-error`)]).toEqual([422, message]);
    },
  );

  test.each([
    ['campaign', 'category'],
    ['campaign', 'content_type'],
    ['campaign', 'name'],
    ['collab', 'name'],
  ])('an emptied %s %s is an error, and no default is stored', async (wrapper, name) => {
    const list = `/organizations/5/${wrapper}s`;
    const typed = { [`${wrapper}[name]`]: 'X', [`${wrapper}[${name}]`]: '' };
    const page = await ada.submit(`${list}/new`, list, typed);
    expect([page.status, page.find(`#field-${name}-error`)]).toEqual([422, expect.stringMatching(/must not be blank/)]);
  });

  test('what is not a web address does not empty the website', async () => {
    const page = await ada.submit(`${campaigns}/1/edit`, `${campaigns}/1`, { 'campaign[website]': '-' });
    expect([page.status, page.attribute('#field-website', 'value')]).toEqual([422, '-']);
  });

  test('an unchanged grouped amount changes nothing', async () => {
    const saved = await ada.submit(`${campaigns}/1/edit`, `${campaigns}/1`);
    expect((await ada.follow(saved)).find('.flash')).toBe('Nothing was changed.');
  });
});

test('values of a list may be separated by semicolons', async () => {
  await ada.submit(`${campaigns}/1/edit`, `${campaigns}/1`, { 'campaign[platform_ids]': 'instagram; twitter' });
  expect((await json(`${campaigns}/1`)).platform_ids).toEqual(['instagram', 'twitter']);
});

test.each([
  ['https://www.tiktok.com/@new', 'youtube', 422],
  ['x.com/new', 'instagram', 422],
  ['https://m.youtube.com/@new', 'youtube', 303],
  ['https://linktr.ee/new', 'youtube', 303],
])('the account %s on %s is %d', async (url, platform, status) => {
  const page = await ada.submit('/me/social_accounts/new', '/me/social_accounts', {
    'social_account[account_url]': url,
    'social_account[platform_id]': platform,
  });
  expect(page.status).toBe(status);
  if (status === 422) expect(page.find('#field-account_url-error')).toMatch(/^This URL is an account on .*, not on /);
});

test('the position of an address is under "More", which opens for its errors', async () => {
  const page = await ada.get('/me/address/edit');
  expect(page.all('main details label, main summary')).toEqual(['More', 'Latitude', 'Longitude', 'Google place ID']);
  const rejected = await ada.submit('/me/address/edit', '/me/address', { 'address[latitude]': '91' });
  expect([page.attribute('main details', 'open'), rejected.attribute('main details', 'open')]).toEqual([null, '']);
  const more = (await ada.get('/me/address')).all('.sheet').find((text) => text.startsWith('More'));
  expect(more).toMatch(/^MoreLatitude.*Longitude.*Google place ID/);
});

test('another street loses the position of the old one', async () => {
  await ada.submit('/me/address/edit', '/me/address', { 'address[address_one]': 'Other street 1' });
  expect(await json('/me/address')).toMatchObject({ latitude: null, longitude: null, google_place_id: null });
  const typed = { 'address[city]': 'Brno', 'address[latitude]': '49.2', 'address[longitude]': '16.6' };
  await ada.submit('/me/address/edit', '/me/address', typed);
  expect(await json('/me/address')).toMatchObject({ city: 'Brno', latitude: '49.2', longitude: '16.6' });
});
