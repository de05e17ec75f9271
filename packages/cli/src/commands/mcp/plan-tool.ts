import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { fieldFlags } from '../../api/field-flags.js';
import { mayWrite } from '../../api/token-permission.js';
import type { SchemaName } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import type { Flag } from '../../context/flags.js';
import { type Kind, kinds } from '../../declarations/kinds.js';
import { BY_HAND, type Proposals } from './apply-tool.js';
import { canAsk } from './approval.js';
import { hasPerson } from './approval-page.js';
import type { JsonSchema } from './arguments.js';
import { dataOf, type Plan, planOf } from './plan.js';
import { MAX_QUESTION } from './question.js';
import { cut, failure, type Row, result } from './result.js';
import { registerTool } from './tool.js';

/** A person has to read every change before approving a plan. */
const MAX_CHANGES = 30;

const types: Partial<Readonly<Record<Flag['kind'], JsonSchema>>> = {
  list: { type: 'array', items: { type: 'string' } },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  switch: { type: 'boolean' },
};

/** The fields of a request of the contract. */
const fieldsOf = (schema: SchemaName): Record<string, JsonSchema> =>
  Object.fromEntries(
    fieldFlags({ schema, wrapper: '', partial: true }).map(({ field = '', kind, clearable, choices }) => [
      field,
      types[kind] ?? {
        type: clearable === true ? ['string', 'null'] : 'string',
        ...(choices !== undefined && { enum: choices }),
      },
    ]),
  );

const id: JsonSchema = { type: ['string', 'integer'] };

const draftItems = (schema: SchemaName, { states }: Kind): JsonSchema => ({
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id,
      ...fieldsOf(schema),
      [states.field]: { type: 'string', enum: states.names },
      delete: { type: 'boolean' },
    },
  },
});

interface PlanArguments extends Row {
  readonly organization?: string | number;
}

/** The result for a plan that cannot be approved; undefined if it can. */
function problemOf(plan: Plan): CallToolResult | undefined {
  const { changes, rejected, question } = plan;
  const data = { data: cut(dataOf(plan)) };
  if (rejected > 0) {
    const message = `${rejected} of ${changes.length} changes would be rejected, so the user was not asked. Correct the plan, then call plan_changes again.`;
    return failure({ message }, data);
  }
  const bytes = Buffer.byteLength(question);
  if (bytes <= MAX_QUESTION) return undefined;
  const message = `The text to approve would have ${bytes} bytes, more than ${MAX_QUESTION}. Split the plan into several.`;
  return failure({ message, ...(changes.length === 1 && { next: [BY_HAND], file: plan.file }) });
}

/** How the plan can be applied with this client. */
function nextOf(
  server: McpServer,
  context: Context,
  allowWrite: boolean,
  request: ServerContext,
  { digest, file }: Plan,
): Row {
  if (!allowWrite) return { next: `${BY_HAND} (mkt mcp was started without --allow-write)`, file };
  if (canAsk(server, request)) return { digest, next: 'apply_plan with this digest asks the user to approve' };
  if (hasPerson(context))
    return { digest, next: 'apply_plan with this digest asks the user on a page of this machine' };
  return { digest, next: `${BY_HAND} (this client cannot ask its user)`, file };
}

/** Plans, which change nothing. */
export function registerPlanChanges(
  server: McpServer,
  context: Context,
  { allowWrite, proposals }: { readonly allowWrite: boolean; readonly proposals: Proposals },
): void {
  let isWritable = false;
  /** A token that may write keeps doing so; a read-only one may be replaced while this runs. */
  const isKnownReadOnly = async (signal: AbortSignal): Promise<boolean> => {
    const found = isWritable || (await mayWrite(await context.client(), signal));
    isWritable = found === true;
    return found === false;
  };
  registerTool<PlanArguments>(server, 'plan_changes', {
    title: 'Plan changes',
    description:
      'Plan up to 30 changes and rehearse them on a copy; nothing is changed. An item has an id, or else a name (created if there is none), and what it should have; only drafts are deleted. Tokens, organizations, images and removing members: not here, a person runs mkt. Returns the effects and a digest.',
    properties: {
      organization: id,
      campaigns: draftItems('campaignChanges', kinds.campaigns),
      collabs: draftItems('collabFields', kinds.collabs),
      members: { type: 'array', items: { type: 'object', properties: { id, ...fieldsOf('membershipChanges') } } },
      address: { type: 'object', properties: fieldsOf('addressFields') },
    },
    // The contract has better messages about them.
    unchecked: ['campaigns', 'collabs', 'members', 'address'],
    output: { digest: { type: 'string' }, next: { type: 'string' } },
    run: async (args, request) => {
      const organization = args.organization ?? context.options.org;
      const plan = await planOf(context, { ...args, ...(organization !== undefined && { organization }) }, MAX_CHANGES);
      const { changes, notRehearsed, organization: place } = plan;
      const about = { organization: place, ...(notRehearsed !== undefined && { not_rehearsed: notRehearsed }) };
      if (changes.length === 0)
        return result('Nothing to change', [], {
          ...about,
          next: 'Everything is as described, so there is nothing to apply',
        });
      const problem = problemOf(plan);
      if (problem !== undefined)
        return { ...problem, structuredContent: { ...about, ...(problem.structuredContent as Row) } };
      const isReadOnly = allowWrite && (await isKnownReadOnly(request.mcpReq.signal));
      if (allowWrite && !isReadOnly) proposals.add(context, plan);
      const summary = changes.length === 1 ? '1 change' : `${changes.length} changes`;
      const next = isReadOnly
        ? { next: 'This token is read-only: a person starts mkt mcp with one that has write permission' }
        : nextOf(server, context, allowWrite, request, plan);
      return result(summary, cut(dataOf(plan)), { ...about, ...next });
    },
  });
}
