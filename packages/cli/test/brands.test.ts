import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { brandsService, campaignRow } from './support/brands.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { tokens } from './support/service.js';

interface Row {
  readonly id: number | string;
  readonly name: string;
  readonly currency: string;
  readonly used_amount: number;
  readonly organization: { readonly id: number; readonly name: string };
}

const { ada, json, url } = adaWithService();

/** All rows of an organization as the API has them, page by page. */
async function raw(organization: number, resource: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const response = await fetch(`${url()}/organizations/${organization}/${resource}.json?page=${page}`, {
      headers: { Authorization: `Bearer ${tokens.ada_write}`, Accept: 'application/json' },
    });
    const some = (await response.json()) as Row[];
    if (some.length === 0) return rows;
    rows.push(...some);
  }
}

const names = { 5: 'Acme Cosmetics', 7: 'Initech Audio' };
const wantedOf = async (resource: string) =>
  (await Promise.all(([5, 7] as const).map(async (id) => ({ id, rows: await raw(id, resource) })))).flatMap(
    ({ id, rows }) => rows.map((row) => ({ ...row, organization: { id, name: names[id] } })),
  );

describe('lists of several organizations', () => {
  beforeEach(async () => {
    const argv = ['campaigns', 'create', '--org', '7', '--name', 'In Initech', '--no-input'];
    await ada([...argv, '--countries', 'US', '--platform-ids', 'tiktok', '--currency', 'usd']);
  });

  it.each(['campaigns', 'collabs', 'members'])('have all %s of the API, with their organization', async (resource) => {
    const wanted = await wantedOf(resource);
    expect(await json(resource, 'list', '--org', '5,Initech Audio')).toEqual(wanted);
    expect((await ada([resource, 'list', '--all-orgs', '--json'], { env: { MKT_ORG: '' } })).stdout).toBe(
      (await ada([resource, 'list', '--org', '5,7', '--json'])).stdout,
    );
    expect(await json(resource, 'list', '--org', '7, 5,7', '--limit', '1')).toHaveLength(1);
  });

  it('say that a limit left rows out', async () => {
    const { stderr } = await ada(['campaigns', 'list', '--org', '5,7', '--limit', '6']);
    expect(stderr).toBe('The first 6 campaigns of 2 organizations. To see all: leave out --limit.\n');
    expect((await ada(['campaigns', 'list', '--org', '5,7'])).stderr).toMatch(/^\d+ campaigns of 2 organizations\.\n$/);
    for (const flags of [[], ['--json']]) {
      const sorted = await ada(['campaigns', 'list', '--org', '5,7', '--sort', 'name', '--limit', '6', ...flags]);
      expect(sorted.stderr).toMatch(/^6 of \d\d campaigns of 2 organizations\. To see all: leave out --limit\.\n$/);
    }
  });

  it('are filtered and sorted together', async () => {
    const wanted = (await wantedOf('campaigns')).filter(({ currency }) => currency.toLowerCase() === 'usd');
    const sorted = wanted.toSorted((left, right) => right.used_amount - left.used_amount).slice(0, 3);
    const argv = ['campaigns', 'list', '--org', '5,7', '--currency', 'usd', '--sort', '-used_amount', '--limit', '3'];
    expect((await json(...argv)).map(({ id }: Row) => id)).toEqual(sorted.map(({ id }) => id));
  });

  it.each([80, 120, undefined])('name the organization first in a table of width %s, and in CSV', async (columns) => {
    const { stdout, stderr } = await ada(
      ['campaigns', 'list', '--org', '5,7'],
      columns === undefined ? {} : { columns },
    );
    const rows = await wantedOf('campaigns');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(rows.length + 1);
    expect(lines[0]).toMatch(/^ORGANIZATION +ID +NAME/);
    for (const [index, { organization }] of rows.entries()) expect(lines[index + 1]).toContain(organization.name);
    expect(stderr).toContain(`${rows.length} campaigns of 2 organizations.`);
    const csv = await ada(['campaigns', 'list', '--org', '5,7', '--format', 'csv']);
    expect(csv.stdout).toMatch(/^organization\.id,organization\.name,id,name,[^\n]*\n5,Acme Cosmetics,/);
    const out = join(temporaryFolder(), 'all.csv');
    const none = await ada(['campaigns', 'list', '--org', '5,7', '--name', 'no such name', '--out', out]);
    expect(none.stderr).toBe(`0 campaigns of 2 organizations.\nWrote 0 campaigns to ${out}.\n`);
    // The same columns without rows.
    expect(readFileSync(out, 'utf8')).toBe(`\ufeff${csv.stdout.split('\n', 1)[0]}\n`);
    for (const org of ['5', '5,7']) {
      const groups = await ada(['campaigns', 'list', '--org', org, '--group-by', 'status', '--out', out]);
      expect(groups.stderr).toMatch(/ cannot be added up\.\nWrote \d+ groups to /);
    }
  });

  it.each([
    [['campaigns', 'list', '--org', '5,7', '--page', '1'], '--page works in one organization'],
    [['campaigns', 'list', '--org', '5', '--all-orgs'], '--all-orgs and --org cannot be used together.'],
    [['campaigns', 'update', '1', '--org', '5,7', '--countries', 'DE'], 'This command works in one organization'],
    [['campaigns', 'pause', '1', '--all-orgs'], 'This command works in one organization'],
    [['collabs', 'delete', '1', '--org', '5,7', '--yes'], 'This command works in one organization'],
  ])('reject what needs one: %j', async (argv, message) => {
    const { code, stdout, stderr } = await ada(argv, { env: { MKT_ORG: '' } });
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  it('reject an organization that does not exist, before anything is printed', async () => {
    const { code, stdout, stderr } = await ada(['campaigns', 'list', '--org', '5,Nowhere']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('Organization "Nowhere" (--org) was not found');
  });
});

/** A service with organizations of one campaign each; `failing` cannot be read, the first of them after a while. */
async function manyBrands(brands: readonly string[], failing: Readonly<Record<number, number>> = {}) {
  const asked: string[] = [];
  const headers = (count: number) => ({ 'total-count': String(count), 'total-pages': String(Math.ceil(count / 20)) });
  const service = await scriptedServer(async ({ url: path = '' }) => {
    asked.push(path);
    const page = Number(new URL(path, 'http://x').searchParams.get('page') ?? 1);
    if (/^\/organizations\.json/.test(path)) {
      const rows = brands.map((name, index) => ({ id: index + 1, name })).slice(20 * (page - 1), 20 * page);
      return { headers: headers(brands.length), body: rows };
    }
    const id = Number(/^\/organizations\/(\d+)\//.exec(path)?.[1]);
    const status = failing[id];
    if (status !== undefined && id === 1) await new Promise((resolve) => setTimeout(resolve, 200));
    if (status !== undefined) return { status, body: { error: 'No.' } };
    return { headers: headers(1), body: page > 1 ? [] : [{ id: 100 + id, name: `Campaign of ${id}` }] };
  });
  const run = (...argv: string[]) => runCli(argv, { env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service } });
  return { run, asked };
}

describe('of many organizations', () => {
  it('shows the others if one cannot be read, and exits with 9', async () => {
    const { run } = await manyBrands(['One', 'Two', 'Three'], { 2: 403 });
    const { code, stdout, stderr } = await run('campaigns', 'list', '--all-orgs', '--fields', 'id');
    expect({ code, stdout }).toEqual({ code: 9, stdout: 'ID\n101\n103\n' });
    expect(stderr).toContain('Listed the campaigns of 2 of 3 organizations.');
    expect(stderr).toContain('Two (organization 2): ');
    expect((await run('campaigns', 'list', '--org', '2,2,Two')).code).toBe(5);
  });

  it.each([
    [{ 1: 404, 2: 403 }, 3],
    [{ 1: 403, 2: 404 }, 5],
  ])('exits with the code of the first if all fail: %j', async (failing, wanted) => {
    const { run } = await manyBrands(['One', 'Two'], failing);
    for (const argv of [['campaigns', 'list'], ['report'], ['export', 'collabs'], ['watch', '--once']]) {
      const { code, stdout } = await run(...argv, '--all-orgs', '--json');
      expect({ argv, code, stdout }).toEqual({ argv, code: wanted, stdout: '' });
    }
  });

  it('finds names with commas', async () => {
    const { run } = await manyBrands(['Foo, Inc', 'Foo', 'Inc']);
    const ids = async (org: string) => (await run('campaigns', 'list', '--org', org, '--jq', '[.[].id]')).stdout;
    expect(await ids('Foo, Inc')).toBe('[101]\n');
    expect(await ids('3,Foo, Inc')).toBe('[103,101]\n');
    expect(await ids('Inc,Foo')).toBe('[103,102]\n');
  });

  it.each([1, 3, 60])('has the rows of %i in each width and format', async (count) => {
    const brands = Array.from({ length: count }, (_, index) => ({
      name: `Brand ${index + 1}`,
      campaigns: [campaignRow(100 + index, { used_amount: 7 * index })],
    }));
    const { run } = await brandsService(brands);
    const list = async (terminal: object, ...flags: string[]) => {
      const { code, stdout } = await run(['campaigns', 'list', '--all-orgs', ...flags], terminal);
      expect(code).toBe(0);
      return stdout.trimEnd();
    };
    for (const terminal of [{ columns: 80 }, { columns: 120 }, {}]) {
      const [head, ...lines] = (await list(terminal)).split('\n');
      expect(head?.split(/ {2,}/).slice(0, 3)).toEqual(['ORGANIZATION', 'ID', 'NAME']);
      const cells = lines.map((line) => line.split(/ {2,}/).slice(0, 3));
      expect(cells).toEqual(brands.map(({ name }, index) => [name, `${100 + index}`, `Campaign ${100 + index}`]));
    }
    const rows = brands.map(({ name, campaigns }, index) => ({
      ...{ organization: { id: index + 1, name }, ...campaigns[0] },
    }));
    expect(JSON.parse(await list({}, '--json'))).toMatchObject(rows);
    const [head, ...lines] = (await list({}, '--format', 'csv')).split('\n');
    expect(head).toMatch(/^organization\.id,organization\.name,id,name,/);
    expect(lines.map((line) => line.split(',').slice(0, 3))).toEqual(
      rows.map(({ organization, id }) => [organization.id, organization.name, id].map(String)),
    );
  });

  it.each([1, 3, 60])(
    'has the sums, groups and first rows of %i in each format, also if one more fails',
    async (count) => {
      const rowOf = (index: number, part: number) =>
        campaignRow(10 * index + part, {
          currency: part === 2 ? 'eur' : 'usd',
          status: ['draft', 'active', 'active', 'finished'][part],
          platform_ids: [['tiktok'], ['tiktok', 'youtube'], [], ['youtube']][part],
          used_amount: 7 * index + 10 * part,
          unused_amount: 100_000 - 7 * index - 10 * part,
          view_count: 1000 * (part + index),
        });
      const brands = Array.from({ length: count }, (_, index) => ({
        name: `Brand ${index + 1}`,
        campaigns: [0, 1, 2, 3].map((part) => rowOf(index, part)),
        collabs: [],
      }));
      const rows = brands.flatMap(({ campaigns }, index) =>
        campaigns.map((row): Record<string, unknown> => ({ ...row, brand: index + 1 })),
      );
      const sum = (field: string, some: readonly Record<string, unknown>[]) =>
        some.reduce((all, row) => all + Number(row[field]), 0);
      const of = (brand: number, currency: string, ...status: string[]) =>
        rows.filter(
          (row) =>
            row.brand === brand && row.currency === currency && (!status[0] || status.includes(String(row.status))),
        );
      const closed = [{ name: 'Closed', campaigns: [], fails: true }];
      for (const failing of count > 3 ? [closed] : [[], closed]) {
        const { run } = await brandsService([...brands, ...failing]);
        const cells = async (argv: string, format: string, fields: string): Promise<string[][]> => {
          const flags = ['--all-orgs', '--format', format, '--fields', fields];
          const { code, stdout } = await run([...argv.split(' '), ...flags]);
          expect(code).toBe(failing.length > 0 ? 9 : 0);
          const [, ...lines] = stdout.trimEnd().split('\n');
          if (format !== 'json') return lines.map((line) => line.split(format === 'csv' ? ',' : / {2,}/));
          const valueAt = (value: unknown, path: string) =>
            path.split('.').reduce((each, key) => (each as Record<string, unknown>)[key], value);
          return JSON.parse(stdout).map((row: unknown) =>
            fields.split(',').map((path) => `${valueAt(row, path) ?? ''}`),
          );
        };
        for (const format of ['json', 'csv', 'table']) {
          const euros = rows.filter(({ currency }) => currency === 'eur').map(({ brand, id }) => [`${brand}`, `${id}`]);
          expect(await cells('campaigns list --currency eur', format, 'organization.id,id')).toEqual(euros);
          const first = ['eur', 'usd'].flatMap((currency) =>
            rows
              .filter((row) => row.currency === currency)
              .toSorted((one, other) => Number(other.used_amount) - Number(one.used_amount))
              .slice(0, 2)
              .map(({ id, used_amount: used }) => [`${id}`, `${used}`]),
          );
          expect(await cells('campaigns list --sort -used_amount --limit 2', format, 'id,used_amount')).toEqual(first);
          const groups = brands.flatMap((_, index) =>
            [
              ['active', 'eur'],
              ['active', 'usd'],
              ['draft', 'usd'],
              ['finished', 'usd'],
            ].map(([status = '', currency = '']) => {
              const some = of(index + 1, currency, status);
              return [index + 1, status, currency, some.length, sum('used_amount', some), sum('view_count', some)].map(
                String,
              );
            }),
          );
          const fields = 'organization.id,status,currency,campaigns,used,views';
          expect(await cells('campaigns list --group-by status', format, fields)).toEqual(groups);
        }
        const { stdout } = await run(['report', '--all-orgs', '--json']);
        for (const [index, { currencies }] of JSON.parse(stdout).organizations.entries()) {
          expect(currencies).toHaveLength(2);
          for (const { currency, ...report } of currencies) {
            const left = (...status: string[]) => sum('unused_amount', of(index + 1, currency, ...status));
            expect(report).toMatchObject({
              used: sum('used_amount', of(index + 1, currency)),
              views: sum('view_count', of(index + 1, currency)),
              ...{ left: left('active', 'paused'), left_in_drafts: left('draft') },
              unspent: left('finished'),
            });
          }
        }
        for (const columns of [80, 120, undefined]) {
          const text = (await run(['report', '--all-orgs'], columns === undefined ? {} : { columns })).stdout;
          const [overview = ''] = text.split('\n\nBrand 1: campaigns');
          if (count > 1) expect(overview.match(/^ {2}Brand \d+ +(?:USD|EUR) /gm)).toHaveLength(2 * count);
          expect(text.match(/^Brand \d+: campaigns$/gm)).toHaveLength(count);
        }
      }
    },
    120_000,
  );

  it('takes a value of the service that one of them has', async () => {
    const { run, json } = await brandsService([
      { name: 'Acme', campaigns: [campaignRow(1)] },
      { name: 'Bolt', campaigns: [campaignRow(2, { status: 'archived' })] },
    ]);
    expect(await json('campaigns', 'list', '--all-orgs', '--status', 'archived')).toMatchObject([{ id: 2 }]);
    const { code, stderr } = await run(['campaigns', 'list', '--all-orgs', '--status', 'archive']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Did you mean archived?') });
  });

  it('has what the user may see in each: no drafts where they are a member', async () => {
    const env = { MKT_TOKEN: tokens.cleo_write };
    const seen = JSON.parse((await ada(['campaigns', 'list', '--org', '5', '--all', '--json'], { env })).stdout);
    const both = await ada(['campaigns', 'list', '--all-orgs', '--json'], { env });
    expect(both.code).toBe(0);
    const rows: { status: string; organization: { id: number } }[] = JSON.parse(both.stdout);
    const wanted = (await raw(5, 'campaigns')).filter((row) => 'status' in row && row.status !== 'draft');
    expect(seen.map(({ id }: Row) => id)).toEqual(wanted.map(({ id }) => id));
    expect(rows.filter(({ organization }) => organization.id === 5)).toHaveLength(wanted.length);
    expect(rows.every(({ status }) => status !== 'draft')).toBe(true);
    for (const argv of [
      ['campaigns', 'list', '--status', 'draft'],
      ['campaigns', 'list', '--status', 'draft', '--json'],
      ['collabs', 'list', '--state', 'draft', '--limit', '3'],
      ['campaigns', 'publish', '--status', 'draft', '--dry-run'],
    ]) {
      const { code, stderr } = await ada([...argv, '--all-orgs'], { env });
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Only admins see drafts.\n') });
    }
  });

  it('reads 60 with one request each, and the list of them once', async () => {
    const { run, asked } = await manyBrands(Array.from({ length: 60 }, (_, index) => `Brand ${index + 1}`));
    const { code, stdout } = await run('campaigns', 'list', '--all-orgs', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(60);
    const lists = asked.filter((path) => path.includes('/campaigns'));
    expect(lists).toHaveLength(60);
    // With four at a time, 15 round trips and these are at most 20.
    expect(asked.length - lists.length).toBeLessThanOrEqual(5);
  });
});
