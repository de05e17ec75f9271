import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server } from '@mkt/server/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyEnvironment } from './support/apply.js';
import { between, type Watch } from './support/between.js';
import { scriptedPrompter } from './support/prompter.js';
import { startService, tokens } from './support/service.js';

let service: Server;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

const namesLike = async (name: string): Promise<unknown[]> =>
  JSON.parse(
    (await applyEnvironment(service.url).mkt(['campaigns', 'list', '--name', name, '--json'])).stdout,
  ) as unknown[];

/** Answers yes, after something else has happened. */
const meanwhile = (happens: () => Promise<unknown>) => {
  const answers = scriptedPrompter(true);
  const confirm = async (question: string) => {
    await happens();
    return answers.confirm(question);
  };
  return { ...answers, confirm };
};

/** More than the default of the largest payout, which only the service knows. */
const TOO_MUCH = 20_000;

describe('changes by others while apply asks', () => {
  const text = `campaigns:
  - {id: 1, cpm_amount: 700, countries: [US, GB]}
  - {id: 10, name: Renamed, status: active}
`;

  it('does not overwrite a field that changed, and makes the other changes', async () => {
    const { apply, mkt, show, json } = applyEnvironment(service.url);
    const { code, stderr } = await apply(text, [], {
      columns: 300,
      answers: meanwhile(() => mkt(['campaigns', 'update', '1', '--cpm-amount', '555'])),
    });
    expect(code).toBe(9);
    expect(stderr).toContain('Campaign 1 has changed since the plan was shown: cpm_amount.');
    expect(stderr).toContain('It was left as it is.');
    expect(await show('campaigns', 1)).toMatchObject({ cpm_amount: 555, countries: ['US'] });
    expect(await show('campaigns', 10)).toMatchObject({ name: 'Renamed', status: 'active' });
    expect((await json(text, '--yes')).changes.map(({ done }) => done)).toEqual([['update'], []]);
  });
  it('accepts a status that is as declared, and reports any other', async () => {
    const { apply, mkt, show } = applyEnvironment(service.url);
    const { code, stderr } = await apply('campaigns: [{id: 3, status: paused}, {id: 4, status: active}]', [], {
      columns: 300,
      answers: meanwhile(async () => {
        await mkt(['campaigns', 'pause', '3']);
        await mkt(['campaigns', 'delete', '4']);
      }),
    });
    // Another user made the declared change, so nothing is left to do or to report.
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Resumed campaign 4') });
    const other = await apply('campaigns: [{id: 10, status: paused}]', [], {
      columns: 300,
      answers: meanwhile(() => mkt(['campaigns', 'publish', '10', '--yes'])),
    });
    expect(other.code).toBe(6);
    expect(other.stderr).toContain('Campaign 10 has changed since the plan was shown: it is active now.');
    expect(await show('campaigns', 10)).toMatchObject({ status: 'active' });
  });
  it('ignores changes of undeclared fields', async () => {
    const { apply, mkt, show } = applyEnvironment(service.url);
    const { code } = await apply('campaigns: [{id: 1, cpm_amount: 700}]', [], {
      columns: 80,
      answers: meanwhile(() => mkt(['campaigns', 'update', '1', '--category', 'service'])),
    });
    expect(code).toBe(0);
    expect(await show('campaigns', 1)).toMatchObject({ cpm_amount: 700, category: 'service' });
  });
  it('does not create a second object of the same name', async () => {
    const { apply, mkt } = applyEnvironment(service.url);
    const { code, stderr } = await apply('campaigns: [{name: Wanted by two}]', [], {
      columns: 300,
      answers: meanwhile(() => mkt(['campaigns', 'create', '--name', 'Wanted by two'])),
    });
    expect(code).toBe(6);
    expect(stderr).toContain('campaign 48 has been given the name "Wanted by two" since the plan was shown.');
    expect(await namesLike('Wanted by two')).toHaveLength(1);
  });
  it('reports a deleted object as not found', async () => {
    const { apply, mkt } = applyEnvironment(service.url);
    const { code, stderr } = await apply('campaigns: [{id: 1, cpm_amount: 700}]', [], {
      columns: 300,
      answers: meanwhile(() => mkt(['campaigns', 'delete', '1', '--yes'])),
    });
    expect(code).toBe(3);
    expect(stderr).toContain('Campaign 1 was not found');
  });
});

describe('between the last read and the update (D106)', () => {
  /** The service behind a proxy that lets something happen right before each update reaches it. */
  const applied = async (watch: Watch & { readonly happens?: () => Promise<unknown>; readonly times?: number }) => {
    const { happens, times = 1, ...others } = watch;
    const sent: (string | undefined)[] = [];
    const url = await between(service.url, {
      ...others,
      before: async (asked) => {
        if (asked.method !== 'PATCH') return undefined;
        sent.push(asked.headers['if-match']);
        if (sent.length <= times) await happens?.();
        return watch.before?.(asked);
      },
    });
    return {
      ...(await applyEnvironment(url).apply('campaigns: [{id: 1, cpm_amount: 700}]', ['--yes'], { columns: 300 })),
      sent,
    };
  };
  const { mkt, show } = {
    mkt: (...argv: string[]) => applyEnvironment(service.url).mkt(argv),
    show: () => applyEnvironment(service.url).show('campaigns', 1),
  };
  const tag = expect.stringMatching(/^W\/"[0-9a-f]{32}"$/);

  it('does not overwrite a changed field', async () => {
    const { code, stderr, sent } = await applied({
      happens: () => mkt('campaigns', 'update', '1', '--cpm-amount', '555'),
    });
    expect([code, sent]).toEqual([6, [tag]]);
    expect(stderr).toContain('Campaign 1 has changed since the plan was shown: cpm_amount.');
    expect(stderr).toContain('It was left as it is.');
    expect(await show()).toMatchObject({ cpm_amount: 555 });
  });

  it('ignores changes of other fields', async () => {
    const { code, sent } = await applied({ happens: () => mkt('campaigns', 'update', '1', '--category', 'service') });
    expect([code, sent]).toEqual([0, [tag, tag]]);
    expect(sent[0]).not.toBe(sent[1]);
    expect(await show()).toMatchObject({ cpm_amount: 700, category: 'service' });
  });

  it('counts an update with a lost response as done', async () => {
    let lost = 0;
    const { code, stderr, sent } = await applied({
      after: ({ method }) => (method === 'PATCH' && lost++ === 0 ? 'drop' : undefined),
    });
    expect({ code, stderr, sent }).toMatchObject({ code: 0, sent: [tag, tag] });
    expect(await show()).toMatchObject({ cpm_amount: 700 });
  });

  it('reports a service that always responds with 412', async () => {
    const { code, stderr, sent } = await applied({ before: () => 412 });
    expect([code, sent]).toEqual([6, [tag]]);
    expect(stderr).toContain('The service reports that campaign 1 has changed (412). It was left as it is.');
    expect(await show()).toMatchObject({ cpm_amount: 350 });
  });

  it('works with a service that ignores If-Match or sends no ETag', async () => {
    const ignoring = await applied({
      before: ({ headers }) => {
        delete headers['if-match'];
      },
    });
    expect([ignoring.code, ignoring.sent]).toEqual([0, [tag]]);
    await mkt('campaigns', 'update', '1', '--cpm-amount', '500');
    const without = await applied({ without: 'etag' });
    expect([without.code, without.sent]).toEqual([0, [undefined]]);
    expect(await show()).toMatchObject({ cpm_amount: 700 });
  });
});

it('does not retry a creation after a lost response, not even in the next run', async () => {
  const text = 'campaigns: [{name: Lost answer, cpm_amount: 650, status: active}, {id: 1, cpm_amount: 700}]';
  let lost = 0;
  const url = await between(service.url, {
    after: ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/campaigns.json') || lost > 0) return undefined;
      lost += 1;
      return 'drop';
    },
  });
  const { apply, json, show } = applyEnvironment(url);
  const { code, stderr } = await apply(text);
  expect(code).toBe(9);
  expect(stderr).toContain('It may have been created. The next run finds it by its name.');
  expect(stderr).not.toContain('Check before retrying');
  expect(await namesLike('Lost answer')).toHaveLength(1);

  expect((await json(text, '--yes')).changes.map(({ done }) => done)).toEqual([['publish'], []]);
  expect(await namesLike('Lost answer')).toHaveLength(1);
  expect(await show('campaigns', 48)).toMatchObject({ status: 'active', cpm_amount: 650 });
  expect(lost).toBe(1);
});

describe('rejected changes', () => {
  const text = 'campaigns: [{id: 1, cpm_amount: 700}, {name: New}]';

  it('ends with 4 for a read-only token, after at most four attempts', async () => {
    let writes = 0;
    const url = await between(service.url, {
      before: ({ method }) => {
        if (method !== 'GET') writes += 1;
      },
    });
    const objects = Array.from({ length: 30 }, (_, index) => ({ name: `New ${index}` }));
    const { code, stdout, stderr } = await applyEnvironment(url).apply(
      JSON.stringify({ campaigns: objects }),
      ['--yes'],
      {
        token: tokens.ada_read,
      },
    );
    expect(code).toBe(4);
    expect(stdout).toContain('Plan: 30 to create');
    expect(stderr).toContain('is read-only, so it cannot make changes.');
    expect(writes).toBeLessThanOrEqual(4);
    expect(stderr).toContain(`warning: ${30 - writes} changes were not started.`);
  });
  it('ends with 5 for a member without the admin role', async () => {
    const { code, stderr } = await applyEnvironment(service.url).apply('campaigns: [{id: 3, name: Mine}]', ['--yes'], {
      token: tokens.cleo_write,
    });
    expect(code).toBe(5);
    expect(stderr).toContain('You are not allowed to update campaign 3 in Acme Cosmetics');
  });
  it('ends with 4 for a rejected token, before the plan', async () => {
    expect(await applyEnvironment(service.url).apply(text, ['--yes'], { token: 'mkt_demo_wrong' })).toMatchObject({
      code: 4,
      stdout: '',
    });
  });
  it('names rejected fields with their lines, and makes the other changes', async () => {
    const errors = { countries: ['Countries must be other ones.'], currency: ['Currency must be another one.'] };
    const url = await between(service.url, {
      after: ({ method }, body) => (method === 'POST' ? { errors } : body),
    });
    const { apply, plain, show } = applyEnvironment(url);
    const { code, stderr } = await apply(
      `campaigns:\n  - name: Nowhere\n    countries: [CA]\n    currency: cad\n    min_payout_amount: ${TOO_MUCH}\n  - id: 1\n    cpm_amount: 700\n`,
    );
    expect(code).toBe(9);
    expect(plain(stderr)).toContain(
      'warning: campaign "Nowhere": 2 fields were rejected; nothing was changed.\n  line 3, countries: must be',
    );
    expect(stderr).toContain('line 4, currency: must be');
    expect(stderr).toContain('error: Applied 1 of 2 changes.');
    expect(await show('campaigns', 1)).toMatchObject({ cpm_amount: 700 });
  });
  it('prints result and error for programs when some changes failed', async () => {
    const { apply } = applyEnvironment(service.url);
    const { code, stdout, stderr } = await apply(
      JSON.stringify({
        campaigns: [
          { name: 'Nowhere', min_payout_amount: TOO_MUCH },
          { id: 1, cpm_amount: 700 },
        ],
      }),
      ['--yes', '--json', '--quiet'],
    );
    expect(code).toBe(9);
    expect(JSON.parse(stdout).changes).toMatchObject([
      { outcome: 'failed', done: [], error: { code: 'rejected', fields: { min_payout_amount: [expect.any(String)] } } },
      { outcome: 'done', done: ['update'], error: null },
    ]);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'partly_done', exitCode: 9, results: [{}, {}] });
  });
  it('prints only the error for programs when nothing was done', async () => {
    const text = JSON.stringify({ campaigns: [{ name: 'Nowhere', min_payout_amount: TOO_MUCH }] });
    const { code, stdout, stderr } = await applyEnvironment(service.url).apply(text, ['--yes', '--json']);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(JSON.parse(stderr.split('\n').filter(Boolean).at(-1) ?? '').error).toMatchObject({
      code: 'rejected',
      results: [{ name: 'Nowhere', outcome: 'failed' }],
    });
  });
  it('counts an update without its action as partly done', async () => {
    const url = await between(service.url, {
      before: ({ path }) => (path.endsWith('/publish') ? 'drop' : undefined),
    });
    const { code, stderr } = await applyEnvironment(url).apply('campaigns: [{id: 1, cpm_amount: 700, status: active}]');
    expect(code).toBe(9);
    expect(stderr).toContain('Updated campaign 1');
    expect(stderr).toContain('error: Applied 0 of 1 change, 1 partially.');
  });
});

it('starts no change after Ctrl-C, and continues with the next run', async () => {
  const interrupt = new AbortController();
  let patches = 0;
  const url = await between(service.url, {
    before: ({ method }) => {
      if (method === 'PATCH') patches += 1;
      if (patches === 6) interrupt.abort();
    },
  });
  const ids = Array.from({ length: 20 }, (_, index) => index + 1);
  const text = JSON.stringify({ campaigns: ids.map((id) => ({ id, category: 'service' })) });
  const { apply, json } = applyEnvironment(url);
  const { code, stderr } = await apply(text, ['--yes'], { interrupted: interrupt.signal });
  expect(code).toBe(130);
  expect(stderr).toMatch(/^warning: \d+ changes were not started\.$/m);
  expect(stderr).toMatch(
    /error: Interrupted: applied \w+ of 20 changes\.\n {2}try: {2}To continue, run the same command/,
  );
  const rest = await json(text, '--yes');
  expect(rest.counts.unchanged).toBeGreaterThan(0);
  expect(rest.counts.update).toBeGreaterThan(0);
  expect(await json(text)).toMatchObject({ up_to_date: true });
});

it('sends at most four requests at a time, and only necessary ones', async () => {
  let [open, most] = [0, 0];
  const asked: string[] = [];
  const url = await between(service.url, {
    before: async ({ method, path }) => {
      asked.push(`${method} ${path.replace(/^.*?(campaigns|collabs)/, '$1')}`);
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
    after: () => {
      open -= 1;
    },
  });
  const { json } = applyEnvironment(url);
  const ids = [1, 2, 10, 20, 30, 40, 6, 7, 8];
  const text = JSON.stringify({ organization: 5, campaigns: ids.map((id) => ({ id, category: 'service' })) });
  await json(text, '--yes');
  expect(most).toBe(4);
  const count = (pattern: RegExp) => asked.filter((line) => pattern.test(line)).length;
  // No list where every object has its id; each is read for the plan, and once more before it is written.
  expect(count(/^GET campaigns\.json/)).toBe(0);
  expect(count(/^GET campaigns\//)).toBe(2 * ids.length);
  expect(count(/^PATCH/)).toBe(ids.length);
  asked.length = 0;
  await json(text, '--dry-run');
  expect(count(/^(?!GET)/)).toBe(0);
});

it('stops when the service is gone, and separates sent rows from unsent ones', async () => {
  let created = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method === 'POST') {
        created += 1;
        if (created > 6) {
          server.close();
          server.closeAllConnections();
          return;
        }
      }
      const name = request.method === 'POST' ? 'x' : 'Acme';
      const body = request.url?.includes('campaigns') && request.method === 'GET' ? [] : { id: created, name };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const campaigns = Array.from({ length: 40 }, (_, row) => ({ name: `Row ${row + 1}` }));
  const { code, stderr } = await applyEnvironment(url).apply(JSON.stringify({ campaigns }));
  expect(code).toBe(9);
  const uncertain = stderr.match(/^warning: .*It may have been created/gm) ?? [];
  expect(uncertain.length).toBeGreaterThan(0);
  expect(uncertain.length).toBeLessThanOrEqual(4);
  expect(stderr).toContain('It was not created, because it could not be sent. Nothing is listening at');
  const left = Number(/(\d+) changes were not started\./.exec(stderr)?.[1]);
  expect(left).toBeGreaterThan(20);
});
