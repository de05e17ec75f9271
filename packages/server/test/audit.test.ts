import { createHook } from 'node:async_hooks';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../src/digest.js';
import { type AuditEntry, AuditedRequest } from '../src/http/audit.js';
import { auditFile } from '../src/node/audit-file.js';
import { serve } from '../src/node/serve.js';
import { demoSeed, demoTokens } from '../src/seed/demo.js';
import { CommitUnknown, StorageFailure, type Store } from '../src/store/store.js';
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

  test('the same content has the same digest, whichever host a client names', async () => {
    const { url } = await audited(kind);
    const one = `${campaigns}/3.json`;
    for (const [place, name] of [url, url.replace('127.0.0.1', 'localhost'), url].entries())
      await send(name, 'ada_write', 'PATCH', one, { campaign: { name: `Name ${place}` } });
    const [first, second, third] = linesOf();
    expect([second?.before, third?.before]).toEqual([first?.after, second?.after]);
    expect(third?.after).toBe(sha256(await shown(url, one)));
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
      audit: {
        check: async () => undefined,
        request: () => new AuditedRequest(async (some) => void entries.push(...some)),
      },
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
    await again.request().record([{} as AuditEntry]);
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

  test('is written while writers wait for two steps only, after which other requests run', async () => {
    const audit = await auditFile(file(), () => undefined);
    const steps: string[] = [];
    const hook = createHook({ init: (_, type) => void (type.startsWith('FSREQ') && steps.push(type)) }).enable();
    try {
      await audit.request().record([{ operation: 'campaigns.create' } as AuditEntry]);
    } finally {
      hook.disable();
    }
    expect(steps).toHaveLength(2);
    expect(linesOf()).toHaveLength(1);
  });

  test.each(storeKinds)(
    'that becomes unwritable: writes and /readyz are 503 and change nothing, on %s',
    async (kind) => {
      const { url, store } = await audited(kind);
      await create(url, 'Before');
      // What cannot be appended to, also for root.
      renameSync(file(), join(folder, 'audit.1'));
      mkdirSync(file());
      const words = expect.stringMatching(/^The audit log cannot be written, so nothing can be changed\./);
      for (const name of ['Meanwhile', 'Again'])
        expect(await create(url, name)).toMatchObject({ status: 503, body: { error: words } });
      expect(warnings).toEqual([expect.stringMatching(/^The audit log .* cannot be written: EISDIR/)]);
      const ready = await fetch(`${url}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([503, { status: words }]);
      const names = (await store.dump()).tables.campaigns.map(({ name }) => name);
      expect(['Before', 'Meanwhile', 'Again'].filter((name) => names.includes(name))).toEqual(['Before']);

      rmSync(file(), { recursive: true });
      expect((await create(url, 'Afterwards')).status).toBe(201);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect(linesOf()).toHaveLength(1);
    },
  );

  // A device that is always full.
  test.runIf(existsSync('/dev/full'))('on a full disk is found out before anything was to be written', async () => {
    const audit = await auditFile('/dev/full', (message) => warnings.push(message));
    const store = await openTestStore('memory');
    ends.push(() => store.dispose());
    const server = await serve({ store: store.store, port: 0, audit });
    ends.push(() => server.close());
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  });

  test('begins a line after one that a power failure has cut off', async () => {
    writeFileSync(file(), '{"time":"20');
    const audit = await auditFile(file(), () => undefined);
    await audit.check();
    await audit.request().record([{ operation: 'campaigns.create' } as AuditEntry]);
    expect(readFileSync(file(), 'utf8')).toMatch(/^\{"time":"20\n\{"time":"[^\n]*\}\n$/);
  });
});

describe.each(storeKinds)('a change that is not stored, after all, on %s', (kind) => {
  const failing = async (attempts: number, error: Error) => {
    const opened = await openTestStore(kind);
    ends.push(() => opened.dispose());
    await opened.store.load(demoSeed());
    let left = attempts;
    const transact: Store['transact'] = async (work) => {
      for (; left > 0; left -= 1) {
        // What happens at a commit: the work is complete, and rolled back.
        await opened.store
          .transact(async (writer) => {
            await work(writer);
            throw error;
          })
          .catch(() => undefined);
        if (attempts === 1) throw error;
      }
      return opened.store.transact(work);
    };
    const audit = await auditFile(file(), () => undefined);
    const server = await serve({ store: { ...opened.store, transact, close: async () => undefined }, port: 0, audit });
    ends.push(() => server.close());
    return create(server.url);
  };
  const entries = () => linesOf().map(({ status, operation }) => [status, operation]);

  test('is taken back in the log', async () => {
    expect((await failing(1, new StorageFailure('The disk is full.'))).status).toBe(503);
    expect(entries()).toEqual([
      [201, 'campaigns.create'],
      [503, 'campaigns.create'],
    ]);
    expect(new Set(linesOf().map(({ request_id }) => request_id)).size).toBe(1);
  });

  test('stays in the log if it may be stored', async () => {
    expect((await failing(1, new CommitUnknown('The connection was lost.'))).status).toBe(503);
    expect(entries()).toEqual([[201, 'campaigns.create']]);
  });

  test('and is stored in the second attempt is in the log last', async () => {
    const { status, body } = await failing(2, new Error('Another transaction has interfered.'));
    expect(status).toBe(201);
    expect(entries().map(([code]) => code)).toEqual([201, 503, 201, 503, 201]);
    expect(linesOf().at(-1)?.ids.id).toBe(body.id);
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
