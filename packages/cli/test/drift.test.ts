import { describe, expect, it } from 'vitest';
import { runCli } from './support/run-cli.js';
import { type Scripted, scriptedServer } from './support/scripted-server.js';

/** A service that departs from the contract as the live one does (D47), and as gateways do. */
const page = (items: unknown[], headers: Record<string, string> = {}): Scripted => ({
  body: items,
  headers: { 'total-count': String(items.length), 'total-pages': '1', ...headers },
});
const brand = { id: 'org_8Hq2', name: 'Acme Cosmetics', privacy_setting: 'secret', colour: 'red' };
const campaign = { id: 'cmp_77xZ', name: 'Opaque', status: 'archived', mood: 'sunny', total_budget_amount: '12.50' };

const run = async (argv: readonly string[], script: (path: string, method: string) => Scripted) => {
  const url = await scriptedServer(({ url: path = '', method = 'GET' }) => script(path, method));
  return runCli(argv, { env: { MKT_TOKEN: 'some_secret_token', MKT_BASE_URL: url } });
};

const friendly = (path: string): Scripted => {
  if (path.startsWith('/organizations.json')) return page([brand]);
  if (path.startsWith('/organizations/org_8Hq2.json')) return { body: brand };
  if (path.startsWith('/organizations/org_8Hq2/campaigns.json')) return page([campaign]);
  if (path.startsWith('/organizations/org_8Hq2/campaigns/cmp_77xZ.json')) return { body: campaign };
  return { status: 404 };
};

describe('a service with opaque ids, new fields and new values', () => {
  it('finds the only organization and lists, ids whole', async () => {
    const { code, stdout } = await run(['campaigns', 'list'], friendly);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ID +NAME +STATUS/);
    expect(stdout).toContain('cmp_77xZ  Opaque  archived');
  });
  it('takes an opaque id as --org and as an id', async () => {
    const { code, stdout } = await run(['campaigns', 'show', 'cmp_77xZ', '--org', 'org_8Hq2'], friendly);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^status +archived$/m);
    expect(stdout).toMatch(/^mood +sunny$/m);
  });
  it('passes everything through in JSON, and new fields can be selected', async () => {
    const json = await run(['campaigns', 'list', '--json'], friendly);
    expect(JSON.parse(json.stdout)).toEqual([campaign]);
    const fields = await run(['campaigns', 'list', '--fields', 'id,mood'], friendly);
    expect(fields).toMatchObject({ code: 0, stdout: 'ID        MOOD\ncmp_77xZ  sunny\n' });
  });
  it('lists without totals', async () => {
    const { code, stdout, stderr } = await run(['organizations', 'list', '--all'], (path) => ({
      body: path.includes('page=2') ? [] : [brand],
    }));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '1 of 1.\n' });
    expect(stdout).toContain('org_8Hq2');
  });
});

it('an organization without a name in its response is called by its id', async () => {
  const { code, stderr } = await run(['campaigns', 'delete', '7', '--org', '5', '--yes'], (_path, method) =>
    method === 'DELETE' ? { status: 204 } : { body: { data: { name: 'Acme' } } },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Deleted campaign 7 in organization 5\n' });
});

it('reports a response that is not JSON, even if the token is a part of the URL', async () => {
  const url = await scriptedServer(() => ({ body: '<h1>Welcome</h1>' }));
  const { code, stderr } = await runCli(['organizations', 'list', '--base-url', url], { env: { MKT_TOKEN: '127' } });
  expect(code).toBe(1);
  expect(stderr).toContain('mkt api PATH -i --base-url ');
  expect(stderr).toMatch(/^error: http:\/\/\[token\]\.0\.0\.1:\d+ sent a response that is not JSON of the API\.\n/);
});

it('reports a page beyond the last one', async () => {
  const { code, stdout, stderr } = await run(['organizations', 'list', '--page', '9'], () =>
    page([], { 'total-count': '45', 'total-pages': '3' }),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'No organizations on page 9; the last page is 3.\n' });
  expect(stdout).toMatch(/^ID +NAME/);
});

describe('a service that never says how many there are', () => {
  const pages = (path: string): Scripted => {
    const number = Number(/page=(\d+)/.exec(path)?.[1] ?? 1);
    return { body: number > 3 ? [] : [1, 2].map((index) => ({ id: number * 10 + index, name: 'x' })) };
  };
  it.each([
    [[], '2 rows, page 1. There may be more: mkt organizations list --page 2\n'],
    [['--page', '4'], 'No organizations on page 4.\n'],
    [['--limit', '1'], '1 row. More: mkt organizations list --all\n'],
    [['--limit', '3'], '3 rows. More: mkt organizations list --all\n'],
    [['--limit', '99'], '6 of 6.\n'],
    [['--all'], '6 of 6.\n'],
    [['--sort', 'name', '--limit', '4'], '4 of 6. More: mkt organizations list --sort name --all\n'],
    [['--name', 'x', '--limit', '2'], '2 found, 2 searched. More: mkt organizations list --name x --all\n'],
  ])('counts what it read: %j', async (argv, footer) => {
    const { code, stderr } = await run(['organizations', 'list', ...argv], pages);
    expect({ code, stderr }).toEqual({ code: 0, stderr: footer });
  });
});

describe('error bodies that promise nothing', () => {
  const campaigns = ['campaigns', 'show', '1', '--org', '5'];
  it.each<[string, Scripted, number, string]>([
    ['a plain-text 401', { status: 401, body: 'HTTP Token: Access denied.' }, 4, 'was rejected'],
    [
      'an HTML 403',
      {
        status: 403,
        body: '<html><body><h1>403 Forbidden</h1><p>nginx</p></body></html>',
        headers: { 'content-type': 'text/html' },
      },
      5,
      'You are not allowed to show campaign 1',
    ],
    ['an empty 404 for every path', { status: 404 }, 3, 'There is no API at'],
    ['a 422 with a list', { status: 422, body: { errors: ['Name is taken'] } }, 6, 'Name is taken'],
    ['a 422 by field', { status: 422, body: { name: ['is taken'] } }, 6, 'is taken'],
    [
      'a 422 in HTML',
      { status: 422, body: '<h1>The change you wanted was rejected</h1>', headers: { 'content-type': 'text/html' } },
      6,
      'cannot show',
    ],
    ['a 409', { status: 409, body: { message: 'Another user was faster' } }, 6, 'Another user was faster'],
    ['a 418', { status: 418, body: 'teapot' }, 6, 'teapot'],
    ['an HTML 502', { status: 502, body: '<html>Bad gateway</html>' }, 1, 'The service failed'],
    [
      'HTML where JSON is due',
      { status: 200, body: '<html>Welcome</html>' },
      1,
      'a response that is not JSON of the API',
    ],
    ['a redirect to a sign-in page', { status: 302, headers: { location: '/sign_in' } }, 4, 'mkt login'],
  ])('%s', async (_name, answer, exit, message) => {
    const { code, stdout, stderr } = await run(campaigns, (path) =>
      path.startsWith('/sign_in') ? { status: 200, body: '<html>Sign in</html>' } : answer,
    );
    expect(stderr).toMatch(/^error: /);
    expect(stderr.toLowerCase()).toContain(message.toLowerCase());
    expect(stderr).not.toMatch(/ {4}at |<html|<h1|some_secret_token/);
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
  });
});

describe('what a 422 says of a field', () => {
  it.each([
    ['Cpm amount cannot be changed after publication.', 'cpm_amount', 'cannot be changed after publication.'],
    ["can't be blank", 'name', "can't be blank"],
    ["Name can't be blank", 'name', "can't be blank"],
    ['Platform must exist', 'platform_id', 'must exist'],
    ['A private organization needs a logo.', 'logo', 'A private organization needs a logo.'],
    ['Namespace is taken', 'name', 'Namespace is taken'],
    ['Name: too long', 'name', 'Name: too long'],
    ['Name', 'name', 'Name'],
    ['\u001b[31mName\u001b[0m is red', 'name', 'is red'],
  ])('%j of %s reads "%s" next to the name', async (message, field, shown) => {
    const refusal: Scripted = { status: 422, body: { errors: { [field]: [message] } } };
    const argv = ['campaigns', 'update', '1', '--name', 'x', '--org', '5'];
    const people = await run(argv, () => refusal);
    // A field that has a flag is named by it.
    const name = ['name', 'cpm_amount'].includes(field) ? `--${field.replace('_', '-')}` : field;
    expect(people.stderr.split('\n')[1]).toBe(`  ${name}  ${shown}`);
    const program = await run([...argv, '--json'], () => refusal);
    expect(JSON.parse(program.stderr).error.fields).toEqual({ [field]: [message] });
  });
});
