import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ServeError } from '../src/node/errors.js';
import { parseHost, serveCommand } from '../src/node/serve-command.js';
import { demoSeed } from '../src/seed/demo.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import { sqliteDriver } from '../src/store/sql/sqlite-driver.js';
import type { Dump } from '../src/store/store.js';
import { createDatabase } from './support/postgres.js';

// What cannot be started: one plain sentence, nothing changed. In this process; serve-command.test.ts has the exit code.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-errors-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const inFolder = (name: string): string => join(folder, name);

async function newStore(): Promise<string> {
  const db = inFolder('stored.db');
  await (await sqliteStore(db)).close();
  return db;
}

const words: string[] = [];
const output = {
  write: (text: string, done?: () => void) => {
    words.push(text);
    done?.();
  },
};
const io = { stdout: output, stderr: output };
/** What the command prints in this process, or the error that it ends with. */
const outcomeOf = async (...args: string[]): Promise<string | Error> => {
  const command = serveCommand('serve', io)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  const error = await command.parseAsync(args, { from: 'user' }).then(
    () => null,
    (reason: Error) => reason,
  );
  return error ?? words.splice(0).join('');
};
const errorFrom = async (...args: string[]): Promise<string> => {
  const error = await outcomeOf(...args);
  expect(words).toEqual([]);
  if (!(error instanceof ServeError)) throw new Error(`Expected a ServeError, got ${String(error)}`);
  return error.message;
};
const kept = async (db: string, seed?: Dump): Promise<void> => {
  const store = await sqliteStore(db);
  if (seed) await store.load(seed);
  await store.close();
};

test('a port in use leaves no database behind', async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  const { port } = other.address() as AddressInfo;
  const db = inFolder('new.db');
  expect(await errorFrom('--port', String(port), '--db', db)).toBe(
    `Port ${port} on 127.0.0.1 is in use. Choose another with --port, or --port 0 for a free one.`,
  );
  expect(existsSync(db)).toBe(false);
  other.close();
});

test('reports all problems of a seed file with their lines, and leaves no database behind', async () => {
  const file = inFolder('seed.yaml');
  const db = inFolder('new.db');
  writeFileSync(file, 'users:\n  ada: {name: Ada, email: ada@example.com}\norganizations:\n  acme:\n    nme: Acme\n');
  expect(await errorFrom('--port', '0', '--db', db, '--seed', file)).toMatch(/seed\.yaml: .*line 5/s);
  expect(existsSync(db)).toBe(false);
});

test('rejects a folder as a seed file', async () => {
  expect(await errorFrom('--port', '0', '--seed', folder)).toBe(
    `The seed "${folder}" cannot be read: it is a directory. Use demo, empty, large or the path of a file.`,
  );
});

test('rejects a missing folder and a file that is not a database', async () => {
  expect(await errorFrom('--port', '0', '--db', inFolder('no/where.db'))).toContain('its directory does not exist');
  const text = inFolder('text.db');
  writeFileSync(text, 'This is not a database at all, and it is longer than the header of one would be. '.repeat(20));
  expect(await errorFrom('--port', '0', '--db', text)).toContain('it is not an SQLite database');
  expect(readFileSync(text, 'utf8')).toMatch(/^This is not/);
});

test('rejects a database of a newer version', async () => {
  const db = inFolder('stored.db');
  await kept(db);
  const database = (await sqliteDriver()).open(db);
  database.exec("insert into mkt_schema_files values ('2030-01-01T00:00:00Z', '9999_later', 'integer', 'x')");
  database.close();
  const before = readFileSync(db);
  expect(await errorFrom('--port', '0', '--db', db)).toContain('newer version');
  expect(Buffer.compare(readFileSync(db), before)).toBe(0);
});

test('reports an unreachable PostgreSQL without its password', async () => {
  const message = await errorFrom('--port', '0', '--db', 'postgres://mkt:hunter2@127.0.0.1:1/mkt');
  expect(message).not.toContain('hunter2');
  expect(message).toContain('127.0.0.1');
});

test.each([
  [':memory:', '":memory:"'],
  ['', '""'],
  ['mysql://root:hunter2@localhost/mkt', '"mysql:"'],
  ['file:stored.db', '"file:"'],
])('rejects --db %j', async (db, shown) => {
  const sentence =
    `Data cannot be stored at ${shown}. ` +
    'Use memory:, the path of a file, or postgres://user:password@host:5432/database.';
  expect(await errorFrom('--db', db, '--port', '0')).toBe(sentence);
  expect(await errorFrom('export', '--db', db)).toBe(sentence);
});

test.each([['--seed', 'demo'], [], ['--seed', 'large']])(
  'demo data where others can reach it: %s %s',
  async (...seed) => {
    const args = seed.filter((word) => word !== undefined);
    expect(await errorFrom('--host', '0.0.0.0', '--port', '0', ...args)).toContain('its tokens are public');
  },
);

test('rejects a persistent store that contains the demo data', async () => {
  const db = inFolder('stored.db');
  await kept(db, demoSeed());
  expect(await errorFrom('--host', '0.0.0.0', '--port', '0', '--db', db)).toContain('its tokens are public');
});

test('accepts listening addresses with or without brackets', () => {
  expect([parseHost('127.0.0.1'), parseHost('::1'), parseHost('[::1]')]).toEqual(['127.0.0.1', '::1', '::1']);
  for (const text of ['', ' ', '[]', 'http://127.0.0.1']) expect(() => parseHost(text)).toThrow('Use an address');
});

test.each([
  ['--rate-limit', '60'],
  ['--rate-limit', '60/ms'],
  ['--latency', '1 mo'],
  ['--cors', 'example.com'],
  ['--base-url', 'api.example.com'],
  ['--page-size', '0'],
  ['--bogus', 'x'],
])('the flag %s %s', async (flag, value) => {
  expect(await outcomeOf(flag, value)).toMatchObject({
    name: 'CommanderError',
    message: expect.stringContaining(flag),
  });
});

test('rejects users, tokens and members without a store, unknown ones, and duplicates', async () => {
  const db = await newStore();
  expect(await errorFrom('users', 'add', 'mia@example.com')).toContain('--db');
  expect(await outcomeOf('users', 'add', 'eve@example.com', '--db', db)).toMatch(/^Added eve@example\.com\./);
  const member = ['--organization', '1', '--role', 'admin'] as const;
  for (const [args, sentence] of [
    [['users', 'add', 'Eve@EXAMPLE.com'], 'There is already a user with the e-mail address Eve@EXAMPLE.com.'],
    [
      ['tokens', 'add', 'mia@example.com', '--permission', 'read'],
      'There is no user with the e-mail address mia@example.com.',
    ],
    [['tokens', 'list', 'mia@example.com'], 'There is no user'],
    [['users', 'disable', 'mia@example.com'], 'There is no user'],
    [['tokens', 'revoke', '99'], 'There is no token 99'],
    [['tokens', 'revoke', 'x'], 'There is no token x'],
    [['members', 'add', 'mia@example.com', ...member], 'There is no user'],
    [['members', 'add', 'eve@example.com', ...member], 'There is no organization 1.'],
  ] as const)
    expect(await errorFrom(...args, '--db', db)).toContain(sentence);
});

test('no command but serve and restore creates a database', async () => {
  const db = inFolder('misspelt.db');
  const sentence = `There is no database file ${db}. Check the path after --db.`;
  for (const args of [
    ['export'],
    ['users', 'list'],
    ['users', 'add', 'mia@example.com'],
    ['users', 'disable', 'mia@example.com'],
    ['tokens', 'list'],
    ['tokens', 'add', 'mia@example.com', '--permission', 'read'],
    ['tokens', 'revoke', '1'],
    ['members', 'add', 'mia@example.com', '--organization', '1', '--role', 'member'],
    ['backup', '--out', inFolder('x.backup')],
  ])
    expect(await errorFrom(...args, '--db', db)).toBe(sentence);
  expect(existsSync(db)).toBe(false);
});

test.each(['sqlite', 'postgres'])('no such command sets up a database without data, on %s', async (kind) => {
  const database = kind === 'postgres' ? await createDatabase() : null;
  const db = database?.url ?? inFolder('empty.db');
  if (!database) writeFileSync(db, '');
  for (const args of [['check'], ['users', 'list'], ['tokens', 'revoke', '1'], ['backup', '--out', '-']])
    expect(await errorFrom(...args, '--db', db)).toMatch(
      /^The database .* has no data of mkt\. Check --db, or start a server with it first\.$/,
    );
  if (database) {
    const tables = await database.query('select tablename from pg_tables where schemaname = current_schema()');
    await database.drop();
    expect(tables).toEqual([]);
  } else expect(readFileSync(db, 'utf8')).toBe('');
});

test('checks names and descriptions like the API, so that an export can be read again', async () => {
  const db = await newStore();
  const user = ['users', 'add', 'mia@example.com', '--db', db] as const;
  expect(await errorFrom(...user, '--name', ' ')).toBe('The name must not be blank.');
  expect(await errorFrom(...user, '--name', 'x'.repeat(256))).toBe('The name must be at most 255 characters long.');
  expect(await outcomeOf(...user, '--name', 'Mia')).toMatch(/^Added mia@example\.com/);
  const token = ['tokens', 'add', 'mia@example.com', '--permission', 'read', '--db', db] as const;
  expect(await errorFrom(...token, '--description', '')).toBe('The description must not be blank.');
  expect(await outcomeOf(...token)).toMatch(/^mkt_[\w-]{43}\n$/);
});

test('shows control characters of what users have entered as escapes', async () => {
  const db = await newStore();
  await outcomeOf('users', 'add', 'mia@example.com', '--db', db);
  const description = 'x\u001b[2K\n1  ada\u2028\u202e';
  await outcomeOf('tokens', 'add', 'mia@example.com', '--permission', 'read', '--description', description, '--db', db);
  expect(await outcomeOf('tokens', 'list', '--db', db)).toContain('  x\\u001b[2K\\u000a1  ada\\u2028\\u202e\n');
});

test.each(['http://x', 'a b', 'x/y', ''])('rejects --allow-host "%s"', async (host) => {
  expect(String(await outcomeOf('--allow-host', host))).toContain('Use a host name, such as api.example.com');
});

test.each(['X Real IP', 'X-Real-IP:', '1', ''])('rejects --address-header "%s"', async (name) => {
  expect(String(await outcomeOf('--address-header', name))).toContain('Use the name of a header, such as X-Real-IP.');
});

test('rejects --db-connections without PostgreSQL and leaves no file behind', async () => {
  const db = inFolder('new.db');
  const message =
    '--db-connections is only for PostgreSQL. Omit it, or use --db postgres://user:password@host:5432/database.';
  expect(await errorFrom('--port', '0', '--db', db, '--db-connections', '5')).toBe(message);
  expect(await errorFrom('--port', '0', '--db-connections', '5')).toBe(message);
  expect(existsSync(db)).toBe(false);
});

test.each(['0', '-1', '1.5', 'ten', '1001'])('rejects --db-connections %s', async (number) => {
  expect(String(await outcomeOf('--db-connections', number))).toContain('Use a whole number from 1 to 1000.');
});
