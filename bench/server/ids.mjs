// Reading one of many campaigns by its id: opaque ids as a part of integers, on SQLite and PostgreSQL. SQLite searches two
// trees for an opaque id, the index and the table: 3 to 4 microseconds more, with any page size and cache, and with mmap.
import { openStore } from '@mkt/server/node';
import { cpuTime, figure, inTurns, parts } from '../lib/measure.mjs';
import { copyRow, onEachStore } from './databases.mjs';

export const title = 'Opaque ids';
export const sizes = { rounds: 15, turns: 20, campaigns: 1_000_000, reads: 200 };

/** @returns a store with many campaigns, and the ids of some of them in a random order */
async function filled({ db, sql, seed }, ids, campaigns, some) {
  const changes = ids === 'opaque' ? { id: sql.randomId } : {};
  await copyRow(sql, 'campaigns', seed.tables.campaigns[0], campaigns, changes);
  await sql.run('analyze');
  const rows = await sql.rows(`select id from campaigns order by random() limit ${some}`);
  await sql.close();
  return {
    store: await openStore(db),
    ids: rows.map(({ id }) => (ids === 'integer' ? Number(id) : id)),
  };
}

/** Microseconds of one read. No campaign is read twice: the store keeps what was read until a write. */
async function readTime({ store, ids }, clock, reads) {
  const chosen = ids.splice(0, reads);
  const began = clock();
  for (const id of chosen)
    if (!(await store.read((reader) => reader.get('campaigns', id)))) throw new Error(`No ${id}.`);
  return (clock() - began) / reads;
}

export async function run({ rounds, turns, campaigns, reads }) {
  const some = (rounds + 1) * turns * reads;
  const rows = await onEachStore(async (name, create) => {
    const contenders = {};
    for (const ids of ['integer', 'opaque']) {
      process.stderr.write(`filling ${name} with ${ids} ids ...\n`);
      contenders[ids] = await filled(await create(ids), ids, campaigns, some);
    }
    // SQLite runs in this process, so that CPU time is all of it.
    const clock = name === 'SQLite' ? cpuTime : () => performance.now() * 1000;
    const measure = (contender) => readTime(contender, clock, reads);
    const { integer, opaque } = await inTurns(rounds, contenders, measure, { warmUp: 1, turns });
    for (const { store } of Object.values(contenders)) await store.close();
    const cells = [integer, opaque].map((times) => figure(times, { digits: 0, unit: 'µs' }));
    return { cells: [name, ...cells, figure(parts(opaque, integer))], goal: { of: 3, atMost: 1.2 } };
  });
  return {
    about: `Reading one of ${campaigns.toLocaleString('en')} campaigns from the store by its id, each time another one, without HTTP: in CPU time from SQLite, which runs in
the server's process, by the clock from PostgreSQL.`,
    columns: ['store', 'integer', 'opaque', 'opaque, times integer'],
    rows,
  };
}
