import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '..');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
}

/** Runs `npm run quickstart` as on a machine with settings of its own; gives what it printed and what it left behind. */
function quickstart(onOutput: (pid: number) => void = () => undefined): Promise<Ended & { left: string[] }> {
  const home = mkdtempSync(join(tmpdir(), 'mkt-quickstart-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const child = spawn(process.execPath, [join(root, 'scripts', 'quickstart.mjs')], {
    cwd: home,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      TMPDIR: home,
      MKT_TOKEN: 'wrong',
      MKT_BASE_URL: 'http://127.0.0.1:1',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (child.pid !== undefined) onOutput(child.pid);
  });
  return new Promise((ended, fail) => {
    child.on('error', fail);
    // npm keeps what it downloads. The pipe closes when the script and everything that it started have ended.
    child.on('close', (code) => ended({ code, stdout, left: readdirSync(home).filter((name) => name !== '.npm') }));
  });
}

test('quickstart lists the campaigns of brand 5 as a table and names what to type next', {
  timeout: 120_000,
}, async () => {
  const { code, stdout, left } = await quickstart();
  expect({ code, left }).toEqual({ code: 0, left: [] });
  expect(stdout).toMatch(/\$ mkt campaigns list --org 5\nID +NAME +STATUS.*\n(\d+ .*\n){20}20 of 45/);
  const [, next = ''] = stdout.split('To go on, in this folder:');
  expect(next.match(/npx mkt \S+/g)).toEqual(['npx mkt serve', 'npx mkt login', 'npx mkt campaigns']);
});

test('quickstart exits with 130 after SIGTERM and leaves no files', {
  timeout: 120_000,
}, async () => {
  let told = false;
  const { code, stdout, left } = await quickstart((pid) => {
    if (!told) process.kill(pid, 'SIGTERM');
    told = true;
  });
  expect({ code, left }).toEqual({ code: 130, left: [] });
  expect(stdout).not.toContain('To go on');
});
