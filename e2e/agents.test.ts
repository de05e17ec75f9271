import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { root } from './support/docs/blocks.js';
import { mkt, mktFile } from './support/mkt.js';

// `npm run test:long`: assistants with the client libraries that people use. What a model gets is the text of a result, so the
// tests read only that.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 600_000 });

type Row = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;
/** What a client sends for its user: also what no client should. */
interface Answer {
  readonly action: string;
  readonly content?: unknown;
}
/** Answers a question by its text. */
type Person = (question: string) => Promise<Answer>;
interface Start {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}
interface Assistant {
  /** Calls a tool, and returns the text for the model. */
  readonly call: (tool: string, args: Arguments) => Promise<string>;
  readonly close: () => Promise<unknown>;
}

const tools = join(root, 'tools/agents');
const installed = createRequire(join(tools, 'package.json'));
// Libraries of other projects, which are not in the lockfile of this one.
// biome-ignore lint/suspicious/noExplicitAny: their types are not installed here
const library = (name: string): Promise<any> => import(pathToFileURL(installed.resolve(name)).href);
const textOf = (content: unknown): string =>
  [content]
    .flat()
    .map((part) => (part as { text?: string })?.text ?? '')
    .join('');

/** How each library starts mkt and calls its tools; `asks` if a library can show a question to its user. */
const libraries = {
  'the official client 1.x': {
    asks: true,
    async start(how: Start, person: Person): Promise<Assistant> {
      const { Client } = await library('@modelcontextprotocol/sdk/client/index.js');
      const { StdioClientTransport } = await library('@modelcontextprotocol/sdk/client/stdio.js');
      const { ElicitRequestSchema } = await library('@modelcontextprotocol/sdk/types.js');
      const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
      client.setRequestHandler(ElicitRequestSchema, ({ params }: { params: { message: string } }) =>
        person(params.message),
      );
      await client.connect(new StdioClientTransport(how));
      const call = async (name: string, args: Arguments) =>
        textOf((await client.callTool({ name, arguments: args })).content);
      return { call, close: () => client.close() };
    },
  },
  'the official client 2.x': {
    asks: true,
    async start(how: Start, person: Person): Promise<Assistant> {
      const { Client } = await library('@modelcontextprotocol/client');
      const { StdioClientTransport } = await library('@modelcontextprotocol/client/stdio');
      const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
      client.setRequestHandler('elicitation/create', ({ params }: { params: { message: string } }) =>
        person(params.message),
      );
      await client.connect(new StdioClientTransport(how));
      const call = async (name: string, args: Arguments) =>
        textOf((await client.callTool({ name, arguments: args })).content);
      return { call, close: () => client.close() };
    },
  },
  'the AI SDK': {
    asks: true,
    async start(how: Start, person: Person): Promise<Assistant> {
      const { createMCPClient, ElicitationRequestSchema } = await library('@ai-sdk/mcp');
      const { StdioMCPTransport } = await library('@ai-sdk/mcp/mcp-stdio');
      const client = await createMCPClient({
        transport: new StdioMCPTransport(how),
        capabilities: { elicitation: {} },
      });
      client.onElicitationRequest(ElicitationRequestSchema, ({ params }: { params: { message: string } }) =>
        person(params.message),
      );
      const all = await client.tools();
      const call = async (name: string, input: Arguments) => {
        const output = await all[name].execute(input, { messages: [], toolCallId: '1' });
        return textOf(all[name].toModelOutput({ output, input, toolCallId: '1' }).value);
      };
      return { call, close: () => client.close() };
    },
  },
  'OpenAI Agents': {
    asks: false,
    async start(how: Start): Promise<Assistant> {
      const { MCPServerStdio } = await library('@openai/agents');
      const server = new MCPServerStdio(how);
      await server.connect();
      return { call: async (name, args) => textOf(await server.callTool(name, args)), close: () => server.close() };
    },
  },
  LangChain: {
    asks: false,
    async start(how: Start): Promise<Assistant> {
      const { MultiServerMCPClient } = await library('@langchain/mcp-adapters');
      const client = new MultiServerMCPClient({ mcpServers: { mkt: { transport: 'stdio', ...how } } });
      const all: { name: string; invoke: (args: Arguments) => Promise<unknown> }[] = await client.getTools();
      const call = async (name: string, args: Arguments) => {
        // It throws an error with the text of a result that is an error.
        const result = await all
          .find((tool) => tool.name === name)
          ?.invoke(args)
          .catch(({ message }: Error) => /\{.*\}/s.exec(message)?.[0]);
        return typeof result === 'string' ? result : textOf(result);
      };
      return { call, close: () => client.close() };
    },
  },
};

const yes: Answer = { action: 'accept', content: { approve: true } };
const no: Answer = { action: 'accept', content: { approve: false } };
const pause = (id: string): Arguments => ({ campaigns: [{ id, status: 'paused' }] });

/** Texts that hide a change, or look like another one, and what the person has to see: in the question, or of `mkt apply`. */
const hostile: Readonly<Record<string, readonly [fields: Arguments, shown: string]>> = {
  'what a comment of HTML would hide': [{ name: 'Sun <!--', website: 'https://evil.example/-->' }, 'evil.example'],
  'elements of HTML': [{ name: '</code></pre><button>Approve nothing</button>' }, 'Approve nothing'],
  'the end of code in Markdown': [{ name: 'Sun`"** approved `"' }, '** approved'],
  'links and images of Markdown': [{ name: '![x](http://evil.example/x.png)' }, '![x](http://evil.example/x.png)'],
  'a line that looks like another change': [{ name: 'Sun\n\n- pause campaign 1' }, 'Sun\\n\\n- pause campaign 1'],
  'a table in a name': [{ name: '| a |\n|---|\n| b |' }, '| a |\\n|---|\\n| b |'],
  'another question': [
    { name: 'Nothing to do. Make these changes?\r\n Yes' },
    'Nothing to do. Make these changes?\\r\\n Yes',
  ],
  'escape sequences of a terminal': [{ name: '\u001b[2J\u001b[1;1HNothing' }, '\\u001b[2J\\u001b[1;1HNothing'],
  'a change of direction': [{ name: 'Sun \u202egpj.exe' }, '\\u202egpj.exe'],
  'characters without width': [{ name: 'Sunscreen\u200b for runners' }, 'Sunscreen\\u200b for runners'],
  'characters of tags': [{ name: 'Sun \u{e0041}\u{e0042}' }, '\\u{e0041}\\u{e0042}'],
  'runs of spaces': [{ name: `Sun${' '.repeat(80)}evil` }, '\\u0020evil'],
  'accents that cover other lines': [{ name: `Z${'\u0301'.repeat(40)}` }, '\\u0301\\u0301'],
  'a host with a letter of another alphabet': [{ website: 'https://ac\u043ce.example' }, 'https://ac\\u043ce.example'],
  'a letter of another alphabet in a word': [{ name: 'Sunscr\u0435en for runners' }, 'Sunscr\\u0435en for runners'],
  'the target of a link': [{ brief: '<p>Write to <a href="mailto:me@evil.example">us</a>.</p>' }, 'me@evil.example'],
  'the end of a long brief': [{ brief: `${'<p>Say what you like.</p>'.repeat(400)}<p>Pay to evil</p>` }, 'Pay to evil'],
};

/** Answers that are not a yes. A client that cannot ask gets the same result. */
const answers: Readonly<Record<string, Answer>> = {
  'a no': no,
  'a refusal': { action: 'decline' },
  'a cancelled question': { action: 'cancel' },
  'a yes without content': { action: 'accept' },
  'a yes with an empty form': { action: 'accept', content: {} },
  'a yes as a text': { action: 'accept', content: { approve: 'true' } },
  'a yes as a number': { action: 'accept', content: { approve: 1 } },
  'a yes to another field': { action: 'accept', content: { approved: true } },
};

let service: Server;
beforeAll(() => {
  execFileSync(process.execPath, ['scripts/lib/installed.mjs', 'tools/agents'], { cwd: root });
});

describe.each(Object.entries(libraries))('with %s, an assistant', (_, { asks, start }) => {
  let assistant: Assistant;
  let home: string;
  let asked: string[];
  let answer: Answer;
  /** What happens while the person reads. */
  let meanwhile: (() => Promise<unknown>) | undefined;

  beforeAll(async () => {
    service = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
    home = mkdtempSync(join(tmpdir(), 'mkt-agents-'));
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      ...{ MKT_BASE_URL: service.url, MKT_TOKEN: demoTokens.ada_write },
      ...{ MKT_NO_KEYRING: '1', MKT_NO_INPUT: '1', MKT_HISTORY: history() },
    };
    const args = [mktFile, 'mcp', '--org', '5', '--allow-write'];
    assistant = await start({ command: process.execPath, args, env }, async (question) => {
      asked.push(question);
      await meanwhile?.();
      return answer;
    });
  });
  beforeEach(() => {
    [asked, answer, meanwhile] = [[], yes, undefined];
  });
  afterAll(async () => {
    await assistant.close();
    await service.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** The record of what the assistant and the person change. */
  const history = (): string => join(home, 'history.db');
  const use = async (tool: string, args: Arguments): Promise<Row> => JSON.parse(await assistant.call(tool, args));
  const byHand = (...line: string[]) =>
    mkt(line, {
      env: { MKT_HISTORY: history(), MKT_BASE_URL: service.url, MKT_TOKEN: demoTokens.ada_write, MKT_ORG: '5' },
    });
  const campaign = async (id: number): Promise<Row> =>
    JSON.parse((await byHand('campaigns', 'show', String(id), '--json')).stdout);
  /** Applies a plan as its result says: asks the user, or else a person runs the command. */
  async function approve(plan: Row): Promise<Row> {
    if (asks) return use('apply_plan', { digest: plan.digest });
    expect(plan.next).toContain('mkt apply plan.json');
    const file = join(home, 'plan.json');
    writeFileSync(file, String(plan.file));
    const { code, stdout, stderr } = await byHand('apply', file, ...(answer === yes ? ['--yes'] : []));
    return { code, stdout, stderr };
  }
  const write = async (plan: Arguments): Promise<Row> => approve(await use('plan_changes', plan));

  it.each<[task: string, tool: string, args: Arguments, expected: unknown]>([
    [
      'the paused campaigns',
      'find',
      { resource: 'campaigns', status: 'paused', fields: ['id'] },
      { total: 3, data: [{ id: 4 }, { id: 14 }, { id: 24 }] },
    ],
    ['the organization', 'find', { resource: 'organizations' }, { data: [{ id: 5, name: 'Acme Cosmetics' }] }],
    [
      'the campaign with most views',
      'find',
      { resource: 'campaigns', sort: '-view_count', limit: 1 },
      { data: [{ id: 41, view_count: 1_110_000 }] },
    ],
    [
      'a brief by the name of its campaign',
      'read',
      { resource: 'campaigns', id: 'Lip tint shade finder' },
      { data: { id: 4, brief: expect.stringContaining('<p>') } },
    ],
    [
      'the unused budgets',
      'compare',
      { resource: 'campaigns', status: 'active', limit: 1 },
      { totals: { usd: { unused_amount: 4_626_500 } } },
    ],
    ['the members', 'find', { resource: 'members' }, { total: 3, data: [{ role: 'admin' }, {}, {}] }],
    ['a report', 'report', { since: '30d' }, { summary: 'Report', currencies: expect.any(Array) }],
  ])('gets %s as text', async (_task, tool, args, expected) => {
    const text = await assistant.call(tool, args);
    const found = JSON.parse(text);
    expect(tool === 'report' ? { ...found, ...found.data } : found).toMatchObject(expected as object);
    expect(text).not.toContain('@acme.example');
  });

  it('pauses a campaign after a person has approved it', async () => {
    await write({ campaigns: [{ id: '6', status: 'paused' }] });
    expect(await campaign(6)).toMatchObject({ status: 'paused' });
    expect(asked).toEqual(asks ? [expect.stringContaining('- pause campaign 6')] : []);
  });
  it('creates and publishes a campaign, and shows what that fixes', async () => {
    const plan = await use('plan_changes', {
      campaigns: [{ name: 'Quiet morning', countries: ['US'], cpm_amount: 700, status: 'active' }],
    });
    expect(JSON.stringify(plan)).toContain('700');
    await approve(plan);
    expect((await byHand('campaigns', 'list', '--name', 'Quiet morning', '--jq', '.[].status')).stdout).toBe(
      'active\n',
    );
    if (asks) expect(asked[0]).toMatch(/cpm_amount.*700/);
  });
  it('replaces a text in briefs only if the person approves', async () => {
    const plan = await use('replace_in_briefs', { find: 'caption', replace: 'description' });
    expect(Number((plan.data as Row[] | undefined)?.length)).toBeGreaterThan(0);
    answer = no;
    await approve(plan);
    expect(await campaign(4)).toMatchObject({ brief: expect.stringContaining('caption') });
  });

  it('takes back what was just done', async () => {
    await write(pause('17'));
    const { undoes, digest, next } = await use('undo', {});
    if (asks) expect(await use('apply_plan', { digest })).toMatchObject({ applied: 1 });
    else expect([next, digest]).toEqual([expect.stringContaining(`mkt undo ${undoes}`), expect.any(String)]);
    expect(await campaign(17)).toMatchObject({ status: asks ? 'active' : 'paused' });
  });

  it('is thirty attempts or more', () =>
    expect(
      Object.keys(hostile).length + Object.keys(answers).length + Object.keys(attempts).length,
    ).toBeGreaterThanOrEqual(30));

  it.each(Object.entries(hostile))('shows the person %s', async (_, [fields, shown]) => {
    answer = no;
    const before = await campaign(8);
    const plan = await use('plan_changes', { campaigns: [{ id: '8', ...fields }] });
    const { stdout } = await approve(plan);
    expect(asks ? asked[0] : stdout).toContain(shown);
    expect(await campaign(8)).toEqual(before);
  });

  it.each(Object.entries(answers))('does nothing after %s', async (_, given) => {
    answer = given;
    const { digest } = await use('plan_changes', pause('8'));
    expect((await use('apply_plan', { digest })).error).toBeDefined();
    expect(asked.length > 0).toBe(asks);
    expect(await campaign(8)).toMatchObject({ status: 'active' });
  });

  const rename = (id: number, name: string) => byHand('campaigns', 'update', String(id), '--name', name);
  const attempts: Readonly<Record<string, () => Promise<unknown>>> = {
    'another digest': () => use('apply_plan', { digest: '0'.repeat(32) }),
    'the begin of a digest': async () => {
      const { digest } = await use('plan_changes', pause('8'));
      expect((await use('apply_plan', { digest: String(digest).slice(0, 8) })).error).toBeDefined();
    },
    'a refused plan, with a later yes': async () => {
      answer = no;
      const { digest } = await use('plan_changes', pause('8'));
      await use('apply_plan', { digest });
      answer = yes;
      expect((await use('apply_plan', { digest })).error).toBeDefined();
    },
    'what changed before the question': async () => {
      const { digest } = await use('plan_changes', { campaigns: [{ id: '11', name: 'Planned' }] });
      await rename(11, 'Changed before');
      expect((await use('apply_plan', { digest })).error).toBeDefined();
      expect(await campaign(11)).toMatchObject({ name: 'Changed before' });
    },
    'what changed while the question was open': async () => {
      const { digest } = await use('plan_changes', { campaigns: [{ id: '12', name: 'Planned' }] });
      meanwhile = () => rename(12, 'Changed during');
      expect((await use('apply_plan', { digest })).error).toBeDefined();
      expect(await campaign(12)).toMatchObject({
        name: asks ? 'Changed during' : 'Cr\u00e8me de nuit: avant et apr\u00e8s',
      });
    },
    'the older one of two plans, after the newer one': async () => {
      const [older, newer] = [
        await use('plan_changes', { campaigns: [{ id: '13', name: 'Older' }] }),
        await use('plan_changes', { campaigns: [{ id: '13', name: 'Newer' }] }),
      ];
      await approve(newer);
      expect((await use('apply_plan', { digest: older.digest })).error).toBeDefined();
      expect(await campaign(13)).toMatchObject({ name: 'Newer' });
    },
    'another plan that is made while the question is open': async () => {
      const { digest } = await use('plan_changes', { campaigns: [{ id: '16', name: 'Shown' }] });
      meanwhile = () => use('plan_changes', { campaigns: [{ id: '16', name: 'Not shown' }] });
      await use('apply_plan', { digest });
      expect(asked).toHaveLength(asks ? 1 : 0);
      expect(await campaign(16)).toMatchObject({ name: asks ? 'Shown' : 'Barbershop beard oil' });
    },
    'a plan twice': async () => {
      const plan = await use('plan_changes', pause('9'));
      await approve(plan);
      await byHand('campaigns', 'resume', '9', '--yes');
      await use('apply_plan', { digest: plan.digest });
      expect(await campaign(9)).toMatchObject({ status: 'active' });
    },
    'a plan twice at the same time': async () => {
      const { digest } = await use('plan_changes', { campaigns: [{ id: '18', name: 'Once' }] });
      const results = await Promise.all([1, 2].map(() => use('apply_plan', { digest })));
      // Since 2026-07-28, a second question replaces the first.
      const done = results.filter(({ applied, earlier }) => applied === 1 && earlier === undefined);
      expect(done).toHaveLength(asks ? 1 : 0);
    },
    'another brand than that of the session': async () => {
      const result = await use('plan_changes', { organization: '7', campaigns: [{ name: 'Elsewhere' }] });
      expect(result).toHaveProperty('error');
    },
    'what waits for the marketplace': async () => {
      const result = await use('plan_changes', { collabs: [{ id: '2', state: 'published' }] });
      expect(result).toMatchObject({ summary: 'Not done yet', waiting: [{ id: 2 }] });
      expect(result).not.toHaveProperty('digest');
    },
  };
  it.each(Object.entries(attempts))('does not do %s', async (_, attempt) => {
    await attempt();
    expect(await campaign(8)).toMatchObject({ status: 'active', name: 'Sunscreen for runners' });
  });
});
