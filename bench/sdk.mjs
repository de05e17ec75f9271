// `npm run bench -- sdk [--rounds N] [--calls N]`: what the SDK costs beside raw fetch, ky and three well-known clients on the
// same local server. Contenders take turns: figures of one run may be compared, those of two may not.
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Marketplace } from '@mkt/sdk';
import { client, names } from './sdk/clients.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '120' }, calls: { type: 'string', default: '50' } },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);
const median = (numbers) => [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)];

const child = fork(fileURLToPath(new URL('./sdk/server.mjs', import.meta.url)));
const [{ port }] = await once(child, 'message');
const baseUrl = `http://127.0.0.1:${port}`;
const counts = async () => {
  child.send('counts');
  return (await once(child, 'message'))[0];
};
const rows = [];
const goals = [];
const goal = (what, figure, bound, met) => goals.push(`| ${what} | ${figure} | ${bound} | ${met ? 'yes' : 'NO'} |`);

/** The mean of the lowest quarter: neighbours on the machine, and what they push out of its caches, only ever add. */
function undisturbed(numbers) {
  const lowest = [...numbers].sort((one, other) => one - other).slice(0, Math.ceil(numbers.length / 4));
  return lowest.reduce((sum, number) => sum + number, 0) / lowest.length;
}

/** The client's own CPU time of one call, in microseconds: a process each, short rounds in turns of changing order. */
async function cpuOfGet() {
  const program = fileURLToPath(new URL('./sdk/contender.mjs', import.meta.url));
  const contenders = names.map((name) => ({ name, process: fork(program, [name, baseUrl]), seen: [] }));
  try {
    await Promise.all(contenders.map((contender) => once(contender.process, 'message')));
    for (let round = 0; round < rounds; round++) {
      contenders.sort(() => Math.random() - 0.5);
      for (const { process, seen } of contenders) {
        process.send(calls);
        const [microseconds] = await once(process, 'message');
        seen.push(microseconds);
      }
    }
  } finally {
    for (const contender of contenders) contender.process.kill();
  }
  return Object.fromEntries(contenders.map(({ name, seen }) => [name, undisturbed(seen)]));
}

/** Milliseconds for 500 items in 25 pages at 40 ms each. */
async function timeOfWalk() {
  const walked = {};
  for (const name of names) {
    const { walk } = await client(name, baseUrl);
    if (!walk) continue;
    const seen = [];
    for (let round = 0; round <= 3; round++) {
      const start = performance.now();
      const items = await walk();
      if (items.length !== 500) throw new Error(`${name} found ${items.length} of 500 items.`);
      if (round > 0) seen.push(performance.now() - start);
    }
    walked[name] = median(seen);
  }
  return walked;
}

/** Milliseconds to import a module in a fresh process. */
async function timeOfImport(names) {
  const run = promisify(execFile);
  const seen = names.map(() => []);
  for (let round = 0; round <= 15; round++) {
    for (const [place, modules] of names.entries()) {
      const imports = modules.map((name) => `await import('${name}');`).join(' ');
      const program = `const start = performance.now(); ${imports} console.log(performance.now() - start);`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
        cwd: import.meta.dirname,
      });
      if (round > 0) seen[place].push(Number(stdout));
    }
  }
  return seen.map(median);
}

try {
  const cpu = await cpuOfGet();
  const walk = await timeOfWalk();
  for (const name of names) {
    const ratio = (cpu[name] / cpu['bare ky']).toFixed(2);
    const walked = walk[name] === undefined ? '' : `${Math.round(walk[name])} ms`;
    rows.push(`| ${name} | ${Math.round(cpu[name])} us | ${ratio} | ${walked} |`);
  }
  const ours = cpu['@mkt/sdk'];
  const toKy = ours / cpu['bare ky'];
  goal('CPU of one get, beside bare ky', toKy.toFixed(2), 'at most 1.15', toKy <= 1.15);
  goal('CPU of one get, beside openai', (ours / cpu.openai).toFixed(2), 'at most 1.00', ours <= cpu.openai);

  const { '@mkt/sdk': own, ...rivals } = walk;
  const faster = Math.min(...Object.values(rivals)) / own;
  goal('25 pages at 40 ms, times faster than the fastest rival', faster.toFixed(1), 'at least 4.0', faster >= 4);

  const mkt = new Marketplace({ token: 'bench', baseUrl: `${baseUrl}/etag` });
  await mkt.campaigns.get(5, 1);
  const before = await counts();
  for (let index = 0; index < 100; index++) await mkt.campaigns.get(5, 1);
  const { requests, notModified } = await counts();
  const asked = requests - before.requests;
  goal(
    'Requests of 100 cached shows, 304s among them',
    `${asked}, ${notModified}`,
    '100, 100',
    asked === 100 && notModified === 100,
  );

  const [imported, parts] = await timeOfImport([['@mkt/sdk'], ['ky', 'zod/mini']]);
  const share = imported / parts;
  goal('Import of the ESM build, beside ky and zod/mini', share.toFixed(2), 'at most 1.20', share <= 1.2);
} finally {
  child.kill();
}

process.stdout.write(`Node ${process.version}, ${rounds} rounds of ${calls} calls

| client | CPU of one get | of bare ky | 25 pages at 40 ms |
|---|---|---|---|
${rows.join('\n')}

| what | figure | goal | met |
|---|---|---|---|
${goals.join('\n')}
`);
