// Copying a large organization: time and peak memory of the copy, and the time until it is served, from its file.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { demoTokens } from '@mkt/server';
import { figure, inTurns } from '../lib/measure.mjs';
import { startServer } from '../server/servers.mjs';
import { bin } from './commands.mjs';

export const title = 'A twin of 10,000 campaigns';
export const sizes = { rounds: 3 };

const organizations = { 'of 45 campaigns': '5', 'of 10,000 campaigns': '11' };

/** Has a process report its peak memory when it ends. */
const reportMemory =
  "--import=data:text/javascript,process.on('exit',()=>process.stderr.write('KB='+process.resourceUsage().maxRSS))";

/** Seconds and peak megabytes of one pull. */
async function pull(env, organization, out) {
  const began = performance.now();
  const command = [bin, 'twin', 'pull', '--org', organization, '--out', out];
  const { stderr } = await promisify(execFile)(process.execPath, [reportMemory, ...command], { env });
  return { seconds: (performance.now() - began) / 1000, megabytes: Number(/KB=(\d+)/.exec(stderr)?.[1]) / 1024 };
}

/** Seconds until a copy is served. */
async function startTime(args, env) {
  const server = await startServer(bin, ['twin', 'serve', ...args, '--port', '0', '--json'], { env });
  await server.stop();
  return server.span / 1000;
}

export async function run({ rounds }) {
  const home = mkdtempSync(join(tmpdir(), 'mkt-twin-'));
  const config = { ...process.env, MKT_NO_KEYRING: '1', MKT_CONFIG_DIR: home };
  const source = await startServer(bin, ['serve', '--seed', 'large', '--port', '0', '--json'], { env: config });
  const env = { ...config, MKT_BASE_URL: source.url, MKT_TOKEN: demoTokens.ada_read };
  const out = join(home, 'bench.twin');
  const measure = async (organization) => ({
    ...(await pull(env, organization, out)),
    start: await startTime([out], config),
  });
  const results = await inTurns(rounds, organizations, measure);
  await source.stop();
  rmSync(home, { recursive: true, force: true });
  const columns = { seconds: 1, megabytes: 0, start: 2 };
  return {
    about:
      'Whole processes on a local server: `mkt twin pull`, four requests at a time, and `mkt twin serve` until it is ready, from the file. The larger organization has 2,000 collabs too.',
    columns: ['organization', 'pull, s', 'peak memory of the pull, MB', 'start of the copy, s'],
    rows: Object.entries(results).map(([name, each]) => ({
      cells: [name, ...Object.entries(columns).map(([what, digits]) => figure(each[what], { digits }))],
    })),
  };
}
