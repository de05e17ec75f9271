import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from '@mkt/server/node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli, type Terminal, temporaryFolder } from './support/run-cli.js';
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

it('prints the response of a path, with or without a slash, and of a whole URL', async () => {
  for (const path of ['/organizations/5.json', 'organizations/5.json', `${service.url}/organizations/5.json`]) {
    const { code, stdout } = await api([path]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 5, name: 'Acme Cosmetics' });
  }
});
it('replaces {org} by the organization to work in', async () => {
  const path = '/organizations/{org}.json';
  expect(JSON.parse((await api([path], { env: { MKT_ORG: '5' } })).stdout)).toMatchObject({ id: 5 });
  expect(JSON.parse((await api([path, '--org', 'Initech Audio'])).stdout)).toMatchObject({ id: 7 });
  const { code, stderr } = await api([path]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--org is required') });
});
it('sends headers, which override its own, with every page', async () => {
  const received: unknown[] = [];
  const url = await scriptedServer(({ headers }) => {
    received.push([headers.accept, headers['x-trace'], headers.authorization]);
    return { body: [{ id: received.length }], headers: { 'total-pages': '2' } };
  });
  const flags = ['-H', 'Accept: text/csv', '--header', 'X-Trace:a:b'];
  const env = { MKT_BASE_URL: url };
  expect(await api(['/x.json', ...flags, '--paginate'], { env })).toMatchObject({ code: 0 });
  expect(await api(['/x.json', ...flags, '-X', 'POST'], { env })).toMatchObject({ code: 0 });
  expect(received).toEqual(Array.from({ length: 3 }, () => ['text/csv', 'a:b', `Bearer ${tokens.ada_write}`]));
});
it.each(['X-Secret=s3cret', 'X-Secret s3cret', 'X-Secret:', 'X Secret: s3cret', ': s3cret'])(
  'rejects the header %j without repeating it',
  async (header) => {
    const { code, stderr } = await api(['/organizations.json', '-H', header]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("-H takes 'Name: value'.") });
    expect(stderr).not.toContain('s3cret');
  },
);
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
it('sends a number as text if JSON would write it differently', async () => {
  let sent = '';
  const url = await scriptedServer((_request, body) => {
    sent = body;
    return { body: {} };
  });
  const numbers = ['id=7123456789012345678', 'latitude=37.3300', 'zip=01234', 'big=1e400', 'minus=-5', 'half=0.5'];
  await api(['/x.json', ...numbers.flatMap((field) => ['-f', field])], { env: { MKT_BASE_URL: url } });
  expect(sent).toBe(
    '{"id":"7123456789012345678","latitude":"37.3300","zip":"01234","big":"1e400","minus":-5,"half":0.5}',
  );
});
it('reads the value of a field from a file or stdin', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'brief.html'), '<p>From a <b>file</b></p>');
  const path = '/organizations/5/campaigns/1.json';
  const file = await api([path, '-X', 'PATCH', '-f', `campaign[brief]=@${join(cwd, 'brief.html')}`, '--jq', '.brief']);
  expect(file.stdout).toBe('<p>From a <b>file</b></p>\n');
  const piped = await api([path, '-X', 'PATCH', '-f', 'campaign[name]=@-', '--jq', '.name'], { stdin: 'Piped' });
  expect(piped.stdout).toBe('Piped\n');
  const text = await api([path, '-X', 'PATCH', '-f', 'campaign[name]="@acme"', '--jq', '.name']);
  expect(text.stdout).toBe('@acme\n');
  const missing = await api([path, '-X', 'PATCH', '-f', 'campaign[name]=@nowhere.txt']);
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toContain('-f nowhere.txt: the file does not exist.');
});
it.each([[['a[][b]=1']], [['a=1', 'a[b]=2']], [['a[]=1', 'a[b]=2']], [['a[b]=1', 'a[]=2']]])(
  'rejects fields that cannot be combined, before anything is sent: %j',
  async (fields) => {
    const { code, stderr } = await api(['/x.json', ...fields.flatMap((field) => ['-f', field])], {
      env: { MKT_BASE_URL: 'http://127.0.0.1:1' },
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: -f a\[/);
    expect(stderr).toContain('--input');
  },
);
it('sends changes with -X, a file or stdin', async () => {
  const { stdout } = await api(['/organizations/5/campaigns/1.json', '-X', 'patch', '--input', '-'], {
    stdin: '{"campaign":{"name":"Piped"}}',
  });
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, name: 'Piped' });
});
it('puts fields of a GET into the query', async () => {
  const { stdout } = await api(['/organizations/5/campaigns.json', '-X', 'GET', '-f', 'page=3', '--jq', 'length']);
  expect(stdout).toBe('5\n');
});
it('keeps every item of a list in the query', async () => {
  let asked = '';
  const url = await scriptedServer(({ url: path = '' }) => {
    asked = path;
    return { body: [] };
  });
  const fields = ['-f', 's[]=a', '-f', 's[]=b', '-f', 'q=x?y'];
  await api(['/x.json?s[]=0&q=before', '-X', 'GET', ...fields], { env: { MKT_BASE_URL: url } });
  const { searchParams } = new URL(asked, url);
  expect(searchParams.getAll('s[]')).toEqual(['0', 'a', 'b']);
  expect(searchParams.getAll('q')).toEqual(['x?y']);
});
it('reads all pages from the one that is named', async () => {
  const path = '/organizations/5/campaigns.json';
  for (const argv of [[`${path}?page=2`], [path, '-X', 'GET', '-f', 'page=2']]) {
    const { stdout } = await api([...argv, '--paginate', '--jq', '[.[].id] | (length, min)']);
    expect(stdout).toBe('25\n21\n');
  }
});
it('reads all pages of a service that does not say how many there are', async () => {
  const url = await scriptedServer(({ url: path = '' }) => {
    const page = Number(/page=(\d+)/.exec(path)?.[1] ?? 1);
    return { body: page > 3 ? [] : [{ id: page }] };
  });
  const { stdout } = await api(['/x.json', '--paginate', '--jq', 'map(.id)'], { env: { MKT_BASE_URL: url } });
  expect(stdout).toBe('[1,2,3]\n');
});
it('ends if every page is the same', async () => {
  const url = await scriptedServer(() => ({ body: [{ id: 1 }] }));
  const { stdout } = await api(['/x.json', '--paginate', '--jq', 'length'], { env: { MKT_BASE_URL: url } });
  expect(stdout).toBe('1\n');
});
it('prints text as it is, without what a terminal would obey', async () => {
  const url = await scriptedServer(() => ({ body: '# HELP\n\u001b[31mx 1\n' }));
  const { code, stdout } = await api(['/metrics'], { env: { MKT_BASE_URL: url } });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '# HELP\nx 1\n' });
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
it('shows where a web action redirects to', async () => {
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
