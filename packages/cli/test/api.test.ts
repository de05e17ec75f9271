import type { Server } from '@mkt/server/node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli, type Terminal } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { startService, tokens } from './support/service.js';

let service: Server;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

const api = (argv: readonly string[], terminal: Terminal = {}) =>
  runCli(['api', ...argv], {
    ...terminal,
    env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, ...terminal.env },
  });

it('prints what a path answers, with or without a slash, or a whole address', async () => {
  for (const path of ['/organizations/5.json', 'organizations/5.json', `${service.url}/organizations/5.json`]) {
    const { code, stdout } = await api([path]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 5, name: 'Acme Cosmetics' });
  }
});
it('sends fields as JSON, typed and nested', async () => {
  let sent: unknown;
  let how: string | undefined;
  const url = await scriptedServer((request, body) => {
    sent = JSON.parse(body);
    how = request.method;
    return { status: 201, body: {} };
  });
  const fields = [
    'a[text]=x',
    'a[number]=5',
    'a[yes]=true',
    'a[none]=null',
    'a[zip]="01234"',
    'a[list][]=US',
    'a[list][]=CA',
    'b={"c":[1]}',
    'd=1 Infinite Loop',
    '__proto__[x]=1',
  ];
  const { code } = await api(['/x.json', ...fields.flatMap((field) => ['-f', field])], { env: { MKT_BASE_URL: url } });
  expect(code).toBe(0);
  expect(how).toBe('POST');
  expect(sent).toEqual({
    a: { text: 'x', number: 5, yes: true, none: null, zip: '01234', list: ['US', 'CA'] },
    b: { c: [1] },
    d: '1 Infinite Loop',
    ['__proto__']: { x: 1 },
  });
});
it('changes things with -X, a file or stdin', async () => {
  const { stdout } = await api(['/organizations/5/campaigns/1.json', '-X', 'patch', '--input', '-'], {
    stdin: '{"campaign":{"name":"Piped"}}',
  });
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, name: 'Piped' });
});
it('puts fields of a GET into the query', async () => {
  const { stdout } = await api(['/organizations/5/campaigns.json', '-X', 'GET', '-f', 'page=3', '--jq', 'length']);
  expect(stdout).toBe('5\n');
});
it('reads all pages', async () => {
  const { stdout } = await api(['/organizations/5/campaigns.json', '--paginate', '--fields', 'id', '--format', 'csv']);
  expect(stdout.trim().split('\n')).toHaveLength(46);
});
it('shows status and headers with -i', async () => {
  const { stdout } = await api(['/organizations/5.json', '-i']);
  expect(stdout).toMatch(/^HTTP 200/);
  expect(stdout).toContain('etag: W/"');
  expect(stdout).not.toContain(tokens.ada_write);
});
it('tells where a web action leads', async () => {
  const { code, stdout, stderr } = await api(['/organizations/5/campaigns/1/publish', '-X', 'POST']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain('303');
});
it('says that something was deleted', async () => {
  const { code, stdout, stderr } = await api(['/me/social_accounts/3.json', '-X', 'DELETE']);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '204\n' });
});
it.each([
  [['/nowhere.json'], 3],
  [['/organizations/5/campaigns/1.json', '-X', 'PUT', '-f', 'a=1'], 6],
  [['/organizations/5/campaigns.json', '-f', 'a=1'], 6],
  [['/organizations/5.json', '--paginate'], 2],
])('fails like every other command: %j', async (argv, exit) => {
  const { code, stdout, stderr } = await api(argv);
  expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
  expect(stderr).toMatch(/^error: /);
  expect(stderr).not.toContain('undefined');
});
