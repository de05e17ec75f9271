// From a fresh clone to a table on the screen: installs, builds the command line, starts the reference server with the demo
// data on a free port, lists a brand's campaigns over TCP, stops the server. Leaves no process and no file behind.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const START_MS = 15_000;
const STOP_MS = 10_000;

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const mkt = join('packages', 'cli', 'dist', 'bin.cjs');

for (const step of [
  ['scripts/ensure.mjs', '--ignore-scripts'],
  ['scripts/build.mjs', '--no-dts', 'cli'],
]) {
  const { status } = spawnSync(process.execPath, step, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const folder = mkdtempSync(join(tmpdir(), 'mkt-quickstart-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
// No setting of this machine takes part: own configuration folder, own keyring choice, none of the caller's MKT_ variables.
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MKT_'))),
  MKT_CONFIG_DIR: folder,
  MKT_NO_KEYRING: '1',
  MKT_NO_INPUT: '1',
};

const server = spawn(process.execPath, [mkt, 'serve', '--port', '0', '--json'], {
  env,
  stdio: ['ignore', 'pipe', 'pipe'],
});
const ended = new Promise((resolve) => server.once('exit', resolve));
let interrupted = false;
let complaints = '';
server.stderr.on('data', (chunk) => {
  complaints += chunk;
});

async function stop() {
  server.kill('SIGTERM');
  const late = setTimeout(() => server.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(late);
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.once(signal, async () => {
    interrupted = true;
    await stop();
    process.exit(code);
  });
}

/** What `mkt serve --json` says of itself in its first line. */
async function started() {
  const late = setTimeout(() => server.kill('SIGKILL'), START_MS);
  try {
    for await (const line of createInterface({ input: server.stdout })) return JSON.parse(line);
    const how = server.signalCode ? `said nothing for ${START_MS / 1000} s` : `ended with exit code ${await ended}`;
    throw new Error(`The reference server ${how} instead of starting.\n${complaints}`);
  } finally {
    clearTimeout(late);
  }
}

/** Runs one `mkt` command on this terminal and gives its exit code. */
const run = (args, more) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [mkt, ...args], {
      env: { ...env, ...more },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });

try {
  const { url, tokens } = await started();
  // The rest of its output is a request log; unread, it would fill the pipe.
  server.stdout.resume();
  process.stdout.write(`\nThe reference server runs at ${url} with the demo data.\n\n$ mkt campaigns list --org 5\n`);
  const code = await run(['campaigns', 'list', '--org', '5'], { MKT_BASE_URL: url, MKT_TOKEN: tokens.ada_write });
  if (code !== 0) throw new Error(`mkt campaigns list --org 5 ended with exit code ${code}.`);
  process.stdout.write(`
Installed, built, served, listed; the server is stopped again. To go on, in this folder:
  npx mkt serve
and in a second terminal, while that runs:
  echo ${tokens.ada_write} | npx mkt login --with-token --base-url http://127.0.0.1:4010
  npx mkt campaigns show 1 --org 5
`);
} catch (error) {
  if (!interrupted) process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await stop();
}
