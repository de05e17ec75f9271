import { version } from '../../../package.json';
import { registerApplyPlan } from './apply-tool.js';
import type { ServerOptions } from './clients.js';
import { registerPlanChanges } from './plan-tool.js';
import { Proposals } from './proposals.js';
import { McpServer } from './protocol.js';
import { registerReadTools } from './read-tools.js';
import type { Session } from './session.js';

const INSTRUCTIONS =
  'mkt manages campaigns and collabs of brands. Read with find, read and compare. To change something, call plan_changes and show the changes to the user. Amounts are integers in the unit of the service.';

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
  if (has('write')) registerPlanChanges(tools, { allowWrite, proposals });
  if (has('write') && allowWrite) registerApplyPlan(tools, proposals);
  const { onclose } = server.server;
  server.server.onclose = () => {
    onclose?.();
    proposals.close();
  };
  return server;
}
