import { existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { campaign } from '@mkt/sdk/contract';
import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Sink } from '../src/output/printer.js';
import { runCli, type Terminal, temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { startService, tokens } from './support/service.js';

let service: Server;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const ada = (argv: readonly string[], terminal: Terminal = {}) =>
  runCli(argv, {
    ...terminal,
    env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '5', ...terminal.env },
  });

it('accepts the short names of resources', async () => {
  const { code, stdout } = await ada(['export', 'orgs', '--fields', 'id,name']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('5,Acme Cosmetics\n')]);
});
it('writes all pages as csv by default', async () => {
  const { code, stdout, stderr } = await ada(['export', 'campaigns']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n')[0]).toBe(Object.keys(campaign.shape).join(','));
  expect(stdout.trimEnd().split('\n')).toHaveLength(46);
});

it('requests each row only for fields that lists leave out', async () => {
  let shown = 0;
  const url = await scriptedServer(({ url: path = '' }) => {
    if (/campaigns\/\d/.test(path)) shown += 1;
    if (path.includes('/campaigns/2')) return { status: 404, body: { error: 'Not found' } };
    if (path.includes('/campaigns/1')) return { body: { id: 1, name: 'a', brief: '<p>Hi</p>' } };
    return { body: [1, 2].map((id) => ({ id, name: 'a' })), headers: { 'total-count': '2', 'total-pages': '1' } };
  });
  const run = (fields: string) =>
    runCli(['export', 'campaigns', '--org', '5', '--fields', fields], { env: { MKT_TOKEN: 't', MKT_BASE_URL: url } });
  expect(await run('id,name')).toMatchObject({ code: 0, stdout: 'id,name\n1,a\n2,a\n' });
  expect(shown).toBe(0);
  // The second was deleted meanwhile.
  expect(await run('id,brief')).toMatchObject({ code: 0, stdout: 'id,brief\n1,<p>Hi</p>\n2,\n' });
  expect(shown).toBe(2);
});

describe('export to a file', () => {
  it.each([['json'], ['ndjson'], ['csv'], ['tsv'], ['yaml']])(
    'chooses the format by the extension .%s',
    async (ending) => {
      const out = join(temporaryFolder(), `collabs.${ending}`);
      const { code, stdout, stderr } = await ada(['export', 'collabs', '--out', out]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
      expect(stderr).toBe(`Exported 23 collabs of Acme Cosmetics to ${out}.\n`);
      const text = readFileSync(out, 'utf8');
      if (ending === 'json') expect(JSON.parse(text)).toHaveLength(23);
      else expect(text).toContain('Try our new night cream');
    },
  );
  it('writes the target of a symbolic link, and keeps the link', async () => {
    const folder = temporaryFolder();
    const [file, link] = [join(folder, 'real.csv'), join(folder, 'latest.csv')];
    writeFileSync(file, 'old');
    symlinkSync('real.csv', link);
    expect(await ada(['export', 'members', '--out', link])).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toContain('ada@acme.example');
    expect(readlinkSync(link)).toBe('real.csv');
    expect(readdirSync(folder).toSorted()).toEqual(['latest.csv', 'real.csv']);
  });
  it('writes to stdout for -', async () => {
    const plain = await ada(['export', 'members']);
    expect(await ada(['export', 'members', '--out', '-'])).toEqual(plain);
  });
  it.each([
    ['within a file', 'ENOTDIR', (folder: string) => join(folder, 'file', 'x.csv')],
    ['with a name that is too long', 'ENAMETOOLONG', (folder: string) => join(folder, `${'x'.repeat(300)}.csv`)],
  ])('explains why a path %s cannot be written', async (_case, code, pathIn) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const screen = await ada(['export', 'members', '--out', pathIn(folder)]);
    expect(screen).toMatchObject({ code: 1, stdout: '' });
    expect(screen.stderr).toMatch(/^error: Cannot use .*\.csv: /);
    expect(screen.stderr).not.toContain(code);
  });
  it('starts CSV files with a byte order mark for Excel, unless --no-bom is given', async () => {
    const folder = temporaryFolder();
    const first = async (name: string, ...flags: readonly string[]) => {
      const out = join(folder, name);
      expect(await ada([...flags, '--out', out])).toMatchObject({ code: 0 });
      return readFileSync(out, 'utf8').slice(0, 3);
    };
    const members = ['export', 'members'];
    expect(await first('a.csv', ...members)).toBe('\ufeffid');
    expect(await first('b.csv', ...members, '--delimiter', ';')).toBe('\ufeffid');
    expect(await first('c.csv', ...members, '--no-header')).toMatch(/^\ufeff/);
    expect(await first('d.csv', 'members', 'list')).toBe('\ufeffid');
    expect(await first('empty.csv', 'export', 'campaigns', '--org', '7')).toBe('\ufeffid');
    expect(await first('e.csv', ...members, '--no-bom')).toBe('id,');
    expect(await first('f.tsv', ...members)).toBe('id\t');
    expect(await first('f.tsv', ...members)).toBe('id\t');
    expect(await first('g.txt', 'members', 'list', '--jq', '.[0].id')).not.toMatch(/^\ufeff/);
  });
  it('writes CSV to stdout without a byte order mark, unless --bom is given', async () => {
    const first = async (...flags: readonly string[]) =>
      (await ada(['export', 'members', ...flags])).stdout.slice(0, 3);
    expect(await first()).toBe('id,');
    expect(await first('--out', '-')).toBe('id,');
    expect(await first('--bom')).toBe('\ufeffid');
    expect(await ada(['export', 'members', '--json', '--bom'])).toMatchObject({ code: 2, stdout: '' });
    expect(await ada(['export', 'members', '--bom'], { env: { MKT_TOKEN: 'x' } })).toMatchObject({
      code: 4,
      stdout: '',
    });
  });
  it('leaves no partial file after a failure', async () => {
    const folder = temporaryFolder();
    const url = await scriptedServer(({ url: path = '' }) =>
      path.includes('page=2')
        ? { status: 500, body: 'boom' }
        : { body: [{ id: 1, name: 'a' }], headers: { 'total-count': '2', 'total-pages': '2' } },
    );
    const out = join(folder, 'organizations.csv');
    const { code } = await runCli(['export', 'organizations', '--out', out], {
      env: { MKT_TOKEN: 't', MKT_BASE_URL: url },
    });
    expect(code).toBe(1);
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });
  it('skips rows that are not objects', async () => {
    const url = await scriptedServer(() => ({ body: [null, 5, { id: 1, name: 'a' }] }));
    const { code, stdout } = await runCli(['export', 'organizations', '--format', 'csv'], {
      env: { MKT_TOKEN: 't', MKT_BASE_URL: url },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^id,name/);
    expect(stdout).toContain('\n1,a');
  });
  it('leaves no partial file after Ctrl-C', async () => {
    const folder = temporaryFolder();
    const stop = new AbortController();
    const url = await scriptedServer(({ url: path = '' }) => {
      if (path.includes('page=3')) stop.abort();
      const page = Number(/page=(\d+)/.exec(path)?.[1] ?? 1);
      return { body: [{ id: page, name: 'a' }], headers: { 'total-count': '100', 'total-pages': '100' } };
    });
    const { code, stderr } = await runCli(['export', 'organizations', '--out', join(folder, 'x.csv')], {
      env: { MKT_TOKEN: 't', MKT_BASE_URL: url },
      interrupted: stop.signal,
    });
    expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('Interrupted') });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('an export of 10,000 rows', () => {
  it.each(['ndjson', 'csv', 'json'])('as %s requests pages only as fast as the reader takes them', async (format) => {
    const perPage = 100;
    let asked = 0;
    const server = createServer((request, response) => {
      const number = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page') ?? 1);
      asked = Math.max(asked, number);
      const rows = Array.from({ length: perPage }, (_, index) => ({
        id: (number - 1) * perPage + index + 1,
        name: 'x'.repeat(600),
      }));
      response.writeHead(200, { 'content-type': 'application/json', 'total-count': '10000', 'total-pages': '100' });
      response.end(JSON.stringify(rows));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    let taken = 0;
    let furthestAhead = 0;
    // A reader that takes 60 kB at a time, with a pause in between.
    const reader = new Writable({
      highWaterMark: 16_384,
      write(chunk: Buffer, _encoding, done) {
        taken += chunk.length;
        furthestAhead = Math.max(furthestAhead, asked - taken / (perPage * 600));
        setImmediate(done);
      },
    });
    const { run } = await import('../src/root/run-command.js');
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const size = { isTTY: false, columns: 80, rows: 24 };
    const { Readable } = await import('node:stream');
    const code = await run(['export', 'organizations', '--format', format], {
      env: { MKT_TOKEN: 't', MKT_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      cwd: temporaryFolder(),
      home: temporaryFolder(),
      platform: 'linux',
      stdin: { stream: Readable.from([]), isTTY: false },
      stdout: { stream: reader, ...size },
      stderr: { stream: silent, ...size },
      print: (text) => void reader.write(text),
      now: () => new Date(),
      interrupted: new AbortController().signal,
      lendTerminal: (work) => work(),
    });
    expect({ code, asked }).toEqual({ code: 0, asked: 100 });
    // Up to eight pages are in flight, and some rows are buffered.
    expect(furthestAhead).toBeLessThan(12);
  });
});

it('ends quietly when the reader closes the pipe', async () => {
  const stream = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('gone'), { code: 'EPIPE' })),
  });
  const sink = new Sink(stream);
  await expect(
    (async () => {
      for (let index = 0; index < 100; index += 1) {
        await sink.write('x'.repeat(20_000));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })(),
  ).rejects.toMatchObject({ name: 'BrokenPipe' });
});
