import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { restoreBackup, writeBackup } from '../src/node/backup-file.js';
import { ServeError } from '../src/node/errors.js';
import { openPersistentStore, withStore } from '../src/node/open-store.js';
import { demoSeed, demoTokens } from '../src/seed/demo.js';
import { largeSeed } from '../src/seed/large.js';
import type { Dump } from '../src/store/store.js';
import type { IdFormat } from '../src/store/tables.js';
import { Run } from './support/command.js';
import { sampleOf } from './support/long.js';
import { createDatabase, type TestDatabase } from './support/postgres.js';
import { campaignRow } from './support/rows.js';
import { send, urlOf } from './support/served.js';

// Every test starts processes, one after the other.
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
const runs: Run[] = [];
const databases: TestDatabase[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-backup-'));
});
afterEach(async () => {
  await Promise.all(runs.splice(0).map((run) => run.stop()));
  await Promise.all(databases.splice(0).map((database) => database.drop()));
  rmSync(folder, { recursive: true });
});

const inFolder = (name: string): string => join(folder, name);
let count = 0;
async function emptyDatabase(kind: 'sqlite' | 'postgres'): Promise<string> {
  count += 1;
  if (kind === 'sqlite') return inFolder(`${count}.db`);
  const database = await createDatabase();
  databases.push(database);
  return database.url;
}

/** Runs the command to its end. */
async function runToEnd(...args: string[]) {
  const run = new Run(args);
  const code = await run.ended;
  return { code, stdout: run.stdout, stderr: run.stderr };
}
const backup = (db: string, out: string) => runToEnd('backup', '--db', db, '--out', out);
const restore = (db: string, from: string) => runToEnd('restore', '--db', db, '--from', from);

async function dumpOf(db: string): Promise<Dump> {
  const store = await openPersistentStore(db);
  try {
    return await store.dump();
  } finally {
    await store.close();
  }
}
/** With an image and a deleted row, so that bytes and serial numbers show. */
async function filled(db: string, ids: IdFormat = 'integer'): Promise<void> {
  const store = await openPersistentStore(db, { ids });
  const seed = demoSeed(ids);
  const acme = seed.tables.organizations[0]?.id ?? 5;
  await store.load(seed);
  await store.transact(async (writer) => {
    await writer.insert('images', {
      id: 'k1',
      organization_id: acme,
      type: 'image/png',
      bytes: new Uint8Array([0, 255, 7]),
    });
    const row = campaignRow({ organization_id: acme, name: 'Straße "\\ \u2028' });
    await writer.insert('campaigns', row);
    await writer.delete('campaigns', (await writer.insert('campaigns', row)).id);
    await writer.insert('ended_sessions', { id: 's1', expires_at: '2026-01-01T00:00:00Z' });
  });
  await store.close();
}

const ways = [
  ['sqlite', 'postgres', 'integer'],
  ['postgres', 'sqlite', 'opaque'],
  ['sqlite', 'postgres', 'opaque'],
  ['postgres', 'sqlite', 'integer'],
] as const;
describe.each(sampleOf(ways, 2))('from %s to %s, with %s ids', (source, target, ids) => {
  test('restores rows, images, serial numbers, token digests and ended sessions', async () => {
    const db = await emptyDatabase(source);
    await filled(db, ids);
    const out = inFolder('all.backup');
    expect(await backup(db, out)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^Backed up \d+ rows/),
    });
    const other = await emptyDatabase(target);
    expect(await restore(other, out)).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Restored \d+ rows/) });
    expect(await dumpOf(other)).toEqual(await dumpOf(db));
    const store = await openPersistentStore(other);
    expect(store.ids).toBe(ids);
    expect(await store.read((reader) => reader.get('ended_sessions', 's1'))).not.toBeNull();
    await store.close();
    // A second backup is the same file, its moment aside.
    await backup(other, inFolder('again.backup'));
    const lines = (name: string) => readFileSync(inFolder(name), 'utf8').split('\n').slice(1);
    expect(lines('again.backup')).toEqual(lines('all.backup'));
  });
});

describe.each(['sqlite', 'postgres'] as const)('while a server writes to %s', (kind) => {
  test('a backup is consistent: it has every earlier write, and no partial one', async () => {
    const db = await emptyDatabase(kind);
    await filled(db);
    const run = new Run(['--port', '0', '--json', '--db', db]);
    runs.push(run);
    const url = await urlOf(run);
    const acknowledged: number[] = [];
    let goesOn = true;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let place = 0; goesOn; place += 1) {
        const { status, body } = await send(url, 'ada_write', 'POST', '/organizations/5/campaigns.json', {
          campaign: { name: `Written ${writer}.${place}`, brief: `<p>${'x'.repeat(5000)}</p>` },
        });
        expect(status).toBe(201);
        acknowledged.push(body.id);
      }
    });
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(20), { timeout: 60_000 });
    const before = [...acknowledged];
    expect((await backup(db, inFolder('busy.backup'))).code).toBe(0);
    const after = acknowledged.length;
    goesOn = false;
    await Promise.all(writers);
    expect(after).toBeGreaterThan(before.length);

    const other = await emptyDatabase(kind);
    expect((await restore(other, inFolder('busy.backup'))).code).toBe(0);
    const restored = await dumpOf(other);
    const whole = await dumpOf(db);
    const ids = new Set(restored.tables.campaigns.map(({ id }) => id));
    expect(before.filter((id) => !ids.has(id))).toEqual([]);
    // What is there is a part of what was there at the end, row by row.
    const rows = new Map(whole.tables.campaigns.map((row) => [row.id, row]));
    for (const row of restored.tables.campaigns) expect(row).toEqual(rows.get(row.id));
    expect(restored.tables.access_tokens).toEqual(whole.tables.access_tokens);

    // The old token works, and totals are right.
    const served = new Run(['--port', '0', '--json', '--db', other]);
    runs.push(served);
    const response = await fetch(`${await urlOf(served)}/organizations/5/campaigns.json`, {
      headers: { Accept: 'application/json', Authorization: `Bearer ${demoTokens.ada_write}` },
    });
    const inOrganization = restored.tables.campaigns.filter(({ organization_id }) => organization_id === 5).length;
    expect([response.status, response.headers.get('total-count')]).toEqual([200, String(inOrganization)]);
  });
});

describe('the file', () => {
  test('is readable by its owner only, replaces an older one when complete, and contains no secret', async () => {
    const db = await emptyDatabase('sqlite');
    await filled(db);
    writeFileSync(inFolder('x.backup'), '{"format":"mkt-backup","version":1}', { mode: 0o644 });
    expect((await backup(db, inFolder('x.backup'))).code).toBe(0);
    if (process.platform !== 'win32') expect(statSync(inFolder('x.backup')).mode & 0o777).toBe(0o600);
    const text = readFileSync(inFolder('x.backup'), 'utf8');
    expect(text).toMatch(
      /^\{"format":"mkt-backup","version":1,"schema":"\d{4}\w*","ids":"integer","created_at":"[^"]+Z"\}\n/,
    );
    for (const secret of Object.values(demoTokens)) expect(text).not.toContain(secret);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('is not changed if the backup fails', async () => {
    writeFileSync(inFolder('x.backup'), 'older');
    const { code, stderr } = await backup(inFolder('none.db'), inFolder('x.backup'));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: There is no database file /)]);
    expect(readFileSync(inFolder('x.backup'), 'utf8')).toBe('older');
    expect(existsSync(inFolder('none.db'))).toBe(false);
  });

  test.each([
    [[], /Name the file to write: --out FILE\. To check an existing backup: --verify FILE/],
    [['--verify'], /Name the file to write: --out FILE/],
    [['--out', '-', '--verify'], /Name the file to check/],
    [['--out', '/no/such/folder/x'], /cannot be written to .*: there is no such file or directory\./],
  ])('backup %j exits with 2 and one sentence', async (flags, words) => {
    const db = await emptyDatabase('sqlite');
    await filled(db);
    const { code, stderr } = await runToEnd('backup', '--db', db, ...flags);
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
  });

  test('rejects memory:', async () => {
    const { code, stderr } = await runToEnd('backup', '--out', inFolder('x'));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/Select the stored data with --db/)]);
  });
});

describe('a backup', () => {
  const shell = (script: string) => {
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script, process.execPath, inject('serverCommand')], {
      encoding: 'utf8',
    });
    return { code: status, stdout, stderr };
  };

  test('goes through a pipe, and back', async () => {
    const db = await emptyDatabase('sqlite');
    await filled(db);
    const other = await emptyDatabase('sqlite');
    const piped = shell(
      `"$0" "$1" backup --db ${db} --out - | gzip | gunzip | "$0" "$1" restore --db ${other} --from -`,
    );
    expect(piped).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/Backed up (\d+) rows to stdout\.\nRestored \1 rows from stdin\./),
    });
    expect(await dumpOf(other)).toEqual(await dumpOf(db));
  });

  test('replaces no file of its database, and nothing that is not a backup', async () => {
    const db = await emptyDatabase('sqlite');
    await filled(db);
    const before = await dumpOf(db);
    const [link, audit] = [inFolder('link'), inFolder('audit.jsonl')];
    symlinkSync(db, link);
    writeFileSync(audit, '{"time":"2026-03-01T09:30:00.123Z"}\n');
    await withStore(db, async (store) => {
      const own = [db, `${folder}/./${basename(db)}`, link, `${db}-wal`, `${db}-shm`, `${link}-wal`, `${db}-journal`];
      for (const out of own)
        await expect(writeBackup(out, store, db)).rejects.toThrow(
          `${out} is a file of the database. Give --out another file`,
        );
      for (const out of [audit, folder, '/dev/null'])
        await expect(writeBackup(out, store, db)).rejects.toThrow(
          `${out} exists and is not a backup, so it was not changed.`,
        );
    });
    expect(await dumpOf(db)).toEqual(before);
    const { code, stderr } = await backup(db, `${db}-wal`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is a file of the database')]);
  });

  test('of a damaged file, and to a path below a file, ends with one sentence', async () => {
    const db = await emptyDatabase('sqlite');
    await withStore(db, (store) => store.load(largeSeed({ campaigns: 2000 })));
    const below = await backup(db, `${db}/x`);
    expect([below.code, below.stderr]).toEqual([
      2,
      `error: ${db}/x cannot be used: a part of the path is not a directory. Give --out another file.\n`,
    ]);
    const bytes = readFileSync(db);
    writeFileSync(db, bytes.fill('Z', bytes.length / 4));
    const damaged = await backup(db, inFolder('x.backup'));
    expect([damaged.code, damaged.stderr, existsSync(inFolder('x.backup'))]).toEqual([
      2,
      'error: The database file is damaged. Stop the server and restore a backup.\n',
      false,
    ]);
  });

  test('is written where a link leads', async () => {
    const db = await emptyDatabase('sqlite');
    await filled(db);
    const [link, target] = [inFolder('latest'), inFolder('x.backup')];
    symlinkSync(target, link);
    for (const _ of ['new', 'replaced']) {
      expect((await backup(db, link)).code).toBe(0);
      expect([lstatSync(link).isSymbolicLink(), lstatSync(target).isFile()]).toEqual([true, true]);
    }
  });

  test.each([
    ['backup --out - | head -c 1', 'The backup is incomplete: its reader has stopped.'],
    ['backup --out - >/dev/full', 'The output cannot be written: the disk is full.'],
    ['export >/dev/full', 'The output cannot be written: the disk is full.'],
  ])('%s is one sentence', async (command, sentence) => {
    const db = await emptyDatabase('sqlite');
    await filled(db);
    expect(shell(`"$0" "$1" ${command.replace(/ (?=[|>]|$)/, ` --db ${db} `)}`).stderr).toBe(`error: ${sentence}\n`);
  });

  test('is read back by --verify, at once or later', async () => {
    const db = await emptyDatabase('sqlite');
    await filled(db);
    const out = inFolder('x.backup');
    const both = await runToEnd('backup', '--db', db, '--out', out, '--verify');
    expect(both).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Backed up (\d+) rows to (.*)\.\n\2 is complete: \1 rows can be read\.\n$/),
    });
    expect(await runToEnd('backup', '--verify', out)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is complete'),
    });
    writeFileSync(out, readFileSync(out, 'utf8').slice(0, -20));
    expect(await runToEnd('backup', '--verify', out)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The backup is damaged'),
    });
  });

  test.skipIf(process.platform === 'win32')('leaves no unfinished file when it cannot be written', async () => {
    const db = await emptyDatabase('sqlite');
    await filled(db);
    const out = inFolder('x.backup');
    // More than the file of SQLite's locks.
    const { code, stderr } = shell(`trap "" XFSZ; ulimit -f 80; "$0" "$1" backup --db ${db} --out ${out}`);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: The backup cannot be written to .*EFBIG.*\n$/)]);
    expect(readdirSync(folder).filter((name) => name.includes('x.backup'))).toEqual([]);
  });

  test('leaves no unfinished file after SIGINT, SIGTERM and SIGHUP', async () => {
    const db = await emptyDatabase('sqlite');
    await filled(db);
    await withStore(db, (store) =>
      store.transact(async (writer) => {
        for (let count = 0; count < 3000; count += 1)
          await writer.insert('campaigns', campaignRow({ organization_id: 5, brief: 'x'.repeat(50_000) }));
      }),
    );
    const unfinished = () => readdirSync(folder).filter((name) => name.endsWith('.part'));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const run = new Run(['backup', '--db', db, '--out', inFolder('x.backup')]);
      await vi.waitFor(() => expect(unfinished()).toHaveLength(1), { timeout: 20_000, interval: 2 });
      run.signal(signal);
      expect(await run.ended, signal).not.toBe(0);
      expect([unfinished(), existsSync(inFolder('x.backup'))], signal).toEqual([[], false]);
    }
  });

  test('removes the unfinished file of one that was killed, but not of one that is written', async () => {
    const db = await emptyDatabase('sqlite');
    await filled(db);
    const [killed, written, other] = ['x.backup.abcdefgh.part', 'x.backup.ijklmnop.part', 'y.backup.abcdefgh.part'].map(
      inFolder,
    ) as [string, string, string];
    for (const file of [killed, written, other]) writeFileSync(file, '');
    for (const file of [killed, other]) utimesSync(file, 0, Date.now() / 1000 - 3600);
    expect((await backup(db, inFolder('x.backup'))).code).toBe(0);
    expect([killed, written, other].map((file) => existsSync(file))).toEqual([false, true, true]);
  });
});

describe('a rejected restore changes nothing', () => {
  test.each(['sqlite', 'postgres'] as const)('a database with data: %s', async (kind) => {
    const db = await emptyDatabase(kind);
    await filled(db);
    await backup(db, inFolder('x.backup'));
    const before = await dumpOf(db);
    const { code, stderr } = await restore(db, inFolder('x.backup'));
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/already contains data, which a restore does not replace/),
    ]);
    expect(await dumpOf(db)).toEqual(before);
  });

  const lines = (change: (lines: string[]) => readonly string[]) => (text: string) =>
    change(text.trimEnd().split('\n')).join('\n');
  test.each<[string, (text: string) => string, RegExp]>([
    ['another file', () => 'name,status\n', /line 1: this is not a backup/],
    ['an empty file', () => '', /line 1: this is not a backup/],
    ['a later format', (text) => text.replace('"version":1', '"version":9'), /another version .* \(format 9, schema/],
    ['another schema', (text) => text.replace(/"schema":"\w+"/, '"schema":"99"'), /schema 99/],
    ['one that was cut short', lines((all) => all.slice(0, -1)), /the backup is incomplete: it ends here/],
    ['one that was cut in a line', (text) => text.slice(0, -20), /is not a JSON object\. The backup is damaged/],
    ['one without a row', lines((all) => [...all.slice(0, -2), ...all.slice(-1)]), /should have \d+ rows, but it has/],
    ['one with more behind it', (text) => `${text}{}\n`, /more data after the end/],
    [
      'an unknown table',
      (text) => text.replace('"table":"campaigns"', '"table":"kittens"'),
      /there is no table "kittens"/,
    ],
    [
      'a wrong type',
      (text) => text.replace(/"cpm_amount":\d+/, '"cpm_amount":"x"'),
      /column "cpm_amount" of campaigns/,
    ],
    [
      'a time in no year',
      (text) => text.replace(/("table":"campaigns".*"created_at":")\d{4}/, '$10000'),
      /column "created_at" of campaigns/,
    ],
    [
      'an unknown column',
      (text) => text.replace('"cpm_amount":', '"cost":1,"cpm_amount":'),
      /column "cost" of campaigns/,
    ],
    ['a row twice', (text) => text.replace(/"id":2,"user_id"/, '"id":1,"user_id"'), /is inconsistent/],
    [
      'a row without its parent',
      (text) => text.replace(/"row":\{"id":\d+,"organization_id":5/, '"row":{"id":1,"organization_id":77'),
      /is inconsistent/,
    ],
  ])('%s', async (_, change, words) => {
    const db = await emptyDatabase('sqlite');
    await filled(db);
    await withStore(db, (store) => writeBackup(inFolder('x.backup'), store));
    const text = readFileSync(inFolder('x.backup'), 'utf8');
    const changed = change(text);
    expect(changed).not.toBe(text);
    writeFileSync(inFolder('bad.backup'), changed);
    const other = await emptyDatabase('sqlite');
    const restored = restoreBackup(inFolder('bad.backup'), (work) => withStore(other, work));
    await expect(restored).rejects.toThrow(ServeError);
    await expect(restored).rejects.toThrow(words);
    const store = await openPersistentStore(other);
    expect(await store.isEmpty()).toBe(true);
    await store.close();
  });

  test('a missing file', async () => {
    const { code, stderr } = await restore(inFolder('new.db'), inFolder('none'));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/cannot be read: there is no such file or directory\./)]);
    expect(existsSync(inFolder('new.db'))).toBe(false);
  });
});
