import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workedExample } from '../../../e2e/support/worked-example.js';
import { buildCommand } from './support/build-command.js';
import { Run } from './support/command.js';
import { isLong } from './support/long.js';
import { createDatabase, type TestDatabase } from './support/postgres.js';
import { type RoundRobin, roundRobin } from './support/round-robin.js';
import { urlOf } from './support/served.js';

// Two builds on one database: this version, and one with the worked example of CONTRIBUTING.md, whose schema is newer.

/** The sources after the worked example "Add a field". */
const newer: Plugin = {
  name: 'newer-version',
  setup({ onLoad }) {
    const transform = workedExample('Add a field').transform as (code: string, id: string) => string | undefined;
    onLoad({ filter: /packages\/(sdk|server)\/src\/.*\.ts$/ }, ({ path }) => {
      const contents = transform(readFileSync(path, 'utf8'), path);
      return contents === undefined ? undefined : { contents, loader: 'ts' };
    });
  },
};

// Eight starts and two builds: a busy machine needs its time for them.
describe.runIf(isLong)('a rolling upgrade', { timeout: 300_000 }, () => {
  let folder: string;
  let newCommand: string;
  let stored: TestDatabase;
  let restored: TestDatabase;
  let balancer: RoundRobin;
  const runs: Run[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(import.meta.dirname, '../node_modules/.newer-'));
    newCommand = await buildCommand(folder, [newer]);
    stored = await createDatabase();
    restored = await createDatabase();
  });
  afterAll(async () => {
    for (const run of runs) run.signal('SIGKILL');
    await Promise.all(runs.map((run) => run.ended));
    await balancer?.close();
    await stored?.drop();
    await restored?.drop();
    rmSync(folder, { recursive: true });
  });

  const run = (db: string, command?: string, flags = ['--port', '0', '--json', '--drain-delay', '1']) => {
    const started = new Run([...flags, '--db', db], {}, null, command);
    runs.push(started);
    return started;
  };
  const portOf = async (started: Run) => Number(new URL(await urlOf(started)).port);
  let token: string;

  const json = (
    method: string,
    url: string,
    body?: object,
  ): Promise<{ status: number; body: Record<string, unknown> }> =>
    new Promise((resolve, reject) => {
      const headers = {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      };
      const sent = request(url, { method, headers, agent: new Agent() }, async (response) => {
        let text = '';
        for await (const part of response.setEncoding('utf8')) text += part;
        resolve({ status: response.statusCode as number, body: JSON.parse(text) });
      });
      sent.on('error', reject).end(body && JSON.stringify(body));
    });

  test('no request fails, an old process cannot restart in between, and a backup leads back', async () => {
    const old = [run(stored.url), run(stored.url)];
    const oldPorts = await Promise.all(old.map(portOf));
    const first = old.find(({ stdout }) => !stdout.includes('"tokens":{}'));
    token = Object.values(JSON.parse(first?.stdout.split('\n')[0] ?? '{}').tokens)[0] as string;
    balancer = await roundRobin(oldPorts);
    const created = await json('POST', `${balancer.url}/organizations.json`, { organization: { name: 'Upgraded' } });
    const campaigns = `${balancer.url}/organizations/${created.body.id}/campaigns`;

    // Both versions write and read, whichever gets the request.
    const statuses = new Map<string, number>();
    let count = 0;
    let over = false;
    const client = async () => {
      while (!over) {
        count += 1;
        const made = await json('POST', `${campaigns}.json`, { campaign: { name: `Campaign ${count}` } });
        const changed = await json('PATCH', `${campaigns}/${made.body.id}.json`, { campaign: { name: 'Renamed' } });
        const shown = await json('GET', `${campaigns}/${made.body.id}.json`);
        const listed = await json('GET', `${campaigns}.json`);
        for (const { status, body } of [made, changed, shown, listed]) {
          const key = status < 400 ? String(status) : `${status} ${JSON.stringify(body)}`;
          statuses.set(key, (statuses.get(key) ?? 0) + 1);
        }
      }
    };
    const clients = [client(), client()];
    await pause(500);

    const backup = join(folder, 'before.backup');
    const backedUp = run(stored.url, undefined, ['backup', '--out', backup]);
    expect(await backedUp.ended).toBe(0);

    for (const [at, process] of old.entries()) {
      // The first of them adds the column, while old ones serve.
      balancer.add(await portOf(run(stored.url, newCommand)));
      await pause(1000);
      process.signal('SIGTERM');
      balancer.remove(oldPorts[at] as number);
      expect(await process.ended).toBe(0);
      if (at === 0) {
        const restarted = run(stored.url);
        expect(await restarted.ended).toBe(2);
        expect(restarted.stderr).toContain('was made by a newer version of @mkt/server');
      }
    }
    over = true;
    await Promise.all(clients);
    expect([...statuses.keys()].sort()).toEqual(['200', '201']);
    const tagged = await json('POST', `${campaigns}.json`, { campaign: { name: 'Tagged', tags: ['new'] } });
    expect(tagged.body.tags).toEqual(['new']);

    const restoring = run(restored.url, undefined, ['restore', '--from', backup]);
    expect([await restoring.ended, restoring.stderr]).toEqual([0, expect.stringContaining('Restored')]);
    const back = await urlOf(run(restored.url));
    const shown = await json('GET', `${back}/organizations/${created.body.id}.json`);
    expect([shown.status, shown.body.name]).toEqual([200, 'Upgraded']);
  });
});
