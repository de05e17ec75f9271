import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { version } from '../package.json';
import { upgradeCommand } from '../src/commands/upgrade/run.js';
import { installation } from '../src/io/installation.js';
import { runCli } from './support/run-cli.js';

const releases = 'https://git.example.com/mkt/mkt/releases/latest';

it.each([
  ['npm', '/usr/lib/node_modules/@mkt/cli/dist/bin.cjs', 'linux', 'npm install -g @mkt/cli@latest'],
  ['deb', '/usr/bin/mkt', 'linux', 'sudo apt-get install ./mkt_VERSION_arm64.deb'],
  [
    'source',
    '/home/ada/my mkt/packages/cli/dist/bin.cjs',
    'linux',
    "cd '/home/ada/my mkt' && git pull && npm run build",
  ],
  [
    'archive',
    "/home/ada/it's/mkt",
    'linux',
    `curl -fsSL ${releases}/download/install.sh | sh -s -- --dir '/home/ada/it'\\''s'`,
  ],
  ['archive', '/opt/homebrew/Cellar/mkt/0.1.0/bin/mkt', 'darwin', 'brew upgrade mkt'],
  ['archive', 'C:\\Users\\ada\\scoop\\apps\\mkt\\current\\mkt.exe', 'win32', 'scoop update mkt'],
  [
    'archive',
    "C:\\it's\\mkt.exe",
    'win32',
    `& ([scriptblock]::Create((irm ${releases}/download/install.ps1))) -Dir 'C:\\it''s'`,
  ],
] as const)('knows how an installation of kind %s at %s is updated', (installed, program, platform, command) => {
  expect(upgradeCommand(installed, program, { platform, arch: 'arm64' })).toBe(command);
});

it('names the Debian package of this processor', () => {
  expect(upgradeCommand('deb', '/usr/bin/mkt', { platform: 'linux', arch: 'x64' })).toContain('_amd64.deb');
});

it('mkt upgrade prints the command, exits 0, and starts nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-upgrade-'));
  const trace = join(folder, 'started');
  // Every program that the command names leaves a trace if it is started.
  for (const name of ['npm', 'git', 'curl', 'sh', 'sudo'])
    writeFileSync(join(folder, name), `#!/bin/sh\ntouch '${trace}'\n`, { mode: 0o755 });
  const { code, stdout, stderr } = await runCli(['upgrade'], { env: { PATH: folder } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^mkt \S+ was installed .*:\n\n {2}\S.*\n$/);
  const { stdout: json } = await runCli(['upgrade', '--json']);
  expect(JSON.parse(json)).toEqual({ version, installed: installation(), command: expect.any(String), releases });
  expect(existsSync(trace)).toBe(false);
  rmSync(folder, { recursive: true });
});
