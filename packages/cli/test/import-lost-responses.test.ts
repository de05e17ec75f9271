import { join } from 'node:path';
import { describe, expect, it, type onTestFinished, vi } from 'vitest';
import { isLong } from '../../server/test/support/long.js';
import { startImportService } from './support/import.js';
import { crash, expected, names, rows, whole } from './support/import-report.js';
import { type Fault, lossyProxy } from './support/lossy-proxy.js';

// mkt import waits before it searches for rows whose responses were lost.
vi.setConfig({ testTimeout: isLong ? 600_000 : 60_000 });

// Each of these waits some seconds, so they run at the same time.
describe('a lost response', () => {
  const start = async (
    after: typeof onTestFinished,
    faultOf: (number: number, body: string) => Fault,
    count: number,
  ) => {
    const service = await startImportService(after);
    const proxy = await lossyProxy(service.url, faultOf, after);
    const file = service.file('x.csv', rows(count));
    const run = (...more: string[]) =>
      service.run(['campaigns', '-f', file, ...more], { env: { MKT_BASE_URL: proxy.url } });
    return { service, proxy, run };
  };

  it.concurrent('leads to a search in the same run, and the row is created exactly once', async ({
    expect,
    onTestFinished: after,
  }) => {
    const faults: Fault[] = ['lose', 'pass', 'swallow', 'pass', 'lose', 'swallow'];
    const { run, service } = await start(after, (number) => faults[number] ?? 'pass', 12);
    const { code, stderr } = await run();
    expect(code, stderr).toBe(0);
    expect(await names(service)).toEqual(expected(12));
  });

  it.concurrent('keeps the order of the file with --in-order', async ({ expect, onTestFinished: after }) => {
    const { run, service } = await start(after, (number) => (number === 1 ? 'swallow' : 'pass'), 6);
    const { code, stderr } = await run('--in-order');
    expect(code, stderr).toBe(0);
    const stored = [...(await service.stored())].sort((one, other) => one.id - other.id);
    expect(stored.map(({ name }) => name)).toEqual(expected(6));
  });

  it.concurrent('stops sending after four in a row until the lost rows are found', async ({
    expect,
    onTestFinished: after,
  }) => {
    const { run, service, proxy } = await start(after, (number) => (number >= 10 && number < 14 ? 'lose' : 'pass'), 60);
    const { code, stderr } = await run();
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('s before searching for rows whose responses were lost.');
    expect(proxy.creations).toHaveLength(60);
    expect(await names(service)).toEqual(expected(60));
  });

  it.concurrent('after a timeout: finds rows that were created', async ({ expect, onTestFinished: after }) => {
    const faults: Fault[] = ['hang', 'pass', 'pass'];
    const { run, service } = await start(after, (number) => faults[number] ?? 'pass', 3);
    const { code, stderr } = await run('--timeout', '3');
    expect(code, stderr).toBe(0);
    expect(await names(service)).toEqual(expected(3));
  });

  it.concurrent('after a timeout: leaves rows that were not found to --resume', async ({
    expect,
    onTestFinished: after,
  }) => {
    const faultOf = (number: number, body: string): Fault => (number < 3 && body.includes('Row 1"') ? 'void' : 'pass');
    const { run, service, proxy } = await start(after, faultOf, 3);
    const { code, stderr } = await run('--timeout', '3');
    expect(code, stderr).toBe(9);
    expect(stderr).toContain('x.csv:2 "Row 1": The response was lost. It may have been created.');
    expect(proxy.creations).toHaveLength(3);
    crash(service, whole);
    const again = await run('--resume', join(service.folder, 'x.import.ndjson'));
    expect(again.code, again.stderr).toBe(0);
    expect(await names(service)).toEqual(expected(3));
  });

  it.concurrent('after a 502: searches for the row, and does not send it again', async ({
    expect,
    onTestFinished: after,
  }) => {
    const { run, service, proxy } = await start(
      after,
      (_number, body) => (body.includes('Row 2"') ? { status: 502, body: 'bad gateway' } : 'pass'),
      3,
    );
    const { code, stderr } = await run('--continue-on-error');
    expect(code, stderr).toBe(9);
    expect(stderr).toContain('x.csv:3 "Row 2": The service failed to create the campaign (502).');
    expect(proxy.creations).toHaveLength(3);
    expect(await names(service)).toEqual(['Row 1', 'Row 3']);
  });
});

describe.runIf(isLong)('random network faults', () => {
  it.concurrent.each(Array.from({ length: 12 }, (_, seed) => seed + 1))(
    'seed %i: creates every row exactly once',
    async (seed) => {
      const cleanUps: (() => unknown)[] = [];
      const after: typeof onTestFinished = (cleanUp) => {
        cleanUps.push(cleanUp as () => unknown);
      };
      try {
        let state = seed;
        const random = (): number => {
          state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
          return state / 2 ** 31;
        };
        const faults: Fault[] = [
          'lose',
          'swallow',
          { status: 502, body: 'bad gateway' },
          { status: 429, body: 'slow down' },
        ];
        const service = await startImportService(after);
        const fault = (): Fault => (random() < 0.6 ? 'pass' : (faults[Math.floor(random() * faults.length)] ?? 'pass'));
        const proxy = await lossyProxy(service.url, fault, after);
        // Names repeat, and so do whole rows: nothing may be claimed twice.
        const file = service.file('x.csv', rows(40, (row) => `Row ${row % 25}`).replaceAll(/,(\d)\d$/gm, ',$1'));
        const wanted = service.read('x.csv').split('\n').slice(1).sort();
        const env = { MKT_BASE_URL: proxy.url };
        const flags = seed % 2 === 0 ? ['--continue-on-error'] : [];
        let { code } = await service.run(['campaigns', '-f', file, ...flags], { env });
        for (let run = 0; run < 60 && code !== 0; run += 1) {
          crash(service, whole);
          const report = join(service.folder, 'x.import.ndjson');
          ({ code } = await service.run(['campaigns', '-f', file, '--resume', report, ...flags], { env }));
        }
        expect(code).toBe(0);
        expect((await service.stored()).map(({ name, cpm_amount }) => `${name},${cpm_amount}`).sort()).toEqual(wanted);
      } finally {
        for (const cleanUp of cleanUps.reverse()) await cleanUp();
      }
    },
  );
});
