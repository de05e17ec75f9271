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
/** Answers a question by its text. */
type Person = (question: string) => boolean;
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
      client.setRequestHandler(ElicitRequestSchema, ({ params }: { params: { message: string } }) => ({
        action: 'accept',
        content: { approve: person(params.message) },
      }));
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
      client.setRequestHandler('elicitation/create', ({ params }: { params: { message: string } }) => ({
        action: 'accept',
        content: { approve: person(params.message) },
      }));
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
      client.onElicitationRequest(ElicitationRequestSchema, ({ params }: { params: { message: string } }) => ({
        action: 'accept',
        content: { approve: person(params.message) },
      }));
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

let service: Server;
beforeAll(() => {
  execFileSync(process.execPath, ['scripts/lib/installed.mjs', 'tools/agents'], { cwd: root });
});

describe.each(Object.entries(libraries))('with %s, an assistant', (_, { asks, start }) => {
  let assistant: Assistant;
  let home: string;
  let asked: string[];
  let answer: boolean;
  let before: (() => Promise<unknown>) | undefined;

  beforeAll(async () => {
    service = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
    home = mkdtempSync(join(tmpdir(), 'mkt-agents-'));
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      ...{ MKT_BASE_URL: service.url, MKT_TOKEN: demoTokens.ada_write },
      ...{ MKT_NO_KEYRING: '1', MKT_NO_INPUT: '1' },
    };
    const args = [mktFile, 'mcp', '--org', '5', '--allow-write'];
    assistant = await start({ command: process.execPath, args, env }, (question) => {
      asked.push(question);
      return answer;
    });
  });
  beforeEach(() => {
    [asked, answer, before] = [[], true, undefined];
  });
  afterAll(async () => {
    await assistant.close();
    await service.close();
    rmSync(home, { recursive: true, force: true });
  });

  const use = async (tool: string, args: Arguments): Promise<Row> => JSON.parse(await assistant.call(tool, args));
  const byHand = (...line: string[]) =>
    mkt(line, { env: { MKT_BASE_URL: service.url, MKT_TOKEN: demoTokens.ada_write, MKT_ORG: '5' } });
  const campaign = async (id: number): Promise<Row> =>
    JSON.parse((await byHand('campaigns', 'show', String(id), '--json')).stdout);
  /** Applies a plan as its result says: asks the user, or else a person runs the command. */
  async function approve(plan: Row): Promise<Row> {
    await before?.();
    if (asks) return use('apply_plan', { digest: plan.digest });
    expect(plan.next).toContain('mkt apply plan.json');
    const file = join(home, 'plan.json');
    writeFileSync(file, String(plan.file));
    const { code, stdout, stderr } = await byHand('apply', file, ...(answer ? ['--yes'] : []));
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
    answer = false;
    await approve(plan);
    expect(await campaign(4)).toMatchObject({ brief: expect.stringContaining('caption') });
  });

  const pause = (id: string): Arguments => ({ campaigns: [{ id, status: 'paused' }] });
  it.each<[attempt: string, try_: () => Promise<unknown>]>([
    [
      'refused',
      () => {
        answer = false;
        return write(pause('8'));
      },
    ],
    ['another digest', () => use('apply_plan', { digest: '0'.repeat(32) })],
    [
      'another brand than that of the session',
      async () => {
        const result = await use('plan_changes', { organization: '7', campaigns: [{ id: '46', status: 'paused' }] });
        expect(result).toHaveProperty('error');
      },
    ],
    [
      'a name that hides the rest of the question',
      async () => {
        answer = false;
        await write({ campaigns: [{ id: '8', name: 'Sun <!--', website: 'https://evil.example/-->' }] });
        if (asks) expect(asked[0]).toContain('evil.example');
      },
    ],
    [
      'what changed after it was planned',
      async () => {
        before = () => byHand('campaigns', 'update', '8', '--name', 'Changed meanwhile');
        const result = await write({ campaigns: [{ id: '8', name: 'Planned' }] });
        // The command of a person shows what it does now, and asks about that.
        if (asks) expect(result.error).toBeDefined();
        else await byHand('campaigns', 'update', '8', '--name', 'Changed meanwhile');
      },
    ],
    [
      'a plan twice',
      async () => {
        const plan = await use('plan_changes', pause('9'));
        await approve(plan);
        await byHand('campaigns', 'resume', '9', '--yes');
        if (asks) await use('apply_plan', { digest: plan.digest });
        expect(await campaign(9)).toMatchObject({ status: 'active' });
      },
    ],
  ])('does not get done: %s', async (_attempt, attempt) => {
    await attempt();
    expect(await campaign(8)).toMatchObject({
      status: 'active',
      name: expect.stringMatching(/^(Sunscreen for runners|Changed meanwhile)$/),
    });
  });
});
