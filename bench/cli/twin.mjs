// Copying a large organization: time and peak memory of the copy, and the time until it is served, from its file or lazily.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoTokens } from '@mkt/server';
import { figure } from '../lib/measure.mjs';

export const title = 'A twin of 10,000 campaigns';
export const sizes = { rounds: 3 };
export const quickSizes = { rounds: 1 };

const organizations = { 'of 45 campaigns': 5, 'of 10,000 campaigns': 11 };

const bin = fileURLToPath(new URL('../../packages/cli/dist/bin.cjs', import.meta.url));

/** Has a process report its peak memory when it ends. */
const reportMemory =
  "--import=data:text/javascript,process.on('exit',()=>process.stderr.write('KB='+process.resourceUsage().maxRSS))";

const mkt = (args, env, options = []) =>
  spawn(process.execPath, [...options, bin, ...args], {
    env: { ...process.env, MKT_NO_KEYRING: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Starts a server; resolves when it is ready. */
async function started(args, env) {
  const began = performance.now();
  const child = mkt([...args, '--port', '0', '--json'], env);
  const [line] = await once(child.stdout, 'data');
  const span = performance.now() - began;
  child.stdout.resume();
  child.stderr.resume();
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { url: JSON.parse(String(line).split('\n', 1)[0]).url, span, stop };
}

/** Seconds and peak megabytes of one pull. */
async function pull(env, organization, out) {
  const began = performance.now();
  const child = mkt(['twin', 'pull', '--org', String(organization), '--out', out], env, [reportMemory]);
  let text = '';
  child.stderr.on('data', (part) => {
    text += part;
  });
  child.stdout.resume();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(text);
  return { seconds: (performance.now() - began) / 1000, megabytes: Number(/KB=(\d+)/.exec(text)?.[1]) / 1024 };
}

export async function run({ rounds }) {
  const home = mkdtempSync(join(tmpdir(), 'mkt-twin-'));
  const config = { MKT_CONFIG_DIR: home };
  const source = await started(['serve', '--seed', 'large'], config);
  const env = { ...config, MKT_BASE_URL: source.url, MKT_TOKEN: demoTokens.ada_read };
  const results = Object.keys(organizations).map((name) => [name, { pulls: [], starts: [], lazyStarts: [] }]);
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, { pulls, starts, lazyStarts }] of results) {
        const out = join(home, 'bench.twin');
        pulls.push(await pull(env, organizations[name], out));
        const twin = await started(['twin', 'serve', out], config);
        starts.push(twin.span / 1000);
        await twin.stop();
        const lazy = await started(['twin', 'serve', '--lazy', '--org', String(organizations[name])], env);
        lazyStarts.push(lazy.span / 1000);
        await lazy.stop();
      }
    }
  } finally {
    await source.stop();
    rmSync(home, { recursive: true, force: true });
  }
  return {
    about:
      'Whole processes on a local server: `mkt twin pull`, four requests at a time, and `mkt twin serve` until it is ready, from the file or with `--lazy` (goal: less than 1 s). The larger organization has 2,000 collabs too.',
    columns: ['organization', 'pull, s', 'peak memory of the pull, MB', 'start of the copy, s', 'lazy start, s'],
    rows: results.map(([name, { pulls, starts, lazyStarts }]) => ({
      cells: [
        name,
        figure(
          pulls.map(({ seconds }) => seconds),
          { digits: 1 },
        ),
        figure(
          pulls.map(({ megabytes }) => megabytes),
          { digits: 0 },
        ),
        figure(starts, { digits: 2 }),
        figure(lazyStarts, { digits: 2 }),
      ],
    })),
  };
}
