// The benchmarks run, and say what they found. Their figures are for a quiet machine: `npm run bench`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

function node(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 110_000 });
}

const bench = (...args: string[]) => node('bench/main.mjs', ...args);

/** The address of a file of the benchmarks, as program text. */
const moduleAt = (path: string) => JSON.stringify(new URL(`../bench/${path}`, import.meta.url).href);

/** What a program prints, which is JSON. */
function evaluated(program: string): unknown {
  const { status, stdout, stderr } = node('--input-type=module', '--eval', program);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

describe('npm run bench', { timeout: 120_000 }, () => {
  it('has no part that does not load, but for rivals that are not installed', () => {
    const parts = evaluated(`
      import { readdirSync } from 'node:fs';
      const seen = {};
      for (const file of readdirSync('bench/suites')) {
        const suite = await import(${moduleAt('suites/')} + file);
        for (const [name, load] of Object.entries(suite.parts)) {
          const part = await load().catch((error) => {
            if (!/^Cannot find package/.test(error.message)) throw error;
          });
          const unknown = Object.keys(part?.quickSizes ?? {}).filter((size) => !(size in part.sizes));
          seen[file + ' ' + name] = part ? typeof part.run + ' ' + typeof part.title + unknown : 'absent';
        }
      }
      console.log(JSON.stringify(seen));`) as Record<string, string>;
    expect(Object.keys(parts).length).toBeGreaterThan(10);
    for (const [name, found] of Object.entries(parts)) expect(['function string', 'absent'], name).toContain(found);
    expect(parts['mock.mjs calls']).toBe('function string');
  });

  it.each([
    ['mock', 'calls', 'list of 20: mock through MSW'],
    ['sdk', 'cache', '304s'],
    ['cli', 'start', 'mkt --version'],
    ['cli', 'nodes', 'Node [\\d.]+, mkt campaigns list'],
    ['cli', 'table', 'mkt campaigns list --all'],
  ])('measures %s %s', (suite, part, row) => {
    const { status, stdout, stderr } = bench(suite, part, '--quick');
    expect(status, stderr).toBe(0);
    expect(stdout).toContain(`npm run bench -- ${suite} ${part}: `);
    // The goal is told whether it is met or not.
    expect(stdout).toMatch(new RegExp(`^${row} .*(at least|at most) [\\d.]+ +(yes|NO)$`, 'm'));
  });

  it('names what there is when asked for what there is not', () => {
    const noSuite = bench('servers');
    expect(noSuite.stderr).toBe('error: There is no suite "servers". The suites are: cli, mock, sdk, server.\n');
    expect(noSuite.status).toBe(2);
    expect(bench('cli', 'end').stderr).toBe(
      'error: "cli" has no part "end". Its parts are: start, nodes, table, gh.\n',
    );
  });

  it('does not write its page while the machine does other work', () => {
    const { status, stderr } = bench('--load=2.5');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: The machine is busy: its load average is 2\.50, .*--noisy/);
  });

  it('writes missed goals first, with the figure and its ends', () => {
    const page = evaluated(`
      import { figure } from ${moduleAt('lib/figures.mjs')};
      import { document } from ${moduleAt('lib/render.mjs')};
      const rows = [
        { cells: ['met', figure([0.5, 0.6, 0.4])], goal: { of: 1, atLeast: 0.5 } },
        { cells: ['missed', figure([1200, 900], { digits: 0, unit: 'ms' })], goal: { of: 1, atMost: 1000 } },
      ];
      const section = { title: 'Part', about: 'About.', sizes: 'rounds: 3', columns: ['what', 'measured'], rows, command: 'c' };
      const suites = [{ title: 'Suite', sections: [section, { ...section, title: 'Other', noisy: true }] }];
      console.log(JSON.stringify(document({ machine: [['Node', 'v20']], suites })));`);
    expect(page).toContain('2 of 4 goals are met; 2 missed, which stand first.');
    expect(page).toContain(`| Suite: missed | 1,050 ms (900-1,200) | at most 1000 | NO |
| Suite: missed | 1,050 ms (900-1,200), noisy | at most 1000 | NO |
| Suite: met | 0.50 (0.40-0.60) | at least 0.5 | yes |`);
    expect(page).toContain('### Other\n\n**NOISY: the machine did other work meanwhile.**');
  });
});
