import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { fieldFlags } from '../../api/field-flags.js';
import { tokenPermission } from '../../api/token-permission.js';
import type { SchemaName } from '../../context/command.js';
import type { Flag } from '../../context/flags.js';
import { type Kind, kinds } from '../../declarations/kinds.js';
import { countText } from '../../history/changes.js';
import { canAsk } from './approval.js';
import { hasPerson } from './approval-page.js';
import type { JsonSchema } from './arguments.js';
import { dataOf, MAX_DIFFERENT, nameData, type Plan, placeOf, planOf, WAITS } from './plan.js';
import type { Proposals } from './proposals.js';
import { MAX_QUESTION } from './question.js';
import { cut, failure, type Row, result } from './result.js';
import type { Bound } from './session.js';
import { registerTool, type Toolbox } from './tool.js';

const types: Partial<Readonly<Record<Flag['kind'], JsonSchema>>> = {
  list: { type: 'array', items: { type: 'string' } },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  switch: { type: 'boolean' },
};

/** The fields of a request of the contract. */
const fieldsOf = (schema: SchemaName): Record<string, JsonSchema> =>
  Object.fromEntries(
    fieldFlags({ schema, wrapper: '', partial: true }).map(({ field = '', kind, choices }) => [
      field,
      types[kind] ?? { type: 'string', ...(choices !== undefined && { enum: choices }) },
    ]),
  );

const text: JsonSchema = { type: 'string' };

const draftItems = (schema: SchemaName, { states }: Kind): JsonSchema => ({
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id: text,
      ...fieldsOf(schema),
      [states.field]: { type: 'string', enum: states.names },
      create: { type: 'boolean' },
      delete: { type: 'boolean' },
    },
  },
});

/** What the tools that plan share. */
export interface Planning {
  readonly allowWrite: boolean;
  readonly proposals: Proposals;
}

/** The error for a plan that cannot be approved; undefined if it can. */
function problemOf(plan: Plan, { proposals }: Planning, about: Row): CallToolResult | undefined {
  const { changes, rejected, question } = plan;
  const data = { ...about, data: cut(dataOf(plan)) };
  if (rejected > 0) {
    const message = `${rejected} of ${changes.length} changes would be rejected, so the user was not asked. Correct the plan, then call plan_changes again.`;
    return failure({ message }, data);
  }
  if (proposals.isUnwanted(plan))
    return failure({
      message: 'The user has refused these changes three times: they do not want them. Do not ask again.',
    });
  const bytes = Buffer.byteLength(question);
  if (bytes <= MAX_QUESTION) return undefined;
  const message = `The text to approve would have ${bytes} bytes, more than ${MAX_QUESTION}. Split the plan into several.`;
  return failure({ message, ...(changes.length === 1 && { next: [plan.byHand], file: plan.file }) }, data);
}

/** How the plan can be applied with this client and token. */
async function nextOf(
  server: McpServer,
  { context }: Bound,
  { allowWrite }: Planning,
  request: ServerContext,
  { digest, byHand, file }: Plan,
): Promise<Row> {
  if (!allowWrite) return { next: `${byHand} (mkt mcp was started without --allow-write)`, file };
  if ((await tokenPermission(await context.client(), request.mcpReq.signal)) === 'read')
    return { next: 'This token is read-only: a person starts mkt mcp with one that has write permission' };
  if (canAsk(server, request)) return { digest, next: 'apply_plan with this digest asks the user to approve' };
  if (hasPerson(context))
    return { digest, next: 'apply_plan with this digest asks the user on a page of this machine' };
  return { digest, next: `${byHand} (this client cannot ask its user)`, file };
}

/** The result of a tool that plans. */
export async function planResult(
  { server }: Toolbox,
  bound: Bound,
  planning: Planning,
  request: ServerContext,
  plan: Plan,
  more: Row = {},
): Promise<CallToolResult> {
  const { changes, notRehearsed, notes, waiting } = plan;
  const about = {
    ...placeOf(plan),
    ...(notes.length > 0 && { notes }),
    ...(notRehearsed !== undefined && { not_rehearsed: notRehearsed }),
    ...(waiting.length > 0 && { waiting: waiting.map((change) => ({ ...nameData(change), state: WAITS })) }),
    ...more,
  };
  if (changes.length === 0)
    return waiting.length === 0
      ? result('Nothing to change', [], { ...about, next: 'Everything is as described, so there is nothing to apply' })
      : result('Not done yet', [], { ...about, next: `There is nothing to apply: the rest ${WAITS}` });
  const problem = problemOf(plan, planning, about);
  if (problem !== undefined) return problem;
  const next = await nextOf(server, bound, planning, request, plan);
  if ('digest' in next) planning.proposals.add(plan);
  return result(countText(changes.length), cut(dataOf(plan)), { ...about, ...next });
}

/** Plans, which change nothing. */
export function registerPlanChanges(tools: Toolbox, planning: Planning): void {
  registerTool<Row>(tools, 'plan_changes', {
    title: 'Plan changes',
    description: `Plan changes and rehearse them on a copy; nothing is changed. At most ${MAX_DIFFERENT} different ones; equal ones count once. An item has an id, or else a name (created if there is none), and what it should have; null clears a field; only drafts are deleted. Tokens, organizations, images and removing members: not here, a person runs mkt. Returns the effects and a digest.`,
    properties: {
      organization: text,
      campaigns: draftItems('campaignChanges', kinds.campaigns),
      collabs: draftItems('collabFields', kinds.collabs),
      members: { type: 'array', items: { type: 'object', properties: { id: text, ...fieldsOf('membershipChanges') } } },
      address: { type: 'object', properties: fieldsOf('addressFields') },
    },
    // The contract has better messages about them.
    unchecked: ['campaigns', 'collabs', 'members', 'address'],
    run: async (args, bound, request) => planResult(tools, bound, planning, request, await planOf(bound, args)),
  });
}
