import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';

/** A signed-in user with a history and the completions of two shells. */
async function signedIn() {
  const cwd = temporaryFolder();
  const env = { MKT_CONFIG_DIR: '', XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', XDG_CACHE_HOME: '' };
  const mkt = (line: string, options = {}) => runCli(line.split(' '), { cwd, env, inProcess: 'path', ...options });
  const { url } = await startService();
  await mkt(`login --with-token --base-url ${url} --storage file`, { stdin: tokens.ada_write });
  for (const line of ['campaigns list --org 5', 'watch --once --org 5']) await mkt(line);
  for (const shell of ['zsh', 'fish']) await mkt(`completion install ${shell}`);
  return { cwd, mkt };
}
const folders = ['.config/mkt', '.local/share/mkt', '.cache/mkt'];

it('shows what there is, and removes nothing without --purge and a confirmation', async () => {
  const { cwd, mkt } = await signedIn();
  for (const line of ['uninstall', 'uninstall --purge --dry-run', 'uninstall --purge']) {
    const { code, stdout, stderr } = await mkt(line);
    expect(code, line).toBe(line.endsWith('purge') ? 10 : 0);
    for (const [kind, path] of [
      ['settings', '.config/mkt/config.json'],
      ['tokens', '.config/mkt/credentials.json'],
      ['history', '.local/share/mkt/history.db'],
      ['completion', '.local/share/mkt/completion.zsh'],
      ['completion', '.config/fish/completions/mkt.fish'],
    ] as const)
      expect(stdout).toMatch(new RegExp(`^${kind}.*${path}$`, 'm'));
    if (!line.endsWith('purge')) expect(stderr).toContain('To remove the program: ');
    expect(existsSync(join(cwd, '.config/mkt/config.json'))).toBe(true);
  }
});

it('removes everything of mkt with --purge, and the folders if nothing else is in them', async () => {
  const { cwd, mkt } = await signedIn();
  expect(await mkt('uninstall --purge --yes')).toMatchObject({ code: 0, stderr: expect.stringContaining('Removed.') });
  expect(folders.filter((folder) => existsSync(join(cwd, folder)))).toEqual([]);
  expect(existsSync(join(cwd, '.config/fish/completions/mkt.fish'))).toBe(false);
  expect((await mkt('uninstall --json')).stdout.trim()).toBe('[]');
  expect(await mkt('uninstall')).toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(/^mkt keeps nothing on this computer\.\nTo remove the program: /),
  });
});

it('names the start-up file of each shell that still loads a removed completion', async () => {
  const { mkt } = await signedIn();
  await mkt('completion install powershell');
  const { stderr } = await mkt('uninstall --purge --yes');
  expect(stderr.match(/^If you added the line that loads .*/gm)).toEqual([
    expect.stringMatching(/mkt\/completion\.zsh, delete it from ~\/\.zshrc\.$/),
    expect.stringMatching(/mkt\/completion\.ps1, delete it from the file in \$PROFILE\.$/),
  ]);
});

it('removes the folder of a completion, when the settings are elsewhere', async () => {
  const cwd = temporaryFolder();
  for (const line of ['completion install zsh', 'uninstall --purge --yes'])
    expect(await runCli(line.split(' '), { cwd, env: { XDG_DATA_HOME: '' } })).toMatchObject({ code: 0 });
  expect(readdirSync(join(cwd, '.local/share'))).toEqual([]);
});

it('leaves files of other programs where they are', async () => {
  const { cwd, mkt } = await signedIn();
  mkdirSync(join(cwd, '.config/mkt/notes'));
  writeFileSync(join(cwd, '.local/share/mkt/notes.txt'), '');
  expect(await mkt('uninstall --purge --yes')).toMatchObject({ code: 0 });
  expect(readdirSync(join(cwd, '.config/mkt'))).toContain('notes');
  expect(readdirSync(join(cwd, '.local/share/mkt'))).toEqual(['notes.txt']);
});
