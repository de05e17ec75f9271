import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from './support/run-cli.js';
import { bash, bundle, start } from './support/spawn-cli.js';
import { hasTmux, NO_TMUX, readyPane } from './support/tmux.js';

vi.setConfig({ testTimeout: 60_000 });
if (!hasTmux) console.warn(NO_TMUX);

/** An empty home, and a place for temporary files that is watched. */
function emptyHome(): { env: Record<string, string>; left: () => string[] } {
  const home = temporaryFolder();
  mkdirSync(join(home, 'tmp'));
  const env = { HOME: home, TMPDIR: join(home, 'tmp') };
  return { env, left: () => readdirSync(home, { recursive: true }).map(String) };
}

it('mkt demo --once runs without a terminal, and leaves no process and no file', async () => {
  const { env, left } = emptyHome();
  const { ended } = start([process.execPath, bundle, 'demo', '--once'], env);
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/\$ mkt campaigns list --org 5\nID +NAME.*\n(\d+ .*\n){20}20 of 45/);
  expect(left()).toEqual(['tmp']);
});

it('uses no proxy, even if Node would use one', async () => {
  const proxies = { HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' };
  expect(await start([process.execPath, bundle, 'demo', '--once'], proxies).ended).toMatchObject({ code: 0 });
});

it('succeeds if the reader closes early', async () => {
  expect(await bash('mkt demo --once | head -1')).toMatchObject({ code: 0, stderr: '' });
});

it('ends with 130 at Ctrl-C and leaves nothing', async () => {
  const { env, left } = emptyHome();
  const { child, ended } = start([process.execPath, bundle, 'demo', '--once'], env);
  child.stdout?.once('data', () => child.kill('SIGINT'));
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr).toBe('error: Interrupted.\n');
  expect(stdout).not.toContain('That was the tour');
  expect(left()).toEqual(['tmp']);
});

it.skipIf(!hasTmux)('is controlled by keys, and the commands it suggests for a second terminal work', async () => {
  const pane = await readyPane(80);
  pane.line(
    'cd; stty -a > before; mkt demo; echo "code $?"; stty -a > after; cmp before after && echo terminal unchanged',
  );
  const keys = ['Enter', 'Space', 'Right', 'Enter', 'n', 'Enter', 'Enter'] as const;
  for (const [index, key] of keys.entries()) {
    await pane.see(`mkt demo, ${index + 1} of 7`);
    await pane.see('q quit');
    if (index === 3) {
      pane.press('Left');
      await pane.see('mkt demo, 3 of 7');
      pane.press('Enter');
      await pane.see('mkt demo, 4 of 7');
    }
    pane.press(key);
  }
  const screen = await pane.see('Try it in a second terminal:');
  const typed = screen
    .slice(screen.indexOf('Try it in a second terminal:'))
    .split('\n')
    .filter((line) => /^ {2}(export|mkt) /.test(line));
  expect(typed.length).toBeGreaterThan(3);
  const second = await readyPane(120);
  second.line('cd');
  for (const line of typed) {
    second.line(`clear; ${line.trim()}; echo "code $?"`);
    await second.see('code 0');
    expect(second.screen()).not.toContain('error:');
  }
  const [, page = ''] = /(http\S+\/sign_in)/.exec(screen) ?? [];
  expect((await fetch(page)).status).toBe(200);
  expect((await fetch(page.replace('sign_in', 'docs'))).status).toBe(200);
  pane.press('q');
  await pane.see('code 0');
  expect(await pane.see('terminal unchanged')).not.toContain('error:');
  await expect(fetch(page)).rejects.toThrow();
});

it.skipIf(!hasTmux)('Ctrl-C gives the terminal back and ends with 130', async () => {
  const pane = await readyPane(80);
  pane.line('mkt demo; echo "code $?"');
  await pane.see('q quit');
  pane.press('C-c');
  await pane.see('code 130');
  pane.line('clear; echo "still here"');
  expect(await pane.ended()).toContain('still here');
});
