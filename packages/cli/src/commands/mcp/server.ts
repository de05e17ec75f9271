import { version } from '../../../package.json';
import { registerApplyPlan } from './apply-tool.js';
import type { ServerOptions } from './clients.js';
import { registerHistoryTools } from './history-tools.js';
import { registerPlanChanges } from './plan-tool.js';
import { Proposals } from './proposals.js';
import { McpServer } from './protocol.js';
import { registerReadTools } from './read-tools.js';
import { registerReplaceInBriefs } from './replace-tool.js';
import type { Session } from './session.js';
import { registerUndo } from './undo-tool.js';

const INSTRUCTIONS =
  'mkt manages campaigns and collabs of brands. Read with find, read and compare; what happened is in changes, report and trend. To change something, call plan_changes, or undo, and show the changes to the user. Amounts are integers in the unit of the service.';

/** Questions that people have again and again. */
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

/** A server of the protocol with its tools. */
export function makeServer(session: Session, { name, toolsets, allowWrite }: ServerOptions): McpServer {
  const server = new McpServer(
    { name: name ?? 'mkt', title: 'mkt: Brand and Creator Marketplace', version },
    { instructions: INSTRUCTIONS },
  );
  const proposals = new Proposals(session);
  const tools = { server, session, prefix: name === undefined ? '' : `${name}_` };
  const has = (toolset: string): boolean => toolsets.includes(toolset);
  if (has('read')) registerReadTools(tools);
  if (has('history')) registerHistoryTools(tools);
  if (has('write')) {
    registerPlanChanges(tools, { allowWrite, proposals });
    registerReplaceInBriefs(tools, { allowWrite, proposals });
    registerUndo(tools, { allowWrite, proposals });
  }
  if (has('write') && allowWrite) registerApplyPlan(tools, proposals);
  registerPrompts(server);
  const { onclose } = server.server;
  server.server.onclose = () => {
    onclose?.();
    proposals.close();
  };
  return server;
}
