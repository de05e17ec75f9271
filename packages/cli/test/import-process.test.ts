import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type onTestFinished, vi } from 'vitest';
import { type ImportWorld, importWorld, linesOf } from './support/import.js';
import { expected, names, rows } from './support/import-report.js';
import { lossyProxy } from './support/lossy-proxy.js';
import { bundle, type Running, start } from './support/spawn-cli.js';

// A resumed import waits some seconds before it looks for rows whose answers were lost.
vi.setConfig({ testTimeout: process.env.TEST_LONG === '1' ? 900_000 : 120_000 });

const reportOf = (world: ImportWorld): string => join(world.folder, 'x.import.ndjson');
/** Starts an import. */
const begin = (
  after: typeof onTestFinished,
  world: ImportWorld,
  { env = world.env, more = [] }: { env?: Record<string, string>; more?: readonly string[] } = {},
): Running =>
  start(
    [process.execPath, bundle, 'import', 'campaigns', '-f', join(world.folder, 'x.csv'), '--yes', ...more],
    env,
    undefined,
    after,
  );

/** Rows that the report says are created, at this moment. */
const createdIn = (world: ImportWorld): number =>
  existsSync(reportOf(world)) ? world.read('x.import.ndjson').split('"state":"created"').length - 1 : 0;

/** Looks until it is so; concurrent tests must not share `expect.poll`. */
async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`Not so within a minute: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe.concurrent('the program', () => {
  it('waits at Ctrl-C for what is under way, says how to go on, and goes on', async ({ expect, onTestFinished }) => {
    const world = await importWorld(onTestFinished, { latency: 50 });
    world.file('x.csv', rows(120));
    const { child, ended } = begin(onTestFinished, world);
    await until(() => createdIn(world) >= 10);
    const second = await begin(onTestFinished, world, { more: ['--resume', reportOf(world)] }).ended;
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toContain('Another import is using');
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }, stderr).toEqual({ code: 130, stdout: '' });
    expect(stderr).toMatch(/error: Interrupted: created \d+ of 120 campaigns in Initech Audio\. \d+ were not sent\./);
    expect(stderr).toContain(`--resume ${reportOf(world)}`);
    expect(existsSync(`${reportOf(world)}.lock`)).toBe(false);
    const states = new Map<unknown, unknown>();
    for (const { row, state } of linesOf(world.read('x.import.ndjson'))) if (row !== undefined) states.set(row, state);
    expect(new Set(states.values())).toEqual(new Set(['created']));
    const resumed = await begin(onTestFinished, world, { more: ['--resume', reportOf(world)] }).ended;
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(await names(world)).toEqual(expected(120));
  });

  it('is killed in the middle: no row is missing, none is there twice', async ({ expect, onTestFinished }) => {
    const world = await importWorld(onTestFinished, { latency: 20 });
    world.file('x.csv', rows(120));
    const kills = process.env.TEST_LONG === '1' ? [3, 20, 21, 40, 70, 100] : [15];
    for (const [index, created] of kills.entries()) {
      const { child, ended } = begin(onTestFinished, world, { more: index === 0 ? [] : ['--resume', reportOf(world)] });
      await until(() => createdIn(world) >= created);
      child.kill('SIGKILL');
      expect((await ended).signal).toBe('SIGKILL');
    }
    const { code, stderr } = await begin(onTestFinished, world, { more: ['--resume', reportOf(world)] }).ended;
    expect(code, stderr).toBe(0);
    expect(await names(world)).toEqual(expected(120));
  });

  it('ends at once at the second Ctrl-C, and --resume still knows everything', async ({ expect, onTestFinished }) => {
    const world = await importWorld(onTestFinished);
    const proxy = await lossyProxy(world.service.url, (number) => (number < 5 ? 'pass' : 'void'), onTestFinished);
    world.file('x.csv', rows(20));
    const env = { ...world.env, MKT_BASE_URL: proxy.url };
    const { child, ended } = begin(onTestFinished, world, { env });
    let stderr = '';
    child.stderr?.on('data', (part: Buffer) => {
      stderr += part.toString('utf8');
    });
    await until(() => proxy.creations.length === 9);
    child.kill('SIGINT');
    await until(() => stderr.includes('Stopping: waiting for 4 in-flight requests.'));
    child.kill('SIGINT');
    expect((await ended).signal).toBe('SIGINT');
    const reopened = await lossyProxy(world.service.url, () => 'pass', onTestFinished);
    world.file('x.import.ndjson', world.read('x.import.ndjson').replace(proxy.url, reopened.url));
    const resumed = await begin(onTestFinished, world, {
      env: { ...env, MKT_BASE_URL: reopened.url },
      more: ['--resume', reportOf(world)],
    }).ended;
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(await names(world)).toEqual(expected(20));
  });

  it('stops when the report cannot be written any more, and --resume goes on', async ({ expect, onTestFinished }) => {
    const world = await importWorld(onTestFinished);
    world.file('x.csv', rows(60));
    // Files may have 4 kB at most from here on, as on a disk that is full.
    const program = `'${process.execPath}' '${bundle}' import campaigns -f '${join(world.folder, 'x.csv')}' --yes`;
    const full = async (...more: readonly string[]) => {
      const command = ['bash', '-c', `ulimit -f 4; trap '' XFSZ; exec ${[program, ...more].join(' ')}`];
      const { code, stderr } = await start(command, world.env, undefined, onTestFinished).ended;
      expect(code, stderr).toBe(1);
      expect(stderr).toMatch(/error: The report \S+ cannot be written: EFBIG\. No further row was sent\./);
      expect(stderr).toContain(`--resume ${reportOf(world)}`);
    };
    await full();
    const begun = (await names(world)).length;
    await full('--resume', reportOf(world));
    expect(await names(world)).toHaveLength(begun);
    const created = (await names(world)).length;
    expect(created).toBeGreaterThan(5);
    expect(created).toBeLessThan(60);
    const resumed = await begin(onTestFinished, world, { more: ['--resume', reportOf(world)] }).ended;
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(await names(world)).toEqual(expected(60));
  });

  it.runIf(process.env.TEST_LONG === '1')('imports 10,000 rows', async ({ expect, onTestFinished }) => {
    const world = await importWorld(onTestFinished);
    world.file('x.csv', rows(10_000));
    const { code, stderr } = await begin(onTestFinished, world).ended;
    expect(code, stderr).toBe(0);
    expect(await names(world)).toEqual(expected(10_000));
  });
});
