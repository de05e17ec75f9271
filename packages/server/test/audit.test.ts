import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../src/digest.js';
import type { AuditEntry } from '../src/http/audit.js';
import { auditFile } from '../src/node/audit-file.js';
import { serve } from '../src/node/serve.js';
import { demoSeed, demoTokens } from '../src/seed/demo.js';
import { Run } from './support/command.js';
import { send, urlOf } from './support/served.js';
import { openTestStore, type StoreKind, storeKinds, type TestStore } from './support/stores.js';
import { demoSite } from './support/visitor.js';

let folder: string;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-audit-'));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  rmSync(folder, { recursive: true });
});

const file = () => join(folder, 'audit.jsonl');
type Line = AuditEntry & { readonly time: string };
const linesOf = (path = file()): Line[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    : [];

const warnings: string[] = [];
async function audited(kind: StoreKind = 'memory') {
  warnings.length = 0;
  const opened: TestStore = await openTestStore(kind);
  ends.push(() => opened.dispose());
  await opened.store.load(demoSeed());
  const audit = await auditFile(file(), (message) => warnings.push(message));
  // It is closed by its own end.
  const store = { ...opened.store, close: async () => undefined };
  const server = await serve({
    store,
    port: 0,
    audit,
  });
  ends.push(() => server.close());
  return { url: server.url, store: opened.store };
}
/** What GET shows, as it came. */
const shown = async (url: string, path: string): Promise<string> => {
  const response = await fetch(`${url}${path}`, {
    headers: { Accept: 'application/json', Authorization: `Bearer ${demoTokens.ada_write}` },
  });
  return response.text();
};
const campaigns = '/organizations/5/campaigns';
const create = (url: string, name = 'Recorded') =>
  send(url, 'ada_write', 'POST', `${campaigns}.json`, { campaign: { name } });

describe.each(storeKinds)('on %s', (kind) => {
  test('records each write as one line: time, user, operation and digests', async () => {
    const { url, store } = await audited(kind);
    const token = await store.read((reader) =>
      reader.find('access_tokens', 'byDigest', [sha256(demoTokens.ada_write)]),
    );
    const by = { user_id: token?.user_id, token_id: token?.id };

    const { id } = (await create(url)).body;
    const one = `${campaigns}/${id}.json`;
    const created = await shown(url, one);
    expect((await send(url, 'ada_write', 'PATCH', one, { campaign: { name: 'Changed' } })).status).toBe(200);
    const changed = await shown(url, one);
    expect((await send(url, 'ada_write', 'DELETE', one)).status).toBe(204);

    const ids = { organization_id: 5, id };
    expect(linesOf()).toMatchObject([
      {
        ...by,
        operation: 'campaigns.create',
        path: `${campaigns}.json`,
        status: 201,
        ids,
        before: null,
        after: sha256(created),
      },
      {
        ...by,
        operation: 'campaigns.update',
        path: one,
        status: 200,
        ids,
        before: sha256(created),
        after: sha256(changed),
      },
      { ...by, operation: 'campaigns.delete', path: one, status: 204, ids, before: sha256(changed), after: null },
    ]);
    for (const line of linesOf()) {
      expect(Math.abs(Date.parse(line.time) - Date.now())).toBeLessThan(60_000);
      expect(line.request_id).not.toBe('');
    }
  });

  test('an action, a resource without an id, and one without a GET', async () => {
    const { url } = await audited(kind);
    const draft = (await create(url)).body;
    const one = `${campaigns}/${draft.id}.json`;
    await send(url, 'ada_write', 'PATCH', one, {
      campaign: {
        cpm_amount: 5,
        min_payout_amount: 1,
        max_payout_amount: 2,
        total_budget_amount: 9000,
        website: 'https://x.example',
      },
    });
    const before = await shown(url, one);
    await send(url, 'ada_write', 'POST', `${campaigns}/${draft.id}/publish.json`);
    const after = await shown(url, one);
    expect(after).not.toBe(before);
    expect(linesOf().at(-1)).toMatchObject({ status: 303, before: sha256(before), after: sha256(after) });
    // A rejected action has changed nothing.
    const count = linesOf().length;
    expect((await send(url, 'ada_write', 'POST', `${campaigns}/${draft.id}/publish.json`)).status).toBe(303);
    expect(linesOf()).toHaveLength(count);

    const address = { address_one: 'A', city: 'B', state: 'C', postal_code: '1', country_code: 'DE' };
    await send(url, 'ada_write', 'DELETE', '/me/address.json');
    await send(url, 'ada_write', 'PATCH', '/me/address.json', { address });
    expect(linesOf().slice(-2)).toMatchObject([
      { operation: 'address.delete', ids: {}, before: expect.stringMatching(/^[0-9a-f]{64}$/), after: null },
      { operation: 'address.update', ids: {}, before: null, after: sha256(await shown(url, '/me/address.json')) },
    ]);

    const made = await send(url, 'ada_write', 'POST', '/me/access_tokens.json', {
      access_token: { description: 'For the log', permission: 'read' },
    });
    expect(linesOf().at(-1)).toMatchObject({
      operation: 'accessTokens.create',
      ids: { id: made.body.id },
      before: null,
    });
    await send(url, 'ada_write', 'DELETE', `/me/access_tokens/${made.body.id}.json`);
    const [creation, deletion] = linesOf().slice(-2);
    expect(deletion).toMatchObject({ operation: 'accessTokens.delete', before: creation?.after, after: null });
    const text = readFileSync(file(), 'utf8');
    expect(text).not.toContain(made.body.token);
    expect(text).not.toContain(demoTokens.ada_write);
    expect(text).not.toContain('For the log');
  });
});

test('reads and failed writes are not recorded', async () => {
  const { url } = await audited();
  await shown(url, `${campaigns}.json`);
  expect((await create(url, '')).status).toBe(422);
  expect((await send(url, 'ada_read', 'POST', `${campaigns}.json`, { campaign: { name: 'x' } })).status).toBe(401);
  expect((await send(url, 'ada_write', 'DELETE', `${campaigns}/999999.json`)).status).toBe(404);
  expect(linesOf()).toEqual([]);
});

test('records a web form like a JSON request', async () => {
  const entries: AuditEntry[] = [];
  const site = await demoSite(
    {},
    {
      audit: { check: async () => undefined, record: async (entry) => void entries.push(entry) },
    },
  );
  const ada = await site.signedIn('ada_write');
  expect((await ada.submit(`${campaigns}/new`, campaigns, { 'campaign[name]': 'By a form' })).status).toBe(303);
  expect(entries).toMatchObject([{ operation: 'campaigns.create', token_id: expect.any(Number), before: null }]);
});

describe('the file', () => {
  test('is readable by its owner only, is appended to, and is created again after a rotation', async () => {
    const { url } = await audited();
    await create(url, 'One');
    if (process.platform !== 'win32') expect(statSync(file()).mode & 0o777).toBe(0o600);
    renameSync(file(), join(folder, 'audit.1'));
    await create(url, 'Two');
    expect([linesOf(join(folder, 'audit.1')).length, linesOf().length]).toEqual([1, 1]);
    const again = await auditFile(file(), () => undefined);
    await again.record({} as AuditEntry);
    expect(linesOf()).toHaveLength(2);
  });

  test('has a line for each of a hundred concurrent writes before their responses', async () => {
    const { url } = await audited();
    const ids = await Promise.all(
      Array.from({ length: 100 }, async (_, place) => {
        const { body } = await create(url, `At once ${place}`);
        expect(linesOf().some((line) => line.ids.id === body.id)).toBe(true);
        return body.id as number;
      }),
    );
    expect(
      linesOf()
        .map((line) => line.ids.id as number)
        .sort((a, b) => a - b),
    ).toEqual(ids.sort((a, b) => a - b));
  });

  test('that becomes unwritable: the first write is saved, later ones and /readyz are 503 until it is writable', async () => {
    const { url } = await audited();
    await create(url, 'Before');
    // What cannot be appended to, also for root.
    rmSync(file());
    mkdirSync(file());
    const made = await create(url, 'Meanwhile');
    expect(made.status).toBe(201);
    expect(warnings).toEqual([expect.stringMatching(/^The audit log .* cannot be written: EISDIR/)]);
    const words = expect.stringMatching(/^The audit log cannot be written, so nothing can be changed\./);
    expect(await create(url, 'Rejected')).toMatchObject({ status: 503, body: { error: words } });
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: words }]);
    expect(JSON.parse(await shown(url, `${campaigns}/${made.body.id}.json`)).name).toBe('Meanwhile');
    expect(warnings).toHaveLength(1);

    rmSync(file(), { recursive: true });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    // Nothing was lost.
    expect(linesOf()).toMatchObject([{ operation: 'campaigns.create', ids: { id: made.body.id } }]);
    expect((await create(url, 'Afterwards')).status).toBe(201);
    expect(linesOf()).toHaveLength(2);
  });
});

describe('--audit', () => {
  test('records what a process writes', async () => {
    const run = new Run(['--port', '0', '--json', '--audit', file()]);
    ends.push(() => run.stop());
    const url = await urlOf(run);
    await create(url);
    expect(linesOf()).toMatchObject([{ operation: 'campaigns.create' }]);
  });

  test('does not start if the file cannot be opened, and creates no database', async () => {
    const db = join(folder, 'kept.db');
    const run = new Run(['--port', '0', '--db', db, '--audit', join(folder, 'none', 'audit.jsonl')]);
    expect(await run.ended).toBe(2);
    expect(run.stderr).toMatch(/^error: The audit log .* cannot be written \(ENOENT[^\n]*\n$/);
    expect(existsSync(db)).toBe(false);
  });
});
