import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { errorCodes } from '../src/errors/cli-error.js';
import { run } from '../src/root/run-command.js';
import { runCli, type Terminal, temporaryFolder, testIo } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { startService, tokens } from './support/service.js';

let service: Server;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const as = (token: string, argv: readonly string[], env: Record<string, string> = {}, terminal: Terminal = {}) =>
  runCli(argv, { ...terminal, env: { MKT_TOKEN: token, MKT_BASE_URL: service.url, ...env } });

/** Messages without what differs from run to run. */
const told = (stderr: string): string =>
  stderr.replace(/request [\w-]+/g, 'request ID').replaceAll(service.url, 'http://service');

describe('a request that the service rejects', () => {
  const cases: readonly (readonly [string, string, readonly string[], number])[] = [
    ['a wrong id', tokens.ada_write, ['campaigns', 'show', '99', '--org', '5'], 3],
    ['a wrong organization', tokens.ada_write, ['campaigns', 'list', '--org', '99'], 3],
    ['an organization of others', tokens.ada_write, ['campaigns', 'show', '46', '--org', '6'], 3],
    ['an unknown organization name', tokens.ada_write, ['campaigns', 'list', '--org', 'Acme'], 3],
    ['no address yet', tokens.eve_write, ['address', 'show'], 3],
    ['a wrong token', 'mkt_demo_wrong', ['organizations', 'list'], 4],
    ['a revoked token', 'mkt_demo_ada_revoked', ['organizations', 'list'], 4],
    ['a read-only token on a change', tokens.ada_read, ['campaigns', 'publish', '1', '--org', '5', '--yes'], 4],
    ['missing rights', tokens.cleo_write, ['campaigns', 'create', '--name', 'Mine', '--org', '5'], 5],
    ['removing the owner', tokens.ben_write, ['members', 'remove', 'ada@acme.example', '--org', '5', '--yes'], 5],
    ['demoting the owner', tokens.ben_write, ['members', 'update', 'mem_5_ada', '--role', 'member', '--org', '5'], 5],
    [
      'invalid fields',
      tokens.ada_write,
      ['campaigns', 'create', '--org', '5', '--name', 'x', '--website', 'acme', '--min-payout-amount', '-1'],
      6,
    ],
    ['deleting an active campaign', tokens.ada_write, ['campaigns', 'delete', '3', '--org', '5', '--yes'], 6],
    ['a refused transition', tokens.ada_write, ['campaigns', 'resume', '5', '--org', '5'], 6],
    [
      'a private organization without a logo',
      tokens.ada_write,
      ['orgs', 'update', '7', '--privacy-setting', 'private'],
      6,
    ],
    [
      'an account that is taken',
      tokens.ben_write,
      ['social', 'connect', '--platform', 'tiktok', '--url', 'https://www.tiktok.com/@acme'],
      6,
    ],
    [
      'an unknown member',
      tokens.ada_write,
      ['members', 'update', 'zoe@acme.example', '--role', 'admin', '--org', '5'],
      3,
    ],
  ];
  it.each(cases)('%s', async (name, token, argv, exit) => {
    const people = await as(token, argv);
    expect(people).toMatchObject({ code: exit, stdout: '' });
    expect(people.stderr).toMatch(/^error: /);
    expect(people.stderr).not.toContain('    at ');
    expect(people.stderr).not.toContain(token);
    await expect(told(people.stderr)).toMatchFileSnapshot(`goldens/failure-${name.replaceAll(' ', '-')}.txt`);

    const program = await as(token, [...argv, '--json']);
    expect(program).toMatchObject({ code: exit, stdout: '' });
    expect(program.stderr.trimEnd().split('\n')).toHaveLength(1);
    const { error } = JSON.parse(program.stderr) as { error: Record<string, unknown> };
    expect(error).toMatchObject({
      exitCode: exit,
      code: expect.any(String),
      message: expect.any(String),
      fields: expect.any(Object),
      try: expect.any(Array),
    });
  });
});

describe('an error found before anything is sent', () => {
  const unreachable = 'http://127.0.0.1:1';
  it.each([
    [['campains', 'list'], 'Unknown command "campains". Did you mean campaigns?'],
    [['campaigns', 'lst'], 'Unknown command "lst". Did you mean list?'],
    [['publish', '3'], 'Unknown command "publish".\n  try:  mkt campaigns publish\n'],
    [['view', 'collabs', '3'], 'Unknown command "view".\n  try:  mkt collabs view\n'],
    [['list', 'campaign'], 'Unknown command "list".\n  try:  mkt campaigns list\n'],
    [['ls'], 'Unknown command "ls".\n  try:  mkt auth list\n        mkt organizations list\n'],
    [['rm', '3'], 'Unknown command "rm".\n  try:  mkt organizations delete\n        mkt campaigns delete\n'],
    [['collabs', 'publish', '1'], 'Unknown command "publish". Did you mean submit?'],
    [['campaign', 'unpause', '1'], 'Unknown command "unpause". Did you mean resume?'],
    [['tokens', 'delete', '1'], 'Unknown command "delete". Did you mean revoke?'],
    [['tokens', 'rm', '1'], 'Unknown command "rm". Did you mean revoke?'],
    [['campaigns', 'new'], 'Unknown command "new". Did you mean create?'],
    [['campaigns', 'list', '-o', 'json'], 'Unknown option "-o". Did you mean --format?'],
    [['campaigns', 'list', '--glow'], 'Unknown option "--glow".\n'],
    [['tokens', 'constructor'], 'Unknown command "constructor".\n'],
    [['campaigns', 'list', '--al'], 'Unknown option "--al". Did you mean --all?'],
    [['campaigns', 'update', '1', '--cpm', '5'], 'Unknown option "--cpm". Did you mean --cpm-amount?'],
    [
      ['campaigns', 'update', '1', '--status', 'paused'],
      '--status chooses campaigns, so it cannot be used with ids.\n  try:  To change the status, use publish, pause and resume.\n',
    ],
    [['campaigns', 'create', '--title', 'x'], 'Unknown option "--title". Did you mean --name?'],
    [
      ['campaigns', 'create', '--name', 'x', '--budget', '500'],
      'Unknown option "--budget". Budgets are added on the website.\n  try:  mkt open campaigns\n',
    ],
    [
      ['campaigns', 'update', '3', '--total-budget-amount', '500'],
      'Unknown option "--total-budget-amount". Budgets are added on the website.\n',
    ],
    [
      ['collabs', 'update', '1', '--state', 'paused'],
      '--state chooses collabs, so it cannot be used with ids.\n  try:  To change the state, use submit, pause and unpause.\n',
    ],
    [['campaigns', 'show'], 'Missing required argument "id".'],
    [['export'], 'Missing required argument "resource". One of campaigns, collabs, members, organizations,'],
    [['campaigns', 'show', '1', '2', '--org', '5'], 'Unexpected argument "2": mkt campaigns show takes only <id>.'],
    [['campaigns', 'create', '--name', 'Autumn', 'glow'], 'Unexpected argument "glow": mkt campaigns create takes no'],
    [['config', 'set', 'org', '5', '6'], 'Unexpected argument "6": mkt config set takes <key> and <value>.'],
    [['campaigns', 'create', '--org', '5'], '--name is required.'],
    [
      ['members', 'update', 'ben@acme.example', '--org', '5'],
      '--role is required.\n  try:  mkt members update ben@acme.example --org 5 --role member|admin\n',
    ],
    [['campaigns', 'list', '--name'], '--name needs a value: --name TEXT.\n'],
    [['campaigns', 'create', '-f'], '--file needs a value: --file FILE.\n'],
    [['collabs', 'create', '--require-spark-ads=no'], '--require-spark-ads takes no value.\n'],
    [['campaigns', 'list', '--all=true'], '--all takes no value.\n'],
    [['campaigns', 'create', '--org', '5', '--cpm-amount', 'ten'], '--cpm-amount takes a whole number, not "ten".'],
    [
      ['members', 'update', 'mem_5_ben', '--role', 'boss', '--org', '5'],
      '--role takes one of member, admin, not "boss".',
    ],
    [['campaigns', 'update', '1', '--org', '5'], 'Nothing to change: no fields were given.'],
    [['campaigns', 'create', '--org', '5', '--file', 'nowhere.json'], '--file nowhere.json: the file does not exist.'],
    [
      ['organizations', 'create', '--name', 'X', '--logo', 'nowhere.png'],
      '--logo nowhere.png: the file does not exist.',
    ],
    [
      ['campaigns', 'list', '--org', '5', '--base-url', 'http://api.example.com'],
      'http://api.example.com (--base-url) would send your token unencrypted.',
    ],
    [['campaigns', 'list', '--base-url', 'nonsense'], '"nonsense" (--base-url) is not a valid URL.'],
    [['export', 'everything'], '"everything" cannot be exported.'],
    [['campaigns', 'show', '', '--org', '5'], '<id> is empty.'],
    [['campaigns', 'delete', '1', ' ', '--org', '5', '--yes'], '<id> is empty.'],
    [['config', 'set', 'org', ''], '<value> is empty.'],
    [['campaigns', 'show', '..', '--org', '5'], '".." is not a valid id.'],
    [['campaigns', 'delete', '10', '--org', '', '--yes'], '--org is empty.'],
    [['organizations', 'list', '--base-url', ' '], '--base-url is empty.'],
    [['organizations', 'list', '--profile='], '--profile is empty.'],
    [['campaigns', 'list', '--org', '5', '--status', ','], '--status is empty.'],
    [['campaigns', 'list', '--org', '5', '--sort', ''], '--sort is empty.'],
    [['campaigns', 'list', '--org', '5', '--fields', ','], '--fields is empty.'],
    [['export', 'campaigns', '--org', '5', '--out', ''], '--out is empty.'],
    [['organizations', 'create', '--name', 'X', '--logo', ''], '--logo is empty.'],
    [['export', 'campaigns', '--org', '5', '--out', 'Q3 plan.ods'], 'mkt cannot write .ods files.'],
    [['api', 'https://evil.example/x'], 'https://evil.example is not the service that you are signed in to'],
  ])('%j', async (argv, message) => {
    const screen = await as(tokens.ada_write, argv, { MKT_BASE_URL: unreachable });
    expect(screen).toMatchObject({ code: 2, stdout: '' });
    expect(screen.stderr).toContain(`error: ${message}`);
  });
  it.each([
    [['--org', '5', 'campaigns', 'lst'], 'try:  mkt campaigns --help'],
    [['orgs', 'list', '--al'], 'try:  mkt organizations list --help'],
    [['orgs', 'list', '--base-url', 'api.example.com/v1'], 'Use the full URL: https://api.example.com/v1'],
    [['orgs', 'list', '--base-url', 'localhost:4010'], 'Use the full URL: http://localhost:4010'],
    [['orgs', 'list', '--base-url', 'nonsense'], 'Use the full URL, such as https://api.example.com'],
    [['campaigns', 'create', '--name', 'Autumn', 'glow'], 'Quote values that contain spaces: "like this"'],
    [['export', 'campaigns', '--org', '5', '--out', 'Q3 plan.ods'], 'Spreadsheet programs open .xlsx'],
  ])('%j comes with a hint', async (argv, hint) => {
    expect((await as(tokens.ada_write, argv, { MKT_BASE_URL: unreachable })).stderr).toContain(hint);
  });
  it.each([
    ['{"name": "x"', 'stdin:1:13: a } is missing'],
    ['name: x\n"y', 'stdin:2:1: a quote'],
    ['- x', 'stdin:1:1: must be an object of fields, such as {"name": "Summer"}, not a list.'],
    ['', 'stdin:1:1: must be an object of fields, such as {"name": "Summer"}, not null.'],
  ])('rejects fields that are %j', async (stdin, message) => {
    const screen = await as(tokens.ada_write, ['campaigns', 'create', '--org', '5', '-f', '-'], {}, { stdin });
    expect(screen).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });
  it('stops if Ctrl-C ends stdin', async () => {
    const stdin = 'name: half';
    const screen = await as(
      tokens.ada_write,
      ['campaigns', 'create', '--org', '5', '-f', '-'],
      {},
      { stdin, interrupted: AbortSignal.abort() },
    );
    expect(screen).toMatchObject({ code: 130, stderr: 'error: Interrupted; nothing was changed.\n' });
  });
  it.each([['--json'], ['--format', 'json'], ['--format=ndjson']])(
    'is one line of JSON with %s %s',
    async (...flags) => {
      const { stderr } = await as(tokens.ada_write, ['campaigns', 'lst', ...flags]);
      expect(JSON.parse(stderr)).toMatchObject({
        error: { code: 'usage', exitCode: 2, try: ['mkt campaigns --help'] },
      });
    },
  );
  it('explains how to set the URL', async () => {
    const { code, stderr } = await runCli(['organizations', 'list'], { env: { MKT_TOKEN: 'x' } });
    expect(code).toBe(2);
    expect(stderr).toContain('mkt login --base-url');
    expect(stderr).toContain('MKT_BASE_URL');
  });
  it('explains how to sign in', async () => {
    const { code, stderr } = await runCli(['organizations', 'list'], { env: { MKT_BASE_URL: unreachable } });
    expect(code).toBe(4);
    expect(stderr).toContain('You are not signed in.');
  });
  it('lists the organizations if none is chosen', async () => {
    const { code, stderr } = await as(tokens.ada_write, ['campaigns', 'list']);
    expect(code).toBe(2);
    expect(stderr).toContain('--org 5      Acme Cosmetics');
  });
  it('accepts the name of an organization', async () => {
    const { code, stdout } = await as(tokens.dan_write, [
      'campaigns',
      'list',
      '--org',
      'Globex Snacks',
      '--fields',
      'id',
      '--no-header',
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '46\n47\n' });
  });
});

describe('a network failure', () => {
  const connect = (baseUrl: string, ...more: string[]) =>
    as(tokens.ada_write, ['organizations', 'list', ...more], { MKT_BASE_URL: baseUrl });

  it('names a port where nothing listens', async () => {
    // The port of a client, which no other program can take: low ones are refused by fetch itself before anything is tried.
    const client = createConnection(Number(new URL(await scriptedServer(() => ({ body: [] }))).port), '127.0.0.1');
    onTestFinished(() => void client.destroy());
    await once(client, 'connect');
    const { code, stderr } = await connect(`http://127.0.0.1:${client.localPort}`);
    expect(code).toBe(8);
    expect(stderr).toContain(`error: Nothing is listening at http://127.0.0.1:${client.localPort}.`);
  });
  it('names a host that does not exist', async () => {
    const { code, stderr } = await connect('https://nowhere.invalid');
    expect(code).toBe(8);
    expect(stderr).toContain('error: The host of https://nowhere.invalid was not found.');
  });
  it('suggests plain http where a local port does not speak TLS', async () => {
    const url = await scriptedServer(() => ({ body: [] }));
    const { code, stderr } = await connect(url.replace('http:', 'https:'));
    expect(code).toBe(8);
    expect(stderr).toContain('does not respond with valid TLS');
    expect(stderr).toContain(`On this machine, plain http works too, as mkt serve uses it: ${url}\n`);
  });
  it.each([
    ['300ms', '0.3 seconds'],
    ['1', '1 second'],
  ])('ends the wait for a response after --timeout %s', async (timeout, words) => {
    const { code, stderr } = await connect(await scriptedServer(() => 'hang'), '--timeout', timeout);
    expect(code).toBe(8);
    expect(stderr).toMatch(new RegExp(`No response from .* within ${words}\\.`));
  });
  it('reports connections that break', async () => {
    const { code, stderr } = await connect(await scriptedServer(() => 'drop'));
    expect(code).toBe(8);
    expect(stderr).toMatch(/The connection to .* failed \(\w+\), tried 3 times\./);
  });
  it('reports an endless redirect', async () => {
    const url = await scriptedServer(({ url: location = '/' }) => ({ status: 302, headers: { location } }));
    const { code, stderr } = await connect(url);
    expect(code).toBe(8);
    expect(stderr).toContain(`error: ${url} redirects endlessly.`);
    expect(stderr).toContain('try:  Check the URL in MKT_BASE_URL\n        To find out why: mkt doctor\n');
  });
  it('does not send the token to another server that it is redirected to', async () => {
    const there = await scriptedServer(() => ({ status: 401, body: { error: 'No.' } }));
    const url = await scriptedServer(() => ({ status: 301, headers: { location: there } }));
    const { code, stderr } = await connect(url);
    expect(code).toBe(4);
    expect(stderr).toContain(`error: ${url} redirects to ${there}, and your token is sent only to its own host.`);
    expect(stderr).toContain(`mkt login --base-url ${there}`);
  });
  it.each(['drop', 'hang'] as const)(
    'advises to check before retrying a creation without a response (%s)',
    async (fate) => {
      const url = await scriptedServer(({ method }) => (method === 'POST' ? fate : { body: { id: 5, name: 'Acme' } }));
      const argv = ['campaigns', 'create', '--name', 'x', '--org', '5', '--timeout', '300ms'];
      const { code, stderr } = await runCli(argv, { env: { MKT_TOKEN: 't', MKT_BASE_URL: url } });
      expect(code).toBe(8);
      expect(stderr).toContain('It may have been created. Check before retrying: mkt campaigns list --org 5');
    },
  );
  it('gives no such advice if the request cannot have arrived', async () => {
    const { code, stderr } = await as('t', ['organizations', 'create', '--name', 'x'], {
      MKT_BASE_URL: 'https://nowhere.invalid',
    });
    expect(code).toBe(8);
    expect(stderr).not.toContain('may be created');
  });
  it('says that an interrupted change may have been made', async () => {
    const stop = new AbortController();
    const url = await scriptedServer(({ url: path = '' }) => {
      if (!path.includes('publish')) return { body: { id: 5, name: 'Acme' } };
      stop.abort();
      return 'hang';
    });
    const { code, stderr } = await runCli(['campaigns', 'publish', '7', '--org', '5', '--yes'], {
      env: { MKT_TOKEN: 't', MKT_BASE_URL: url },
      interrupted: stop.signal,
    });
    expect(code).toBe(130);
    expect(stderr).toContain('error: Interrupted: campaign 7 "Acme" may have been published.');
  });
  it('shows on a terminal that it waits before another attempt', async () => {
    let attempts = 0;
    const url = await scriptedServer(() =>
      attempts++ === 0
        ? { status: 429, headers: { 'retry-after': '1' } }
        : { body: [], headers: { 'total-count': '0' } },
    );
    const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: url };
    const { io, screen } = testIo({ columns: 80, env });
    const shown: string[] = [];
    io.stderr.stream.on('data', (part: Buffer) => shown.push(part.toString('utf8')));
    expect(await run(['organizations', 'list'], io)).toBe(0);
    const waits = shown.filter((part) => part.endsWith(' Too many requests. Continuing in 1 s'));
    expect(waits.length).toBeGreaterThan(1);
    expect(screen().stderr).toBe('No organizations.\n');
  });
  it('shows how long to wait after too many requests', async () => {
    const { code, stderr } = await connect(
      await scriptedServer(() => ({ status: 429, headers: { 'retry-after': '3570' }, body: { error: 'Slow down.' } })),
    );
    expect(code).toBe(7);
    // Rounded up.
    expect(stderr).toContain('Too many requests. The service accepts more at 13:00 (UTC).');
  });
  it('a service that failed', async () => {
    const { code, stderr } = await connect(await scriptedServer(() => ({ status: 500, body: 'boom' })));
    expect(code).toBe(1);
    expect(stderr).toContain('The service failed to list organizations (500), tried 3 times.');
    expect(stderr).toMatch(/try: {2}Try again later\n/);
  });
});

describe('files', () => {
  it('reports a damaged config.json with a command that moves it away', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'config'));
    writeFileSync(join(cwd, 'config', 'config.json'), '{"profiles": ');
    const { code, stderr } = await as(tokens.ada_write, ['organizations', 'list'], {}, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('config.json is damaged');
    expect(stderr).toContain('mv ');
  });
  it.each([
    ['config/config.json', '{"profiles": [], "active": "work"}', 'profiles must be an object.'],
    ['config/config.json', '{"profiles": {"default": 5}}', 'profiles.default must be an object.'],
    ['config/config.json', '{"profiles": {"default": {"base_url": 5}}}', 'profiles.default.base_url must be text.'],
    [
      'config/config.json',
      '{"profiles": {"default": {"storage": "cloud"}}}',
      'profiles.default.storage must be "keyring" or "file".',
    ],
    ['.mkt.json', '{"org": true}', 'org must be text or a number.'],
    ['.mkt.json', '{"format": ["json"]}', 'format must be text.'],
  ])('%s with %s: the key is named', async (name, content, problem) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'config'));
    writeFileSync(join(cwd, name), content);
    const { code, stderr } = await as(tokens.ada_write, ['campaigns', 'list'], {}, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(`${join(cwd, name)}: ${problem}`);
  });
  it('names the account of an invalid entry in credentials.json, not its token', async () => {
    const cwd = temporaryFolder();
    const env = { MKT_BASE_URL: service.url };
    const login = ['login', '--with-token'];
    expect(await runCli(login, { cwd, env, stdin: tokens.ada_write })).toMatchObject({ code: 0 });
    const path = join(cwd, 'config', 'credentials.json');
    writeFileSync(path, JSON.stringify({ [`default@${service.url}`]: [tokens.ada_write] }));
    const { code, stderr } = await runCli(['organizations', 'list'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(`${path}: default@${service.url} must be text.`);
    expect(stderr).not.toContain(tokens.ada_write);
  });
  it('corrects the permissions of credentials that others can read', async () => {
    const cwd = temporaryFolder();
    const login = await runCli(['login', '--with-token'], {
      cwd,
      stdin: tokens.ada_write,
      env: { MKT_BASE_URL: service.url },
    });
    expect(login.code).toBe(0);
    const path = join(cwd, 'config', 'credentials.json');
    chmodSync(path, 0o644);
    const { code, stderr } = await runCli(['organizations', 'list'], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain('credentials.json was readable by other users. Its permissions have been corrected.');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
  it('rejects an export to a folder that does not exist', async () => {
    const { code, stderr } = await as(tokens.ada_write, [
      'export',
      'collabs',
      '--org',
      '5',
      '--out',
      '/nowhere/collabs.csv',
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('The folder /nowhere does not exist.');
  });
  it('rejects an export to a folder', async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await as(tokens.ada_write, ['export', 'collabs', '--org', '5', '--out', '.'], {}, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('. is a folder.');
  });
});

it('docs/reference/errors.md lists the codes of JSON errors with their exit codes', () => {
  const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z_]+)` \| (\d+) \|$/gm)];
  expect(listed.map(([, code, exitCode]) => [code, Number(exitCode)])).toEqual(Object.entries(errorCodes));
});
