import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../src/digest.js';
import type { AuditEntry } from '../src/http/audit.js';
import { auditFile } from '../src/node/audit-file.js';
import { restoreBackup, writeBackup } from '../src/node/backup-file.js';
import { readJsonLines } from '../src/node/json-lines.js';
import { jsonLog } from '../src/node/logs.js';
import { openPersistentStore, withStore } from '../src/node/open-store.js';
import { demoSeed } from '../src/seed/demo.js';
import { parseSeed } from '../src/seed/file.js';
import { idsOfSeed, pageSizeOfSeed } from '../src/seed/source-options.js';

/** What one reader of lines or another takes for the end of a line, and JSON allows in a string. */
const breaks = 'a\u2028b\u2029c\u0085d\r\n\v\f\u001c\u001d\u001e.';
/** The lines of Python's `splitlines()`, which splits at more characters than any other reader. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters at which it splits.
const linesOf = (text: string) => text.split(/\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/).filter((line) => line !== '');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-lines-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a reader of JSON lines', () => {
  const read = async (...chunks: string[]) => {
    const lines: string[] = [];
    const text = (async function* () {
      yield* chunks;
    })();
    for await (const line of readJsonLines(text)) lines.push(line);
    return lines;
  };

  test('splits only at line feeds, wherever a chunk ends', async () => {
    const lines = ['{"a":"\u2028"}', '', '{"b":"\u2029\u0085\r\ufeff"}\r', 'x'];
    const text = lines.join('\n');
    expect(await read(text)).toEqual(lines);
    expect(await read(`${text}\n`)).toEqual(lines);
    for (let end = 0; end <= text.length; end += 1)
      expect(await read(text.slice(0, end), text.slice(end))).toEqual(lines);
    expect(await read(...text)).toEqual(lines);
  });

  test('removes one byte order mark at the start', async () => {
    expect(await read('\ufeff{}\n\ufeff1')).toEqual(['{}', '\ufeff1']);
    expect(await read()).toEqual([]);
  });
});

describe('a backup', () => {
  const named = async (db: string) => {
    const store = await openPersistentStore(db);
    const seed = demoSeed();
    const campaigns = seed.tables.campaigns.map((row) => ({ ...row, name: `${row.id} ${breaks}`, brief: breaks }));
    await store.load({ ...seed, tables: { ...seed.tables, campaigns } });
    return store;
  };

  test.each<[string, (text: string) => string]>([
    ['as it is written', (text) => text],
    [
      'of an older version, which did not escape these characters',
      (text) => text.replaceAll(/\\u(2028|2029|0085)/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    ],
    ['with a byte order mark and the line ends of Windows', (text) => `\ufeff${text.replaceAll('\n', '\r\n')}`],
  ])('is restored: %s', async (_, change) => {
    const store = await named(join(folder, 'one.db'));
    const file = join(folder, 'x.backup');
    const count = await writeBackup(file, store);
    const text = readFileSync(file, 'utf8');
    expect(linesOf(text)).toHaveLength(count + 2);
    writeFileSync(file, change(text));
    const other = join(folder, 'other.db');
    expect(await restoreBackup(file, (work) => withStore(other, work))).toBe(count);
    const restored = await openPersistentStore(other);
    expect(await restored.dump()).toEqual(await store.dump());
    await Promise.all([store.close(), restored.close()]);
  });
});

test('the audit log has one line per write for every reader', async () => {
  const file = join(folder, 'audit.jsonl');
  const audit = await auditFile(file, () => undefined);
  const entry = { operation: breaks } as unknown as AuditEntry;
  await audit.request().record([entry]);
  await audit.request().record([entry]);
  expect(linesOf(readFileSync(file, 'utf8')).map((line) => JSON.parse(line).operation)).toEqual([breaks, breaks]);
});

test('the log has one line per entry for every reader', async () => {
  let text = '';
  const log = await jsonLog({ write: (line) => (text += line) });
  log.stopping(breaks);
  log.warned?.(breaks);
  const lines = linesOf(text).map((line) => JSON.parse(line));
  expect(lines).toEqual([expect.objectContaining({ signal: breaks }), expect.objectContaining({ msg: breaks })]);
});

describe('a seed', () => {
  const parse = (text: string) => parseSeed(text, { sha256, random: (bytes) => 'x'.repeat(bytes) });
  const name = 'a\u2028b\u2029c\u0085d';
  const yaml = `# \u2028 a comment\nusers: {ada: }\norganizations:\n  acme: {name: "${name}", members: {ada: owner}}\n`;

  test.each([
    ['YAML', yaml],
    ['YAML with a byte order mark', `\ufeff${yaml}`],
    ['YAML whose lines end with a carriage return', yaml.replaceAll('\n', '\r')],
    ['JSON', `{"users":{"ada":{}},"organizations":{"acme":{"name":"${name}","members":{"ada":"owner"}}}}`],
    [
      'JSON with a byte order mark',
      `\ufeff{"users":{"ada":{}},"organizations":{"acme":{"name":"${name}","members":{"ada":"owner"}}}}`,
    ],
  ])('keeps these characters: %s', async (_, text) => {
    expect((await parse(text)).dump.tables.organizations).toMatchObject([{ name }]);
  });

  test('reads its keys behind a byte order mark, and not in a value', () => {
    expect(idsOfSeed('\ufeffids: opaque\nusers: {}')).toBe('opaque');
    expect(idsOfSeed('users: {}\r\nids: opaque')).toBe('opaque');
    expect(idsOfSeed('users:\n  ada: {name: "a\u2028ids: opaque"}')).toBe('integer');
    expect(pageSizeOfSeed('\ufeff{\n  "twin": {\n    "version": 1,\n    "page_size": 7\n')).toBe(7);
  });
});
