import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedPrompter } from './support/prompter.js';
import { runCli, type Terminal, temporaryFolder } from './support/run-cli.js';
import { sharedService, tokens } from './support/service.js';

const service = sharedService();

const paths = {
  claude: '.config/Claude/claude_desktop_config.json',
  'claude-code': '.mcp.json',
  cursor: '.cursor/mcp.json',
  vscode: '.vscode/mcp.json',
  gemini: '.gemini/settings.json',
  windsurf: '.codeium/windsurf/mcp_config.json',
};

describe('mkt mcp install', () => {
  const setUp = () => {
    const cwd = temporaryFolder();
    const install = (argv: readonly string[], terminal: Terminal = {}) =>
      runCli(['mcp', 'install', ...argv], { cwd, ...terminal });
    const file = (client: keyof typeof paths) => join(cwd, paths[client]);
    return { install, file, json: (client: keyof typeof paths) => JSON.parse(readFileSync(file(client), 'utf8')) };
  };

  it.each(Object.keys(paths) as (keyof typeof paths)[])('adds mkt to the settings of %s', async (client) => {
    const { install, json } = setUp();
    expect(await install([client, '--org', '5', '--allow-write', '--yes'])).toMatchObject({ code: 0, stdout: '' });
    const { mcpServers, servers = mcpServers } = json(client);
    expect(servers.mkt).toMatchObject({ command: 'mkt', args: ['mcp', '--org', '5', '--allow-write'] });
    expect((await install([client, '--org', '5', '--allow-write'])).stderr).toContain('has mkt already');
  });

  it('shows the change, asks, and keeps everything else', async () => {
    const { install, file, json } = setUp();
    const settings = { theme: 'dark', mcpServers: { other: { command: 'other', args: [] } } };
    mkdirSync(dirname(file('cursor')), { recursive: true });
    writeFileSync(file('cursor'), JSON.stringify(settings));
    const refused = await install(['cursor'], { columns: 100, answers: scriptedPrompter(false) });
    expect(refused.code).toBe(10);
    expect(refused.stderr).toContain('+    "mkt": {');
    expect(refused.stderr).not.toContain('-  "theme"');
    expect(json('cursor')).toEqual(settings);
    const answers = scriptedPrompter(true);
    expect(await install(['cursor'], { columns: 100, answers })).toMatchObject({ code: 0 });
    expect(answers.asked).toEqual(['Add mkt to Cursor?']);
    const mkt = { command: 'mkt', args: ['mcp'] };
    expect(json('cursor')).toEqual({ ...settings, mcpServers: { ...settings.mcpServers, mkt } });
  });

  it('changes nothing without a terminal, and names its dry run', async () => {
    const { install, file } = setUp();
    const { code, stderr } = await install(['vscode', '--org', '5']);
    expect([code, stderr]).toEqual([10, expect.stringContaining('mkt mcp install vscode --org 5 --dry-run')]);
    expect(await install(['vscode', '--dry-run'])).toMatchObject({ code: 0 });
    expect(existsSync(file('vscode'))).toBe(false);
  });

  it.each([
    [['curser'], '"curser" is not a known client. Did you mean cursor?'],
    [['constructor'], '"constructor" is not a known client.'],
    [[], 'No client was given.'],
  ])('rejects %j', async (argv, message) => {
    const { install } = setUp();
    expect(await install(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('adds a second server with --name, and keeps what was added to an entry by hand', async () => {
    const { install, file, json } = setUp();
    const env = { MKT_ORG: '5' };
    mkdirSync(dirname(file('cursor')), { recursive: true });
    writeFileSync(file('cursor'), JSON.stringify({ mcpServers: { mkt: { command: 'old', args: [], env } } }));
    expect(await install(['cursor', '--yes'])).toMatchObject({ code: 0 });
    expect(await install(['cursor', '--name', 'audio', '--org', '7', '--toolsets', 'read', '--yes'])).toMatchObject({
      code: 0,
    });
    expect(json('cursor').mcpServers).toEqual({
      mkt: { command: 'mkt', args: ['mcp'], env },
      audio: { command: 'mkt', args: ['mcp', '--org', '7', '--name', 'audio', '--toolsets', 'read'] },
    });
  });

  it.each(['nosuch', '4711'])('refuses --org %s, an organization that the sign-in does not have', async (org) => {
    const { install, file } = setUp();
    const env = { MKT_BASE_URL: service.url(), MKT_TOKEN: tokens.ada_write };
    const { code, stderr } = await install(['cursor', '--org', org, '--yes'], { env });
    expect([code, stderr]).toEqual([3, expect.stringContaining(`Organization "${org}" (--org) was not found`)]);
    expect(existsSync(file('cursor'))).toBe(false);
  });

  it('leaves a file that is not JSON as it is', async () => {
    const { install, file } = setUp();
    const text = '{ // my servers\n}';
    writeFileSync(file('claude-code'), text);
    expect(await install(['claude-code', '--yes'])).toMatchObject({ code: 2 });
    expect(readFileSync(file('claude-code'), 'utf8')).toBe(text);
  });

  it.each([
    [['mcp', 'start'], '"start" is not an action of mkt mcp.'],
    [['mcp', '--dry-run'], '--dry-run works only with install.'],
  ])('is the only action: %j', async (argv, message) => {
    expect(await runCli(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
