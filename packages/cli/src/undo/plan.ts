import type { Marketplace } from '@mkt/sdk';
import { hasKind } from '@mkt/sdk/contract';
import { operationsOf } from '../api/operations.js';
import { organizationById } from '../api/organization.js';
import type { Context } from '../context/context.js';
import { placeFlags } from '../context/flags.js';
import { isSame, isUnset } from '../declarations/compare.js';
import { type Inverse, inverseOf } from '../declarations/inverse.js';
import { type Kind, kindsByCommand, transitionPath } from '../declarations/kinds.js';
import { type Change, changeFor, type Run, readRow } from '../declarations/plan.js';
import { cellText, idOf, type Row, textAt, valueAt } from '../text/values.js';
import type { Effect } from './store.js';

/** How an effect is taken back. */
export interface Step {
  readonly effect: Effect;
  /** Undefined if nothing is left to do. */
  readonly change: Change | undefined;
  /** Parts that were changed since, and stay as they are. */
  readonly skipped: readonly string[];
  /** Whether what was skipped cannot be taken back later either: a state that was set since, or what is gone. */
  readonly isLost?: boolean;
  /** Why it is impossible, or a part of it, and what is closest. */
  readonly refused?: string;
}

/** How much the clocks of the service and of this machine may differ, in milliseconds. */
const clockDifference = 300_000;

/** Where the effects of one organization are taken back; of those of the user, without one. */
export function runFor(context: Context, client: Marketplace, organization: string): Run {
  const options = { signal: context.signal };
  return {
    context,
    organization: organization === '' ? undefined : organizationById(context, organization),
    operations: ({ resource }) => operationsOf(resource, client, organization, options),
    // Backwards, one after the other.
    concurrency: 1,
  };
}

/** The rows with these fields that were created since, such as by a request whose response was lost. */
export async function createdLike(run: Run, kind: Kind, { at }: { readonly at: string }, fields: Row): Promise<Row[]> {
  const since = Date.parse(at) - clockDifference;
  const rows: readonly Row[] = (await run.operations(kind).list?.().all()) ?? [];
  return rows.filter(
    (row) =>
      Date.parse(textAt(row, 'created_at')) >= since &&
      // Lists leave out briefs.
      Object.entries(fields).every(
        ([field, value]) =>
          hasKind(kind.resource.fields, field, 'richText') || isSame(kind.resource, field, valueAt(row, field), value),
      ),
  );
}

/**
 * Whether someone has changed the state since, even if it is the same again: its time differs, or for states without one, such
 * as those of collabs and of what was resumed, that of the last change.
 */
function hasMoved(kind: Kind, { fields, updated }: Effect, row: Row): boolean {
  const times = [...fields].filter(
    ([field, { after }]) =>
      field !== 'updated_at' && after != null && hasKind(kind.resource.fields, field, 'timestamp'),
  );
  if (times.length > 0) return times.some(([field, { after }]) => valueAt(row, field) !== after);
  return updated !== null && valueAt(row, 'updated_at') !== updated;
}

/** The values to set back, and the fields that another command or client has changed since. */
function valuesBefore(kind: Kind, effect: Effect, row: Row) {
  const { fields } = effect;
  const back: Record<string, unknown> = {};
  const skipped: string[] = [];
  for (const [field, { before, after }] of fields) {
    const now = valueAt(row, field);
    if (isUnset(kind.resource, field) || isSame(kind.resource, field, now, before)) continue;
    // A state to which nothing leads back is not a question of what happened since.
    const isFinal = field === kind.states.field && transitionPath(kind, cellText(now), cellText(before))?.to !== before;
    const isAsMade =
      isSame(kind.resource, field, now, after) && !(field === kind.states.field && hasMoved(kind, effect, row));
    if (isFinal || isAsMade) back[field] = before ?? null;
    else skipped.push(field);
  }
  return { back, skipped };
}

/** How an effect would be taken back now. */
export async function planStep(run: Run, effect: Effect): Promise<Step> {
  const { resource, id, created, deleted } = effect;
  const kind = kindsByCommand[resource];
  if (kind === undefined) throw new Error(`There is no resource ${resource}.`);
  const place = placeFlags(run.context);
  const nothing: Step = { effect, change: undefined, skipped: [] };
  const skip = (reason: string, isLost = false): Step => ({ ...nothing, skipped: [reason], isLost });
  const step = ({ declared, irreversible }: Inverse, row: Row | undefined, fields: readonly string[] = []): Step => ({
    effect,
    change: declared && changeFor(declared, row, undefined),
    skipped: fields.map((field) => `${field} has changed since`),
    isLost: fields.every((field) => field === kind.states.field),
    ...(irreversible.length > 0 && { refused: irreversible.join(' ') }),
  });
  if (deleted !== undefined) {
    if (created !== undefined) return nothing;
    const inverse = inverseOf({ kind, id, before: deleted, after: undefined }, place);
    if (inverse.declared === undefined) return step(inverse, undefined);
    if (kind.name === 'address' && (await readRow(run, kind, id)) !== undefined)
      return skip('there is another address now');
    // An earlier undo may have created it, without a response.
    const like = await createdLike(run, kind, effect, inverse.declared.fields);
    return like.some((each) => idOf(each) !== id) ? nothing : step(inverse, undefined);
  }
  const row = (await readRow(run, kind, id))?.row;
  if (row === undefined) return created === undefined ? skip('it does not exist any more', true) : nothing;
  if (created === undefined) {
    const { back, skipped } = valuesBefore(kind, effect, row);
    return step(inverseOf({ kind, id, before: { ...row, ...back }, after: row }, place), row, skipped);
  }
  const inverse = inverseOf({ kind, id, before: undefined, after: row }, place);
  const others = Object.keys(kind.fields).filter(
    (field) =>
      field in created &&
      !isSame(kind.resource, field, valueAt(row, field), effect.fields.get(field)?.after ?? created[field]),
  );
  if (inverse.declared === undefined || others.length === 0) return step(inverse, row);
  return skip(`${others.join(', ')} has changed since`);
}
