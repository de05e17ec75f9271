import { describe, expect, test } from 'vitest';
import { ada, eachWithAda, json, site } from './support/ada.js';
import { campaigns, collabs, fault } from './support/forms.js';
import { png, pngOf } from './support/pictures.js';

eachWithAda();

describe('organizations', () => {
  const withLogo = (fields: Readonly<Record<string, string>>, logo: Uint8Array, name = 'logo.png') => {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.set('organization[logo]', new File([logo as BlobPart], name));
    return form;
  };

  test('a private one is created with a logo, which its page shows from the same origin', async () => {
    const fields = (await ada.get('/organizations/new')).form('/organizations');
    const sent = { ...fields, 'organization[name]': 'Umbrella', 'organization[privacy_setting]': 'private' };
    const page = await ada.post('/organizations', withLogo(sent, png));
    expect(page.location).toBe('/organizations/11');
    const shown = await ada.follow(page);
    expect(shown.attribute('img.picture', 'src')).toMatch(/^\/images\/[\w-]{20,}$/);
    expect((await ada.get(shown.attribute('img.picture', 'src') ?? '')).headers.get('content-type')).toBe('image/png');
  });

  test('all errors are shown at once, also that of a missing logo', async () => {
    const form = (await ada.get('/organizations/new')).form('/organizations');
    const rejected = { ...form, 'organization[name]': '', 'organization[privacy_setting]': 'private' };
    const page = await ada.post('/organizations', withLogo(rejected, new Uint8Array(), ''));
    expect([page.status, fault(page, 'name')[1], fault(page, 'logo')[0]]).toEqual([
      422,
      'true',
      'A private brand needs a logo. Upload one, or choose another privacy setting.',
    ]);
    const withOne = await ada.post('/organizations', withLogo(rejected, png));
    expect([fault(withOne, 'name')[1], fault(withOne, 'logo')[1]]).toEqual(['true', null]);
    // The file is stored with the form.
    expect(withOne.find('#field-logo-hint')).toBe('logo.png is uploaded. Choose a file only to replace it.');
    const named = { ...withOne.form('/organizations'), 'organization[name]': 'Umbrella' };
    const created = await ada.follow(await ada.post('/organizations', withLogo(named, new Uint8Array(), '')));
    expect(created.attribute('img.picture', 'src')).toMatch(/^\/images\//);
    const gone = { ...named, uploaded_file: 'x'.repeat(24) };
    const expired = await ada.post('/organizations', withLogo(gone, new Uint8Array(), ''));
    expect([expired.status, fault(expired, 'logo')[0], expired.form('/organizations').uploaded_file]).toEqual([
      422,
      'The file is no longer stored, so nothing was saved. Choose it again.',
      undefined,
    ]);
  });

  test('stores the files of ten forms of a user, and takes the place of no other user', async () => {
    const ben = await site.signedIn('ben_write');
    const reject = async (visitor = ada) => {
      const form = (await visitor.get('/organizations/new')).form('/organizations');
      return (await visitor.post('/organizations', withLogo({ ...form, 'organization[name]': '' }, png))).form(
        '/organizations',
      );
    };
    const forms = [await reject(ben)];
    for (let count = 0; count < 11; count += 1) forms.push(await reject());
    const stored = await Promise.all(
      forms.map(({ uploaded_file: key }) => site.store.read((reader) => reader.get('kept_images', key ?? ''))),
    );
    expect(stored.map((row) => row !== null)).toEqual([true, false, ...Array(10).fill(true)]);
    const [, gone = {}] = forms;
    const page = await ada.post('/organizations', withLogo(gone, new Uint8Array(), ''));
    expect(fault(page, 'logo')[0]).toBe('The file is no longer stored, so nothing was saved. Choose it again.');
  });

  test('a logo is stored by the page that asked for it, after another user removed the one before', async () => {
    const path = '/organizations/5';
    await ada.post(path, withLogo((await ada.get(`${path}/edit`)).form(path), png));
    const form = { ...(await ada.get(`${path}/edit`)).form(path), 'organization[privacy_setting]': 'private' };
    await site.json('ada_write', `${path}.json`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ organization: { purge_logo: true } }),
    });
    const asked = await ada.post(path, withLogo(form, new Uint8Array(), ''));
    expect(fault(asked, 'logo')[0]).toMatch(/^A private brand needs a logo/);
    expect((await ada.post(path, withLogo(asked.form(path), png))).status).toBe(303);
    expect(await json(path)).toMatchObject({ privacy_setting: 'private', logo_url: expect.any(String) });

    const changed = { ...(await ada.get(`${path}/edit`)).form(path), 'organization[privacy_setting]': 'public' };
    const body = JSON.stringify({ organization: { purge_logo: true, privacy_setting: 'public' } });
    await site.json('ada_write', `${path}.json`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(fault(await ada.post(path, withLogo(changed, png)), 'logo')[0]).toBe(
      'The image was removed after you opened this form, so nothing was saved. Save again to store yours.',
    );
  });

  test('a private one without a logo is rejected with 422 at the logo', async () => {
    const fields = { 'organization[name]': 'Umbrella', 'organization[privacy_setting]': 'private' };
    const page = await ada.submit('/organizations/new', '/organizations', fields);
    expect([page.status, fault(page, 'logo')[1]]).toEqual([422, 'true']);
    expect(page.form('/organizations')).toMatchObject({ 'organization[privacy_setting]': 'private' });
  });

  test('rejects files that are not images or too large', async () => {
    const fields = { ...(await ada.get('/organizations/5/edit')).form('/organizations/5') };
    const text = new TextEncoder().encode('<svg onload=alert(1)>');
    const page = await ada.post('/organizations/5', withLogo(fields, text));
    expect([page.status, fault(page, 'logo')[0]]).toEqual([422, 'Logo must be a whole PNG, JPEG, WebP or GIF image.']);
    const wide = await ada.post('/organizations/5', withLogo(fields, pngOf('\0\0\xea\x60\0\0\xea\x60')));
    expect([wide.status, fault(wide, 'logo')[0]]).toEqual([422, 'Logo must have at most 50 million pixels.']);
    const large = await ada.post('/organizations/5', withLogo(fields, new Uint8Array(11 * 1024 * 1024)));
    expect([large.status, fault(large, 'logo')[0]]).toEqual([422, 'Logo must be at most 5 MiB.']);
  });

  test('can be deleted only by its owner, and not with a subscription', async () => {
    const dan = await site.signedIn('dan_write');
    const rejected = await dan.get('/organizations/6/delete');
    expect([rejected.find('h1'), rejected.find('main > p')]).toEqual([
      `${(await json('/organizations/6', 'dan_write')).name} cannot be deleted`,
      'A brand with an active subscription cannot be deleted. Cancel the subscription first.',
    ]);
    const { name } = await json('/organizations/9', 'dan_write');
    const page = await dan.submit('/organizations/9/delete', '/organizations/9', { confirmation: name });
    expect([page.location, (await dan.follow(page)).find('.flash')]).toEqual(['/organizations', 'Brand deleted.']);
    const ben = await site.signedIn('ben_write');
    expect((await ben.get('/organizations/5/delete')).status).toBe(403);
    expect((await ben.get('/organizations/5')).all('.actions a')).toEqual(['Edit']);
  });
});

test('deleting an organization shows what is deleted and requires its name', async () => {
  const page = await ada.get('/organizations/5/delete');
  expect(page.all('main li').slice(-5)).toEqual([
    'Members: 3',
    'Campaigns: 45 (6 draft, 32 active, 3 paused, 4 finished)',
    'Collabs: 23 (3 draft, 2 submitted for review, 15 published, 3 paused)',
    'Submissions: 1,077',
    'Budget left: 5,076,500 USD, 790,500 GBP, 875,250 EUR, 212,750 JPY, 207,000 AUD, 45,000 SEK, 41,250 CAD',
  ]);
  const form = page.form('/organizations/5');
  for (const confirmation of ['', 'Acme', 'acme cosmetics']) {
    const rejected = await ada.post('/organizations/5', { ...form, confirmation });
    expect([rejected.status, fault(rejected, 'confirmation')]).toEqual([
      422,
      ['The name does not match, so nothing was deleted.', 'true'],
    ]);
  }
  expect((await json('/organizations/5')).name).toBe('Acme Cosmetics');
  const deleted = await ada.post('/organizations/5', { ...form, confirmation: ' Acme  Cosmetics ' });
  expect([deleted.status, (await site.json('ada_write', '/organizations/5.json')).status]).toEqual([303, 404]);
});

describe('members', () => {
  const members = '/organizations/5/members';

  const roles = async () => (await json(members)).map(({ role }: { role: string }) => role);

  test('the role changes after a confirmation page, and back', async () => {
    const link = (await ada.get(members)).attribute('a[aria-label="Make admin: Cleo Martin"]', 'href') ?? '';
    expect(link.split('&shown=')[0]).toBe(`${members}/mem_5_cleo/edit?role=admin`);
    const question = await ada.get(link);
    expect([question.find('h1'), question.find('main > p')]).toEqual([
      'Make Cleo Martin an admin?',
      expect.stringContaining('will see drafts, may change, publish and delete'),
    ]);
    const page = await ada.post(`${members}/mem_5_cleo`, question.form(`${members}/mem_5_cleo`));
    const after = await ada.follow(page);
    expect([page.location, after.find('.flash p')]).toEqual([members, 'Cleo Martin is an admin now.']);
    expect(await roles()).toEqual(['admin', 'admin', 'admin']);
    const back = await ada.follow(await ada.post(`${members}/mem_5_cleo`, after.form(`${members}/mem_5_cleo`)));
    expect([back.find('.flash p'), back.find('.flash button')]).toEqual(['Cleo Martin is a member now.', 'Redo']);
    expect(await roles()).toEqual(['admin', 'admin', 'member']);
  });

  test('who gives up the own role is warned, and gets no button to undo it', async () => {
    const ben = await site.signedIn('ben_write');
    const question = await ben.get(`${members}/mem_5_ben/edit`);
    expect([question.find('h1'), question.find('main > p')]).toEqual([
      'Make yourself a member?',
      'You will no longer see drafts or change anything here. Only another admin can undo this.',
    ]);
    const after = await ben.follow(await ben.post(`${members}/mem_5_ben`, question.form(`${members}/mem_5_ben`)));
    expect([after.find('.flash'), after.find('.flash button')]).toEqual(['Ben Ito is a member now.', null]);
    expect((await ben.get(`${members}/mem_5_cleo/edit`)).status).toBe(403);
  });

  test('the owner’s row has no buttons; a rejected change has a link back', async () => {
    expect((await ada.get(members)).all('tbody tr:first-child .actions a, tbody tr:first-child button')).toEqual([]);
    const ben = await site.signedIn('ben_write');
    const page = await ben.get('/organizations/10/members/mem_10_ben/edit');
    expect([page.find('h1'), page.attribute('main .actions a', 'href')]).toEqual([
      'The role of Ben Ito cannot be changed',
      '/organizations/10/members',
    ]);
    expect(page.find('main')).toContain('The only admin of a brand cannot be demoted.');
    // Neither the only member nor the owner is offered to leave.
    expect((await ben.get('/organizations/10/members')).all('main tbody .actions a')).toEqual([]);
    const leave = await ben.get('/organizations/10/members/mem_10_ben/delete');
    expect([leave.find('h1'), leave.find('main')]).toEqual([
      'You cannot leave Solo Records',
      expect.stringContaining('The operator of this server can delete it.'),
    ]);
    expect((await ada.get(`${members}/mem_5_ada/delete`)).find('h1')).toBe('You cannot leave Acme Cosmetics');
  });

  test('a member is removed after a confirmation page', async () => {
    const question = await ada.get(`${members}/mem_5_ben/delete`);
    expect(question.find('h1')).toBe('Remove Ben Ito?');
    const page = await ada.post(`${members}/mem_5_ben`, question.form(`${members}/mem_5_ben`));
    expect([page.location, (await ada.follow(page)).find('.flash')]).toEqual([members, 'Ben Ito was removed.']);
  });

  test('leaving redirects to the organizations', async () => {
    const cleo = await site.signedIn('cleo_write');
    expect((await cleo.get(members)).all('tbody .actions').filter(Boolean)).toEqual(['Leave']);
    expect((await cleo.get(members)).attribute('tbody .actions a', 'aria-label')).toBeNull();
    const question = await cleo.get(`${members}/mem_5_cleo/delete`);
    expect(question.find('h1')).toBe('Leave Acme Cosmetics?');
    const page = await cleo.post(`${members}/mem_5_cleo`, question.form(`${members}/mem_5_cleo`));
    expect(page.location).toBe('/organizations');
    const home = await cleo.follow(page);
    expect([home.find('.flash'), home.all('tbody th')]).toEqual(['You have left the brand.', ['Orphan Labs']]);
  });
});

describe('the user’s own resources', () => {
  test('an account can be connected and disconnected', async () => {
    const fields = {
      'social_account[platform_id]': 'tiktok',
      'social_account[account_url]': '@ada',
    };
    const page = await ada.submit('/me/social_accounts/new', '/me/social_accounts', fields);
    expect(page.location).toBe('/me/social_accounts/5');
    expect((await ada.follow(page)).find('h1')).toBe('ada on TikTok');
    const again = await ada.submit('/me/social_accounts/new', '/me/social_accounts', fields);
    expect([again.status, fault(again, 'account_url')[1]]).toEqual([422, 'true']);
    await ada.submit('/me/social_accounts/5/delete', '/me/social_accounts/5');
    expect((await ada.get('/me/social_accounts/5')).status).toBe(404);
  });

  test('an account is connected by the name of its platform that people write, and pages call it by its own', async () => {
    const fields = { 'social_account[platform_id]': 'X', 'social_account[account_url]': '@acme' };
    const created = await ada.submit('/me/social_accounts/new', '/me/social_accounts', fields);
    const page = await ada.follow(created);
    expect([page.find('h1'), page.find('.flash')]).toEqual([
      'acme on Twitter',
      'Social account created. "X" was taken for Twitter.',
    ]);
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
    const page = await eve.submit('/me/address/edit', '/me/address', {
      ...sent,
      'address[latitude]': '49.195100000000004',
    });
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

  test('a token is revoked after a confirmation page; tokens of other users are not found', async () => {
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
    expect(page.all('.crumbs a')).toEqual(['Brands', 'Acme Cosmetics']);
  }
  expect((await cleo.get(`${campaigns}/1/edit`)).status).toBe(404);
  expect((await cleo.get('/organizations/6/campaigns/new')).status).toBe(404);
});
