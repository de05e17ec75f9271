import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Marketplace, MarketplaceError } from '@mkt/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { isLong } from '../packages/server/test/support/long.js';
import { quantile, type Sample, sampleOf } from './support/process-watch.js';
import { type Serving, serving } from './support/serving.js';

/** `SOAK_SECONDS=20` for a short look, whose bounds are loose: memory has not settled by then. */
const seconds = Number(process.env.SOAK_SECONDS ?? (isLong ? 600 : 0));
const settled = seconds >= 300;
const workers = 6;

/** What goes wrong in the phases in which something does: counts, so that each phase is the same. */
const faults = [
  { effect: { status: 503, retryAfter: 0 }, every: 7 },
  { effect: { status: 500 }, every: 31 },
  { effect: 'drop', every: 13 },
  { effect: { truncate: 100 }, every: 17 },
  { effect: 'malformed', every: 41 },
  { effect: { slowBody: 2000 }, every: 101 },
  { effect: 'hang', every: 151 },
];

async function control({ control: at }: Serving, method: string, path: string, body?: unknown): Promise<unknown> {
  if (!at) throw new Error('The control API is off.');
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
}

/** A user's day, over and over: reads above all; what is made is taken away again, so that the data stays as large. */
async function round(
  mkt: Marketplace,
  turn: number,
  timed: (call: PromiseLike<unknown>) => Promise<void>,
): Promise<void> {
  const id = 1 + (turn % 45);
  await timed(mkt.campaigns.list(5));
  await timed(mkt.campaigns.get(5, id));
  await timed(mkt.collabs.list(5, { page: 1 + (turn % 2) }));
  await timed(mkt.organizations.list());
  await timed(mkt.members.list(5));
  await timed(mkt.campaigns.update(5, id, { website: `https://acme.example/${turn}` }));
  await timed(mkt.campaigns.create(5, { name: '' }));
  if (turn % 5 === 0) await timed(mkt.campaigns.list(5).all());
  if (turn % 10 === 0) await timed(mkt.address.update({ city: `City ${turn}` }));
  const made: { id: number | string }[] = [];
  await timed(mkt.campaigns.create(5, { name: `Soak ${turn}` }).then((campaign) => made.push(campaign)));
  if (turn % 20 === 0) {
    const png = new Uint8Array(50_000);
    png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0, 0, 0, 0]);
    const logo = { data: png, name: 'logo.png', type: 'image/png' };
    await timed(mkt.organizations.update(7, { logo }));
    await timed(mkt.organizations.update(7, { purge_logo: '1' }));
  }
  for (const { id: gone } of made) await timed(mkt.campaigns.delete(5, gone));
}

/** What a quarter of the run was like: medians of the server's memory and descriptors, and milliseconds of each undisturbed call. */
interface Quarter extends Sample {
  readonly spans: readonly number[];
}

/** The middle of a quarter of the run, from 0. */
const inQuarter = (samples: readonly Sample[], quarter: number, what: keyof Sample): number => {
  const part = samples.slice((samples.length * quarter) / 4, (samples.length * (quarter + 1)) / 4);
  return quantile(
    part.map((sample) => sample[what]),
    0.5,
  );
};

test.runIf(seconds > 0)(
  'mixed load on SQLite, faults on and off: memory and descriptors stay, nothing untyped, nothing unexpected',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mkt-soak-'));
    const args = ['--db', join(folder, 'soak.db'), '--seed', 'demo', '--control'];
    const server = await serving(folder, args, { dropLogs: true });
    onTestFinished(async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const atRest = sampleOf(server.pid);
    const mkt = new Marketplace({
      token: server.tokens.ada_write as string,
      baseUrl: server.url,
      timeout: 3000,
      totalTimeout: 20_000,
      retry: { limit: 3, minDelay: 5 },
    });

    const end = performance.now() + seconds * 1000;
    const running = () => performance.now() < end;
    let faulty = false;
    const calm: { at: number; span: number }[] = [];
    const tally: Record<string, number> = {};
    const timed = async (call: PromiseLike<unknown>): Promise<void> => {
      const [start, disturbed] = [performance.now(), faulty];
      let what = 'success';
      try {
        await call;
      } catch (error) {
        if (!(error instanceof MarketplaceError)) throw error;
        what = error.name;
      }
      tally[what] = (tally[what] ?? 0) + 1;
      if (!disturbed && !faulty) calm.push({ at: start, span: performance.now() - start });
    };

    let turn = 0;
    const worker = async (): Promise<void> => {
      while (running()) await round(mkt, turn++, timed);
    };
    const samples: Sample[] = [];
    const watch = async (): Promise<void> => {
      while (running()) {
        await pause(Math.min(1000, (seconds * 1000) / 40));
        samples.push(sampleOf(server.pid));
      }
    };
    const weather = async (): Promise<void> => {
      const phase = Math.max(2000, (seconds * 1000) / 40);
      while (running()) {
        await pause(phase);
        faulty = !faulty;
        if (faulty) for (const fault of faults) await control(server, 'POST', '/faults', fault);
        else await control(server, 'DELETE', '/faults');
      }
      await control(server, 'DELETE', '/faults');
    };
    await Promise.all([...Array.from({ length: workers }, worker), watch(), weather()]);

    const began = end - seconds * 1000;
    const quarters: readonly Quarter[] = [0, 1, 2, 3].map((quarter) => ({
      rss: inQuarter(samples, quarter, 'rss'),
      descriptors: inQuarter(samples, quarter, 'descriptors'),
      spans: calm
        .filter(({ at }) => Math.min(3, Math.floor((4 * (at - began)) / (seconds * 1000))) === quarter)
        .map(({ span }) => span),
    }));
    const [second, last] = [quarters[1]!, quarters[3]!];
    const calls = Object.values(tally).reduce((sum, count) => sum + count, 0);
    const growth = last.rss / second.rss - 1;
    process.stdout.write(
      [
        `soak: ${seconds} s, ${workers} clients, ${calls} calls: ${JSON.stringify(tally)}`,
        `      at rest: RSS ${atRest.rss} kB, ${atRest.descriptors} descriptors; the last quarter's RSS is ${(100 * growth).toFixed(1)} % above the second's`,
        ...quarters.map(
          ({ rss, descriptors, spans }, quarter) =>
            `      quarter ${quarter + 1}: RSS ${rss} kB, ${descriptors} descriptors (medians); calm phases: ${spans.length} calls, p50 ${quantile(spans, 0.5).toFixed(1)} ms, p99 ${quantile(spans, 0.99).toFixed(1)} ms`,
        ),
        '',
      ].join('\n'),
    );

    expect(await control(server, 'GET', '/requests?unexpected=true')).toEqual([]);
    expect(growth).toBeLessThan(settled ? 0.1 : 0.5);
    expect(last.descriptors).toBeLessThanOrEqual(second.descriptors + workers);
    expect(tally.success ?? 0).toBeGreaterThan(calls / 2);
    // Clients keep idle connections for as long as the server lets them, 65 s; nothing may stay open after that.
    const deadline = performance.now() + 90_000;
    while (sampleOf(server.pid).descriptors > atRest.descriptors + 2 && performance.now() < deadline) await pause(500);
    expect(sampleOf(server.pid).descriptors).toBeLessThanOrEqual(atRest.descriptors + 2);
    expect(await server.stop()).toBe(0);
  },
  (seconds + 180) * 1000,
);
