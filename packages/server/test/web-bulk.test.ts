import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { demoSeed } from '../src/index.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import type { Writer } from '../src/store/store.js';
import type { Row } from '../src/store/tables.js';
import { ada, eachWithAda, json, site } from './support/ada.js';
import { Run } from './support/command.js';
import { campaigns, collabs } from './support/forms.js';
import { isLong } from './support/long.js';
import { campaignRow } from './support/rows.js';
import { readyLine } from './support/served.js';
import { yieldsOf } from './support/turns.js';
import { type Page, Visitor } from './support/visitor.js';

eachWithAda();

const planFor = (action: string, ...ids: readonly (number | string)[]) =>
  ada.get(`${campaigns}/actions?action=${action}${ids.map((id) => `&id=${id}`).join('')}`);

/** Sends the form of a plan. */
const confirm = (path: string) => ada.submit(path, `${campaigns}/actions`);

const statusOf = async (id: number) => (await json(`${campaigns}/${id}`)).status;

test('the rows of a list can be selected by those who may change them', async () => {
  const page = await ada.get(campaigns);
  expect(page.all('form#selected button')).toEqual(['Publish…', 'Pause…', 'Resume…', 'Delete…']);
  expect(page.attribute('tbody td.select input', 'form')).toBe('selected');
  // The name of the row is that of its checkbox.
  const name = page.attribute('tbody td.select input', 'aria-labelledby');
  expect(page.find(`th#${name}`)).toBe(page.find('tbody th'));
  for (const who of ['ada_read', 'cleo_write'])
    expect((await (await site.signedIn(who)).get(campaigns)).find('.select, form#selected')).toBeNull();
});

test('a page shows the plan, what cannot change and why, then asks', async () => {
  const page = await planFor('pause', 3, 4, 5, 6);
  expect(page.find('h1')).toBe('Pause 2 campaigns?');
  expect(page.all('.plan tbody a')).toHaveLength(2);
  expect(page.find('.sheet')).toBe(
    '2 campaigns cannot be pausedThis campaign is paused: it can be paused only when it is active.Lip tint shade finder #4This campaign is finished: it can be paused only when it is active.Winter rescue balm #5',
  );
  // A reason says how many it is about: one, several, or all of a kind.
  await site.store.transact((writer) => writer.update('campaigns', 5, { status: 'paused' }));
  expect((await planFor('pause', 3, 4, 5)).all('.sheet :is(p, li)')).toEqual([
    'Each of these campaigns is paused: it can be paused only when it is active.',
    'Lip tint shade finder #4',
    'Winter rescue balm #5',
  ]);
  const before = await statusOf(3);
  expect([before, (await planFor('pause', 4)).find('h1')]).toEqual(['active', 'None of these campaigns can be paused']);
  const publish = await planFor('publish', 1);
  expect(publish.all('.plan thead th')).toEqual(
    ['Name', 'Status', 'CPM amount', 'Min payout amount', 'Max payout amount', 'Base reward amount', 'Currency'].concat(
      'Before you publish',
    ),
  );
  expect(publish.all('.plan tbody td').slice(1, 3)).toEqual(['350 USD', '750 USD']);
  expect(publish.all('.plan tbody td').at(-1)).toMatch(/^The budget is 0: nothing can be paid/);
  // Each reason once, with all that it is about.
  expect((await planFor('delete', 1, 2, 3, 6, 7)).find('.sheet')).toMatch(
    /^4 campaigns cannot be deleted.*funding.*A campaign that is active cannot be deleted[^A]*launch #\d+Back to school[^A]*$/s,
  );
});

test('changes what was confirmed', async () => {
  const done = await confirm(`${campaigns}/actions?action=pause&id=3&id=6&id=5`);
  expect(done.location).toBe(campaigns);
  expect((await ada.follow(done)).find('.flash')).toBe('2 campaigns paused.');
  expect([await statusOf(3), await statusOf(6), await statusOf(5)]).toEqual(['paused', 'paused', 'finished']);

  const removed = await confirm(`${campaigns}/actions?action=delete&id=1`);
  expect((await ada.follow(removed)).find('.flash')).toBe('1 campaign deleted.');
  expect((await ada.get(`${campaigns}/1`)).status).toBe(404);
});

test('leads to the last page if the one it was on has no items any more', async () => {
  const second = (await ada.get(`${campaigns}?page=3&sort=name`)).form(`${campaigns}/actions`, 'name="listed"');
  await site.store.transact(async (writer) => {
    for (const id of (second.listed ?? '').split(','))
      await writer.update('campaigns', Number(id), { status: 'draft', total_budget_amount: 0 });
  });
  const query = new URLSearchParams({ ...second, select: 'page', action: 'delete' });
  const done = await ada.submit(`${campaigns}/actions?${query}`, `${campaigns}/actions?sort=name&page=3`);
  expect(done.location).toBe(`${campaigns}?sort=name&page=2`);
  expect((await ada.get(`${campaigns}?page=9`)).find('.pager p')).toBe('');
});

test('the same form sent twice is processed once, with one message', async () => {
  const path = `${campaigns}/actions?action=pause&id=3`;
  const page = await ada.get(path);
  const form = page.form(`${campaigns}/actions`);
  const [first, second] = await Promise.all([
    ada.post(`${campaigns}/actions`, form),
    ada.post(`${campaigns}/actions`, form),
  ]);
  for (const response of [first, second])
    expect((await ada.follow(response)).find('.flash') ?? '1 campaign paused.').toBe('1 campaign paused.');
  expect(await statusOf(3)).toBe('paused');
});

/** Follows the list's form for the items with these ids, as it was on the page. */
const askFrom = (page: Page, action: string, ...ids: readonly number[]) => {
  const { listed: _, ...form } = page.form(`${campaigns}/actions`, 'name="listed"');
  const query = new URLSearchParams({ ...form, action });
  for (const id of ids) query.append('id', String(id));
  return ada.get(`${campaigns}/actions?${query}`);
};
const changeCampaign = (id: number, changes: Partial<Row<'campaigns'>>) =>
  site.store.transact((writer) => writer.update('campaigns', id, changes));

test('the question names what changed since the list was opened', async () => {
  const list = await ada.get(`${campaigns}?sort=name&status=draft`);
  const asked = await askFrom(list, 'publish', 1);
  expect([asked.status, asked.all('.changes, [role=alert]'), asked.find('h1')]).toEqual([
    200,
    [],
    'Publish 1 campaign?',
  ]);
  await changeCampaign(1, { cpm_amount: 9999, currency: 'jpy', view_count: 7, brief: '<p>New</p>' });
  // Of an item that was not selected, nothing is said.
  await changeCampaign(2, { name: 'Changed' });
  const again = await askFrom(list, 'publish', 1);
  expect([again.status, again.find('[role=alert]'), again.all('.changes h2')]).toEqual([
    200,
    '1 campaign was changed or deleted after you opened the list. Check the page before you confirm.',
    ['Currency', 'CPM amount'],
  ]);
  expect(again.all('.changes dd').slice(2)).toEqual(['350 USD', '9,999 JPY']);
  const to = `${campaigns}/actions?status=draft&sort=name`;
  expect((await ada.post(to, again.form(to))).status).toBe(303);
  expect(await statusOf(1)).toBe('active');
  // It was a draft on the list, and another one was there.
  await site.store.transact((writer) => writer.delete('campaigns', 2));
  const late = await askFrom(list, 'publish', 1, 2);
  expect([late.find('h1'), late.find('[role=alert]')]).toEqual([
    'None of these campaigns can be published',
    '2 campaigns were changed or deleted after you opened the list.',
  ]);
  expect(late.all('.sheet li').at(-1)).toMatch(/^(?!campaign).+ #2$/);
});

test('values that are too long for a URL are compared by their digests', async () => {
  await addActive(20);
  const list = await ada.get(`${campaigns}?status=active`);
  const { shown = '', listed = '' } = list.form(`${campaigns}/actions`, 'name="listed"');
  expect(shown.length).toBeLessThan(1000);
  const ids = listed.split(',').map(Number);
  expect((await askFrom(list, 'pause', ...ids)).find('[role=alert]')).toBeNull();
  await changeCampaign(Number(ids[3]), { website: null });
  const again = await askFrom(list, 'pause', ...ids);
  expect(again.find('[role=alert]')).toMatch(/^1 campaign was changed/);
  expect(again.all('main section.sheet :is(h2, a)')).toEqual([
    '1 campaign changed after you opened the page',
    `Campaign 17 of many #${ids[3]}`,
  ]);
});

test('nothing selected, unknown actions, other organizations, members and forged forms change nothing', async () => {
  const none = await planFor('pause');
  expect([none.location, (await ada.follow(none)).find('.flash')]).toEqual([campaigns, 'Select the campaigns first.']);
  expect((await planFor('explode', 3)).status).toBe(404);
  expect((await planFor('pause', 999)).find('.sheet')).toContain('No longer in this brand.campaign #999');
  const cleo = await site.signedIn('cleo_write');
  expect((await cleo.get(`${campaigns}/actions?action=pause&id=3`)).status).toBe(403);
  const eve = await site.signedIn('eve_write');
  expect((await eve.get(`${campaigns}/actions?action=pause&id=3`)).status).toBe(404);
  expect((await ada.post(`${campaigns}/actions`, { action: 'pause', id: '3' })).status).toBe(403);
  const { csrf_token = '' } = (await cleo.get(campaigns)).form('/sign_out');
  expect((await cleo.post(`${campaigns}/actions`, { csrf_token, action: 'pause', id: '3' })).status).toBe(403);
  expect((await site.visitor().get(`${campaigns}/actions?action=pause&id=3`)).location).toMatch(/^\/sign_in/);
  expect(await statusOf(3)).toBe('active');
  expect((await site.json('ada_write', `${campaigns}/actions`)).status).toBe(404);
});

test('collabs too', async () => {
  await site.store.transact((writer) => writer.update('collabs', 1, { state: 'draft' }));
  const submit = await ada.get(`${collabs}/actions?action=submit&id=1`);
  expect([submit.find('h1'), submit.find('main form button')]).toEqual([
    'Submit 1 collab for review?',
    'Submit 1 collab for review',
  ]);
  expect((await ada.get(`${collabs}/1/submit/confirm`)).find('h1')).toMatch(/^Submit .+ for review\?$/);
  const page = await ada.get(`${collabs}/actions?action=delete&id=1`);
  expect(page.find('h1')).toMatch(/^(Delete 1 collab\?|None of these collabs can be deleted)$/);
  await site.store.transact(async (writer) => {
    for (const id of [1, 2]) await writer.update('collabs', id, { state: 'paused', approved_submissions_count: 1 });
    await writer.update('collabs', 3, { state: 'submitted_for_review', name: 'Organization day' });
  });
  const rest = 'is submitted for review: it can be paused only when it is published.';
  expect((await ada.get(`${collabs}/actions?action=pause&id=3`)).find('.sheet p')).toBe(`This collab ${rest}`);
  // A button of a page that is older, and one of another program.
  await site.store.transact((writer) => writer.update('collabs', 3, { state: 'published' }));
  const form = (await ada.get(`${collabs}/3`)).form(`${collabs}/3/pause`);
  await site.store.transact((writer) => writer.update('collabs', 3, { state: 'submitted_for_review' }));
  const { shown: _, ...plain } = form;
  expect((await ada.post(`${collabs}/3/pause`, form)).find('main > p')).toBe(`Organization day ${rest}`);
  expect((await ada.follow(await ada.post(`${collabs}/3/pause`, plain))).find('.flash')).toBe(`Collab 3 ${rest}`);
  for (const [action, reason] of [
    ['submit', 'Each of these collabs is paused: it can be submitted for review only when it is draft.'],
    ['delete', 'A collab with approved submissions cannot be deleted.'],
  ])
    expect((await ada.get(`${collabs}/actions?action=${action}&id=1&id=2`)).all('.sheet p')).toEqual([reason]);
});

test.each([
  ['the page', 'page', 20],
  ['all pages', 'all', 45],
])('selects all campaigns of %s, and returns to the list as it was', async (_, select, count) => {
  const page = await ada.get(`${campaigns}?sort=name`);
  const form = page.form(`${campaigns}/actions`, 'name="listed"');
  expect(page.all('select[name=select] option').slice(1)).toEqual([
    'All 20 on this page',
    'All 45 campaigns on all pages',
  ]);
  const query = new URLSearchParams({ ...form, select, action: 'delete' });
  const plan = await ada.get(`${campaigns}/actions?${query}`);
  const sizes = [plan.all('.plan tbody tr').length, plan.all('main .sheet li').length];
  expect(sizes[0]).toBeGreaterThan(0);
  expect((sizes[0] ?? 0) + (sizes[1] ?? 0)).toBe(count);
  expect(plan.attribute('form .actions.bar a', 'href')).toBe(`${campaigns}?sort=name`);
});

test('selects only what the filter shows', async () => {
  const plan = await ada.get(`${campaigns}/actions?action=pause&select=all&status=active&status=paused`);
  const { tables } = demoSeed();
  const own = tables.campaigns.filter(
    ({ organization_id, status }) => organization_id === 5 && /^(active|paused)$/.test(status),
  );
  expect(plan.all('.plan tbody tr').length + plan.all('main .sheet li').length).toBe(own.length);
  const done = await ada.post(
    `${campaigns}/actions?status=active%2Cpaused`,
    plan.form(`${campaigns}/actions?status=active%2Cpaused`),
  );
  expect(done.location).toBe(`${campaigns}?status=active%2Cpaused`);
  const after = await ada.get(`${campaigns}/actions?action=pause&select=all`);
  expect(after.find('h1')).toBe('None of these campaigns can be paused');
});

const most = isLong ? 10_000 : 1000;

/** Active campaigns whose texts do not compress. */
const addActive = (count: number) =>
  site.store.transact(async (writer) => {
    const { id: _, ...row } = (await writer.get('campaigns', 1)) as Row<'campaigns'>;
    const text = (name: string) => createHash('sha512').update(name).digest('base64url');
    for (let number = 1; number <= count; number += 1)
      await writer.insert('campaigns', {
        ...row,
        name: `Campaign ${number} of many`,
        website: `https://shop.example/${text(`website ${number}`)}`,
        tiktok_music_id: text(`music ${number}`),
        brief: text(`brief ${number}`) + text(`more ${number}`),
        status: 'active',
      });
  });
const pauseActive = `${campaigns}/actions?action=pause&select=all&status=active`;
/** The form of a page that is too long to parse. */
const formIn = ({ text }: Page) =>
  Object.fromEntries(
    ['csrf_token', 'form_id', 'action', 'shown'].map((name) => {
      return [name, new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''];
    }),
  );

test(`${most} campaigns in one confirmation`, { timeout: 300_000 }, async () => {
  await addActive(most - 45);
  const plan = await ada.get(pauseActive);
  expect(plan.text).toContain(`Pause ${(most - 13).toLocaleString('en-US')} campaigns?`);
  await site.store.transact((writer) => writer.update('campaigns', 100, { website: 'https://other.example' }));
  const rejected = await ada.post(`${campaigns}/actions?status=active`, formIn(plan));
  expect([rejected.status, await statusOf(99)]).toEqual([422, 'active']);
  expect(rejected.text).toContain('1 campaign was changed or deleted after you opened this page, so nothing was done.');
  // With so many, only that it has changed is known.
  const changed = rejected.all('main section.sheet :is(h2, a)');
  expect(changed).toEqual(['1 campaign changed after you opened the page', 'Campaign 53 of many #100']);
  const done = await ada.post(`${campaigns}/actions?status=active`, formIn(rejected));
  expect([done.status, done.location]).toEqual([303, `${campaigns}?status=active`]);
  expect((await ada.get(`${campaigns}?status=active`)).find('.empty')).toContain('Nothing matches');
  if (!isLong) return;
  await addActive(1);
  const tooMany = await ada.get(`${campaigns}/actions?action=delete&select=all`);
  expect((await ada.follow(tooMany)).find('.flash')).toMatch(/^10,001 are too many at once/);
});

/** Runs `between` before the next transaction. @returns what is called inside it, and how often */
function watchTransaction(between: () => Promise<unknown> = async () => undefined) {
  const calls: Record<string, number> = {};
  vi.restoreAllMocks();
  const { transact } = site.store;
  const spy = vi.spyOn(site.store, 'transact');
  spy.mockImplementationOnce(async (work) => {
    await between();
    return transact((writer) =>
      work(
        new Proxy(writer, {
          get(_, name: keyof Writer) {
            calls[name] = (calls[name] ?? 0) + 1;
            return writer[name];
          },
        }),
      ),
    );
  });
  onTestFinished(() => spy.mockRestore());
  return { calls, spy };
}

test('a form that is outdated or impossible begins no transaction', async () => {
  const form = (await planFor('pause', 3, 6)).form(`${campaigns}/actions`);
  await site.store.transact((writer) => writer.update('campaigns', 6, { status: 'finished' }));
  const { spy } = watchTransaction();
  expect((await ada.post(`${campaigns}/actions`, form)).status).toBe(422);
  expect(spy).not.toHaveBeenCalled();
  expect(await statusOf(3)).toBe('active');
});

test('the transaction reads versions and writes, for up to 100 items at once', async () => {
  await addActive(250);
  const plan = await ada.get(pauseActive);
  const { calls } = watchTransaction();
  expect((await ada.post(`${campaigns}/actions`, formIn(plan))).status).toBe(303);
  const { versions, update, updateMany, get = 0 } = calls;
  expect({ versions, update, updateMany }).toEqual({ versions: 3, updateMany: 3 });
  expect(get).toBeLessThan(10);
});

test('actions of one user are done one after the other, so that the first ends early', async () => {
  await addActive(180);
  const last = await site.store.transact((writer) => writer.insert('campaigns', campaignRow({ organization_id: 5 })));
  const newest = Number(last.id) - 1;
  const forms = [];
  for (const part of [0, 1, 2]) {
    const ids = Array.from({ length: 60 }, (_, n) => newest - 60 * part - n);
    forms.push((await planFor('pause', ...ids)).form(`${campaigns}/actions`));
  }
  const checked: number[] = [];
  const { read } = site.store;
  const spy = vi.spyOn(site.store, 'read').mockImplementation((work) =>
    read((reader) =>
      work({
        ...reader,
        versions(table, ids) {
          checked.push(Math.floor((newest - Number(ids[0])) / 60));
          return reader.versions(table, ids);
        },
      }),
    ),
  );
  onTestFinished(() => spy.mockRestore());
  const sent = await Promise.all(forms.map((form) => ada.post(`${campaigns}/actions`, form)));
  expect(sent.map(({ status }) => status)).toEqual([303, 303, 303]);
  // The checks of each of them follow one another.
  expect(checked).toHaveLength(9);
  expect(checked).toEqual(checked.toSorted((left, right) => checked.indexOf(left) - checked.indexOf(right)));
});

test('what changes between the check and the transaction is checked again', async () => {
  const form = (await planFor('pause', 3, 6)).form(`${campaigns}/actions`);
  const change = (changes: Partial<Row<'campaigns'>>) => () =>
    transact((writer) => writer.update('campaigns', 6, changes));
  const { transact } = site.store;
  watchTransaction(change({ name: 'Changed' }));
  const outdated = await ada.post(`${campaigns}/actions`, form);
  expect([outdated.status, await statusOf(3)]).toEqual([422, 'active']);
  const { spy } = watchTransaction(change({ view_count: 12_345 }));
  expect((await ada.post(`${campaigns}/actions`, outdated.form(`${campaigns}/actions`))).status).toBe(303);
  expect([await statusOf(3), await statusOf(6)]).toEqual(['paused', 'paused']);
  // The write, again, and what pages store after it.
  expect(spy).toHaveBeenCalledTimes(3);
});

test('a page of 1000 rows is made in pieces of 200, between which others have their turn', async () => {
  await addActive(1000);
  const expectYields = async (steps: number, work: () => Promise<Page>): Promise<Page> => {
    const { result, yields } = await yieldsOf(work);
    expect(yields).toBeGreaterThanOrEqual(4 * steps);
    return result;
  };
  // Each reads the list; the pages have a row, and the files a line, for each item.
  await expectYields(2, () => ada.get(`${campaigns}?print=1`));
  await expectYields(2, () => ada.get(`${campaigns}.csv`));
  await expectYields(2, () => ada.get(`${campaigns}.csv?sort=name`));
  // Finds what can be changed, and makes the names of those that cannot, or the rows and the digests of the others.
  await expectYields(3, () => ada.get(`${campaigns}/actions?action=publish&select=all&status=active`));
  const plan = await expectYields(4, () => ada.get(pauseActive));
  await site.store.transact((writer) => writer.update('campaigns', 3, { website: 'https://other.example' }));
  // Checks those before it, and makes the page again.
  const rejected = await expectYields(2 + 3, () => ada.post(`${campaigns}/actions`, formIn(plan)));
  await expectYields(2, () => ada.post(`${campaigns}/actions`, formIn(rejected)));
});

test('a page about thousands of long briefs holds few of them in memory', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-bulk-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const db = join(folder, 'shop.db');
  const store = await sqliteStore(db);
  await store.load(demoSeed());
  await store.transact(async (writer) => {
    for (let number = 0; number < 2500; number += 1)
      await writer.insert('campaigns', campaignRow({ organization_id: 5, brief: `${number} ${'x'.repeat(60_000)}` }));
  });
  await store.close();
  const run = new Run(['--port', '0', '--json', '--db', db], { NODE_OPTIONS: '--max-old-space-size=100' });
  onTestFinished(async () => void (await run.stop()));
  const { url } = await readyLine(run);
  const visitor = new Visitor(
    { fetch: (request) => fetch(request, { redirect: 'manual' }), forget: () => undefined },
    url,
  );
  await visitor.signIn('ada_write');
  const pageAbout = async (action: string): Promise<Page> => {
    const answer = await visitor.get(`${campaigns}/actions?action=${action}&select=all`);
    // Two of a user are made at once; where that takes long, the third is to be asked for again.
    return answer.status === 429 ? pageAbout(action) : answer;
  };
  const [, , page] = await Promise.all(['pause', 'publish', 'delete'].map(pageAbout));
  expect(/<h1>.*<\/h1>/.exec(page?.text ?? '')?.[0]).toBe('<h1>Delete 2,505 campaigns?</h1>');
  const hidden = [...(page?.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g) ?? [])];
  const form = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
  expect(await visitor.post(`${campaigns}/actions`, form)).toMatchObject({ status: 303, location: campaigns });
});
