import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { demoSeed, memoryStore, type Store, type Writer } from '@mkt/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { isLong } from '../../server/test/support/long.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';
import { bundle, mkt, start } from './support/spawn-cli.js';

// Commands as the built program, ended by signals in the middle of their requests.

vi.setConfig({ testTimeout: 600_000 });

const count = 40;
const signals = ['SIGKILL', 'SIGHUP', 'SIGINT', 'SIGTERM'] as const;
/** Each signal at one of 20 points, with more requests left than run at once; in the long run, at each of them. */
const cases = Array.from({ length: 20 }, (_, index) => ({ point: Math.round(1 + 1.8 * index) }))
  .flatMap(({ point }) => signals.map((signal) => ({ point, signal })))
  .filter(({ point, signal }) => isLong || point === { SIGKILL: 1, SIGHUP: 14, SIGINT: 24, SIGTERM: 32 }[signal]);

/** A service with 40 active campaigns, which counts what was done. */
async function busyService() {
  const store = memoryStore();
  const done: string[] = [];
  let onWrite: () => void = () => undefined;
  let ahead = 0;
  const service = await startService({
    // A signal is sent between the change and its response.
    store: Object.assign(Object.create(store) as Store, {
      transact: async <Result>(work: (writer: Writer) => Promise<Result>) => {
        const result = await store.transact(work);
        onWrite();
        await setTimeout(20);
        return result;
      },
    }),
    clock: () => Date.now() + ahead,
    latency: 10,
    log: {
      requestCompleted: ({ method, operation }, status) => {
        if (method !== 'GET' && status < 400) done.push(String(operation));
      },
      failed: () => undefined,
      stopping: () => undefined,
    },
  });
  onTestFinished(() => service.close());
  await store.load(demoSeed());
  await store.transact(async (writer) => {
    for (let id = 1; id <= count; id += 1)
      await writer.update('campaigns', id, { status: 'active', published_at: '2026-01-01T00:00:00Z', paused_at: null });
  });
  const states = async () => {
    const rows = (await store.dump()).tables.campaigns.filter(({ id }) => Number(id) <= count);
    return rows.filter(({ status }) => status === 'active').length;
  };
  const file = join(temporaryFolder(), 'history.db');
  const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '5', MKT_HISTORY: file };
  /** Starts a command and sends a signal when it has changed `after` resources. */
  const interrupted = async (argv: readonly string[], after: number, signal: NodeJS.Signals) => {
    const { child, ended } = start([process.execPath, bundle, ...argv], env);
    let writes = 0;
    onWrite = () => {
      writes += 1;
      if (writes === after) child.kill(signal);
    };
    const result = await ended;
    // What had arrived by then is still carried out.
    await setTimeout(200);
    return result;
  };
  /** Lets time go by. */
  const later = (minutes: number) => {
    ahead += minutes * 60_000;
  };
  return { env, done, store, interrupted, later, url: service.url, active: states };
}

const ids = Array.from({ length: count }, (_, index) => String(index + 1));

it.each(cases)(
  'after $point of 40 pauses and $signal, undo resumes each that was paused, once',
  async ({ point, signal }) => {
    const { env, done, interrupted, active } = await busyService();
    const ended = await interrupted(['campaigns', 'pause', ...ids, '--yes'], point, signal);
    if (signal === 'SIGKILL') expect(ended.signal).toBe('SIGKILL');
    else expect([ended.code, ended.stderr]).toEqual([130, expect.stringMatching(/Paused \d+ of 40 campaigns/)]);
    const paused = done.length;
    expect(await active()).toBe(count - paused);
    expect(paused).toBeGreaterThanOrEqual(point);
    expect(paused).toBeLessThan(count);
    if (signal !== 'SIGKILL') expect(ended.stderr).toContain(`Paused ${paused} of 40 campaigns`);
    const listed = await runCli(['undo', '--list', '--json'], { env });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { number: 1, state: signal === 'SIGKILL' ? 'interrupted' : 'ended' },
    ]);
    if (signal === 'SIGKILL')
      expect((await runCli(['undo', '--list'], { env })).stdout).toMatch(/\(interrupted\) mkt campaigns pause 1/);

    const undone = await mkt(['undo', '--yes'], env);
    expect([undone.code, undone.stderr]).toEqual([
      0,
      expect.stringContaining(`Undid ${paused} change${paused === 1 ? '' : 's'} of`),
    ]);
    expect(await active()).toBe(count);
    expect(done.filter((operation) => operation === 'campaigns.resume')).toHaveLength(paused);
  },
);

it.each(['update', 'delete', 'create', 'pause'] as const)(
  'after SIGKILL, undo asks what became of %s without an answer',
  async (action) => {
    const { env, store, interrupted } = await busyService();
    await store.transact((writer) => writer.update('campaigns', 1, { status: 'draft', published_at: null }));
    const names = async () => {
      const { campaigns, collabs } = (await store.dump()).tables;
      return [...campaigns, ...collabs].map((row) => `${'status' in row ? row.status : row.state} ${row.name}`).sort();
    };
    const published = (await store.dump()).tables.collabs.find(
      ({ organization_id: organization, state }) => organization === 5 && state === 'published',
    );
    const before = await names();
    await mkt(['watch', '--once'], env);
    const argv = {
      update: ['campaigns', 'update', '1', '--name', 'Changed'],
      delete: ['campaigns', 'delete', '1', '--yes'],
      create: ['campaigns', 'create', '--name', 'New one'],
      // Of collabs, only `updated_at` says whether the state has changed since.
      pause: ['collabs', 'pause', String(published?.id), '--yes'],
    }[action];
    // The service has carried it out, and its answer does not arrive.
    expect(await interrupted(argv, 1, 'SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    const undone = await mkt(['undo', '--yes'], env);
    expect([undone.code, undone.stderr]).toEqual([0, expect.stringContaining('Undid 1 change of')]);
    expect(await names()).toEqual(before);
    await mkt(['watch', '--once'], env);
    const { stdout } = await mkt(['changes', '--json'], env);
    expect(JSON.parse(stdout).map(({ by }: { by: string }) => by)).not.toContain('elsewhere');
  },
);

it.each([
  ['a reading', ['watch', '--once']],
  ['the next command', []],
] as const)('after SIGKILL, undo leaves what was set again since %s has found the change', async (_, reading) => {
  const { env, interrupted, later } = await busyService();
  const json = async (...argv: string[]) => JSON.parse((await mkt([...argv, '--json'], env)).stdout);
  const status = async () => (await json('campaigns', 'show', '1')).status;
  await mkt(['watch', '--once'], env);
  expect(await interrupted(['campaigns', 'pause', '1'], 1, 'SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
  later(1440);
  if (reading.length > 0) await mkt(reading, env);
  for (const action of ['resume', 'pause']) {
    later(10);
    expect(await mkt(['campaigns', action, '1'], env)).toMatchObject({ code: 0 });
  }
  expect(await mkt(['undo', '1', '--yes'], env)).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('status has changed since'),
  });
  expect(await status()).toBe('paused');
  const changes = await json('changes', '--field', 'status');
  expect(changes.map(({ after, command_id }: Record<string, unknown>) => [after, command_id])).toEqual([
    ['paused', 1],
    ['active', 2],
    ['paused', 3],
  ]);
});

it('after SIGKILL, undo leaves what a colleague has paused a day later', async () => {
  const { env, interrupted, later, url } = await busyService();
  await mkt(['watch', '--once'], env);
  expect(await interrupted(['campaigns', 'pause', '1'], 1, 'SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
  for (const action of ['resume', 'pause']) {
    later(720);
    const headers = { authorization: `Bearer ${tokens.ada_write}` };
    await fetch(`${url}/organizations/5/campaigns/1/${action}`, { method: 'POST', headers, redirect: 'manual' });
  }
  await mkt(['undo', '1', '--yes'], env);
  expect(JSON.parse((await mkt(['campaigns', 'show', '1', '--json'], env)).stdout).status).toBe('paused');
});
