import { Transform, Writable } from 'node:stream';
import { version } from '../../../package.json';
import type { Context } from '../../context/context.js';
import { escapeUnsafe } from '../../text/values.js';
import { registerHistoryTools } from './history-tools.js';
import { Proposals } from './proposals.js';
import { McpServer, StdioServerTransport, serveStdio } from './protocol.js';
import { registerReadTools } from './read-tools.js';
import type { ServerOptions } from './server-options.js';
import { Session } from './session.js';
import { registerWriteTools } from './write-tools.js';

const INSTRUCTIONS =
  'mkt manages campaigns and collabs of brands. Read with find, read and compare; what happened is in changes, report and trend. To change something, call plan_changes, or undo, and show the changes to the user. Amounts are integers in the unit of the service.';

const prompts: Readonly<Record<string, readonly [title: string, text: string]>> = {
  weekly_review: [
    'Weekly review',
    'Review the last 7 days with the tools of mkt: report, then changes made elsewhere, then the campaigns whose budgets run out first. Say in a few lines what needs a decision, with ids and amounts, and plan nothing before I answer.',
  ],
  launch: [
    'Launch a campaign',
    'Help me to launch a campaign with the tools of mkt. Ask me for its name, countries, platforms, payouts and brief, look at a similar one with find and read, then plan it with plan_changes as a draft. Show me what a publication would fix before you plan that.',
  ],
};

function registerPrompts(server: McpServer): void {
  for (const [name, [title, text]] of Object.entries(prompts))
    server.registerPrompt(name, { title }, () => ({ messages: [{ role: 'user', content: { type: 'text', text } }] }));
}

function makeServer(session: Session, { name, toolsets, allowWrite }: ServerOptions): McpServer {
  const server = new McpServer(
    { name: name ?? 'mkt', title: 'mkt: Brand and Creator Marketplace', version },
    { instructions: INSTRUCTIONS },
  );
  const proposals = new Proposals(session);
  const tools = { server, session, prefix: name === undefined ? '' : `${name}_` };
  const has = (toolset: string): boolean => toolsets.includes(toolset);
  if (has('read')) registerReadTools(tools);
  if (has('history')) registerHistoryTools(tools);
  if (has('write')) registerWriteTools(tools, { allowWrite, proposals });
  registerPrompts(server);
  const { onclose } = server.server;
  server.server.onclose = () => {
    onclose?.();
    proposals.close();
  };
  return server;
}

/** Removes a byte order mark: the library would ignore the first message. */
function withoutByteOrderMark(): Transform {
  const decoder = new TextDecoder();
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, decoder.decode(chunk, { stream: true })),
  });
}

/** Escapes what some readers of lines take for the end of one: the library writes it as it is. */
const escaping = (stream: Writable): Writable =>
  new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => void stream.write(escapeUnsafe(text), done),
  });

/** Serves the protocol until stdin ends or the process is interrupted. */
export async function serveMcp(context: Context, options: ServerOptions): Promise<void> {
  const { stdin, stdout, interrupted } = context.io;
  const input = stdin.stream.pipe(withoutByteOrderMark());
  stdin.stream.once('close', () => input.end());
  const transport = new StdioServerTransport(input, escaping(stdout.stream));
  const session = new Session(context);
  // Bound from now on. Without a sign-in, each tool says so, until there is one.
  session.open().catch(() => undefined);
  const handle = serveStdio(() => makeServer(session, options), { transport });
  await new Promise<void>((resolve) => {
    input.once('end', resolve).once('close', resolve);
    if (interrupted.aborted) resolve();
    interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  await handle.close();
}
