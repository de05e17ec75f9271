import { beforeEach, describe, expect, test } from 'vitest';
import { png } from './support/pictures.js';
import { demoSite, type Page, type Site, type Visitor } from './support/visitor.js';

let site: Site;
let ada: Visitor;
beforeEach(async () => {
  site = await demoSite();
  ada = await site.signedIn('ada_write');
});

const json = async (path: string, who = 'ada_write') => (await site.json(who, `${path}.json`)).json();
const campaigns = '/organizations/5/campaigns';
const collabs = '/organizations/5/collabs';

/** What stands at a field: its messages, and whether it is marked. */
const fault = (page: Page, name: string) => [
  page.find(`#field-${name}-error`),
  page.attribute(`#field-${name}`, 'aria-invalid'),
];

describe('campaigns', () => {
  test('created from a name alone: the rest are the API’s defaults', async () => {
    const page = await ada.submit(`${campaigns}/new`, campaigns, { 'campaign[name]': 'Autumn <b>leaves</b>' });
    expect([page.status, page.location]).toEqual([303, `${campaigns}/48`]);
    const shown = await ada.follow(page);
    expect([shown.find('h1'), shown.find('.head .badge'), shown.find('.flash')]).toEqual([
      'Autumn <b>leaves</b>',
      'draft',
      'Campaign created.',
    ]);
    expect(await json(`${campaigns}/48`)).toMatchObject({
      name: 'Autumn <b>leaves</b>',
      website: 'https://acme.example',
      cpm_amount: 500,
      platform_ids: ['youtube', 'tiktok'],
      countries: ['US'],
    });
    expect((await ada.get(`${campaigns}/48`)).find('.flash')).toBeNull();
  });

  test('created with every field', async () => {
    const fields = {
      name: 'Everything',
      website: 'https://example.com/shop?a=1&b=2',
      content_type: 'review',
      category: 'beauty',
      currency: 'eur',
      cpm_amount: '9007199254740991',
      min_payout_amount: '0',
      max_payout_amount: '12',
      base_reward_amount: '3',
      platform_ids: 'tiktok instagram',
      countries: 'DE, AT,CH',
      tiktok_music_id: '7',
      brief: '<p>Be <b>kind</b></p><script>alert(1)</script>',
    };
    const sent = Object.fromEntries(Object.entries(fields).map(([name, value]) => [`campaign[${name}]`, value]));
    const page = await ada.submit(`${campaigns}/new`, campaigns, sent);
    expect(page.location).toBe(`${campaigns}/48`);
    expect(await json(`${campaigns}/48`)).toMatchObject({
      ...fields,
      cpm_amount: 9007199254740991,
      min_payout_amount: 0,
      max_payout_amount: 12,
      base_reward_amount: 3,
      platform_ids: ['tiktok', 'instagram'],
      countries: ['DE', 'AT', 'CH'],
      brief: '<p>Be <b>kind</b></p>',
    });
  });

  test('refused: 422, each message at its field, what was written stays, nothing is created', async () => {
    const page = await ada.submit(`${campaigns}/new`, campaigns, {
      'campaign[name]': ' ',
      'campaign[cpm_amount]': '1.5',
      'campaign[countries]': 'US XX',
      'campaign[currency]': 'EUR',
      'campaign[category]': 'sun',
    });
    expect([page.status, page.find('[role=alert]')]).toEqual([422, 'Not saved. See the fields below.']);
    expect(fault(page, 'name')).toEqual(['Name must not be blank.', 'true']);
    expect(fault(page, 'cpm_amount')).toEqual(['Cpm amount must be an integer.', 'true']);
    expect(fault(page, 'currency')[0]).toContain('lowercase ISO 4217');
    expect(fault(page, 'category')).toEqual([null, null]);
    expect(page.form(campaigns)).toMatchObject({
      'campaign[cpm_amount]': '1.5',
      'campaign[countries]': 'US XX',
      'campaign[category]': 'sun',
    });
    expect((await site.json('ada_write', `${campaigns}.json`)).headers.get('total-count')).toBe('45');

    const mended = await ada.post(campaigns, {
      ...page.form(campaigns),
      'campaign[name]': 'Mended',
      'campaign[cpm_amount]': '15',
      'campaign[countries]': 'US',
      'campaign[currency]': 'eur',
    });
    expect(mended.location).toBe(`${campaigns}/48`);
  });

  test('a blank name comes to the contract, which asks for it', async () => {
    const page = await ada.submit(`${campaigns}/new`, campaigns, { 'campaign[name]': '' });
    expect([page.status, fault(page, 'name')[1]]).toEqual([422, 'true']);
  });

  test('changed: the form holds what there is, and saving it unchanged changes nothing', async () => {
    const before = await json(`${campaigns}/4`);
    const page = await ada.submit(`${campaigns}/4/edit`, `${campaigns}/4`);
    expect([page.status, page.location]).toEqual([303, `${campaigns}/4`]);
    expect((await ada.follow(page)).find('.flash')).toBe('Saved.');
    expect(await json(`${campaigns}/4`)).toEqual(before);

    await ada.submit(`${campaigns}/4/edit`, `${campaigns}/4`, {
      'campaign[name]': 'Renamed',
      'campaign[website]': '',
      'campaign[countries]': '',
    });
    expect(await json(`${campaigns}/4`)).toMatchObject({ name: 'Renamed', website: null, countries: [] });
  });

  test('changed where publication forbids it (D35): 422 at the field, with the way back', async () => {
    const page = await ada.submit(`${campaigns}/4/edit`, `${campaigns}/4`, { 'campaign[cpm_amount]': '1' });
    expect([page.status, fault(page, 'cpm_amount')[0]]).toEqual([
      422,
      'Cpm amount cannot be changed after publication. Leave it out of the request.',
    ]);
    expect(page.find('h1')).toBe('Edit Lip tint shade finder');
    expect(page.attribute('form .actions a', 'href')).toBe(`${campaigns}/4`);
  });

  test('deleted after a confirmation page', async () => {
    const question = await ada.get(`${campaigns}/1/delete`);
    expect(question.find('h1')).toBe('Delete Summer UGC Campaign?');
    expect((await json(`${campaigns}/1`)).id).toBe(1);
    const page = await ada.post(`${campaigns}/1`, question.form(`${campaigns}/1`));
    expect([page.status, page.location]).toEqual([303, campaigns]);
    expect((await ada.follow(page)).find('.flash')).toBe('Campaign deleted.');
    expect((await site.json('ada_write', `${campaigns}/1.json`)).status).toBe(404);
  });

  test('not deleted once it is no draft (D36): the confirmation page says why', async () => {
    const page = await ada.submit(`${campaigns}/3/delete`, `${campaigns}/3`);
    expect([page.status, page.find('[role=alert]')]).toEqual([
      422,
      'A campaign that is active cannot be deleted: only drafts can. Pause it instead.',
    ]);
  });
});

describe('web actions (D37, D38, D39)', () => {
  const act = async (path: string, action: string) => ada.follow(await ada.submit(path, `${path}/${action}`));

  test('a campaign’s whole life by buttons; each state offers its own', async () => {
    const path = `${campaigns}/1`;
    const steps = [];
    for (const action of ['publish', 'pause', 'resume']) {
      const page = await act(path, action);
      steps.push([page.find('.head .badge'), page.find('.flash'), page.find('.head button')]);
    }
    expect(steps).toEqual([
      ['active', 'Campaign published.', 'Pause'],
      ['paused', 'Campaign paused.', 'Resume'],
      ['active', 'Campaign resumed.', 'Pause'],
    ]);
  });

  test('a collab is submitted, paused and unpaused', async () => {
    expect((await act(`${collabs}/1`, 'submit')).find('.head .badge')).toBe('submitted for review');
    expect((await act(`${collabs}/3`, 'pause')).find('.flash')).toBe('Collab paused.');
    expect((await act(`${collabs}/3`, 'unpause')).find('.head .badge')).toBe('published');
  });

  test('one that the state refuses redirects too, and says why once', async () => {
    const form = (await ada.get(`${campaigns}/1`)).form(`${campaigns}/1/publish`);
    await site.json('ada_write', `${campaigns}/1/publish`, { method: 'POST' });
    const page = await ada.post(`${campaigns}/1/publish`, form);
    expect([page.status, page.location]).toEqual([303, `${campaigns}/1`]);
    const shown = await ada.follow(page);
    expect(shown.find('[role=alert]')).toBe('Campaign 1 is active: it can be published only when it is draft.');
    expect((await ada.get(`${campaigns}/1`)).find('[role=alert]')).toBeNull();
  });

  test('a flash that is not ours is not said', async () => {
    const forged = btoa(JSON.stringify({ tone: 'good', text: 'Send us money' }));
    for (const value of [`${forged}.${'x'.repeat(43)}`, forged, '.', 'x.y']) {
      ada.cookies.set('mkt_flash_4010', value);
      expect((await ada.get('/organizations')).find('.flash')).toBeNull();
    }
  });
});

describe('collabs', () => {
  test('created from nothing (Collabs rule 2), and with its boxes ticked', async () => {
    const page = await ada.submit(`${collabs}/new`, collabs);
    expect(page.location).toBe(`${collabs}/25`);
    expect(await json(`${collabs}/25`)).toMatchObject({ name: 'Untitled collab', countries: ['US', 'CA'] });

    await ada.submit(`${collabs}/25/edit`, `${collabs}/25`, { 'collab[require_spark_ads]': 'true' });
    expect(await json(`${collabs}/25`)).toMatchObject({ require_spark_ads: true, requires_product_shipment: false });
    expect((await ada.get(`${collabs}/25/edit`)).form(`${collabs}/25`)).toMatchObject({
      'collab[require_spark_ads]': 'true',
    });
    await ada.submit(`${collabs}/25/edit`, `${collabs}/25`, { 'collab[require_spark_ads]': 'false' });
    expect(await json(`${collabs}/25`)).toMatchObject({ require_spark_ads: false });
  });

  test('started from a product page (D42): the address goes along, what is written stays', async () => {
    const prefill = {
      website: 'https://shop.example/serum',
      name: 'Serum',
      brief: null,
      countries: ['FR'],
      image: null,
    };
    const reading = await demoSite({}, { readPage: async (website) => ({ ...prefill, website }) });
    const visitor = await reading.signedIn('ada_write');
    const path = `${collabs}/new?website=https%3A%2F%2Fshop.example%2Fserum`;
    const action = `${collabs}?website=https%3A%2F%2Fshop.example%2Fserum`;
    expect((await visitor.get(`${collabs}/new?website=https://a.example/b`)).attribute('form .actions a', 'href')).toBe(
      collabs,
    );
    const page = await visitor.submit(path, action, { 'collab[currency]': 'eur' });
    const response = await reading.json('ada_write', `${page.location}.json`);
    expect(await response.json()).toMatchObject({ name: 'Serum', countries: ['FR'], currency: 'eur' });
  });

  test('from a page that cannot be read: 422, and the form again', async () => {
    const path = `${collabs}/new?website=https%3A%2F%2Fshop.example`;
    const page = await ada.submit(path, `${collabs}?website=https%3A%2F%2Fshop.example`);
    expect([page.status, page.find('[role=alert]')]).toEqual([
      422,
      'Website cannot be read here: this server reads no pages.',
    ]);
  });

  test('the banner is removed by a box', async () => {
    await ada.submit(`${collabs}/3/edit`, `${collabs}/3`, { 'collab[purge_banner_image]': '1' });
    expect(await json(`${collabs}/3`)).toMatchObject({ banner_image_url: null });
    expect((await ada.get(`${collabs}/3/edit`)).find('#field-purge_banner_image')).toBeNull();
  });
});

describe('organizations', () => {
  const withLogo = (fields: Readonly<Record<string, string>>, logo: Uint8Array, name = 'logo.png') => {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.set('organization[logo]', new File([logo as BlobPart], name));
    return form;
  };

  test('a private one with its logo, which the page shows from our own origin', async () => {
    const fields = (await ada.get('/organizations/new')).form('/organizations');
    const sent = { ...fields, 'organization[name]': 'Umbrella', 'organization[privacy_setting]': 'private' };
    const page = await ada.post('/organizations', withLogo(sent, png));
    expect(page.location).toBe('/organizations/11');
    const shown = await ada.follow(page);
    expect(shown.attribute('img.picture', 'src')).toMatch(/^\/images\/[\w-]{20,}$/);
    expect((await ada.get(shown.attribute('img.picture', 'src') ?? '')).headers.get('content-type')).toBe('image/png');
  });

  test('without a logo it cannot be private: 422 at the logo', async () => {
    const fields = { 'organization[name]': 'Umbrella', 'organization[privacy_setting]': 'private' };
    const page = await ada.submit('/organizations/new', '/organizations', fields);
    expect([page.status, fault(page, 'logo')[1]]).toEqual([422, 'true']);
    expect(page.form('/organizations')).toMatchObject({ 'organization[privacy_setting]': 'private' });
  });

  test('a file that is no picture, and one that is too large', async () => {
    const fields = { ...(await ada.get('/organizations/5/edit')).form('/organizations/5') };
    const text = new TextEncoder().encode('<svg onload=alert(1)>');
    const page = await ada.post('/organizations/5', withLogo(fields, text));
    expect([page.status, fault(page, 'logo')[0]]).toEqual([422, 'Logo must be a PNG, JPEG, WebP or GIF picture.']);
    const large = await ada.post('/organizations/5', withLogo(fields, new Uint8Array(11 * 1024 * 1024)));
    expect([large.status, large.find('h1')]).toEqual([413, 'Too large']);
  });

  test('deleted by its owner alone; one with a subscription stays', async () => {
    const dan = await site.signedIn('dan_write');
    const refused = await dan.submit('/organizations/6/delete', '/organizations/6');
    expect([refused.status, refused.find('[role=alert]')]).toEqual([
      422,
      'An organization with an active subscription cannot be deleted. Cancel the subscription first.',
    ]);
    const page = await dan.submit('/organizations/9/delete', '/organizations/9');
    expect([page.location, (await dan.follow(page)).find('.flash')]).toEqual([
      '/organizations',
      'Organization deleted.',
    ]);
    const ben = await site.signedIn('ben_write');
    expect((await ben.get('/organizations/5/delete')).status).toBe(403);
    expect((await ben.get('/organizations/5')).all('.actions a')).toEqual(['Edit']);
  });
});

describe('members', () => {
  const members = '/organizations/5/members';

  test('a role is changed by a button', async () => {
    const page = await ada.submit(members, `${members}/mem_5_cleo`);
    expect([page.location, (await ada.follow(page)).find('.flash')]).toEqual([members, 'Saved.']);
    expect((await json(members)).map(({ role }: { role: string }) => role)).toEqual(['admin', 'admin', 'admin']);
  });

  test('the owner’s row has no buttons; a guard’s refusal is a page with a way back', async () => {
    expect((await ada.get(members)).all('tbody tr:first-child .actions a, tbody tr:first-child button')).toEqual([]);
    const ben = await site.signedIn('ben_write');
    const page = await ben.submit('/organizations/10/members', '/organizations/10/members/mem_10_ben');
    expect([page.status, page.attribute('main .actions a', 'href')]).toEqual([422, '/organizations/10/members']);
    expect(page.find('main')).toContain('The only admin of an organization cannot be demoted.');
  });

  test('somebody is removed after a confirmation page', async () => {
    const question = await ada.get(`${members}/mem_5_ben/delete`);
    expect(question.find('h1')).toBe('Remove Ben Ito?');
    const page = await ada.post(`${members}/mem_5_ben`, question.form(`${members}/mem_5_ben`));
    expect([page.location, (await ada.follow(page)).find('.flash')]).toEqual([members, 'Member removed.']);
  });

  test('leaving leads out of the organization', async () => {
    const cleo = await site.signedIn('cleo_write');
    expect((await cleo.get(members)).all('tbody .actions').filter(Boolean)).toEqual(['Leave']);
    const question = await cleo.get(`${members}/mem_5_cleo/delete`);
    expect(question.find('h1')).toBe('Leave Acme Cosmetics?');
    const page = await cleo.post(`${members}/mem_5_cleo`, question.form(`${members}/mem_5_cleo`));
    expect(page.location).toBe('/organizations');
    expect((await cleo.follow(page)).all('tbody th')).toEqual(['Orphan Labs']);
  });
});

describe('the user’s own things', () => {
  test('an account is connected, and disconnected', async () => {
    const fields = {
      'social_account[platform_id]': 'tiktok',
      'social_account[account_url]': 'https://tiktok.com/@ada',
    };
    const page = await ada.submit('/me/social_accounts/new', '/me/social_accounts', fields);
    expect(page.location).toBe('/me/social_accounts/5');
    expect((await ada.follow(page)).find('h1')).toBe('ada on tiktok');
    const again = await ada.submit('/me/social_accounts/new', '/me/social_accounts', fields);
    expect([again.status, fault(again, 'account_url')[1]]).toEqual([422, 'true']);
    await ada.submit('/me/social_accounts/5/delete', '/me/social_accounts/5');
    expect((await ada.get('/me/social_accounts/5')).status).toBe(404);
  });

  test('an address is set, changed and deleted; without one the page offers to set it, with status 404', async () => {
    const eve = await site.signedIn('eve_write');
    const none = await eve.get('/me/address');
    expect([none.status, none.attribute('.head a', 'href')]).toEqual([404, '/me/address/edit']);
    expect((await eve.get('/me/address/edit')).find('h1')).toBe('Set your address');

    const partial = await eve.submit('/me/address/edit', '/me/address', { 'address[city]': 'Brno' });
    expect([partial.status, fault(partial, 'postal_code')[1]]).toEqual([422, 'true']);
    expect(partial.form('/me/address')).toMatchObject({ 'address[city]': 'Brno' });

    const whole = { address_one: 'Nová 1', city: 'Brno', state: 'JM', postal_code: '602 00', country_code: 'CZ' };
    const sent = Object.fromEntries(Object.entries(whole).map(([name, value]) => [`address[${name}]`, value]));
    const page = await eve.submit('/me/address/edit', '/me/address', { ...sent, 'address[latitude]': '49.1951' });
    expect([page.location, (await eve.follow(page)).find('.flash')]).toEqual(['/me/address', 'Saved.']);
    expect(await json('/me/address', 'eve_write')).toMatchObject({ ...whole, latitude: '49.1951', longitude: null });

    expect((await eve.get('/me/address/edit')).find('h1')).toBe('Edit your address');
    await eve.submit('/me/address/delete', '/me/address');
    expect((await eve.get('/me/address')).status).toBe(404);
  });

  test('a token’s secret is shown once, and works', async () => {
    const fields = { 'access_token[description]': 'CI', 'access_token[permission]': 'read' };
    const page = await ada.submit('/me/access_tokens/new', '/me/access_tokens', fields);
    expect([page.status, page.location]).toEqual([303, '/me/access_tokens']);
    const shown = await ada.follow(page);
    const secret = shown.find('.secret') ?? '';
    expect(secret).toMatch(/^mkt_[\w-]{43}$/);
    expect((await site.json(secret, '/organizations.json')).status).toBe(200);
    expect((await ada.get('/me/access_tokens')).text).not.toContain(secret);
    expect([...ada.cookies.values()].join()).not.toContain(secret);
  });

  test('a token is revoked after a confirmation page; somebody else’s is not there', async () => {
    await ada.submit('/me/access_tokens/2/delete', '/me/access_tokens/2');
    expect((await site.json('ada_read', '/organizations.json')).status).toBe(401);
    expect((await ada.get('/me/access_tokens/3/delete')).status).toBe(404);
    expect((await ada.get('/me/access_tokens/2/delete')).status).toBe(404);
  });
});

test('a member is not shown the forms of admins', async () => {
  const cleo = await site.signedIn('cleo_write');
  for (const path of [
    `${campaigns}/new`,
    `${campaigns}/3/edit`,
    `${campaigns}/3/delete`,
    `${collabs}/new`,
    '/organizations/5/edit',
  ]) {
    const page = await cleo.get(path);
    expect([path, page.status, page.find('h1')]).toEqual([path, 403, 'Not permitted']);
  }
  expect((await cleo.get(`${campaigns}/1/edit`)).status).toBe(404);
  expect((await cleo.get('/organizations/6/campaigns/new')).status).toBe(404);
});
