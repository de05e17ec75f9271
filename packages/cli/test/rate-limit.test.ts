import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { isLong } from '../../server/test/support/long.js';
import { run } from '../src/root/run-command.js';
import { between, type Watch } from './support/between.js';
import { runCli, type Terminal, temporaryFolder, testIo } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { startService, tokens } from './support/service.js';
import { bundle, start } from './support/spawn-cli.js';

/** A service that rejects the first requests of a kind because there were too many. */
async function limitedService(rejected: number, retryAfter: number) {
  const counts = new Map<string, number>();
  const url = await scriptedServer(({ method = '', url: path = '' }) => {
    if (path === '/organizations/5.json') return { body: { id: 5, name: 'Acme' } };
    const count = (counts.get(method) ?? 0) + 1;
    counts.set(method, count);
    if (count <= rejected) return { status: 429, headers: { 'retry-after': String(retryAfter) }, body: 'Slow down' };
    if (method === 'POST') return { status: 201, body: { id: 7, name: 'Autumn glow', status: 'draft' } };
    return { body: [] };
  });
  const cwd = temporaryFolder();
  const mkt = (line: string, terminal: Terminal = {}) =>
    runCli(line.split(' '), { cwd, ...terminal, env: { MKT_TOKEN: 't', MKT_BASE_URL: url, MKT_ORG: '5' } });
  return { mkt, counts, cwd };
}

describe('after too many requests', () => {
  it.each([
    'members list',
    'export members --format json',
    'export members --out members.csv',
    'pull --out brand.yaml',
    'import campaigns rows.csv --yes',
  ])('mkt waits and goes on, however often, and says how long: %s', async (line) => {
    const { mkt, counts, cwd } = await limitedService(4, 1);
    writeFileSync(join(cwd, 'rows.csv'), 'name\nAutumn glow\n');
    const { code, stderr } = await mkt(line.replace(/(brand|rows|members)\.\w+/, (file) => join(cwd, file)));
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(counts.get('GET')).toBeGreaterThan(4);
    expect(stderr).toContain('Too many requests. Continuing in 1 s\n');
  });
  it('the seconds count down on a terminal, in the line of the counter', async () => {
    let text = '';
    const url = await scriptedServer(() =>
      text.includes('Continuing') ? { body: [] } : { status: 429, headers: { 'retry-after': '3' } },
    );
    const { io } = testIo({ columns: 80, env: { MKT_TOKEN: 't', MKT_BASE_URL: url } });
    const stream = new PassThrough();
    stream.on('data', (part: Buffer) => {
      text += part.toString('utf8');
    });
    expect(await run(['export', 'members', '--org', '5'], { ...io, stderr: { ...io.stderr, stream } })).toBe(0);
    const seconds = [...text.matchAll(/Too many requests\. Continuing in (\d) s/g)].map(([, left]) => left);
    expect(seconds).toEqual(seconds.toSorted().reverse());
    // A busy machine may not show each.
    expect(new Set(seconds).size).toBeGreaterThan(1);
  });
});

const terminals = spawnSync('script', ['--version']).status === 0;

/** What the built program writes for a command, in pipes or on a terminal, and its time: from a signal on, if one is sent. */
async function outcomeOf(
  { cwd, env, clean }: Limited,
  line: string,
  { onTerminal = false, signalAt }: { readonly onTerminal?: boolean; readonly signalAt?: RegExp } = {},
) {
  const words = [process.execPath, bundle, ...line.split(' ')].map((word) => `'${word}'`).join(' ');
  const command = onTerminal
    ? ['script', '-qefc', `stty cols 120; exec ${words}`, '/dev/null']
    : ['bash', '-c', `exec ${words}`];
  let since = Date.now();
  const { child, ended } = start(
    command,
    { ...env, TERM: 'xterm' },
    undefined,
    (each) => clean.push(each as () => void),
    cwd,
  );
  let output = '';
  let isStopped = false;
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part: string) => {
      output += part;
      if (isStopped || signalAt?.test(output) !== true) return;
      isStopped = true;
      // When the other requests have been rejected too.
      setTimeout(() => child.kill('SIGINT'), 500);
      since = Date.now();
    });
  const { code } = await ended;
  return { code, output, ms: Date.now() - since };
}

interface Limited {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clean: (() => unknown)[];
  /** What was sent so far that changes something. */
  readonly sent: readonly string[];
  /** Answers with 429 from the second of these requests on. */
  readonly limit: (of: 'all' | 'changes', retryAfter: number, seconds: number) => void;
}

/** Runs `work` with a service that can be limited. */
async function withLimited<Result>(work: (limited: Limited) => Promise<Result>): Promise<Result> {
  const clean: Limited['clean'] = [];
  try {
    const cwd = temporaryFolder((each) => clean.push(each));
    const rows = Array.from({ length: 12 }, (_, index) => `Row ${index}`).join('\n');
    writeFileSync(join(cwd, 'rows.csv'), `name\n${rows}\n`);
    const declared = ['Autumn glow', 'Winter glow'].map((name) => `  - {name: ${name}, countries: [US]}\n`).join('');
    writeFileSync(join(cwd, 'brand.yaml'), `campaigns:\n${declared}`);
    const service = await startService();
    clean.push(() => service.close());
    const sent: string[] = [];
    let answer: (method: string) => ReturnType<NonNullable<Watch['before']>> = () => undefined;
    const before: Watch['before'] = ({ method, path }) => {
      const rejection = answer(method);
      if (method !== 'GET' && rejection === undefined) sent.push(`${method} ${path}`);
      return rejection;
    };
    const url = await between(service.url, { before }, (close) => clean.push(close));
    const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: url, MKT_ORG: '5', MKT_HISTORY: join(cwd, 'history.db') };
    const limit: Limited['limit'] = (of, retryAfter, seconds) => {
      let count = 0;
      let end: number | undefined;
      answer = (method) => {
        if (of === 'changes' && method === 'GET') return undefined;
        count += 1;
        if (count < 2) return undefined;
        end ??= Date.now() + seconds * 1000;
        return Date.now() < end ? { status: 429, headers: { 'retry-after': `${retryAfter}` } } : undefined;
      };
    };
    return await work({ cwd, env, clean, sent, limit });
  } finally {
    for (const each of clean.reverse()) await each();
  }
}

const commands: readonly (readonly [line: string, expected: RegExp])[] = [
  ['import campaigns rows.csv --yes', /Created 12 campaigns/],
  ['export campaigns --out campaigns.csv', /Exported 4\d campaigns/],
  ['pull --out pulled.yaml', /collabs/],
  ['twin pull --out acme.twin', /Copied 4\d campaigns/],
  ['watch --once', /First reading/],
  ['apply -f brand.yaml --yes', /Applied 2 changes/],
  ['campaigns pause 3 6 7 8 9 11 --yes', /Paused 6 campaigns/],
  ['campaigns resume 4 14 24 --yes', /Resumed 3 campaigns/],
  ['campaigns publish 2 --yes', /Published campaign 2/],
  ['collabs submit 5 19 --yes', /Submitted 2 collabs/],
  ['campaigns update 3 6 7 --name Glow --yes', /Updated 3 campaigns/],
  ['campaigns delete 10 20 30 --yes', /Deleted campaign 30/],
  ['campaigns copy 3 --countries DE,AT,CH --each', /\(CH\)/],
  ['campaigns create --name Glow', /Created campaign/],
  ['undo --yes', /Undid 2 changes/],
  ['api /organizations/5/campaigns/10.json -X PATCH -f campaign[name]=Glow', /"name": "Glow"/],
];

/** All of them take more than half a minute. */
const tried = isLong ? commands : commands.filter(([line]) => /^(import|export|apply|campaigns pause)/.test(line));

// A wait that does not keep the process alive ends the program, which tests inside one process cannot notice.
describe.concurrent('the built program finishes after seven seconds of too many requests', () => {
  it.concurrent.for([['in a pipe'], ['on a terminal']] as const)(
    '%s',
    { timeout: 120_000 },
    async ([where], { expect, skip }) => {
      const onTerminal = where === 'on a terminal';
      skip(onTerminal && !terminals, 'script is not installed here.');
      const outcomes = await Promise.all(
        tried.map(([line]) =>
          withLimited(async (limited) => {
            if (line.startsWith('undo')) await outcomeOf(limited, 'campaigns pause 3 6 --yes');
            const isSingle = /^(export|pull|twin|watch|campaigns (create|publish)|api)/.test(line);
            limited.limit(isSingle ? 'all' : 'changes', 1, 7);
            return outcomeOf(limited, line, { onTerminal });
          }),
        ),
      );
      for (const [index, [line, expected]] of tried.entries()) {
        const { code, output, ms } = outcomes[index] ?? {};
        expect({ line, code, output }).toMatchObject({ code: 0, output: expect.stringMatching(expected) });
        expect(output).not.toContain('error:');
        expect(output, line).toContain('Too many requests. Continuing in 1 s');
        expect(ms, line).toBeGreaterThan(6500);
      }
    },
  );
});

/** What remains undone, for each command that sends several changes; it did the first one. */
const left: readonly (readonly [line: string, done: RegExp, named: RegExp])[] = [
  ['import campaigns rows.csv --yes', /created 1 of 12 campaigns/i, /\d+ were not sent/],
  ['apply -f brand.yaml --yes', /applied 1 of 2 changes/i, /campaign "(Autumn|Winter) glow"/],
  ['campaigns pause 3 6 7 --yes', /Paused [01] of 3 campaigns/, /Not started: campaign 7/],
  ['campaigns update 3 6 7 --name Glow --yes', /Updated 1 of 3 campaigns/, /Not started: campaign 7/],
  ['campaigns delete 10 20 30 --yes', /Deleted 1 of 3 campaigns/, /Not started: campaign 30/],
  ['campaigns copy 3 --countries DE,AT,CH --each', /Created 1 of 3 campaigns/, /\(AT\), .*\(CH\)/],
  ['undo --yes', /Undid 1 of 2 changes/, /Not all of command 1 was undone: 1 failed/],
];

describe.concurrent('a wait in the middle of a change', () => {
  it.concurrent('ends at Ctrl-C, and what was not sent is named', async ({ expect }) => {
    for (const [line, done, named] of left)
      await withLimited(async (limited) => {
        if (line.startsWith('undo')) await outcomeOf(limited, 'campaigns pause 3 6 --yes');
        const before = limited.sent.length;
        limited.limit('changes', 300, 1000);
        const { code, output, ms } = await outcomeOf(limited, line, { signalAt: /Continuing in 300 s/ });
        expect({ line, code, output }).toMatchObject({ code: 130, output: expect.stringMatching(named) });
        expect(output).toMatch(done);
        // The reading after an action waits too, so what became of it is not known.
        expect(output.split('may have been').length - 1, output).toBeLessThanOrEqual(/Paused 0/.test(output) ? 1 : 0);
        expect(limited.sent.length - before, line).toBe(1);
        expect(ms, line).toBeLessThan(10_000);
      });
  });

  it.concurrent('of more than ten minutes ends the command with exit code 7, and says when to go on', async ({
    expect,
  }) => {
    for (const [line, done, named] of left)
      await withLimited(async ({ env, ...limited }) => {
        const inKolkata = { ...limited, env: { ...env, TZ: 'Asia/Kolkata' } };
        if (line.startsWith('undo')) await outcomeOf(inKolkata, 'campaigns pause 3 6 --yes');
        const before = limited.sent.length;
        limited.limit('changes', 66_271, 1000);
        const asked = Date.now() + 66_271_000;
        const { code, output } = await outcomeOf(inKolkata, line);
        expect({ line, code, output }).toMatchObject({ code: 7, output: expect.stringMatching(named) });
        expect(output).toMatch(done);
        expect(output).toMatch(/Continue (tomorrow )?at/);
        const [, day, hour = '', minute = ''] = /Continue (tomorrow )?at (\d\d):(\d\d)/.exec(output) ?? [];
        const there = new Date(asked + 5.5 * 3_600_000);
        const said = Date.UTC(
          there.getUTCFullYear(),
          there.getUTCMonth(),
          there.getUTCDate(),
          Number(hour),
          Number(minute),
        );
        // Not before the time that the service asked for, and at most a minute and the run of the command after it.
        expect(said - there.getTime()).toBeGreaterThanOrEqual(0);
        expect(said - there.getTime()).toBeLessThan(90_000);
        expect(day !== undefined).toBe(there.getUTCDate() !== new Date(Date.now() + 5.5 * 3_600_000).getUTCDate());
        expect(output).not.toContain('66271');
        expect(limited.sent.length - before, line).toBe(1);
      });
  });

  it.concurrent.for([
    'export campaigns',
    'pull',
    'twin pull --out acme.twin',
    'watch',
    'watch --once',
    'campaigns list --all',
  ])('of more than ten minutes ends %s too, unless there is --wait', async (line, { expect }) =>
    withLimited(async (limited) => {
      limited.limit('all', 66_271, 1000);
      const { code, output } = await outcomeOf(limited, line);
      expect({ code, output }).toMatchObject({
        code: 7,
        output: expect.stringMatching(/more (tomorrow )?at \d\d:\d\d/),
      });
      const waiting = await outcomeOf(limited, `${line} --wait`, { signalAt: /Continuing (tomorrow )?at \d\d:\d\d/ });
      expect(waiting).toMatchObject({ code: 130, output: expect.not.stringContaining('66271') });
    }),
  );
});
