import type { Marketplace } from '@mkt/sdk';
import { hasKind } from '@mkt/sdk/contract/resources';
import { memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { openSeed } from '@mkt/server/seeds';
import { withErrorContext } from '../api/errors/with-context.js';
import { clientFor } from '../api/http/client.js';
import { members, organizations } from '../api/labels.js';
import { inParallel } from '../changes/outcomes.js';
import { type FieldChange, fieldLines, type Layout, signed } from '../changes/plan-lines.js';
import { CliError, exitCodes, toType } from '../errors/cli-error.js';
import { grouped, idOf, isSameJson, type JsonObject, type Row, sanitizeLine, textAt, valueAt } from '../text/values.js';
import { changedFields } from './compare.js';
import { type AppliedChange, execute } from './execute.js';
import { type Change, labelOfChange, readRow, type Target, targetFor } from './plan.js';
import { type Cost, costLines } from './publication.js';
import { maskFor } from './twin/mask.js';
import { adminOf, frameOf, frameSeed, handlesOf, placeholder, SeedRows } from './twin/rows.js';

/** What a change did to the copy. */
export interface Rehearsal {
  readonly outcome: AppliedChange;
  /** Every field that differs afterwards, also those that are not declared. */
  readonly fields: readonly FieldChange[];
  /** Fields that can no longer be changed afterwards. */
  readonly locks: readonly string[];
  /** The budget that creators can earn afterwards; undefined unless the change starts that. */
  readonly spends: Cost | undefined;
}

/** An organization with its members and the objects of the plan, as a seed. */
async function seedOf(target: Target, client: Marketplace, changes: readonly Change[]) {
  const { context, organization } = target;
  const options = { signal: context.signal };
  const [row, people]: [Row, readonly Row[]] = await withErrorContext(
    context,
    { action: 'show', resource: organizations, organization },
    async () => [
      await client.organizations.get(organization.id, options),
      await withErrorContext(context, { action: 'list', resource: members, organization }, () =>
        client.members.list(organization.id, options).all(),
      ),
    ],
  );
  const rows = new SeedRows(maskFor([], [], true));
  const frame = frameOf(rows, row, handlesOf(people), {
    handle: 'rehearsal',
    logo: valueAt(row, 'logo_url') === undefined ? {} : { logo: placeholder },
    caller: adminOf(people) ?? {},
    tokens: [{ description: 'Rehearsal', permission: 'write' }],
  });
  const lists = { campaigns: [] as JsonObject[], collabs: [] as JsonObject[] };
  await inParallel(context, 'Copying', changes, async ({ row: found, declared: { kind } }) => {
    if (found === undefined) return;
    const complete = (await readRow(target, kind, idOf(found)))?.row;
    // Execution reports what was deleted.
    if (complete === undefined) return;
    const image = valueAt(complete, 'banner_image_url') == null ? {} : { banner_image: placeholder };
    if (kind.name === 'campaigns') lists.campaigns.push({ ...rows.campaign(complete), ...image });
    else lists.collabs.push({ ...rows.collab(complete), ...image });
  });
  return { ids: frame.ids, seed: frameSeed(frame, lists) };
}

function rehearsalOf(outcome: AppliedChange, before: Row | undefined): Rehearsal {
  const { row: after, declared } = outcome;
  const { resource, states } = declared.kind;
  const { locked, money } = resource;
  // These differ in any copy, or say nothing.
  const names = Object.keys(after ?? {}).filter(
    (field) => field !== 'updated_at' && !hasKind(resource.fields, field, 'identity'),
  );
  const fields = names
    .map((field) => ({ field, from: valueAt(before, field) ?? null, to: valueAt(after, field) ?? null }))
    .filter(({ from, to }) => !isSameJson(from, to))
    // A new object has no value there.
    .filter(({ from, to }) => from !== null || !Array.isArray(to) || to.length > 0);
  const isSet = (row: Row | undefined) => locked !== undefined && valueAt(row, locked.since) != null;
  const isActive = (row: Row | undefined) => valueAt(row, states.field) === 'active';
  const spends =
    money !== undefined && isActive(after) && !isActive(before)
      ? { amount: Number(valueAt(after, 'unused_amount')), currency: textAt(after, money.currency) }
      : undefined;
  return { outcome, fields, locks: isSet(after) && !isSet(before) ? (locked?.fields ?? []) : [], spends };
}

/**
 * Makes the changes of campaigns and collabs on a copy of the organization in this process. Only reads from the service.
 */
export async function rehearse(
  target: Target,
  client: Marketplace,
  all: readonly Change[],
): Promise<readonly Rehearsal[]> {
  const { context, organization } = target;
  const changes = all.filter(({ declared }) => declared.kind.isDraft);
  if (changes.length === 0) return [];
  const { ids, seed } = await seedOf(target, client, changes);
  const { dump, tokens } = await openSeed(seed, { ids }).catch((error: Error) => {
    throw new CliError({
      code: 'drift',
      exitCode: exitCodes.unexpected,
      message: sanitizeLine(
        `The plan cannot be rehearsed, because a copy of the organization would be rejected. ${error.message}`,
      ),
      hints: [toType('mkt doctor --drift', 'To see all differences from the API document')],
      cause: error,
    });
  });
  const server = await serve({ store: memoryStore(ids), seed: dump, port: 0, clock: () => context.io.now().getTime() });
  try {
    const copy = await clientFor(context, server.url, Object.values(tokens)[0] ?? '');
    const onCopy = targetFor(context, copy, organization);
    const before = new Map<Change, Row>();
    for (const change of changes) {
      const row = change.row && (await readRow(onCopy, change.declared.kind, idOf(change.row)))?.row;
      if (row !== undefined) before.set(change, row);
    }
    const onCopied = changes.map((change) => ({ ...change, row: before.get(change) ?? change.row }));
    const outcomes = await execute(onCopy, onCopied, 'Rehearsing');
    return await Promise.all(
      outcomes.map(async (outcome, index) => {
        const change = changes[index];
        const first = change && before.get(change);
        const { row, declared } = outcome;
        if (row === undefined) return rehearsalOf(outcome, first);
        const after = (await onCopy.operations(declared.kind).read(idOf(row)))?.row;
        return rehearsalOf({ ...outcome, row: after ?? row }, first);
      }),
    );
  } finally {
    await server.close();
  }
}

const earningsText = ({ amount, currency }: Cost): string =>
  amount === 0
    ? 'creators cannot earn anything yet: the budget is 0'
    : `creators can earn up to ${grouped(amount)} ${sanitizeLine(currency)}`;

/** Every object before and after, what would be rejected, spent and locked. */
export function renderRehearsal(rehearsals: readonly Rehearsal[], layout: Layout): string {
  const lines = rehearsals.flatMap(({ outcome, fields, locks, spends }) => {
    const { declared, done, error } = outcome;
    const { kind } = declared;
    const isNew = done.includes('create');
    const label = labelOfChange({ declared, row: isNew ? undefined : outcome.row });
    const reasons = Object.entries(error?.details.fields ?? {}).map(
      ([field, messages]) => `    ${field}: ${messages.map(sanitizeLine).join(' ')}`,
    );
    return [
      ...signed(isNew ? '+' : '~', label, layout),
      ...fields
        .filter(({ to }) => !isNew || to !== null)
        .flatMap((field) => fieldLines(kind.resource, field, isNew, layout)),
      ...(error === undefined
        ? []
        : [...signed('-', `rejected: ${sanitizeLine(error.message)}`, layout, '    '), ...reasons]),
      ...(spends === undefined ? [] : signed('>', earningsText(spends), layout, '    ')),
      ...(locks.length === 0 ? [] : signed('>', 'the payouts and the currency are then fixed', layout, '    ')),
    ];
  });
  const rejected = rehearsals.filter(({ outcome }) => outcome.error !== undefined).length;
  const made = rehearsals.length - rejected;
  const summary = `Rehearsal: ${made === 1 ? '1 change' : `${made} changes`} would work, ${rejected === 0 ? 'none' : rejected} would be rejected.`;
  const total = costLines(rehearsals.flatMap(({ spends }) => spends ?? []));
  return `${['Rehearsed on a copy. Nothing was changed. Afterwards:', '', ...lines, '', summary, ...total].join('\n')}\n`;
}

/** @throws if an object is no longer as it was when the plan was rehearsed */
export function checkUnchanged(planned: readonly Change[], current: readonly Change[]): void {
  const changed = planned.flatMap((change, index) => {
    const now = current[index];
    if (
      (now?.row === undefined) === (change.row === undefined) &&
      changedFields(change.declared.kind.resource, change.row, now?.row).length === 0
    )
      return [];
    return [labelOfChange(change)];
  });
  if (changed.length === 0 && planned.length === current.length) return;
  throw new CliError({
    code: 'changed_meanwhile',
    exitCode: exitCodes.rejected,
    message: `Stopped, because the service has changed since the rehearsal: ${changed.join(', ')}. Nothing was changed.`,
    hints: ['To rehearse again, run the same command again'],
  });
}
