import { openSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHistory } from '../src/history/database.js';
import { adaWithHistory } from './support/history.js';
import { temporaryFolder } from './support/run-cli.js';

const { history } = adaWithHistory();

/** A history whose second half is overwritten, and one that is not a database. */
const damage = {
  'overwritten pages': (file: string): void => {
    const { size } = statSync(file);
    writeSync(openSync(file, 'r+'), Buffer.alloc(size - 8192, 0x5a), 0, size - 8192, 8192);
  },
  'another file': (file: string): void => writeFileSync(file, 'This is text. '.repeat(500)),
};

describe.each(Object.keys(damage) as (keyof typeof damage)[])('a damaged history: %s', (kind) => {
  const damaged = async () => {
    const made = history();
    for (const name of ['A', 'B']) await made.ada(['campaigns', 'update', '1', '--name', name]);
    expect((await made.ada(['watch', '--once'])).code).toBe(0);
    // Without this, the latest changes would still be in another file.
    const file = await openHistory(made.file);
    file.database.exec('pragma wal_checkpoint(truncate); pragma journal_mode = delete');
    file.close();
    damage[kind](made.file);
    return made;
  };

  it.each([[['changes']], [['undo', '--list']], [['undo', '--yes']], [['watch', '--once']]])(
    'mkt %j says in one sentence what helps',
    async (argv) => {
      const { ada, file } = await damaged();
      const { code, stderr } = await ada(argv);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^error: The history cannot be used\. \S+: the file is damaged or is not an SQLite database\.\n {2}try: {2}To begin a new one and keep this file under another name: mkt config reset-history\n/,
        ),
      ]);
      expect(stderr).toContain(file);
      expect(stderr).not.toContain('Unexpected');
    },
  );

  it('does not stop other commands, is found by doctor, and is set aside by reset-history', async () => {
    const { ada, file } = await damaged();
    const changed = await ada(['campaigns', 'update', '1', '--name', 'C']);
    expect(changed).toMatchObject({ code: 0, stdout: expect.stringContaining('C') });
    expect(changed.stderr).toMatch(
      /warning: The change was made, but not recorded in the history .*damaged.*mkt config reset-history/s,
    );
    expect(await ada(['report'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('mkt config reset-history'),
    });
    const checked = await ada(['doctor']);
    expect(checked.stdout).toMatch(/^warn +history +\S+: the file is damaged/m);
    const reset = await ada(['config', 'reset-history']);
    const [old = '', ...others] = readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)));
    expect(reset).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`The old history is ${join(dirname(file), old)}.`),
    });
    expect(others).toEqual([]);
    expect((await ada(['campaigns', 'update', '1', '--name', 'D'])).stderr).not.toContain('warning');
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 0 });
    expect((await ada(['doctor'])).stdout).toMatch(/^ok +history +\S+history\.db$/m);
  });
});

it('there is nothing to reset without a history', async () => {
  const { ada } = history();
  expect(await ada(['config', 'reset-history'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('There is no history'),
  });
  const off = { env: { MKT_HISTORY: 'off' } };
  expect(await ada(['config', 'reset-history'], off)).toMatchObject({ code: 0, stderr: 'There is no history.\n' });
  const folder = temporaryFolder();
  expect((await ada(['doctor'], { env: { MKT_HISTORY: join(folder, 'none.db') } })).stdout).toMatch(
    /^ok +history +none yet/m,
  );
});
