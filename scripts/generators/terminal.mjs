// The README's picture of a terminal: the built command line is run on the reference server, with the demo data and a frozen clock
// as if it wrote to a terminal of 80 columns. What it prints is what the picture shows.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { terminalSvg } from '../lib/terminal-svg.mjs';

export const output = 'docs/screens/terminal.svg';

/** The build holds generated files: it comes after them. */
export const readsOutputs = true;

const COLUMNS = 80;
const NOW = '2026-06-01T12:00:00Z';

const session = [
  'mkt campaigns list --sort -view_count --limit 5',
  'mkt campaigns create --name "Autumn glow" --countries US,CA --cpm-amount 700',
  'mkt campaigns publish 48 --yes',
  'mkt campaigns publish 15',
  'mkt campaigns list --status paused --format csv --fields name,unused_amount',
];

const erased = new RegExp(`[^\\n]*${String.fromCharCode(27)}\\[2K\\r?`, 'g');

const dist = resolve('packages/cli/dist');

function built() {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs', '--no-dts', 'cli'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The command line does not build.\n${stderr}`);
  return createRequire(import.meta.url)(join(dist, 'main.cjs'));
}

/** Starts the reference server; gives what it says of itself. */
async function served(folder) {
  const args = [join(dist, 'bin.cjs'), 'serve', '--port', '0', '--json'];
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done) => child.once('close', done));
  let text = '';
  await new Promise((ready, fail) => {
    child.stdout.setEncoding('utf8').on('data', (part) => {
      text += part;
      if (text.includes('\n')) ready();
    });
    void ended.then((code) => fail(new Error(`mkt serve ended with ${code}.`)));
  });
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { ...JSON.parse(text.slice(0, text.indexOf('\n'))), stop };
}

/** What one command prints on a terminal, both streams as they come. */
async function printed(run, typed, { folder, env }) {
  const words = [...typed.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  const screen = new PassThrough();
  let text = '';
  screen.on('data', (part) => (text += part));
  const terminal = { stream: screen, isTTY: true, columns: COLUMNS, rows: 40 };
  await run(words.slice(1), {
    env,
    cwd: folder,
    home: folder,
    platform: 'linux',
    stdin: { stream: Readable.from([]), isTTY: false },
    stdout: terminal,
    stderr: terminal,
    print: (printed) => screen.write(printed),
    now: () => new Date(NOW),
    interrupted: new AbortController().signal,
  });
  // On a slow machine the progress of a walk shows, and is erased: what stood before an erasure is gone, as on a terminal.
  return text.replace(erased, '').trimEnd().split('\n');
}

export async function generate() {
  const { run } = built();
  const folder = mkdtempSync(join(tmpdir(), 'mkt-terminal-'));
  const server = await served(folder);
  try {
    const headers = { Authorization: `Bearer ${server.control.token}`, 'Content-Type': 'application/json' };
    const frozen = { method: 'POST', headers, body: JSON.stringify(NOW) };
    const { ok, status } = await fetch(`${server.control.url}/clock/freeze`, frozen);
    if (!ok) throw new Error(`The server's clock did not stop: ${status}.`);
    const env = {
      MKT_BASE_URL: server.url,
      MKT_TOKEN: server.tokens.ada_write,
      MKT_ORG: '5',
      MKT_CONFIG_DIR: folder,
      MKT_NO_KEYRING: '1',
    };
    const lines = [];
    for (const typed of session) {
      if (lines.length > 0) lines.push({});
      lines.push({ typed });
      for (const line of await printed(run, typed, { folder, env })) lines.push({ line });
    }
    return terminalSvg({ columns: COLUMNS, title: `A terminal: ${session.join('; ')}`, lines });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
