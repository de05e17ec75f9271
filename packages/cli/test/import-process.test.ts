import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type onTestFinished, vi } from 'vitest';
import { isLong } from '../../server/test/support/long.js';
import { type ImportService, linesOf, startImportService } from './support/import.js';
import { expected, names, rows } from './support/import-report.js';
import { lossyProxy } from './support/lossy-proxy.js';
import { bundle, type Running, start } from './support/spawn-cli.js';

// A resumed import waits some seconds before it searches for rows whose responses were lost.
vi.setConfig({ testTimeout: isLong ? 900_000 : 120_000 });

const reportOf = (service: ImportService): string => join(service.folder, 'x.import.ndjson');
/** Starts an import. */
const begin = (
  after: typeof onTestFinished,
  service: ImportService,
  { env = service.env, more = [] }: { env?: Record<string, string>; more?: readonly string[] } = {},
): Running =>
  start(
    [process.execPath, bundle, 'import', 'campaigns', '-f', join(service.folder, 'x.csv'), '--yes', ...more],
    env,
    undefined,
    after,
  );

/** How many rows the report lists as created at the moment. */
const createdIn = (service: ImportService): number =>
  existsSync(reportOf(service)) ? service.read('x.import.ndjson').split('"state":"created"').length - 1 : 0;

/** Waits for a condition. Concurrent tests cannot share `expect.poll`. */
async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(`Not true within a minute: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe.concurrent('the mkt import process', () => {
  it('waits for in-flight requests after Ctrl-C, and --resume imports the rest', async ({ expect, onTestFinished }) => {
    const service = await startImportService(onTestFinished, { latency: 50 });
    service.file('x.csv', rows(120));
    const { child, ended } = begin(onTestFinished, service);
    await until(() => createdIn(service) >= 10);
    const second = await begin(onTestFinished, service, { more: ['--resume', reportOf(service)] }).ended;
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toContain('Another import is using');
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }, stderr).toEqual({ code: 130, stdout: '' });
    expect(stderr).toMatch(/error: Interrupted: created \d+ of 120 campaigns in Initech Audio\. \d+ were not sent\./);
    expect(stderr).toContain(`--resume ${reportOf(service)}`);
    expect(existsSync(`${reportOf(service)}.lock`)).toBe(false);
    const states = new Map<unknown, unknown>();
    for (const { row, state } of linesOf(service.read('x.import.ndjson')))
      if (row !== undefined) states.set(row, state);
    expect(new Set(states.values())).toEqual(new Set(['created']));
    const resumed = await begin(onTestFinished, service, { more: ['--resume', reportOf(service)] }).ended;
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(await names(service)).toEqual(expected(120));
  });

  it('creates every row exactly once despite kill -9', async ({ expect, onTestFinished }) => {
    const service = await startImportService(onTestFinished, { latency: 20 });
    service.file('x.csv', rows(120));
    const kills = isLong ? [3, 20, 21, 40, 70, 100] : [15];
    for (const [index, created] of kills.entries()) {
      const { child, ended } = begin(onTestFinished, service, {
        more: index === 0 ? [] : ['--resume', reportOf(service)],
      });
      await until(() => createdIn(service) >= created);
      child.kill('SIGKILL');
      expect((await ended).signal).toBe('SIGKILL');
    }
    const { code, stderr } = await begin(onTestFinished, service, { more: ['--resume', reportOf(service)] }).ended;
    expect(code, stderr).toBe(0);
    expect(await names(service)).toEqual(expected(120));
  });

  it('quits immediately after a second Ctrl-C, and --resume loses nothing', async ({ expect, onTestFinished }) => {
    const service = await startImportService(onTestFinished);
    const proxy = await lossyProxy(service.url, (number) => (number < 5 ? 'pass' : 'void'), onTestFinished);
    service.file('x.csv', rows(20));
    const env = { ...service.env, MKT_BASE_URL: proxy.url };
    const { child, ended } = begin(onTestFinished, service, { env });
    let stderr = '';
    child.stderr?.on('data', (part: Buffer) => {
      stderr += part.toString('utf8');
    });
    await until(() => proxy.creations.length === 9);
    child.kill('SIGINT');
    await until(() => stderr.includes('Stopping: waiting for 4 requests under way.'));
    child.kill('SIGINT');
    expect((await ended).signal).toBe('SIGINT');
    const reopened = await lossyProxy(service.url, () => 'pass', onTestFinished);
    service.file('x.import.ndjson', service.read('x.import.ndjson').replace(proxy.url, reopened.url));
    const resumed = await begin(onTestFinished, service, {
      env: { ...env, MKT_BASE_URL: reopened.url },
      more: ['--resume', reportOf(service)],
    }).ended;
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(await names(service)).toEqual(expected(20));
  });

  it('stops when the report cannot be written, and --resume imports the rest', async ({ expect, onTestFinished }) => {
    const service = await startImportService(onTestFinished);
    service.file('x.csv', rows(60));
    // Files may have 4 kB at most from here on, as on a disk that is full.
    const program = `'${process.execPath}' '${bundle}' import campaigns -f '${join(service.folder, 'x.csv')}' --yes`;
    const full = async (...more: readonly string[]) => {
      const command = ['bash', '-c', `ulimit -f 4; trap '' XFSZ; exec ${[program, ...more].join(' ')}`];
      const { code, stderr } = await start(command, service.env, undefined, onTestFinished).ended;
      expect(code, stderr).toBe(1);
      expect(stderr).toMatch(/error: The report \S+ cannot be written: EFBIG\. No further row was sent\./);
      expect(stderr).toContain(`--resume ${reportOf(service)}`);
    };
    await full();
    const begun = (await names(service)).length;
    await full('--resume', reportOf(service));
    expect(await names(service)).toHaveLength(begun);
    const created = (await names(service)).length;
    expect(created).toBeGreaterThan(5);
    expect(created).toBeLessThan(60);
    const resumed = await begin(onTestFinished, service, { more: ['--resume', reportOf(service)] }).ended;
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(await names(service)).toEqual(expected(60));
  });

  it.runIf(isLong)('imports 10,000 rows', async ({ expect, onTestFinished }) => {
    const service = await startImportService(onTestFinished);
    service.file('x.csv', rows(10_000));
    const { code, stderr } = await begin(onTestFinished, service).ended;
    expect(code, stderr).toBe(0);
    expect(await names(service)).toEqual(expected(10_000));
  });
});
