import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Assistant, assistants, type Options, type Row } from './support/assistant.js';
import { between } from './support/between.js';
import { temporaryFolder } from './support/run-cli.js';
import { recordedService, startService, tokens } from './support/service.js';
import { signedInFolder } from './support/signed-in.js';
import { mkt } from './support/spawn-cli.js';

// Starts processes, on machines under load.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const service = recordedService();
const { writes, campaign } = service;
const assistant = assistants(service.url);
const pause = { campaigns: [{ id: 3, status: 'paused' }] };

/** A session that is signed in by files, and the files. */
async function signedIn(options: Options = {}) {
  const folder = signedInFolder(service.url(), tokens.ada_write);
  const config = join(folder, 'config');
  const env = { MKT_CONFIG_DIR: config, MKT_BASE_URL: '', MKT_TOKEN: '' };
  const edit = (name: 'config' | 'credentials', change: (content: Row) => Row) => {
    const path = join(config, `${name}.json`);
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))));
  };
  const use = await assistant({ env, org: 'none', ...options });
  return { use, env, edit };
}

const changes: Readonly<Record<string, (files: Awaited<ReturnType<typeof signedIn>>) => Promise<unknown> | unknown>> = {
  'another profile is made the active one': async ({ edit, env }) => {
    const other = await startService();
    afterAll(() => other.close());
    edit('credentials', (all) => ({ ...all, [`staging@${other.url}`]: tokens.ada_write }));
    edit('config', ({ profiles, ...rest }) => ({
      ...rest,
      profiles: { ...(profiles as Row), staging: { base_url: other.url, storage: 'file', token_host: other.url } },
    }));
    expect(await mkt(['auth', 'switch', 'staging'], env)).toMatchObject({ code: 0 });
  },
  'someone else signs in': async ({ env }) =>
    expect(
      await mkt(['login', '--base-url', service.url(), '--with-token', '--storage', 'file'], env, tokens.cleo_write),
    ).toMatchObject({ code: 0 }),
  'the user signs out': async ({ env }) => expect(await mkt(['logout', '--yes'], env)).toMatchObject({ code: 0 }),
  'the configuration is edited': ({ edit }) =>
    edit('config', ({ profiles: { default: profile } = {} as never, ...rest }: Row & { profiles?: Row }) => ({
      ...rest,
      profiles: { default: { ...(profile as Row), organization: { id: '7' } } },
    })),
};

const ended = { error: { code: 'not_signed_in', message: expect.stringMatching(/^This session has ended, because/) } };

describe('a session ends, and nothing is written, when', () => {
  it.each(Object.entries(changes))('%s', async (_, change) => {
    const files = await signedIn();
    const { call } = files.use;
    const { digest, session } = await call('plan_changes', pause);
    expect(session).toEqual({ service: service.url(), isLocal: true, profile: 'default', token: 'rite' });
    await change(files);
    expect(await call('apply_plan', { digest })).toMatchObject(ended);
    expect(await call('find', { resource: 'campaigns' })).toMatchObject(ended);
    expect([files.use.asked, writes]).toEqual([[], []]);
  });

  it('the sign-in changes while the question is open', async () => {
    let files: Awaited<ReturnType<typeof signedIn>> | undefined;
    files = await signedIn({
      approves: async () => {
        if (files !== undefined) await changes['someone else signs in']?.(files);
        return true;
      },
    });
    const { digest } = await files.use.call('plan_changes', pause);
    expect(await files.use.call('apply_plan', { digest })).toMatchObject(ended);
    expect(files.use.asked[0]).toContain(`profile \`"default"\`, token ending in \`"rite"\``);
    expect(writes).toEqual([]);
  });
});

it('without a sign-in says what a person does, and begins with the first one', async () => {
  const home = temporaryFolder();
  const env = { MKT_CONFIG_DIR: join(home, 'config'), MKT_BASE_URL: '', MKT_TOKEN: '' };
  const { call } = await assistant({ env, org: 'none' });
  const { error } = await call('find', { resource: 'campaigns' });
  expect(error).toMatchObject({ code: 'not_signed_in', next: [expect.stringMatching(/^A person runs: .*mkt login/)] });
  expect(
    await mkt(['login', '--base-url', service.url(), '--with-token', '--storage', 'file'], env, tokens.ada_write),
  ).toMatchObject({ code: 0 });
  expect(await call('find', { resource: 'organizations' })).toMatchObject({ total: 2 });
});

describe('with --org, a session', () => {
  it.each([
    ['find', { resource: 'campaigns', organization: 7 }],
    ['find', { resource: 'members', organization: 'Initech Audio' }],
    ['read', { resource: 'organizations', id: '7' }],
    ['read', { resource: 'campaigns', id: '3', organization: '7' }],
    ['compare', { resource: 'collabs', organization: '7' }],
    ['plan_changes', { organization: '7', campaigns: [{ name: 'Elsewhere' }] }],
  ] as const)('refuses another organization: %s %j', async (tool, args) => {
    const { call } = await assistant();
    expect((await call(tool, args)).error).toMatchObject({
      message: expect.stringMatching(/^This session works only in Acme Cosmetics \(organization 5\), not in /),
      next: [expect.stringContaining('mkt mcp install CLIENT --org ID --name NAME')],
    });
  });
});

it('sends only GET to plan', async () => {
  const methods: string[] = [];
  const url = await between(service.url(), { before: ({ method }) => void methods.push(method) });
  const { call } = await assistant({ url, token: tokens.ada_read });
  expect((await call('plan_changes', pause)).digest).toBeDefined();
  expect([...new Set(methods)]).toEqual(['GET']);
});

it.each(['2025-03-26', '2025-11-25', '2026-07-28'] as const)(
  'has all data in the text of a result: %s',
  async (revision) => {
    const { client } = await assistant({ revision });
    const texts = async (name: string, args: Row) => {
      const { content, structuredContent } = await client.callTool({ name, arguments: args });
      const [{ text = '' } = {}, ...others] = content as readonly { readonly text?: string }[];
      expect([JSON.parse(text), others]).toEqual([structuredContent, []]);
      return text;
    };
    expect(await texts('find', { resource: 'campaigns', status: 'paused' })).toContain('Lip tint shade finder');
    expect(await texts('plan_changes', pause)).toMatch(/"digest":"[0-9a-f]{32}"/);
    expect(await texts('read', { resource: 'campaigns' })).toContain('id is required.');
  },
);

it.each([
  ['2025-11-25', 'blank'],
  ['2025-11-25', 'empty'],
  ['2026-07-28', 'blank'],
  ['2026-07-28', 'empty'],
] as const)('asks again once after a yes without an answer: %s, %s', async (revision, approves) => {
  const { call, asked } = await assistant({ revision, approves });
  const { digest } = await call('plan_changes', pause);
  const { error } = await call('apply_plan', { digest });
  expect(error?.message).toBe('The question was closed without an answer. Nothing was changed.');
  expect([asked.length, writes]).toEqual([2, []]);
  // The plan is not refused.
  const again = await assistant({ revision });
  expect(await again.call('apply_plan', { digest })).toMatchObject({ applied: 1 });
});

it('stops asking after the same plan was refused three times', async () => {
  const { call, asked } = await assistant({ approves: false });
  const plan = () => call('plan_changes', pause);
  for (let count = 0; count < 3; count++) await call('apply_plan', { digest: (await plan()).digest });
  expect(await plan()).toMatchObject({ error: { message: expect.stringContaining('they do not want them') } });
  expect(asked).toHaveLength(3);
  expect((await call('plan_changes', { campaigns: [{ id: 6, status: 'paused' }] })).digest).toBeDefined();
});

describe('what waits for the marketplace is not called done', () => {
  let use: Assistant;
  let id = 0;
  beforeEach(async () => {
    use = await assistant();
    const { data } = await use.call('find', { resource: 'collabs', status: 'submitted_for_review', limit: 1 });
    id = Number((data as readonly Row[])[0]?.id);
  });

  it.each(['published', 'paused'])('a collab in review that should be %s', async (state) => {
    const planned = await use.call('plan_changes', { collabs: [{ id, state }] });
    expect(planned).toMatchObject({
      data: [],
      summary: 'Not done yet',
      waiting: [{ id, state: 'waits for the review of the marketplace' }],
    });
    expect(planned.next).toMatch(/waits for the review of the marketplace$/);
    expect(planned.digest).toBeUndefined();
  });

  it('a draft collab that should be published', async () => {
    const { digest, data } = await use.call('plan_changes', { collabs: [{ id: 1, state: 'published' }] });
    expect(data).toMatchObject([{ steps: ['submit'], afterwards: 'waits for the review of the marketplace' }]);
    expect(await use.call('apply_plan', { digest })).toMatchObject({
      data: [{ outcome: 'done, now waits for the review of the marketplace', done: ['submit'] }],
    });
  });
});

it('shows e-mail addresses only if they are asked for', async () => {
  const { call } = await assistant();
  const results = [
    await call('find', { resource: 'members' }),
    await call('read', { resource: 'members', id: 'Cleo Martin' }),
    await call('plan_changes', { members: [{ id: 'cleo@acme.example', role: 'admin' }] }),
  ];
  expect(JSON.stringify(results)).not.toContain('@acme.example');
  expect(JSON.stringify(await call('find', { resource: 'members', fields: ['user.email'] }))).toContain(
    '@acme.example',
  );
});

it('names each plan in the history', async () => {
  const { use, env } = await signedIn();
  const { digest } = await use.call('plan_changes', { campaigns: [6, 7].map((id) => ({ id, status: 'paused' })) });
  await use.call('apply_plan', { digest });
  expect(await campaign(6)).toMatchObject({ status: 'paused' });
  const { stdout } = await mkt(['undo', '--list', '--json'], { ...env, HOME: use.home });
  expect(JSON.parse(stdout).at(-1)).toMatchObject({ line: "mkt mcp 'pause campaigns 6, 7'" });
});

it('that is killed while it applies a plan leaves a record that undo takes back, and its approval counts no more', async () => {
  let killed: Assistant | undefined;
  const url = await between(service.url(), {
    // After the second action, before its response.
    after: ({ method }, body) => {
      if (method === 'POST' && writes.length === 2) {
        const { pid } = (killed as Assistant).client.transport as { readonly pid?: number };
        if (pid) process.kill(pid, 'SIGKILL');
      }
      return body;
    },
  });
  // Variables of its own: a process that no other test uses.
  killed = await assistant({ url, env: { MKT_TEST: 'killed' } });
  const plan = { campaigns: [6, 7, 8].map((id) => ({ id, status: 'paused' })) };
  const { digest } = await killed.call('plan_changes', plan);
  await expect(killed.call('apply_plan', { digest })).rejects.toThrow();
  expect(writes).toHaveLength(2);
  const env = { HOME: killed.home, MKT_BASE_URL: url, MKT_TOKEN: tokens.ada_write, MKT_ORG: '5' };
  const listed = JSON.parse((await mkt(['undo', '--list', '--json'], env)).stdout);
  expect(listed).toMatchObject([{ line: "mkt mcp 'pause campaigns 6, 7, 8'", state: 'interrupted' }]);
  const next = await assistant({ url, env: { MKT_TEST: 'next' } });
  expect((await next.call('apply_plan', { digest })).error?.message).toBeDefined();
  expect(next.asked).toEqual([]);
  // The rest is a new plan, of one change.
  expect(await next.call('plan_changes', plan)).toMatchObject({ summary: '1 change', data: [{ id: 8 }] });
  expect(await mkt(['undo', '--yes'], env)).toMatchObject({ code: 0 });
  for (const id of [6, 7]) expect(await campaign(id)).toMatchObject({ status: 'active' });
});

describe('a new name that is almost that of another one', () => {
  it.each(['lip tint shade finder', 'Lip  Tint Shade Finder', 'Lip tint shade findr', 'L\u00edp tint shade finder'])(
    'is refused: %s',
    async (name) => {
      const { call } = await assistant();
      const planned = await call('plan_changes', { campaigns: [{ name, status: 'active' }] });
      expect(planned.error?.message).toMatch(/Did you mean campaign 4 "Lip tint shade finder"\? .*create: true/);
      expect(planned.digest).toBeUndefined();
    },
  );

  it('is planned with create: true, and so are names with other numbers', async () => {
    const { call } = await assistant();
    const campaigns = [{ name: 'lip tint shade finder', create: true }, { name: 'Lip tint shade finder 2' }];
    expect((await call('plan_changes', { campaigns })).digest).toBeDefined();
  });
});

describe('replace_in_briefs', () => {
  it('plans one change for each brief, and shows each sentence once', async () => {
    const brief = (id: number) =>
      `<p>Number ${id}. Use our new serumm <a href="https://acme.example/serumm">here</a>. Thanks.</p>`;
    for (const id of [1, 2, 10])
      await service.request('PATCH', `/organizations/5/campaigns/${id}`, { campaign: { brief: brief(id) } });
    writes.length = 0;
    const { call, asked } = await assistant();
    const { digest, searched, data } = await call('replace_in_briefs', {
      find: 'serumm',
      replace: 'serum',
      status: 'draft',
    });
    expect([writes, (data as readonly Row[]).length]).toEqual([[], 1]);
    // For the assistant too, only what differs.
    const [removed, added] = ['serumm', 'serum'].map(
      (word) => `Use our new ${word} <a href="https://acme.example/${word}">here</a>. `,
    );
    expect(data).toMatchObject([{ fields: { brief: { diff: [`- ${removed}`, `+ ${added}`] } } }]);
    expect(searched).toBeGreaterThanOrEqual(3);
    await call('apply_plan', { digest });
    const [, ...lines] = asked[0]?.split('\n').slice(4) ?? [];
    expect(lines).toEqual([
      '  - brief:',
      '    ```',
      '    - Use our new serumm <\\a href="https://acme.example/serumm">here<\\/a>. ',
      '    + Use our new serum <\\a href="https://acme.example/serum">here<\\/a>. ',
      '    ```',
    ]);
    expect(asked[0]).toMatch(/^- update 3 campaigns: /m);
    expect(String((await campaign(10)).brief)).toContain(
      'Number 10. Use our new serum <a href="https://acme.example/serum"',
    );
  });

  it('says that no brief has the text', async () => {
    const { call } = await assistant();
    expect(await call('replace_in_briefs', { find: 'nowhere at all', replace: 'x' })).toMatchObject({
      error: { message: 'No brief has "nowhere at all".' },
      searched: 45,
    });
  });
});

it('pauses 40 campaigns with one line of the question', async () => {
  const { call, asked } = await assistant({ approves: false });
  const { data } = await call('find', { resource: 'campaigns', status: 'active', limit: 100 });
  const ids = (data as readonly Row[]).map(({ id }) => id);
  const { digest, data: planned } = await call('plan_changes', {
    campaigns: ids.map((id) => ({ id, status: 'paused' })),
  });
  expect([(planned as readonly unknown[]).length, ids.length > 20]).toEqual([1, true]);
  await call('apply_plan', { digest });
  const lines = asked[0]?.split('\n').slice(4) ?? [];
  expect([lines.length, lines[0]]).toEqual([1, expect.stringContaining(`- pause ${ids.length} campaigns: `)]);
});

it('reads the record: what changed, a report and a trend', async () => {
  const { call } = await assistant({ env: { MKT_PROFILE: '' } });
  const { digest } = await call('plan_changes', { campaigns: [{ id: 6, status: 'paused' }] });
  await call('apply_plan', { digest });
  const changed = await call('changes', { resource: 'campaigns', id: '6', since: '2020-01-01' });
  expect(changed.data).toContainEqual(expect.objectContaining({ field: 'status', before: 'active', after: 'paused' }));
  const { data } = await call('report', { since: '2020-01-01' });
  expect(data).toMatchObject({
    organization: { id: 5 },
    currencies: expect.any(Array),
    attention_total: expect.any(Number),
  });
  expect(JSON.stringify(data).length).toBeLessThan(12_000);
  expect((await call('trend', { field: 'view_count', since: '2020-01-01' })).data).toMatchObject([
    { points: [[expect.any(String), expect.any(Number)]] },
  ]);
});

it('offers prompts for a weekly review and a launch', async () => {
  const { client } = await assistant();
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['weekly_review', 'launch']);
  const { messages } = await client.getPrompt({ name: 'launch' });
  expect(JSON.stringify(messages)).toContain('plan_changes');
});

it('has other names of tools with --name, and only those of its toolsets', async () => {
  const { client } = await assistant({ flags: ['--allow-write', '--name', 'acme', '--toolsets', 'read'] });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['acme_find', 'acme_read', 'acme_compare']);
});
