import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../src/root/run-command.js';
import { between } from './support/between.js';
import { runCli, type Terminal, temporaryFolder, testIo } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { startService, tokens } from './support/service.js';
import { mkt as builtMkt } from './support/spawn-cli.js';

/** A service that rejects the first requests of a kind because there were too many. */
async function limitedService(rejected: number, retryAfter: number) {
  const counts = new Map<string, number>();
  const url = await scriptedServer(({ method = '', url: path = '' }) => {
    if (path === '/organizations/5.json') return { body: { id: 5, name: 'Acme' } };
    const count = (counts.get(method) ?? 0) + 1;
    counts.set(method, count);
    if (count <= rejected) return { status: 429, headers: { 'retry-after': String(retryAfter) }, body: 'Slow down' };
    if (method === 'POST') return { status: 201, body: { id: 7, name: 'Autumn glow', status: 'draft' } };
    return { body: [] };
  });
  const cwd = temporaryFolder();
  const mkt = (line: string, terminal: Terminal = {}) =>
    runCli(line.split(' '), { cwd, ...terminal, env: { MKT_TOKEN: 't', MKT_BASE_URL: url, MKT_ORG: '5' } });
  return { mkt, counts, cwd };
}

describe('after too many requests', () => {
  it.each([
    'export members --format json',
    'export members --out members.csv',
    'pull --out brand.yaml',
    'import campaigns rows.csv --yes',
  ])('mkt waits and goes on, however often, and says how long: %s', async (line) => {
    const { mkt, counts, cwd } = await limitedService(4, 1);
    writeFileSync(join(cwd, 'rows.csv'), 'name\nAutumn glow\n');
    const { code, stderr } = await mkt(line.replace(/(brand|rows|members)\.\w+/, (file) => join(cwd, file)));
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(counts.get('GET')).toBeGreaterThan(4);
    expect(stderr).toContain('Too many requests. Continuing in 1 s\n');
  });
  it('waits for longer than other commands do, and ends at Ctrl-C', async () => {
    const stop = new AbortController();
    const { mkt } = await limitedService(1, 3600);
    setTimeout(() => stop.abort(), 1500);
    const started = Date.now();
    const { code, stderr } = await mkt('export members', { interrupted: stop.signal });
    expect(code).toBe(130);
    expect(Date.now() - started).toBeLessThan(10_000);
    expect(stderr).toContain('Too many requests. Continuing in 3600 s\n');
  });
  it('an import that waits ends at Ctrl-C, and says which rows were not created', async () => {
    const stop = new AbortController();
    const { mkt, cwd } = await limitedService(0, 1);
    const url = await scriptedServer(({ method }) =>
      method === 'POST' ? { status: 429, headers: { 'retry-after': '3600' } } : { body: [] },
    );
    writeFileSync(join(cwd, 'rows.csv'), 'name\nAutumn glow\n');
    setTimeout(() => stop.abort(), 1500);
    const { code, stderr } = await mkt(`import campaigns ${join(cwd, 'rows.csv')} --yes --base-url ${url}`, {
      interrupted: stop.signal,
    });
    expect({ code, stderr }).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('Too many requests: it was not created.'),
    });
  });
  it('other commands fail, and say when to try again', async () => {
    const { mkt } = await limitedService(9, 3600);
    const { code, stderr } = await mkt('members list');
    expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining('Wait 3600 seconds') });
  });
  it('the seconds count down on a terminal, in the line of the counter', async () => {
    let text = '';
    const url = await scriptedServer(() =>
      text.includes('Continuing') ? { body: [] } : { status: 429, headers: { 'retry-after': '2' } },
    );
    const { io } = testIo({ columns: 80, env: { MKT_TOKEN: 't', MKT_BASE_URL: url } });
    const stream = new PassThrough();
    stream.on('data', (part: Buffer) => {
      text += part.toString('utf8');
    });
    expect(await run(['export', 'members', '--org', '5'], { ...io, stderr: { ...io.stderr, stream } })).toBe(0);
    expect(text).toMatch(/Too many requests\. Continuing in 2 s[\s\S]*Too many requests\. Continuing in 1 s/);
  });
});

// A wait that does not keep the process alive ends the program, which tests inside one process cannot notice.
describe('the built program finishes after seconds of too many requests', () => {
  const rows = Array.from({ length: 12 }, (_, index) => `Row ${index}`).join('\n');
  const declaration = 'campaigns:\n  - name: Autumn glow\n    countries: [US]\n    cpm_amount: 5\n';
  it.each([
    ['import campaigns rows.csv --yes', 4, /Created 12 campaigns/],
    ['export members --format json', 4, /Ada/],
    // They retry twice.
    ['apply -f brand.yaml --yes', 1.5, /Autumn glow/],
    ['campaigns pause 3', 1.5, /paused/i],
  ])('%s', async (line, seconds, expected) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'rows.csv'), `name\n${rows}\n`);
    writeFileSync(join(cwd, 'brand.yaml'), declaration);
    const service = await startService();
    onTestFinished(() => service.close());
    let end: number | undefined;
    const before = ({ method }: { method: string }) => {
      if (method === 'GET' && !line.startsWith('export')) return undefined;
      end ??= Date.now() + seconds * 1000;
      return Date.now() < end ? { status: 429, headers: { 'retry-after': '1' } } : undefined;
    };
    const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: await between(service.url, { before }), MKT_ORG: '5' };
    const { code, stdout, stderr } = await builtMkt(
      line.replace(/rows\.csv|brand\.yaml/, (file) => join(cwd, file)).split(' '),
      env,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error:') });
    expect(stdout + stderr).toMatch(expected);
  });
});
