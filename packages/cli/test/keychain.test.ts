import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';
import { bundle, start } from './support/spawn-cli.js';

const has = (program: string): boolean => !spawnSync(program, ['--version']).error;
const hasKeychain = process.platform === 'linux' && has('dbus-run-session') && has('gnome-keyring-daemon');

let service: Server;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Runs a script on a session of its own: its bus, its unlocked keychain, its home. */
async function inSession(script: string) {
  const home = temporaryFolder();
  const [data, runtime] = [join(home, 'data'), join(home, 'run')];
  for (const folder of [data, runtime]) mkdirSync(folder, { mode: 0o700 });
  const unlock = 'printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1';
  const shell = `${unlock}\nmkt() { '${process.execPath}' '${bundle}' "$@" 2>&1; }\n${script}`;
  const env = { HOME: home, XDG_DATA_HOME: data, XDG_RUNTIME_DIR: runtime, MKT_NO_KEYRING: '' };
  const { stdout, code } = await start(['dbus-run-session', '--', 'bash', '-c', shell], env).ended;
  const config = join(home, '.config/mkt');
  const files = existsSync(config) ? readdirSync(config) : [];
  return { stdout, code, files, text: files.map((file) => readFileSync(join(config, file), 'utf8')).join('\n') };
}

describe.skipIf(!hasKeychain)('a keychain that works (gnome-keyring)', { timeout: 30_000 }, () => {
  it('stores the token, gives it to the next command, and loses it at logout', async () => {
    const { stdout, files, text } = await inSession(`
      printf %s '${tokens.ada_write}' | mkt login --with-token --base-url ${service.url}
      mkt campaigns list --org 5 --fields id --no-header --limit 1
      mkt auth status
      mkt logout
      mkt campaigns list --org 5; echo "exit $?"`);
    expect(stdout).toContain('The token is stored in the keychain of this computer.');
    expect(stdout).toMatch(/^1$/m);
    expect(stdout).toContain('ends in rite  (from the keychain of this computer)');
    expect(stdout).toContain('You are not signed in.');
    expect(stdout).toMatch(/exit 4\n$/);
    expect(files).not.toContain('credentials.json');
    expect(stdout + text).not.toContain(tokens.ada_write);
  });

  it('moves a token from a file to the keychain and back, without leaving a copy', async () => {
    const login = `printf %s '${tokens.ada_write}' | mkt login --with-token --base-url ${service.url}`;
    const { stdout } = await inSession(`
      ${login} --storage file >/dev/null; echo "file $(cat ~/.config/mkt/credentials.json)"
      ${login} >/dev/null; echo "keychain $(cat ~/.config/mkt/credentials.json)"
      ${login} --storage file >/dev/null
      MKT_TOKEN= mkt logout
      sed -i 's/"base_url"/"storage": "keyring", "token_host": "${service.url.replaceAll('/', '\\/')}", "base_url"/' ~/.config/mkt/config.json
      mkt auth status`);
    expect(stdout).toMatch(/^file .*\n.*mkt_demo_ada_write/);
    expect(stdout).toMatch(/^keychain \{\}$/m);
    expect(stdout).toContain('The token of profile "default" is missing from the keychain of this computer.');
  });

  it('is reported if it is locked, with what to do', async () => {
    const { stdout } = await inSession(`
      printf %s '${tokens.ada_write}' | mkt login --with-token --base-url ${service.url}
      unset DISPLAY WAYLAND_DISPLAY
      dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \
        org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login >/dev/null
      mkt campaigns list --org 5; echo "exit $?"`);
    expect(stdout).toContain(
      'error: The keychain of this computer cannot be read: it is locked.\n  try:  Set MKT_TOKEN',
    );
    expect(stdout).toMatch(/exit 4\n$/);
  });
});
