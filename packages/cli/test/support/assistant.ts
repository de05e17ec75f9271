import { Client, type RequestOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll } from 'vitest';
import { temporaryFolder } from './run-cli.js';
import { tokens } from './service.js';
import { bundle } from './spawn-cli.js';

export type Row = Readonly<Record<string, unknown>>;
export interface ToolResult {
  readonly data: never;
  readonly error?: {
    readonly message: string;
    readonly next?: unknown;
    readonly file?: string;
    readonly [key: string]: unknown;
  };
  readonly [key: string]: unknown;
}

/** What the user answers: an answer to each question, or that of a function, which may do something first. */
type Answers = boolean | 'cancels' | 'blank' | 'empty' | 'none' | ((question: string) => Promise<boolean> | boolean);

export interface Options {
  readonly token?: string;
  readonly url?: string;
  readonly flags?: readonly string[];
  /** By default 5; `none` for a session that is not confined to one. */
  readonly org?: string;
  readonly revision?: '2025-03-26' | '2025-11-25' | '2026-07-28';
  /** The user's answer to a form; `none` for a client that cannot ask. */
  readonly approves?: Answers;
  readonly env?: Readonly<Record<string, string>>;
  /** The modes in which the client says that it can ask. */
  readonly elicitation?: { readonly form?: object; readonly url?: object };
}

export interface Assistant {
  readonly client: Client;
  /** What the user was asked. */
  readonly asked: readonly string[];
  /** Characters of the results so far, as a model gets them. */
  readonly received: () => number;
  readonly calls: () => number;
  readonly stderr: () => string;
  /** The home of its process, with the history. */
  readonly home: string;
  readonly call: (name: string, args: Row, options?: RequestOptions) => Promise<ToolResult>;
}

/** A process of `mkt mcp` and its user, for all tests that start it in the same way. */
interface Session {
  readonly client: Client;
  readonly home: string;
  readonly stderr: () => string;
  approves: Answers;
  asked: string[];
}

type Started = Required<Omit<Options, 'approves' | 'elicitation' | 'org'>> & {
  readonly elicitation: Options['elicitation'] | undefined;
  readonly org: string | undefined;
};

async function connected({ token, url, flags, org, revision, env, elicitation }: Started, homes: (() => void)[]) {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: elicitation === undefined ? {} : { elicitation: elicitation as { form?: Record<string, never> } },
      ...(revision === '2025-03-26' && { supportedProtocolVersions: [revision] }),
      ...(revision === '2026-07-28' && { versionNegotiation: { mode: 'auto' as const } }),
    },
  );
  let errors = '';
  const home = temporaryFolder((clean) => homes.push(clean));
  const session: Session = { client, home, approves: true, asked: [], stderr: () => errors };
  if (elicitation !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      session.asked.push(params.message);
      const { approves } = session;
      if (approves === 'cancels') return { action: 'cancel' as const };
      if (approves === 'blank') return { action: 'accept' as const };
      if (approves === 'empty') return { action: 'accept' as const, content: {} };
      const approve = typeof approves === 'function' ? await approves(params.message) : approves === true;
      return { action: 'accept' as const, content: { approve } };
    });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bundle, 'mcp', ...(org === undefined ? [] : ['--org', org]), ...flags],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      MKT_NO_KEYRING: '1',
      MKT_BASE_URL: url,
      MKT_TOKEN: token,
      ...env,
    },
    cwd: home,
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (part: Buffer) => {
    errors += part.toString();
  });
  await client.connect(transport);
  return session;
}

/** The official client, connected to `mkt mcp` over stdio: one process for all tests of a file that start it equally. */
export function assistants(serviceUrl: () => string) {
  const sessions = new Map<string, Promise<Session>>();
  const homes: (() => void)[] = [];
  afterAll(async () => {
    for (const session of sessions.values()) await (await session).client.close();
    for (const clean of homes) clean();
  });
  return async ({
    token = tokens.ada_write,
    url = serviceUrl(),
    flags = ['--allow-write'],
    revision = '2025-11-25',
    approves = true,
    env = {},
    org = '5',
    elicitation = approves === 'none' ? undefined : { form: {} },
  }: Options = {}): Promise<Assistant> => {
    const started = { token, url, flags, org: org === 'none' ? undefined : org, revision, env, elicitation };
    const key = JSON.stringify(started);
    if (!sessions.has(key)) sessions.set(key, connected(started, homes));
    const session = (await sessions.get(key)) as Session;
    const { client, stderr, home } = session;
    const asked: string[] = [];
    Object.assign(session, { approves, asked });
    let [length, calls] = [0, 0];
    return {
      client,
      asked,
      stderr,
      home,
      received: () => length,
      calls: () => calls,
      call: async (name, args, options) => {
        calls += 1;
        const { structuredContent, content } = await client.callTool({ name, arguments: args }, options);
        // A client hands one of the two to its model.
        const [{ text = '' } = {}] = content as readonly { readonly text?: string }[];
        length += Math.max(text.length, JSON.stringify(structuredContent ?? '').length);
        return (structuredContent ?? { error: { message: JSON.stringify(content) } }) as unknown as ToolResult;
      },
    };
  };
}
