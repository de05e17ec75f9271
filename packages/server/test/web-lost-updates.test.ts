import { describe, expect, test } from 'vitest';
import { demoTokens } from '../src/index.js';
import { ada, eachWithAda, json, site } from './support/ada.js';
import { campaigns, collabs, fault } from './support/forms.js';

eachWithAda();

const path = `${campaigns}/1`;
const open = async () => (await ada.get(`${path}/edit`)).form(path);
const change = (fields: object) =>
  site.json('ada_write', `${path}.json`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ campaign: fields }),
  });

describe('two tabs with the same form (D136)', () => {
  test('the second one is shown again with both values, and saves nothing', async () => {
    const [first, second] = [await open(), await open()];
    await ada.post(path, { ...first, 'campaign[category]': 'beauty' });
    const stale = await ada.post(path, { ...second, 'campaign[name]': 'Renamed' });
    expect([stale.status, stale.find('[role=alert] p')]).toEqual([
      422,
      'This campaign was changed after you opened this form, so nothing was saved. Compare the values, then save again.',
    ]);
    expect(fault(stale, 'category')).toEqual(['Category was changed meanwhile.', 'true']);
    expect(stale.all('.versions dd')).toEqual(['beauty', second['campaign[category]']]);
    expect(await json(path)).toMatchObject({ category: 'beauty', name: second['campaign[name]'] });

    const saved = await ada.post(path, stale.form(path));
    expect([saved.status, saved.location]).toEqual([303, path]);
    expect(await json(path)).toMatchObject({ category: 'beauty', name: 'Renamed' });
  });

  test('keeps the own value of a field that both changed, until it is saved again', async () => {
    const [first, second] = [await open(), await open()];
    await ada.post(path, { ...first, 'campaign[name]': 'First' });
    const stale = await ada.post(path, { ...second, 'campaign[name]': 'Second' });
    expect(stale.all('.versions dt')).toEqual(['Saved now', 'Your value']);
    expect(stale.all('.versions dd')).toEqual(['First', 'Second']);
    expect(stale.form(path)['campaign[name]']).toBe('Second');
    expect((await json(path)).name).toBe('First');
    await ada.post(path, stale.form(path));
    expect((await json(path)).name).toBe('Second');
  });

  test('does not matter if both made the same change, or if no field of the form was changed', async () => {
    const [first, second] = [await open(), await open()];
    await ada.post(path, { ...first, 'campaign[name]': 'Same' });
    expect((await ada.post(path, { ...second, 'campaign[name]': 'Same', 'campaign[cpm_amount]': '7' })).status).toBe(
      303,
    );
    expect(await json(path)).toMatchObject({ name: 'Same', cpm_amount: 7 });

    const third = await open();
    await site.store.transact((writer) => writer.update('campaigns', 1, { view_count: 99 }));
    expect((await ada.post(path, { ...third, 'campaign[name]': 'Viewed' })).status).toBe(303);
    expect((await json(path)).name).toBe('Viewed');
  });

  test('does not matter if both made the same change, and wrote it in different ways', async () => {
    const [first, second] = [await open(), await open()];
    await ada.post(path, { ...first, 'campaign[website]': 'https://new.example', 'campaign[brief]': '**Same** <3' });
    const same = {
      'campaign[website]': 'new.example',
      'campaign[countries]': 'Germany',
      'campaign[brief]': '__Same__ \\<3',
    };
    expect((await ada.post(path, { ...second, ...same })).status).toBe(303);
    expect((await json(path)).countries).toEqual(['DE']);
  });

  test('works for an address, which has no ETag in the API', async () => {
    const openAddress = async () => (await ada.get('/me/address/edit')).form('/me/address');
    const [first, second] = [await openAddress(), await openAddress()];
    await ada.post('/me/address', { ...first, 'address[city]': 'Brno' });
    const stale = await ada.post('/me/address', { ...second, 'address[city]': 'Wien', 'address[state]': 'W' });
    // With another city, the first tab left out the position of the old one.
    expect([stale.status, stale.all('.versions dd')]).toEqual([
      422,
      ['Brno', 'Wien', '–', '37.3183', '–', '-122.0287', '–', 'demo-place-cupertino'],
    ]);
    expect((await json('/me/address')).city).toBe('Brno');
  });
});

test.each([
  ['campaigns', campaigns, 'publish', 'This campaign is active now. Its status was draft'],
  ['collabs', collabs, 'submit', 'This collab is submitted for review now. Its status was draft'],
])(
  '%s: a draft that was opened is not saved once creators see it, until it is saved again',
  async (_, list, act, now) => {
    const wrapper = list === campaigns ? 'campaign' : 'collab';
    const created = await site.json('ada_write', `${list}.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ [wrapper]: { name: 'Draft', countries: ['US'] } }),
    });
    const own = `${list}/${(await created.json()).id}`;
    const open = async () => (await ada.get(`${own}/edit`)).form(own);
    const first = await ada.post(own, { ...(await open()), [`${wrapper}[name]`]: 'Unfinished' });
    const undo = (await ada.get(own)).form(own);
    const form = await open();
    await site.json('ben_write', `${own}/${act}.json`, { method: 'POST' });
    expect(undo.undo).toBe('Undo');
    const kept = await ada.post(own, undo);
    expect([first.status, kept.status, kept.find('[role=alert] p')]).toEqual([
      303,
      422,
      `${now} when you saved it, so nothing was saved. Save again to change it.`,
    ]);
    const again = await ada.post(own, { ...form, [`${wrapper}[name]`]: 'Other' });
    expect(again.find('[role=alert] p')).toContain(`${now} when you opened this form, so nothing was saved.`);
    expect((await json(own)).name).toBe('Unfinished');
    expect((await ada.post(own, again.form(own))).status).toBe(303);
    expect((await json(own)).name).toBe('Other');
  },
);

test('two briefs are both shown as HTML if only one of them can be Markdown', async () => {
  const form = await open();
  await change({ brief: '<p>By <b>Ben</b></p>' });
  const stale = await ada.post(path, { ...form, 'campaign[brief]': '<p>By&nbsp; Ada</p>' });
  expect(stale.all('.versions dd')).toEqual(['<p>By <b>Ben</b></p>', '<p>By&nbsp; Ada</p>']);
});

test('both values of a list have their names', async () => {
  const form = await open();
  await change({ countries: ['DE', 'FR'] });
  const stale = await ada.post(path, { ...form, 'campaign[countries]': 'JP, Spain' });
  expect(stale.all('.versions dd')).toEqual(['Germany, France', 'Japan, Spain']);
});

describe('going back to a form after it was saved', () => {
  const html = (words: string) => `<p>Show <b>the</b> ${words}</p>`;
  const saved = async () => {
    const typed = { 'campaign[brief]': html('serum'), 'campaign[website]': 'new.example' };
    const form: Record<string, string> = { ...(await open()), ...typed };
    expect((await ada.post(path, { ...form, press: '1' })).status).toBe(303);
    return form;
  };

  test('continues from what it has saved', async () => {
    const form = await saved();
    const cream = { ...form, 'campaign[brief]': html('cream'), press: '2', continues: '1' };
    expect((await ada.post(path, cream)).status).toBe(303);
    expect(await json(path)).toMatchObject({ brief: html('cream'), website: 'https://new.example' });
    // And what the form was opened with can be typed again.
    const typed = { ...form, 'campaign[website]': '', press: '3', continues: '2' };
    expect((await ada.post(path, typed)).status).toBe(303);
    expect(await json(path)).toMatchObject({ brief: html('serum'), website: null });
  });

  test.each([
    ['without scripts', '', ''],
    ['from an older entry of the history, or another tab', '0', '2'],
  ])('shows both values of what differs from what it has saved, %s', async (_, continues, press) => {
    const form = await saved();
    const older = { ...form, 'campaign[brief]': html('cream'), 'campaign[category]': 'toys', continues, press };
    const page = await ada.post(path, older);
    expect([page.status, page.all('.versions dd')]).toEqual([422, ['Show **the** serum', 'Show **the** cream']]);
    expect((await ada.post(path, page.form(path))).status).toBe(303);
    expect(await json(path)).toMatchObject({ category: 'toys', brief: html('cream'), website: 'https://new.example' });
  });

  test.each([
    ['a preview', `${path}/edit`, { preview: '1' }, 200],
    ['a rejected form', path, { 'campaign[name]': '' }, 422],
  ])('continues after %s', async (_, to, asked, status) => {
    const form = await saved();
    const typed = { ...form, 'campaign[brief]': html('cream'), press: '2', continues: '1' };
    const page = await ada.post(to, { ...typed, ...asked });
    expect(page.status).toBe(status);
    const again = { ...page.form(path), 'campaign[name]': 'Cream', 'campaign[website]': 'newer.example' };
    expect((await ada.post(path, again)).status).toBe(303);
    const stored = { name: 'Cream', brief: html('cream'), website: 'https://newer.example' };
    expect(await json(path)).toMatchObject(stored);
  });

  test('continues with an address, whose position was left out', async () => {
    const form = { ...(await ada.get('/me/address/edit')).form('/me/address'), 'address[city]': 'Brno' };
    await ada.post('/me/address', form);
    expect((await ada.post('/me/address', { ...form, 'address[state]': 'JM' })).status).toBe(303);
    const saved = await json('/me/address');
    expect([saved.city, saved.state, saved.lat]).toEqual(['Brno', 'JM', undefined]);
  });

  test('still notices what others changed since', async () => {
    const form = await saved();
    await change({ brief: '<p>Ours</p>', category: 'toys' });
    const stale = await ada.post(path, { ...form, 'campaign[name]': 'Renamed', 'campaign[brief]': html('cream') });
    expect([stale.status, stale.all('.versions dd')]).toEqual([
      422,
      ['toys', form['campaign[category]'], 'Ours', 'Show **the** cream'],
    ]);
    expect((await ada.post(path, stale.form(path))).status).toBe(303);
    expect(await json(path)).toMatchObject({ category: 'toys', name: 'Renamed', brief: html('cream') });
  });
});

test('a form changes only the fields that the user changed', async () => {
  const brief = ' line 1\r\nline 2';
  await change({ brief, countries: ['FR', 'DE'] });
  const form = await open();
  const sent = { ...form, 'campaign[brief]': form['campaign[brief]']?.replace(/\r?\n/g, '\r\n') ?? '' };
  await ada.post(path, { ...sent, 'campaign[name]': 'Renamed' });
  expect(await json(path)).toMatchObject({ name: 'Renamed', brief, countries: ['FR', 'DE'] });
});

test('a deletion is confirmed again if the item was changed after its page was opened', async () => {
  const form = (await ada.get(`${path}/delete`)).form(path);
  await change({ name: 'Important now' });
  const page = await ada.post(path, form);
  expect([page.status, page.find('h1'), page.find('[role=alert]')]).toEqual([
    422,
    'Delete Important now?',
    'This campaign was changed after you opened this page, so nothing was done. Check it, and confirm again.',
  ]);
  expect((await ada.post(path, page.form(path))).status).toBe(303);
  expect((await site.json('ada_write', `${path}.json`)).status).toBe(404);
});

describe('publishing', () => {
  test('asks once, and shows the fields that it locks', async () => {
    const page = await ada.get(path);
    const link = page.attribute('.head .actions a', 'href') ?? '';
    expect(link.split('?shown=')[0]).toBe(`${path}/publish/confirm`);
    const question = await ada.get(link);
    expect(question.find('h1')).toBe('Publish Summer UGC Campaign?');
    expect(question.all('dt')).toEqual([
      'CPM amount',
      'Min payout amount',
      'Max payout amount',
      'Base reward amount',
      'Currency',
    ]);
    const { cpm_amount, currency } = await json(path);
    expect(question.find('dd')).toBe(`${cpm_amount} ${currency.toUpperCase()}`);
    expect((await ada.submit(`${path}/publish/confirm`, `${path}/publish`)).location).toBe(path);
    expect((await json(path)).status).toBe('active');
  });

  test('is not offered again, and only to admins', async () => {
    const page = await ada.get(`${campaigns}/3/publish/confirm`);
    expect([page.find('h1'), page.all('main form')]).toEqual(['<b>Bold</b> launch cannot be published', []]);
    const cleo = await site.signedIn('cleo_write');
    expect((await cleo.get(`${campaigns}/3/publish/confirm`)).status).toBe(403);
  });
});

test('the token of the session is marked, and revoking it says that it signs out', async () => {
  expect((await ada.get('/me/access_tokens')).all('tbody th').filter((name) => name.includes('(in use)'))).toHaveLength(
    1,
  );
  const page = await ada.get('/me/access_tokens/1/delete');
  expect(page.find('main > p')).toMatch(/^You are signed in with this token. Revoking it signs you out./);
  expect((await ada.get('/me/access_tokens/2/delete')).find('main > p')).not.toContain('signs you out');
});

describe('a form of an expired session (D138)', () => {
  const expire = () => site.json('ada_write', '/me/access_tokens/1.json', { method: 'DELETE' });
  const signIn = async (page: Awaited<ReturnType<typeof ada.get>>, token: string) =>
    ada.post('/sign_in', { ...page.form('/sign_in', 'type="password"'), token });

  test.each([
    ['an edit', `${path}/edit`, path],
    ['a new item', `${campaigns}/new`, campaigns],
  ])('%s keeps what was entered until the user has signed in again', async (_, page, action) => {
    const form = (await ada.get(page)).form(action);
    await expire();
    const typed = {
      'campaign[name]': 'Typed "for" an hour',
      'campaign[brief]': 'one\r\ntwo',
      'campaign[countries]': 'FR, DE',
    };
    const expired = await ada.post(action, { ...form, ...typed });
    expect([expired.status, expired.find('[role=alert]')]).toEqual([
      401,
      expect.stringContaining('Your session has ended'),
    ]);
    expect((await signIn(expired, 'wrong')).status).toBe(422);
    const back = await signIn(await signIn(expired, 'wrong'), demoTokens.ada_read);
    expect([back.status, back.find('h1')]).toEqual([200, 'You are signed in again']);
    const readOnly = await ada.post(page, back.form(page));
    expect(readOnly.status).toBe(401);
    await ada.post('/sign_out', (await ada.get('/organizations')).form('/sign_out'));
    await ada.get('/sign_in');
    const again = await ada.post(action, { ...form, ...typed });
    const signedIn = await signIn(again, demoTokens.ben_write);
    const shown = await ada.post(page, signedIn.form(page));
    expect([shown.status, shown.form(action)['campaign[name]']]).toEqual([200, 'Typed "for" an hour']);
    expect(shown.find('[role=alert]')).toMatch(/^You are signed in as Ben .* save it in this name\.$/);
    const saved = await ada.post(action, shown.form(action));
    expect(await json(saved.location ?? '', 'ben_write')).toMatchObject({
      name: 'Typed "for" an hour',
      countries: ['FR', 'DE'],
    });
  });

  test('still notices that the item was changed', async () => {
    const form = await open();
    await change({ name: 'Changed meanwhile' });
    await expire();
    const expired = await ada.post(path, { ...form, 'campaign[name]': 'Mine' });
    const signedIn = await signIn(expired, demoTokens.ben_write);
    const shown = await ada.post(`${path}/edit`, signedIn.form(`${path}/edit`));
    const stale = await ada.post(path, shown.form(path));
    expect([stale.status, stale.all('.versions dd')]).toEqual([422, ['Changed meanwhile', 'Mine']]);
  });

  test('is not kept for another site, and never leads away from this server', async () => {
    await expire();
    const sent = { csrf_token: 'x', 'campaign[name]': 'Forged' };
    const page = await site.visitor().fetch(campaigns, {
      method: 'POST',
      body: new URLSearchParams(sent),
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect([page.status, page.location]).toEqual([303, '/sign_in']);
    const visitor = site.visitor();
    const form = (await visitor.get('/sign_in')).form('/sign_in', 'type="password"');
    for (const kept_path of ['https://evil.example/new', '//evil.example/new', '/organizations/5', '']) {
      const signedIn = await visitor.post('/sign_in', {
        ...form,
        token: demoTokens.ben_write,
        kept_path,
        kept_fields: 'a=b',
      });
      expect([kept_path, signedIn.status, signedIn.location]).toEqual([kept_path, 303, '/organizations']);
      await visitor.post('/sign_out', (await visitor.get('/organizations')).form('/sign_out'));
      Object.assign(form, (await visitor.get('/sign_in')).form('/sign_in', 'type="password"'));
    }
  });
});

test('a rejected change keeps the version of the form', async () => {
  const form = await open();
  const rejected = await ada.post(path, { ...form, 'campaign[name]': '', 'campaign[category]': 'beauty' });
  expect(rejected.status).toBe(422);
  await change({ category: 'toys' });
  const stale = await ada.post(path, { ...rejected.form(path), 'campaign[name]': 'Named' });
  expect([stale.status, stale.all('.versions dd')]).toEqual([422, ['toys', 'beauty']]);
});

test('collabs that were changed are not overwritten either', async () => {
  const edit = `${collabs}/3/edit`;
  const openCollab = async () => (await ada.get(edit)).form(`${collabs}/3`);
  const [form, other] = [await openCollab(), await openCollab()];
  await ada.post(`${collabs}/3`, { ...other, 'collab[require_spark_ads]': 'true' });
  const stale = await ada.post(`${collabs}/3`, { ...form, 'collab[name]': 'Mine' });
  expect(stale.status).toBe(422);
  expect(fault(stale, 'require_spark_ads')[0]).toBe('Require spark ads was changed meanwhile.');
});
