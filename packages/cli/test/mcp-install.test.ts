import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse as load } from 'yaml';
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
const others = { codex: '.codex/config.toml', goose: '.config/goose/config.yaml' };

describe('mkt mcp install', () => {
  const setUp = () => {
    const cwd = temporaryFolder();
    const install = (argv: readonly string[], terminal: Terminal = {}) =>
      runCli(['mcp', 'install', ...argv], { cwd, ...terminal });
    const file = (client: keyof typeof paths | keyof typeof others) => join(cwd, { ...paths, ...others }[client]);
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

  it.each([
    ['vscode', '{\n  // My servers.\n  "servers": { "other": { "command": "other" } }, // all\n}\n'],
    ['codex', '# My settings.\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "other"\n'],
    ['goose', '# My settings.\nGOOSE_MODEL: o # the newest\nextensions:\n  other:\n    cmd: other\n'],
  ] as const)('keeps the comments and all lines of %s, and adds mkt once', async (client, text) => {
    const { install, file } = setUp();
    mkdirSync(dirname(file(client)), { recursive: true });
    writeFileSync(file(client), text);
    expect(await install([client, '--org', '5', '--yes'])).toMatchObject({ code: 0 });
    const after = readFileSync(file(client), 'utf8');
    for (const word of text.match(/\S+/g) ?? []) expect(after).toContain(word.replace(/}+,$/, ''));
    expect(after).toMatch(/"mkt"|cmd: mkt/);
    expect((await install([client, '--org', '5'])).stderr).toContain('has mkt already');
    expect(readFileSync(file(client), 'utf8')).toBe(after);
  });

  it('writes what Codex and Goose read', async () => {
    const { install, file } = setUp();
    for (const client of ['codex', 'goose'] as const) await install([client, '--org', '5', '--yes']);
    expect(readFileSync(file('codex'), 'utf8')).toBe(
      '[mcp_servers.mkt]\ncommand = "mkt"\nargs = ["mcp","--org","5"]\n',
    );
    expect(load(readFileSync(file('goose'), 'utf8'))).toEqual({
      extensions: {
        mkt: { type: 'stdio', name: 'mkt', cmd: 'mkt', args: ['mcp', '--org', '5'], enabled: true, timeout: 300 },
      },
    });
  });

  it.each([
    ['claude-code', '{ "mcpServers": '],
    ['claude-code', '[]'],
    ['codex', "[mcp_servers.'mkt']\ncommand = 'other'\n"],
    ['goose', 'extensions: [\n'],
  ] as const)('leaves a file of %s that it cannot change as it is: %j', async (client, text) => {
    const { install, file } = setUp();
    mkdirSync(dirname(file(client)), { recursive: true });
    writeFileSync(file(client), text);
    const { code, stderr } = await install([client, '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('add this yourself: {"command":"mkt","args":["mcp"]}')]);
    expect(readFileSync(file(client), 'utf8')).toBe(text);
  });

  it.each([
    [['mcp', 'start'], '"start" is not an action of mkt mcp.'],
    [['mcp', '--dry-run'], '--dry-run works only with install.'],
  ])('is the only action: %j', async (argv, message) => {
    expect(await runCli(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
