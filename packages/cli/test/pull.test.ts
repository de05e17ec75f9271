import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoSeed, type IdFormat, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { openSeed } from '@mkt/server/seeds';
import { Ajv } from 'ajv';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import schema from '../declaration.schema.json';
import { version } from '../package.json';
import { between } from './support/between.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { startService, tokens } from './support/service.js';

async function started(start: Promise<Server>): Promise<string> {
  const service = await start;
  onTestFinished(() => service.close());
  return service.url;
}

/** Pulls an organization with a read-only token, and reports what `mkt apply --dry-run` finds in the file. */
async function pullAndCompare(url: string, org: string, token: string = tokens.ada_read) {
  const folder = temporaryFolder();
  const out = join(folder, 'brand.yaml');
  const env = { MKT_TOKEN: token, MKT_BASE_URL: url };
  const pulled = await runCli(['pull', '--org', org, '--out', out], { env, cwd: folder });
  expect(pulled).toMatchObject({ code: 0, stdout: '' });
  const { code, stdout, stderr } = await runCli(['apply', out, '--dry-run', '--json'], { env, cwd: folder });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { up_to_date, counts } = JSON.parse(stdout) as { up_to_date: boolean; counts: Record<string, number> };
  return { text: readFileSync(out, 'utf8'), stderr: pulled.stderr.replace(out, 'brand.yaml'), up_to_date, counts };
}

const unchanged = (count: number) => ({
  up_to_date: true,
  counts: { create: 0, update: 0, actions: 0, unchanged: count },
});

it.each<IdFormat>(['integer', 'opaque'])('pulls a file on which apply finds 0 changes, with %s ids', async (ids) => {
  const seed = demoSeed(ids);
  const url = await started(startService({ store: memoryStore(ids), seed }));
  const idOf = (name: string) => String(seed.tables.organizations.find((row) => row.name === name)?.id);
  const acme = await pullAndCompare(url, idOf('Acme Cosmetics'));
  expect(acme).toMatchObject(unchanged(68));
  expect(acme.stderr).toBe('Pulled 45 campaigns and 23 collabs of Acme Cosmetics to brand.yaml.\n');
  expect(acme.text).toMatch(
    /^# yaml-language-server: \$schema=https:\S+\n# Acme Cosmetics, as mkt apply reads it\.\norganization: \S+\ncampaigns:\n {2}- id: /,
  );
  // A member sees no drafts, and an organization may be empty.
  expect(await pullAndCompare(url, idOf('Acme Cosmetics'), tokens.cleo_write)).toMatchObject({ up_to_date: true });
  for (const { id } of seed.tables.organizations.filter(({ id }) => id !== Number(idOf('Acme Cosmetics')))) {
    const isAda = seed.tables.memberships.some((row) => row.organization_id === id && row.user_id === 'usr_ada');
    if (isAda) expect(await pullAndCompare(url, String(id))).toMatchObject({ up_to_date: true });
  }
});

it('pulls the large data, and requests at most four pages or rows at a time', { timeout: 120_000 }, async () => {
  const { dump } = await openSeed('large');
  const campaigns = dump.tables.campaigns.filter(({ id }) => Number(id) < 600);
  const collabs = dump.tables.collabs.filter(({ id }) => Number(id) < 200);
  const seed = { ...dump, tables: { ...dump.tables, campaigns, collabs } };
  const url = await started(serve({ store: memoryStore(), seed, port: 0 }));
  let running = 0;
  let most = 0;
  const counted = await between(url, {
    before: () => {
      running += 1;
      most = Math.max(most, running);
    },
    after: () => {
      running -= 1;
    },
  });
  const count = [...campaigns, ...collabs].filter((row) => row.organization_id === 11).length;
  const folder = temporaryFolder();
  const env = { MKT_TOKEN: tokens.ada_read, MKT_BASE_URL: counted };
  const out = join(folder, 'brand.yaml');
  expect(await runCli(['pull', '--org', '11', '--out', out], { env, cwd: folder })).toMatchObject({ code: 0 });
  expect(most).toBeLessThanOrEqual(4);
  expect(await pullAndCompare(url, '11')).toMatchObject(unchanged(count));
});

it('writes to stdout without --out', async () => {
  const url = await started(startService());
  const env = { MKT_TOKEN: tokens.ada_read, MKT_BASE_URL: url, MKT_ORG: '5' };
  const { code, stdout, stderr } = await runCli(['pull'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('\ncollabs:\n  - id: 1\n');
});

it('names the schema of its version, which accepts what is pulled and rejects what apply rejects', async () => {
  const url = await started(startService());
  const { text } = await pullAndCompare(url, '5');
  expect(text.split('\n')[0]).toBe(`# yaml-language-server: $schema=${schema.$id}`);
  expect(schema.$id).toContain(`@mkt/cli@${version}/`);
  const folder = temporaryFolder();
  const env = { MKT_TOKEN: tokens.ada_read, MKT_BASE_URL: url };
  await runCli(['pull', '--org', '5', '--out', join(folder, 'brand.json')], { env });
  const json = JSON.parse(readFileSync(join(folder, 'brand.json'), 'utf8'));
  expect(json.$schema).toBe(schema.$id);
  expect(await runCli(['apply', join(folder, 'brand.json'), '--dry-run'], { env })).toMatchObject({ code: 0 });
  const isValid = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
  const others = {
    campaigns: [
      { id: 1, delete: true },
      { name: 'New', status: 'active', brief: '@brief.md' },
    ],
    collabs: [{ id: 1, purge_banner_image: true }],
    members: [{ id: 'cleo@acme.example', role: 'admin' }],
    address: { city: 'Berlin', country_code: 'DE' },
  };
  for (const accepted of [parse(text), json, others]) {
    isValid(accepted);
    expect(isValid.errors).toBeNull();
  }
  for (const rejected of [
    { campaings: [] },
    { campaigns: [{ id: 1, cpm_amout: 5 }] },
    { campaigns: [{ cpm_amount: 5 }] },
    { campaigns: [{ id: 1, cpm_amount: -5 }] },
    { campaigns: [{ id: 1, status: 'archived' }] },
    { collabs: [{ name: 'New', status: 'draft' }] },
    { members: [{ role: 'admin' }] },
    { members: [{ id: 1, role: 'boss' }] },
  ]) {
    expect(isValid(rejected), JSON.stringify(rejected)).toBe(false);
    const { code } = await runCli(['apply', '-', '--org', '5', '--dry-run'], { env, stdin: JSON.stringify(rejected) });
    expect(code, JSON.stringify(rejected)).toBe(2);
  }
});

/** A service with one campaign and no collabs. */
const serviceWith = (campaign: object, listed: readonly object[] = [campaign]) =>
  scriptedServer(({ url: path = '' }) => {
    if (path.includes('/campaigns.json')) {
      return { body: listed, headers: { 'total-count': String(listed.length), 'total-pages': '1' } };
    }
    if (path.includes('/campaigns/1.')) return { body: campaign };
    if (path.includes('/collabs.json')) return { body: [], headers: { 'total-count': '0', 'total-pages': '1' } };
    if (path.endsWith('/organizations/5.json')) return { body: { id: 5, name: 'Acme' } };
    return { status: 404, body: { error: 'Not found.' } };
  });

it('declares a brief that starts with @ as text, not as a file', async () => {
  const url = await serviceWith({ id: 1, name: 'Summer', status: 'draft', brief: '@friends, show your routine' });
  const { text, ...compared } = await pullAndCompare(url, '5', 't');
  expect(text).toContain('brief: <div>@friends, show your routine</div>');
  expect(compared).toMatchObject(unchanged(1));
});

it('leaves out what apply would reject, and says so', async () => {
  const url = await serviceWith({ id: 1, name: 'Summer', status: 'archived', cpm_amount: -1, countries: ['US'] });
  const { text, stderr } = await pullAndCompare(url, '5', 't');
  expect(text).toBe(
    `# yaml-language-server: $schema=${schema.$id}\n` +
      '# Acme, as mkt apply reads it.\norganization: 5\ncampaigns:\n  - id: 1\n    name: Summer\n    countries:\n      - US\ncollabs: []\n',
  );
  expect(stderr).toContain(
    'warning: Left out of campaign 1 "Summer", because mkt apply does not accept it: cpm_amount -1, status archived.\n',
  );
});

it('leaves out rows that are deleted during the pull, and says so', async () => {
  const campaign = { id: 1, name: 'Summer', status: 'draft' };
  const url = await serviceWith(campaign, [campaign, { id: 2, name: 'Autumn', status: 'draft' }]);
  const { text, stderr } = await pullAndCompare(url, '5', 't');
  expect(text).not.toContain('Autumn');
  expect(stderr).toContain('warning: Left out 1 campaign deleted during the pull.\n');
});

it('reads a list again that changes while it is read, and gives up after three times', async () => {
  const folder = temporaryFolder();
  let reads = 0;
  const url = await scriptedServer(({ url: path = '' }) => {
    if (!path.includes('/campaigns.json')) return { body: { id: 5, name: 'Acme' } };
    if (!path.includes('page=2')) reads += 1;
    const items = path.includes('page=2') ? [{ id: 1 }] : [{ id: 1 }, { id: 2 }];
    return { body: items, headers: { 'total-count': '3', 'total-pages': '2' } };
  });
  const out = join(folder, 'brand.yaml');
  const env = { MKT_TOKEN: 't', MKT_BASE_URL: url };
  const { code, stderr } = await runCli(['pull', '--org', '5', '--out', out], { env });
  expect({ code, reads }).toEqual({ code: 1, reads: 3 });
  expect(stderr).toBe(
    'error: The list of campaigns changed each of the 3 times that it was read, so nothing was written.\n  try:  Try again later\n',
  );
  expect(readdirSync(folder)).toEqual([]);
});

it.each([
  ['a role that may not list collabs', 403, 5],
  ['an organization that is not visible', 404, 3],
])('leaves no file after %s', async (_case, status, code) => {
  const service = await started(startService());
  const url = await between(service, { before: ({ path }) => (path.includes('/collabs.json') ? status : undefined) });
  const folder = temporaryFolder();
  const out = join(folder, 'brand.yaml');
  const env = { MKT_TOKEN: tokens.ada_read, MKT_BASE_URL: url };
  const screen = await runCli(['pull', '--org', '5', '--out', out], { env });
  expect(screen).toMatchObject({ code, stdout: '' });
  expect(screen.stderr).toMatch(/^error: .+\n/);
  expect(readdirSync(folder)).toEqual([]);
});

it.skipIf(!existsSync('/dev/full'))('reports a full disk in one sentence', async () => {
  const url = await started(startService());
  const env = { MKT_TOKEN: tokens.ada_read, MKT_BASE_URL: url };
  const { code, stderr } = await runCli(['pull', '--org', '5', '--out', '/dev/full'], { env });
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: Cannot write the output: no space left on device.\n' });
});
