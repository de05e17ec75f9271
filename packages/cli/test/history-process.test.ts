import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openHistory } from '../src/history/database.js';
import { adaWithHistory, queried } from './support/history.js';
import { temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { tokens } from './support/service.js';
import { bundle, mkt, start } from './support/spawn-cli.js';

vi.setConfig({ testTimeout: 120_000 });

const { elsewhere, url, setTime } = adaWithHistory();

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`Not true within a minute: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('two mkt watch and several writers on one record', () => {
  it('lose no change, record none twice, and raise an alert once', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'history.db');
    const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: url(), MKT_ORG: '5', MKT_HISTORY: file };
    setTime(new Date());
    expect((await mkt(['watch', '--once'], env)).code).toBe(0);
    const alerts = join(folder, 'alerts');
    const flags = ['--every', '1s', '--when', '.name == "Elsewhere 4"', '--exec', `echo "$MKT_ALERT" >> ${alerts}`];
    const watches = [1, 2].map(() => start([process.execPath, bundle, 'watch', ...flags], env));
    const writes = [1, 2, 3].map((number) => mkt(['campaigns', 'create', '--name', `Own ${number}`], env));
    for (let count = 0; count < 5; count += 1) {
      await elsewhere('PATCH', '/campaigns/1', { campaign: { name: `Elsewhere ${count}` } });
      await elsewhere('POST', '/campaigns', { campaign: { name: `Other ${count}` } });
      const name = `"Elsewhere ${count}"`;
      await until(async () => (await queried(file, `select 1 from changes where after = '${name}'`)).length > 0);
    }
    for (const { code, stderr } of await Promise.all(writes)) expect(code, stderr).toBe(0);
    const readings = async () => Number((await queried(file, 'select count(*) as count from observations'))[0]?.count);
    const enough = (await readings()) + 8;
    await until(async () => (await readings()) >= enough);
    for (const { child } of watches) child.kill('SIGINT');
    for (const { code, stderr } of await Promise.all(watches.map(({ ended }) => ended))) {
      expect(code).toBe(130);
      expect(stderr).not.toMatch(/error|warning/);
    }
    expect(await queried(file, "select after from changes where field = 'name' order by rowid")).toEqual(
      [0, 1, 2, 3, 4].map((count) => ({ after: `"Elsewhere ${count}"` })),
    );
    expect(
      await queried(
        file,
        "select name, command_id is null as other, count(*) as times from changes where kind = 'created' group by 1 order by 1",
      ),
    ).toEqual([
      ...[0, 1, 2, 3, 4].map((count) => ({ name: `Other ${count}`, other: 1, times: 1 })),
      ...[1, 2, 3].map((number) => ({ name: `Own ${number}`, other: 0, times: 1 })),
    ]);
    expect(await queried(file, 'select count(*) as count from commands')).toEqual([{ count: 3 }]);
    expect(readFileSync(alerts, 'utf8').trim().split('\n')).toHaveLength(1);
  });
});

describe('mkt killed while it writes the record', () => {
  it('leaves a readable file, with all of a reading or nothing', async () => {
    const file = join(temporaryFolder(), 'history.db');
    const count = 5000;
    let views = 0;
    const base = await scriptedServer(({ url: path = '' }) => {
      if (path.includes('/collabs.json') || /page=/.test(path)) return { body: [] };
      if (!path.includes('/campaigns.json')) return { body: [] };
      const row = { status: 'active', name: 'x'.repeat(2000), view_count: views };
      return { body: Array.from({ length: count }, (_, id) => ({ id, ...row })) };
    });
    const env = { MKT_TOKEN: 'token', MKT_BASE_URL: base, MKT_ORG: '5', MKT_HISTORY: file };
    const complete: boolean[] = [];
    for (let round = 0; round < 4; round += 1) {
      views += 1;
      const { child, ended } = start([process.execPath, bundle, 'watch', '--once'], env);
      // The first pages of a transaction of 10 MB reach the disk long before its end.
      const wal = `${file}-wal`;
      await new Promise<void>((resolve) => {
        const timer = setInterval(() => {
          if (sizeOf(wal) < 1_000_000 * (round + 1)) return;
          clearInterval(timer);
          child.kill('SIGKILL');
          resolve();
        }, 1);
      });
      expect(await ended).toMatchObject({ signal: 'SIGKILL' });
      const history = await openHistory(file);
      expect(history.all('pragma integrity_check')).toMatchObject([{ integrity_check: 'ok' }]);
      const [found] = history.all(
        `select (select count(*) from mkt_rows) as rows, (select coalesce(max(rows), 0) from observations) as read`,
      );
      expect(found?.rows).toBe(found?.read);
      complete.push(found?.rows === count);
      history.close();
    }
    expect(complete).toContain(false);
    expect(await mkt(['watch', '--once'], env)).toMatchObject({ code: 0, signal: null });
    expect(await queried(file, 'select count(*) as count from mkt_rows')).toEqual([{ count }]);
  });
});
