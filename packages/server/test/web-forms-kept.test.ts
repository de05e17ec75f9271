import { describe, expect, test } from 'vitest';
import { BodyBudget } from '../src/http/body-budget.js';
import { demoTokens } from '../src/index.js';
import { StoreUnavailable } from '../src/store/store.js';
import { ada, eachWithAda, json, site } from './support/ada.js';
import { campaigns, fault } from './support/forms.js';
import { demoSite, type Page } from './support/visitor.js';

eachWithAda();

const typed = { 'campaign[name]': 'Typed for an hour', 'campaign[brief]': 'One\n\nTwo' };
const one = `${campaigns}/1`;
const newForm = async () => ({ ...(await ada.get(`${campaigns}/new`)).form(campaigns), ...typed });
const editForm = async () => ({ ...(await ada.get(`${one}/edit`)).form(one), ...typed });
const formWith = (fields: Readonly<Record<string, string>>, logo: Uint8Array) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('organization[logo]', new File([logo as BlobPart], 'logo.png'));
  return form;
};
const fail = (error: Error) => {
  const { read, transact } = site.store;
  Object.assign(site.store, {
    read: async () => Promise.reject(error),
    transact: async () => Promise.reject(error),
  });
  return () => Object.assign(site.store, { read, transact });
};

describe('what was typed comes back', () => {
  test.each([12, 40])('with a file of %i MiB, and the reason at its field', async (size) => {
    const form = (await ada.get('/organizations/new')).form('/organizations');
    const fields = { ...form, 'organization[name]': 'Typed', 'organization[website]': 'acme.example' };
    const page = await ada.post('/organizations', formWith(fields, new Uint8Array(size * 1024 * 1024)));
    expect([page.status, fault(page, 'logo')[0]]).toEqual([422, 'Logo must be at most 5 MiB.']);
    expect(page.form('/organizations')).toMatchObject({
      'organization[name]': 'Typed',
      'organization[website]': 'acme.example',
    });
  });

  test.each([
    ['a new item', newForm, campaigns],
    ['an edit', editForm, one],
  ])('after a failure of the server, with %s, and is saved then', async (_, open, path) => {
    const form = await open();
    const repaired = fail(new StoreUnavailable('It is gone.'));
    const page = await ada.post(path, form);
    repaired();
    expect([page.status, page.find('[role=alert] p')]).toEqual([
      503,
      'The data store is temporarily unavailable. Try again in a few seconds.',
    ]);
    expect(page.form(path)).toMatchObject(typed);
    const saved = await ada.post(path, page.form(path));
    expect(await json(saved.location ?? '')).toMatchObject({
      name: 'Typed for an hour',
      brief: '<p>One</p>\n<p>Two</p>',
    });
  });

  test('after a failure that the store survives, with the rest of the page', async () => {
    const form = await editForm();
    const { transact } = site.store;
    Object.assign(site.store, { transact: async () => Promise.reject(new StoreUnavailable('It is gone.')) });
    const page = await ada.post(one, form);
    Object.assign(site.store, { transact });
    expect([page.status, page.find('h1')]).toEqual([503, 'Edit Summer UGC Campaign']);
    expect(page.form(one)).toMatchObject(typed);
  });

  test.each([
    [503, 'The server is receiving too much at once. Try again in a few seconds.', 'without a file', 0],
    [429, 'You send too much at once. Try again when some of your requests have ended.', 'with a file', 1.5],
  ])('when too much arrives at once: %i, %s, %s', async (status, reason, _, size) => {
    const bodyBudget = new BodyBudget(3 * 1024 * 1024);
    const own = await (await demoSite({}, { bodyBudget })).signedIn('ada_write');
    const form = { ...(await own.get('/organizations/new')).form('/organizations'), 'organization[name]': 'Typed' };
    const leases = Array.from({ length: size ? 0 : 80 }, (_, place) =>
      bodyBudget.lease({ userId: `other ${place % 8}` }),
    );
    for (const lease of leases) lease.grow(48 * 1024);
    const page = await own.post('/organizations', size ? formWith(form, new Uint8Array(size * 1024 * 1024)) : form);
    expect([page.status, page.find('[role=alert] p')]).toEqual([status, reason]);
    expect(page.form('/organizations')).toMatchObject({ 'organization[name]': 'Typed' });
    for (const lease of leases) lease.end();
    expect((await own.post('/organizations', page.form('/organizations'))).status).toBe(303);
  });

  test('when a form is too large and a program has asked for its operation', async () => {
    const site = await demoSite(
      {},
      {
        beforeRequest: () => async (request) => {
          await request.operation();
          return request.respond();
        },
      },
    );
    const own = await site.signedIn('ada_write');
    const brief = 'a'.repeat(1_200_000);
    const page = await own.post(one, { ...(await own.get(`${one}/edit`)).form(one), 'campaign[brief]': brief });
    expect([page.status, page.find('.problem p')]).toEqual([413, 'The form is larger than 1 MiB. Send less.']);
  });

  test('after signing in again in another tab', async () => {
    const form = await newForm();
    await ada.signIn('ada_write');
    const page = await ada.post(campaigns, form);
    expect([page.status, page.find('[role=alert] p')]).toEqual([
      403,
      'This form has expired, so nothing was saved. Check it, and send it again.',
    ]);
    expect((await ada.post(campaigns, page.form(campaigns))).status).toBe(303);
  });

  test('when the campaign was published meanwhile, also the amount that is fixed now', async () => {
    const form = await editForm();
    await site.json('ada_write', `${one}/publish`, { method: 'POST' });
    const page = await ada.post(one, { ...form, 'campaign[cpm_amount]': '777' });
    expect([page.status, fault(page, 'cpm_amount')[0], page.all('.versions dd').at(-1)]).toEqual([
      422,
      'The campaign was published meanwhile, so this can no longer be changed.',
      '777',
    ]);
    expect(page.form(one)).toMatchObject(typed);
    const saved = await ada.post(one, page.form(one));
    expect(await json(saved.location ?? '')).toMatchObject({ name: 'Typed for an hour', cpm_amount: 350 });
  });

  const signInAs = async (page: Page, token: string, form = `${campaigns}/new`) => {
    const signedIn = await ada.post('/sign_in', { ...page.form('/sign_in', 'type="password"'), token });
    return ada.post(form, signedIn.form(form));
  };

  test.each([
    ['dan_write', 404, 'Not found', 'a new item'],
    ['cleo_write', 403, 'Not permitted', 'a new item'],
    ['ada_read', 401, 'Read-only token', 'a new item'],
    ['dan_write', 404, 'Not found', 'an edit'],
    ['cleo_write', 404, 'Not found', 'an edit'],
    ['ada_read', 401, 'Read-only token', 'an edit'],
  ] as const)('to copy, with the reason, after signing in as %s: %i, %s, with %s', async (who, status, title, kind) => {
    const isNew = kind === 'a new item';
    const form = await (isNew ? newForm : editForm)();
    await site.json('ada_write', '/me/access_tokens/1.json', { method: 'DELETE' });
    const expired = await ada.post(isNew ? campaigns : one, form);
    const page = await signInAs(expired, demoTokens[who], isNew ? `${campaigns}/new` : `${one}/edit`);
    expect([page.status, page.find('h1'), page.find('.entered h2')]).toEqual([status, title, 'What you entered']);
    expect(page.all('.entered textarea')).toEqual(expect.arrayContaining(['Typed for an hour', 'One Two']));
    expect(page.all('.entered label')).toContain('Brief');
  });

  test('to copy, with a brief of the editor as Markdown', async () => {
    const form = await editForm();
    await site.json('ada_write', `${one}.json`, { method: 'DELETE' });
    const page = await ada.post(one, { ...form, 'campaign[brief]': '<h2>Do</h2><p>One <b>two</b></p>' });
    expect(page.all('.entered textarea')).toContain('## Do One **two**');
    const table = '<table><tr><td>a</td></tr></table>';
    expect((await ada.post(one, { ...form, 'campaign[brief]': table })).all('.entered textarea')).toContain(table);
  });

  test('in the form before, if it was too large, with what may be the cause', async () => {
    const brief = `<img src="data:image/png;base64,${'A'.repeat(1_200_000)}">`;
    const page = await ada.post(one, { ...(await editForm()), 'campaign[brief]': brief });
    expect([page.status, page.all('.problem p').slice(0, 2)]).toEqual([
      413,
      [
        'The form is larger than 1 MiB. Send less.',
        'Nothing was saved. Go back in your browser: the form has what you typed. Usually an image in the text of a brief is too large.',
      ],
    ]);
  });

  test('and is kept for a token that may save it, after a read-only one', async () => {
    const form = await editForm();
    await site.json('ada_write', '/me/access_tokens/1.json', { method: 'DELETE' });
    const readOnly = await signInAs(await ada.post(one, form), demoTokens.ada_read, `${one}/edit`);
    expect(readOnly.find('.entered .hint')).toContain('or sign in with a token that may save it');
    const again = await ada.post('/sign_in/again', readOnly.form('/sign_in/again'));
    expect([again.status, again.find('[role=alert]')]).toEqual([401, expect.stringContaining('Nothing was saved.')]);
    const page = await signInAs(again, demoTokens.ben_write, `${one}/edit`);
    expect([page.status, page.form(one)]).toEqual([200, expect.objectContaining(typed)]);
    expect(page.find('[role=alert]')).toBe('You are signed in as Ben Ito. Check the form, then save it in this name.');
  });

  test('to copy, with the way to the list, if the campaign no longer exists', async () => {
    const form = await editForm();
    await site.json('ada_write', `${one}.json`, { method: 'DELETE' });
    const page = await ada.post(one, form);
    expect([page.status, page.find('.entered .hint'), page.attribute('.problem a.button', 'href')]).toEqual([
      404,
      'Nothing was saved. Copy what you need.',
      campaigns,
    ]);
  });

  test('but an address only to the user who typed it', async () => {
    const form = { ...(await ada.get('/me/address/edit')).form('/me/address'), 'address[city]': 'Elsewhere' };
    await site.json('ada_write', '/me/access_tokens/1.json', { method: 'DELETE' });
    const expired = await ada.post('/me/address', form);
    const signIn = { ...expired.form('/sign_in', 'type="password"'), token: demoTokens.ben_write };
    const signedIn = await ada.post('/sign_in', signIn);
    const page = await ada.follow(signedIn);
    expect([page.find('.flash'), page.text.includes('Elsewhere')]).toEqual([
      'Another user filled in the form that was kept, so it is not shown. Nothing was saved.',
      false,
    ]);
    const sent = await ada.post('/me/address', form);
    expect([sent.status, sent.find('[role=alert]'), sent.text.includes('Elsewhere')]).toEqual([
      403,
      'You are signed in as Ben Ito now. Another user opened this form, so nothing was done.',
      false,
    ]);
  });

  test.each([
    ['an edit', `${one}/edit`, one],
    ['a deletion', `${one}/delete`, one],
  ])('and names the user of the session, with %s', async (_, opened, action) => {
    const form = (await ada.get(opened)).form(action);
    await ada.signIn('ben_write');
    const page = await ada.post(action, { ...form, 'campaign[name]': 'Typed for an hour' });
    expect([page.status, page.text]).toEqual([
      403,
      expect.stringContaining('You are signed in as Ben Ito now. Another user opened this form, so nothing was done.'),
    ]);
    expect(await json(one, 'ben_write')).not.toMatchObject({ name: 'Typed for an hour' });
  });

  test('after a preview whose session had ended', async () => {
    const form = await newForm();
    await site.json('ada_write', '/me/access_tokens/1.json', { method: 'DELETE' });
    const expired = await ada.post(`${campaigns}/new`, { ...form, preview: '1' });
    const page = await signInAs(expired, demoTokens.ben_write);
    expect([page.status, page.form(campaigns)]).toEqual([200, expect.objectContaining(typed)]);
  });

  test('but not for another site', async () => {
    const form = new URLSearchParams(await newForm());
    const page = await ada.fetch(one, { method: 'POST', body: form, headers: { origin: 'https://evil.example' } });
    expect([page.status, page.text.includes('Typed for an hour')]).toEqual([405, false]);
  });
});

test.each([
  ['resume', `${campaigns}/4`, `${campaigns}/4/resume`],
  ['make member', '/organizations/5/members/mem_5_ben/edit', '/organizations/5/members/mem_5_ben'],
])('after signing in again, "%s" leads to the page where it was, with nothing done', async (_, page, action) => {
  const form = (await ada.get(page)).form(action);
  const item = page.replace(/\/mem_5_ben\/edit$/, '');
  const before = await json(item);
  await site.json('ada_write', '/me/access_tokens/1.json', { method: 'DELETE' });
  const headers = { origin: 'http://127.0.0.1:4010', referer: `http://127.0.0.1:4010${page}` };
  const expired = await ada.fetch(action, { method: 'POST', body: new URLSearchParams(form), headers });
  expect(expired.location).toBe(`/sign_in?undone=1&return_to=${encodeURIComponent(page)}`);
  const signIn = await ada.follow(expired);
  expect(signIn.find('[role=alert]')).toContain('nothing was changed');
  const fields = { ...signIn.form('/sign_in', 'type="password"'), token: demoTokens.ben_write };
  const wrong = await ada.post('/sign_in', { ...fields, token: 'wrong' });
  const back = await ada.post('/sign_in', {
    ...wrong.form('/sign_in', 'type="password"'),
    token: demoTokens.ben_write,
  });
  expect(back.location).toBe(page);
  expect((await ada.follow(back)).find('.flash')).toBe(
    'You are signed in again. If the page does not show the change yet, press the button again.',
  );
  expect(await json(item, 'ben_write')).toEqual(before);
});

test('publishing warns of what is missing', async () => {
  const change = { website: null, countries: [], platform_ids: [], brief: null };
  await site.store.transact((writer) => writer.update('campaigns', 1, { ...change, total_budget_amount: 0 }));
  expect((await ada.get(`${one}/publish/confirm`)).all('.flash-warm li')).toEqual([
    'The budget is 0: nothing can be paid until the service has funded it.',
    'No country is set.',
    'No platform is set.',
    'There is no brief, so creators do not know what to do.',
    'There is no website to promote.',
  ]);
});
