import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { sharedService, tokens } from './support/service.js';

const { url } = sharedService();

/** Runs a command against a server that fails the test at the first request. */
async function withoutRequests(argv: readonly string[], stdin: string) {
  const requests: string[] = [];
  const baseUrl = await scriptedServer(({ method, url: path }) => {
    requests.push(`${method} ${path}`);
    return { status: 500 };
  });
  const screen = await runCli(argv, { stdin, env: { MKT_TOKEN: 't', MKT_BASE_URL: baseUrl, MKT_ORG: '5' } });
  expect(requests).toEqual([]);
  return screen;
}

const commands: readonly (readonly [
  argv: readonly string[],
  misspelt: string,
  suggestion: string,
  readOnly: string,
])[] = [
  [['campaigns', 'create'], 'cpm_amout', 'cpm_amount', 'status'],
  [['campaigns', 'update', '2'], 'coutries', 'countries', 'id'],
  [['collabs', 'create'], 'require_sparkads', 'require_spark_ads', 'state'],
  [['collabs', 'update', '1'], 'websit', 'website', 'created_at'],
  [['organizations', 'create'], 'nmae', 'name', 'url'],
  [['organizations', 'update', '7'], 'privacy', 'privacy_setting', 'logo_url'],
  [['members', 'update', '9'], 'rolle', 'role', 'user'],
  [['tokens', 'create'], 'permision', 'permission', 'token'],
  [['address', 'set'], 'postcode', 'postal_code', 'id'],
];

describe.each(commands)('mkt %j with --file', (argv, misspelt, suggestion, readOnly) => {
  it('rejects a misspelt, a read-only and an unknown key, and sends nothing', async () => {
    const stdin = `{"${misspelt}": "x",\n "${readOnly}": 1,\n   "zzzz": 1}`;
    const { code, stdout, stderr } = await withoutRequests([...argv, '-f', '-'], stdin);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('error: 3 problems in stdin. Nothing was sent.\n');
    expect(stderr).toContain(`stdin:1:2: unknown key "${misspelt}". Did you mean ${suggestion}?\n`);
    expect(stderr).toContain(`stdin:2:2: ${readOnly} is read-only. Leave it out.\n`);
    expect(stderr).toMatch(/stdin:3:4: unknown key "zzzz"\. Known keys: .*\b\w+_?\w*\.\n/);
  });
});

describe('a file with fields', () => {
  it('is checked completely: each value with its position', async () => {
    const text = 'campaign:\n  name: 012\n  countries: US\n  cpm_amount: ten\n  currency: dollars\n';
    const { code, stderr } = await withoutRequests(['campaigns', 'create', '-f', '-'], text);
    expect(code).toBe(2);
    expect(stderr).toContain('stdin:2:9: name must be text, but 012 is a number. Put it in quotes: "012".');
    expect(stderr).toContain('stdin:3:14: countries must be a list, such as ["US"], not text.');
    expect(stderr).toContain('stdin:4:15: cpm_amount must be an integer, such as 700, not "ten".');
    expect(stderr).toContain(
      'stdin:5:13: currency must be a three-letter currency code, such as usd, not "dollars". Did you mean usd (US Dollar)?',
    );
  });
  it('reports problems as JSON with their lines', async () => {
    const { stderr } = await withoutRequests(['campaigns', 'create', '--json', '-f', '-'], '{"name": "x", "id": 1}');
    expect(JSON.parse(stderr).error).toMatchObject({
      exitCode: 2,
      results: [{ line: 1, column: 15, message: 'id is read-only. Leave it out.' }],
    });
  });
  it('points to the flag for a logo', async () => {
    const { stderr } = await withoutRequests(['organizations', 'update', '7', '-f', '-'], 'logo: logo.png');
    expect(stderr).toContain('stdin:1:1: a logo cannot be in the file. Use --logo FILE.');
  });
  it('may leave required fields to flags', async () => {
    const argv = ['campaigns', 'create', '-f', '-', '--name', 'Both', '--org', '5', '--json'];
    const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: url() };
    const { stdout } = await runCli(argv, { stdin: 'website: ""\ncpm_amount: 650', env });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'Both', cpm_amount: 650, website: null });
  });
});

describe('an image to upload', () => {
  it.each([
    ['notes.png', Buffer.from('text'), 'this is not a PNG, JPEG, WebP or GIF image.'],
    ['large.gif', Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(6 << 20)]), 'an image may have at most 5 MiB'],
  ])('is checked before it is sent: %s', async (name, content, message) => {
    const file = join(temporaryFolder(), name);
    writeFileSync(file, content);
    const { code, stderr } = await withoutRequests(['organizations', 'create', '--name', 'X', '--logo', file], '');
    expect(code).toBe(2);
    expect(stderr).toContain(`error: --logo ${file}: ${message}`);
  });
});
