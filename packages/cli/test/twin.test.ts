import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Dump, demoSeed, type IdFormat, idsOfSeed, pageSizeOfSeed } from '@mkt/server';
import { openSeed } from '@mkt/server/seeds';
import { describe, expect, it } from 'vitest';
import { run } from '../src/root/run-command.js';
import { between } from './support/between.js';
import { scriptedPrompter } from './support/prompter.js';
import { runCli, testIo } from './support/run-cli.js';
import { tokens } from './support/service.js';
import { everyGet, getter, pullTwin, source } from './support/twin.js';

/** A server with the twin in a file, and the first of its tokens. */
async function openTwin(file: string) {
  const text = readFileSync(file, 'utf8');
  const ids = idsOfSeed(text);
  const { dump, tokens } = await openSeed(text, { ids });
  const { url } = await source(dump, ids, { pageSize: pageSizeOfSeed(text) ?? 0 });
  const [token = ''] = Object.values(tokens);
  return { tokens, url, get: getter(url, token) };
}

const organizationId = ({ tables }: Dump, number: number): number | string =>
  tables.organizations.find((row) => ('position' in row ? row.position : row.id) === number)?.id ?? 0;

/** The large data with fewer campaigns and collabs. */
async function smallerLarge(ids: IdFormat): Promise<Dump> {
  const { dump } = await openSeed('large', { ids });
  const { campaigns, collabs } = dump.tables;
  return { ...dump, tables: { ...dump.tables, campaigns: campaigns.slice(0, 200), collabs: collabs.slice(0, 80) } };
}

describe.each<IdFormat>(['integer', 'opaque'])('a twin with %s ids', (ids) => {
  it.each([
    ['demo', 5, async () => demoSeed(ids)],
    ['demo', 7, async () => demoSeed(ids)],
    ['large', 11, () => smallerLarge(ids)],
  ])(
    'of the %s data, organization %i, answers every GET as its source',
    { timeout: 120_000 },
    async (_name, number, seed) => {
      const dump = await seed();
      const { url, methods } = await source(dump, ids, { pageSize: 17 });
      const org = organizationId(dump, number);
      const { code, stderr, out } = await pullTwin(url, String(org), ['--keep-names']);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(/^Copied \d+ campaigns and \d+ collabs of .+ to \.\/acme\.twin\.\n$/),
      });
      expect([...methods.keys()]).toEqual(['GET']);
      const twin = await openTwin(out);
      const expected = await everyGet(getter(url, tokens.ada_read), url, org);
      const served = await everyGet(twin.get, twin.url, org);
      expect([...served.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
      for (const [path, response] of expected) expect([path, served.get(path)]).toEqual([path, response]);
      const own = (await (await getter(url, tokens.ada_read)(`/organizations/${org}.json`)).text()).replaceAll(
        url,
        twin.url,
      );
      expect(await (await twin.get('/organizations.json')).json()).toEqual([
        { ...JSON.parse(own), ...(own.includes('logo_url') && { logo_url: expect.any(String) }) },
      ]);
    },
  );
});

const demo = demoSeed();
const privateTexts = [
  ...demo.tables.users.flatMap(({ name, email }) => [name, email]),
  ...demo.tables.addresses.flatMap(({ address_one, city, postal_code }) => [address_one, city, postal_code]),
];

describe('the file', () => {
  it('has no names, addresses and e-mail addresses of people, and no tokens', async () => {
    const campaigns = demo.tables.campaigns.map((row) =>
      row.id === 1
        ? { ...row, name: `By Ada Okafor (ADA@acme.example) ${tokens.ada_read}`, brief: '<p>Ask <b>Ben Ito</b></p>' }
        : row,
    );
    const { url } = await source({ ...demo, tables: { ...demo.tables, campaigns } });
    const { out } = await pullTwin(url, '5');
    const text = readFileSync(out, 'utf8');
    for (const secret of [...privateTexts, ...Object.values(tokens), 'Ada ', "Ada's"]) {
      expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
    }
    expect(text).toMatch(/By Member [\da-f]{10} \(member-[\da-f]{10}@example\.com\) \*{4}/);
    expect(text).toMatch(/<p>Ask <b>Member [\da-f]{10}<\/b><\/p>/);
    expect(text).toMatch(/"description": "Member [\da-f]{10}'s laptop"/);
  });
  it('keeps names with --keep-names, but never the token', async () => {
    const campaigns = demo.tables.campaigns.map((row) => (row.id === 1 ? { ...row, name: tokens.ada_read } : row));
    const { url } = await source({ ...demo, tables: { ...demo.tables, campaigns } });
    const text = readFileSync((await pullTwin(url, '5', ['--keep-names'])).out, 'utf8');
    expect(text).toContain('"name": "Ada Okafor"');
    expect(text).toContain("Ada's laptop");
    for (const secret of Object.values(tokens)) expect(text).not.toContain(secret);
  });
  it('is the same each time except for its date, readable by its owner only, and the only one in its folder', async () => {
    const { url } = await source(demo);
    const { out, folder, stderr } = await pullTwin(url, '5');
    const first = readFileSync(out, 'utf8');
    expect(stderr).toBe(
      'Copied 45 campaigns and 23 collabs of Acme Cosmetics to ./acme.twin. Names and addresses of people are masked.\n',
    );
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['acme.twin']);
    await pullTwin(url, '5', [], { cwd: folder, now: () => new Date('2026-06-02T12:00:00Z') });
    expect(readFileSync(out, 'utf8')).toBe(first.replace(/2026-06-01T12:00:\d\dZ/, '2026-06-02T12:00:00Z'));
    expect(first).toMatch(/^\{\n {2}"twin": \{\n {4}"version": 1,\n/);
  });
  it('gives the tokens to the member of --as', async () => {
    const { url } = await source(demo);
    const { out } = await pullTwin(url, '5', ['--as', 'ben@acme.example']);
    expect(JSON.parse(readFileSync(out, 'utf8')).users.usr_ben.tokens).toHaveLength(2);
    const { code, stderr } = await pullTwin(url, '5', ['--as', 'eve@acme.example']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('eve@acme.example (--as)') });
  });
  it('is reported with the number of its campaigns, collabs and missing images, in words that fit the number', async () => {
    const { tables, serials } = demo;
    const campaigns = tables.campaigns.filter(({ id }) => id === 3);
    const { url } = await source({ tables: { ...tables, campaigns, collabs: [] }, serials }, 'integer', {
      baseUrl: 'http://127.0.0.1:9',
    });
    expect((await pullTwin(url, '5', ['--keep-names'])).stderr).toBe(
      'warning: 1 image could not be copied. The twin has an image of one pixel instead.\n' +
        'Copied 1 campaign and 0 collabs of Acme Cosmetics to ./acme.twin.\n',
    );
  });
  it('is required', async () => {
    const { url } = await source(demo);
    const env = { MKT_TOKEN: tokens.ada_read, MKT_BASE_URL: url, MKT_ORG: '5' };
    expect(await runCli(['twin', 'pull'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--out is required'),
    });
  });
});

describe('a pull', () => {
  it('sends at most four requests at a time, and waits as long as the service asks', async () => {
    const { url } = await source(demo, 'integer');
    let running = 0;
    let most = 0;
    let limited = 0;
    const proxy = await between(url, {
      before: ({ path }) => {
        running += 1;
        most = Math.max(most, running);
        if (!path.includes('/campaigns/7.json') || limited >= 3) return undefined;
        limited += 1;
        running -= 1;
        return 429;
      },
      after: () => {
        running -= 1;
      },
    });
    expect(await pullTwin(proxy, '5')).toMatchObject({ code: 0 });
    expect(limited).toBe(3);
    expect(most).toBeLessThanOrEqual(4);
  });
  it('leaves no file after Ctrl-C', async () => {
    const { url } = await source(demo);
    const stop = new AbortController();
    const proxy = await between(url, {
      before: ({ path }) => {
        if (path.includes('/collabs/')) stop.abort();
        return undefined;
      },
    });
    const { code, folder } = await pullTwin(proxy, '5', [], { interrupted: stop.signal });
    expect({ code, files: readdirSync(folder) }).toEqual({ code: 130, files: [] });
  });
  it.each([
    ['the tokens', '/me/access_tokens.json', 'warning: The token may not read the tokens (403), so the twin has none.'],
    ['the address', '/me/address.json', 'warning: The token may not read the addresses (403), so the twin has none.'],
    ['the collabs', '/collabs.json', 'warning: The token may not read the collabs (403), so the twin has none.'],
    ['one campaign', '/campaigns/3.json', 'warning: Left out 1 campaign: not readable with this token (403).'],
  ])('leaves out %s if the token may not read it, and says so', async (_what, path, warning) => {
    const { url } = await source(demo);
    const proxy = await between(url, { before: (asked) => (asked.path.includes(path) ? 403 : undefined) });
    const { code, stderr, out } = await pullTwin(proxy, '5');
    expect({ code, warnings: stderr.split('\n').slice(0, -2) }).toEqual({ code: 0, warnings: [warning] });
    expect(JSON.parse(readFileSync(out, 'utf8')).twin.left_out).toHaveLength(1);
    const twin = await openTwin(out);
    expect(Object.keys(twin.tokens).some((name) => name.endsWith('_write'))).toBe(true);
  });
  it('leaves out what is deleted meanwhile, and says so', async () => {
    const { url } = await source(demo);
    const proxy = await between(url, { before: ({ path }) => (path.endsWith('/campaigns/3.json') ? 404 : undefined) });
    const { code, stderr } = await pullTwin(proxy, '5');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('warning: Left out 1 campaign: deleted during the pull.'),
    });
  });

  const drifting = (change: (row: Record<string, unknown>) => object) => (asked: { path: string }, body: unknown) =>
    asked.path.endsWith('/campaigns/3.json') ? change(body as Record<string, unknown>) : undefined;
  it.each([
    [
      'a wrong type',
      drifting((row) => ({ ...row, cpm_amount: '5' })),
      /^error: Campaign 3 cannot be copied: cpm_amount is string, not integer\. Nothing was written\.\n/,
    ],
    [
      'an unknown status',
      drifting((row) => ({ ...row, status: 'archived' })),
      /^error: Campaign 3 cannot be copied: status is "archived", not .+\. Nothing was written\.\n/,
    ],
    [
      'an impossible budget',
      drifting((row) => ({ ...row, used_amount: 1, unused_amount: 1, total_budget_amount: 5 })),
      /^error: Campaign 3 cannot be copied: Total budget amount must be .+\. Nothing was written\.\n/,
    ],
  ])('stops at a service with %s in one sentence, and leaves no file', async (_what, after, message) => {
    const { url } = await source(demo);
    const { code, stderr, folder } = await pullTwin(await between(url, { after }), '5');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(message);
    expect(readdirSync(folder)).toEqual([]);
  });
  it('stops if the organization is deleted meanwhile', async () => {
    const { url } = await source(demo);
    let reads = 0;
    const proxy = await between(url, {
      before: ({ path }) => {
        if (path.endsWith('/organizations/5.json')) reads += 1;
        return reads > 1 || path.includes('/campaigns/') ? 404 : undefined;
      },
    });
    const { code, stderr, folder } = await pullTwin(proxy, '5');
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(/^error: .+\n/) });
    expect(readdirSync(folder)).toEqual([]);
  });
  it('reports fields that mkt does not know', async () => {
    const { url } = await source(demo);
    const proxy = await between(url, { after: drifting((row) => ({ ...row, score: 5 })) });
    expect((await pullTwin(proxy, '5')).stderr).toContain('which the twin leaves out: campaign.score.\n');
  });
  it.skipIf(!existsSync('/dev/full'))('reports a full disk in one sentence', async () => {
    const { url } = await source(demo);
    const env = { MKT_TOKEN: tokens.ada_read, MKT_BASE_URL: url };
    const { code, stderr } = await runCli(['twin', 'pull', '--org', '5', '--out', '/dev/full'], { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: Cannot write the output: no space left on device.\n' });
  });
  it('copies an image that cannot be read as one pixel', async () => {
    const { url } = await source(demo, 'integer', { baseUrl: 'http://127.0.0.1:9' });
    const { code, stderr } = await pullTwin(url, '5');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/warning: \d images could not be copied/),
    });
  });
});

describe('mkt twin serve', () => {
  /** Serves a twin while `work` runs, with the variables that it prints. */
  async function serving(
    file: string,
    folder: string,
    work: (mkt: typeof runCli) => Promise<void>,
    flags: readonly string[] = [],
  ) {
    const stop = new AbortController();
    const { io, screen } = testIo({ cwd: folder, interrupted: stop.signal });
    const ended = run(['twin', 'serve', file, '--port', '0', ...flags], io);
    while (screen().stdout === '') await new Promise((resolve) => setTimeout(resolve, 20));
    const { stdout, stderr } = screen();
    const env = Object.fromEntries(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => line.split('=')),
    );
    await work((argv, terminal) => runCli(argv, { env, cwd: folder, ...terminal }));
    stop.abort();
    return { code: await ended, stdout, stderr };
  }

  it('prints the variables with which actions work, and stores no profile', async () => {
    const { url, methods } = await source(demo);
    const { out, folder } = await pullTwin(url, '5');
    const work = async (mkt: typeof runCli) => {
      expect(await mkt(['campaigns', 'show', '2', '--jq', '.status'])).toMatchObject({ code: 0, stdout: 'draft\n' });
      const answers = scriptedPrompter(true);
      const published = await mkt(['campaigns', 'publish', '2'], { columns: 200, answers });
      expect(answers.asked).toEqual([
        expect.stringMatching(/^Really publish campaign 2 ".+" on the copy at 127\.0\.0\.1:\d+\?$/),
      ]);
      expect(published.stderr).toMatch(/Published campaign 2 ".+" in Acme Cosmetics on the copy at 127\.0\.0\.1:\d+\n/);
      expect(await mkt(['campaigns', 'show', '2', '--jq', '.status'])).toMatchObject({ stdout: 'active\n' });
    };
    for (const flags of [['--json'], []]) {
      const { code, stdout, stderr } = await serving(out, folder, work, flags);
      expect(code).toBe(0);
      expect(stderr).toMatch(/^MKT_BASE_URL=http:\/\/127\.0\.0\.1:\d+\nMKT_TOKEN=[\w-]+\n$/);
      if (flags.length > 0) {
        const { url: served, tokens } = JSON.parse(stdout.split('\n')[0] ?? '');
        expect(stderr).toBe(`MKT_BASE_URL=${served}\nMKT_TOKEN=${tokens.ada_write ?? Object.values(tokens)[0]}\n`);
      }
    }
    expect(existsSync(join(folder, 'config', 'config.json'))).toBe(false);
    expect([...methods.keys()]).toEqual(['GET']);
  });
  it('has no flag to serve without a file', async () => {
    expect(await runCli(['twin', 'serve', '--lazy', '--org', '5'])).toMatchObject({ code: 2 });
  });
  it.each([
    ['17', []],
    ['5', ['--page-size', '5']],
  ])('has %s items per page with %j if its source has 17', async (count, flags) => {
    const { url } = await source(demo, 'integer', { pageSize: 17 });
    const { out, folder } = await pullTwin(url, '5');
    const read = ['api', '/organizations/5/campaigns.json', '--jq', 'length'];
    await serving(out, folder, async (mkt) => expect((await mkt(read)).stdout).toBe(`${count}\n`), flags);
  });
  it.each([
    [
      'a twin of a newer version',
      (text: string) => text.replace('"version": 1', '"version": 2'),
      /newer version of mkt\. It has version 2, and this mkt reads 1\. Update mkt\./,
    ],
    ['a file that was cut off', (text: string) => text.slice(0, 2000), /acme\.twin: The seed has/],
  ])('rejects %s', async (_what, change, message) => {
    const { url } = await source(demo);
    const { out, folder } = await pullTwin(url, '5');
    writeFileSync(out, change(readFileSync(out, 'utf8')));
    const { code, stderr } = await runCli(['twin', 'serve', out, '--port', '0'], { cwd: folder });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  });
  it('needs a file', async () => {
    expect(await runCli(['twin', 'serve'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No file was given.'),
    });
    expect(await runCli(['twin', 'serve', '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: mkt twin serve'),
    });
  });
});
