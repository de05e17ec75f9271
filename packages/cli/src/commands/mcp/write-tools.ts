import type { Marketplace } from '@mkt/sdk';
import { fieldsOfKind } from '@mkt/sdk/contract/resources';
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { fieldFlags } from '../../api/field-flags.js';
import { inParallel } from '../../changes/outcomes.js';
import type { SchemaName } from '../../context/command.js';
import type { Flag } from '../../context/flags.js';
import { declarationOf } from '../../declarations/declaration.js';
import { type Kind, kinds } from '../../declarations/kinds.js';
import { readRow } from '../../declarations/plan.js';
import { failure as commandError } from '../../errors/cli-error.js';
import { countText } from '../../history/changes.js';
import { withHistory } from '../../history/database.js';
import { escapeHtml } from '../../text/html-text.js';
import { valueAt } from '../../text/values.js';
import { isDue, leftBehind, planUndo, recordUndo, type Undoing } from '../../undo/undo.js';
import { canAsk } from './approval.js';
import { hasPerson } from './approval-page.js';
import {
  dataOf,
  MAX_DIFFERENT,
  nameData,
  type Plan,
  placed,
  placeOf,
  planChanges,
  planFor,
  planOf,
  targetIn,
  WAITS,
} from './plan.js';
import type { Proposals } from './proposals.js';
import { MAX_QUESTION } from './question.js';
import { listRows, organization, status, type Texts } from './read-tools.js';
import { cut, failure, type Row, result } from './result.js';
import type { Bound } from './session.js';
import { type JsonSchema, registerTool, type Toolbox } from './tool.js';

const types: Partial<Readonly<Record<Flag['kind'], JsonSchema>>> = {
  list: { type: 'array', items: { type: 'string' } },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  switch: { type: 'boolean' },
};

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

interface Planning {
  readonly allowWrite: boolean;
  readonly proposals: Proposals;
}

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

/**
 * What the token in use may do; undefined if that is not known. The API does not say which of the user's tokens is used, so it
 * is known only if all of them have the same permission.
 */
async function tokenPermission(client: Marketplace, signal: AbortSignal): Promise<string | undefined> {
  const tokens = await client.accessTokens
    .list({ signal })
    .all()
    .catch(() => []);
  const permissions = new Set(tokens.map(({ permission }) => permission));
  return permissions.size === 1 ? [...permissions][0] : undefined;
}

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

async function planResult(
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

function registerPlanChanges(tools: Toolbox, planning: Planning): void {
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

interface ReplaceArguments extends Texts<'organization' | 'status' | 'name' | 'country'> {
  readonly find: string;
  readonly replace: string;
  readonly resource?: 'campaigns' | 'collabs';
}

/** HTML with a text replaced in what people read, and in the targets of links; tags stay as they are. */
const replacedIn = (html: string, find: string, replace: string): string =>
  html
    .split(/(<[^>]*>)/)
    .map((part) =>
      part.startsWith('<')
        ? part.replace(/(?<= href=")[^"]*/g, (target) => target.replaceAll(find, () => replace))
        : part.replaceAll(find, () => replace),
    )
    .join('');

function registerReplaceInBriefs(tools: Toolbox, planning: Planning): void {
  registerTool<ReplaceArguments>(tools, 'replace_in_briefs', {
    title: 'Replace a text in briefs',
    description: 'Plan to replace a text in many briefs, such as a typo; continues as plan_changes.',
    properties: {
      find: text,
      replace: text,
      resource: { type: 'string', enum: ['campaigns', 'collabs'] },
      organization,
      status,
      name: text,
      country: text,
    },
    required: ['find', 'replace'],
    run: async (args, bound, request) => {
      const { find, replace, resource = 'campaigns', name, country } = args;
      if (find === '') return failure({ message: 'find is empty.' });
      const { signal } = request.mcpReq;
      const listed = await listRows(bound, { ...args, resource }, { name, country, fields: 'id' }, { signal });
      const org = await bound.organization(args.organization);
      const place = await targetIn(bound.quiet({ org, signal }));
      const kind = kinds[resource];
      const [field = ''] = fieldsOfKind(kind.resource.fields, 'richText');
      const found = await inParallel(place.target.context, 'Reading', listed, async ({ id }): Promise<Row[]> => {
        const before = valueAt((await readRow(place.target, kind, String(id)))?.row, field);
        if (typeof before !== 'string') return [];
        const after = replacedIn(before, escapeHtml(find), escapeHtml(replace));
        return after === before ? [] : [{ id, [field]: after }];
      });
      const items = found.flat();
      const searched = { searched: listed.length };
      if (items.length === 0) return failure({ message: `No brief has "${find}".` }, searched);
      const { objects } = declarationOf(placed({ [resource]: items }), 'the plan', undefined);
      return planResult(tools, bound, planning, request, await planFor(bound, place, objects), searched);
    },
  });
}

/** What the tools of this server change; the rest is undone by a person. */
const PLANNED: readonly string[] = ['campaigns', 'collabs', 'members', 'address'];

/** The organization whose resources a command changed; undefined if it changed only the address, which is the user's. */
function organizationOf({ command: { id }, steps }: Undoing): string | undefined {
  const [first, ...others] = new Set(steps.flatMap(({ effect }) => effect.organization || []));
  if (others.length === 0 && steps.every(({ effect }) => PLANNED.includes(effect.resource))) return first;
  throw commandError(
    'usage',
    `Command ${id} changed several organizations, or resources that no tool can change.`,
    `A person runs: mkt undo ${id}`,
  );
}

function registerUndo(tools: Toolbox, planning: Planning): void {
  registerTool<{ readonly number?: string | number }>(tools, 'undo', {
    title: 'Undo a command',
    description:
      'Plan to take back what apply_plan or a command did: its undo or command_id, by default the last; continues as plan_changes.',
    properties: { number: { type: 'string' } },
    run: async ({ number }, bound, request) => {
      const { signal } = request.mcpReq;
      const quiet = bound.quiet({ signal });
      const word = number === undefined ? undefined : String(number);
      const undoing = await withHistory(quiet, (file) => planUndo(quiet, file, word));
      const org = await bound.organization(organizationOf(undoing));
      const left = leftBehind(undoing.steps);
      const about = { undoes: undoing.command.id, command: undoing.command.line, ...(left.length > 0 && { left }) };
      const changes = undoing.steps.flatMap(({ change }) => change ?? []);
      const isDone = !undoing.steps.some(isDue);
      // There will be no plan to apply, and the next undo takes the command before it.
      if (isDone && planning.allowWrite)
        await withHistory(quiet, (file) => recordUndo(quiet, file, undoing, async () => undefined));
      if (isDone && left.length > 0) return failure({ message: 'Nothing of it can be undone.' }, about);
      const plan = await planChanges(bound, await targetIn(bound.quiet({ org, signal })), changes, undoing);
      return planResult(tools, bound, planning, request, plan, about);
    },
  });
}

function registerApplyPlan(tools: Toolbox, { proposals }: Planning): void {
  registerTool<{ readonly digest: string }>(tools, 'apply_plan', {
    title: 'Apply a plan',
    description: 'Ask the user to approve a plan, then apply it, once. Returns how to undo it.',
    properties: { digest: { type: 'string' } },
    required: ['digest'],
    writes: true,
    run: async ({ digest }, bound, request) => {
      const proposal = proposals.get(digest);
      if (proposal === undefined)
        return failure({ message: 'There is no plan with this digest. Call plan_changes first.' });
      return proposal.call(tools.server, bound, request);
    },
  });
}

/** Registers the tools that plan, and the one that applies plans. */
export function registerWriteTools(tools: Toolbox, planning: Planning): void {
  registerPlanChanges(tools, planning);
  registerReplaceInBriefs(tools, planning);
  registerUndo(tools, planning);
  if (planning.allowWrite) registerApplyPlan(tools, planning);
}
