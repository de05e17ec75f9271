import { createHmac, randomBytes } from 'node:crypto';
import type { Marketplace } from '@mkt/sdk';
import { hasKind } from '@mkt/sdk/contract/resources';
import { fieldNames } from '../../api/field-flags.js';
import { drafts } from '../../api/labels.js';
import { organizationFor } from '../../api/organization.js';
import { inParallel } from '../../changes/outcomes.js';
import type { FieldChange } from '../../changes/plan-lines.js';
import type { Context, Organization } from '../../context/context.js';
import { changedFields } from '../../declarations/compare.js';
import { type Declared, declarationOf, invalidFile, PURGE_BANNER } from '../../declarations/declaration.js';
import {
  type Change,
  differences,
  isWaiting,
  makePlan,
  readRow,
  type Target,
  targetFor,
} from '../../declarations/plan.js';
import { type Rehearsal, rehearse } from '../../declarations/rehearse.js';
import { CliError, exitCodes, failure } from '../../errors/cli-error.js';
import { leftOutOf } from '../../fields/brief.js';
import type { Problem } from '../../fields/problems.js';
import type { Yaml } from '../../fields/read-yaml.js';
import { idOf, idValue, type Row as Resource, sanitizeLine, valueAt } from '../../text/values.js';
import { cutTo } from '../../text/width.js';
import type { Undoing } from '../../undo/undo.js';
import { briefChanges, groupsOf, isOfUser, newName, type Question, questionText } from './question.js';
import type { Row } from './result.js';
import type { Bound } from './session.js';

/** Digests are made with a key of this process, so that no other plan can be made to have the same one. */
const key = randomBytes(32);
let plans = 0;

/** A plan as it was read and shown. */
export type Plan = Awaited<ReturnType<typeof planChanges>>;

export const CHANGED = 'Something has changed since the plan was made. Nothing was applied. Plan again.';

/** A path in the arguments of a call: `campaigns[0].status`. */
const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .slice(1);

/** Places in the arguments of a call instead of a line and a column. */
export const placed = (value: unknown): Yaml => ({
  value,
  positionOf: (path) => {
    if (path.length === 0) return { line: 0, column: 0 };
    // Messages name the field.
    const item = typeof path.at(-1) === 'number' ? path : path.slice(0, -1);
    return { line: 0, column: 0, at: pathText(path), item: pathText(item) };
  },
  sourceOf: () => undefined,
});

/** Where a plan is made and applied. */
export async function targetIn(context: Context, id?: string): Promise<{ target: Target; client: Marketplace }> {
  const client = await context.client();
  const organization: Organization =
    id === undefined
      ? await context.organization()
      : await organizationFor(context, { value: id, origin: 'organization' });
  return { target: { ...targetFor(context, client, organization), isStrict: true, concurrency: 1 }, client };
}

/** After these, the plan itself may still be possible: the copy would differ from the service, or may not be made. */
const UNREHEARSED: readonly number[] = [exitCodes.unexpected, exitCodes.forbidden];

/** The fields that a new one gets although the plan does not name them. */
function filledIn({ declared }: Change, rehearsal: Rehearsal | undefined): Declared {
  const { kind, fields, positionOf } = declared;
  if (kind.name !== 'campaigns' && kind.name !== 'collabs') return declared;
  const { creation, defaults = {} } = drafts[kind.name];
  const left = fieldNames(creation).filter(
    (field) => !(field in fields) && !hasKind(kind.resource.fields, field, 'purge'),
  );
  const known = (rehearsal?.outcome.row ?? defaults) as Row;
  const problems: Problem[] = [];
  const added = left.flatMap((field): [string, unknown][] => {
    if (known[field] != null) return [[field, known[field]]];
    if (kind.fields[field]?.safeParse(null).success) return [[field, null]];
    if (rehearsal === undefined)
      problems.push({ ...positionOf(), message: `${field} is required, because the plan could not be rehearsed.` });
    return [];
  });
  if (problems.length > 0) throw invalidFile('the plan', problems);
  return { ...declared, fields: { ...fields, ...Object.fromEntries(added) } };
}

function withAllValues(change: Change, rehearsal: Rehearsal | undefined): Change {
  if (change.row !== undefined) return change;
  const declared = filledIn(change, rehearsal);
  return { ...change, declared, fields: differences(declared, undefined) };
}

const BY_FILE = 'A person saves "file" as plan.json and runs: mkt apply plan.json';

function fileOf(organization: string | number, changes: readonly Change[]): string {
  const lists: Record<string, Row[]> = {};
  for (const { declared, row } of changes)
    lists[declared.kind.name] = [...(lists[declared.kind.name] ?? []), itemOf(declared, row)];
  const { address: [address] = [], ...others } = lists;
  return JSON.stringify({ organization, ...others, address });
}

/** A declaration as a file has it. @param row undefined for a new object */
function itemOf(declared: Declared, row: object | undefined): Row {
  const { kind, isDeleted, fields, state, name } = declared;
  const id = row === undefined || kind.name === 'address' ? {} : { id: idValue(idOf(row)) };
  const { banner_image_url: banner, ...others } = fields as Row;
  return {
    ...id,
    ...(row === undefined && name !== undefined && { name }),
    ...others,
    ...(banner === null && { [PURGE_BANNER]: true }),
    ...(isDeleted && { delete: true }),
    ...(state !== undefined && { [kind.states.field]: state }),
  };
}

const isRejected = (rehearsal: Rehearsal | undefined): boolean => rehearsal?.outcome.error !== undefined;

/** How many changes a plan has at most, and how many that differ: a person has to read those before approving. */
const MAX_CHANGES = 500;
export const MAX_DIFFERENT = 30;

const tooMany = (message: string): CliError => failure('usage', `${message} Split it.`);

/** Makes a plan from the arguments of a call. It only reads. */
export async function planOf(bound: Bound, { organization: wanted, ...declared }: Row): Promise<Plan> {
  const context = bound.quiet({ org: await bound.organization(wanted as string | undefined) });
  const { objects, notes } = declarationOf(placed(declared), 'the plan', undefined);
  return { ...(await planFor(bound, await targetIn(context), objects)), notes: notes.map(({ message }) => message) };
}

export async function planFor(
  bound: Bound,
  place: Awaited<ReturnType<typeof targetIn>>,
  objects: readonly Declared[],
): Promise<Plan> {
  const { changes, missing, problems } = await makePlan(place.target, objects);
  if (missing.length + problems.length > 0)
    throw invalidFile('the plan', [...missing, ...problems], problems.length === 0 ? 'not_found' : 'usage');
  return planChanges(bound, place, changes);
}

/** The plan of changes: rehearsed, with all values, and as a question. */
export async function planChanges(
  { place: session, tokenHash }: Bound,
  { target, client }: Awaited<ReturnType<typeof targetIn>>,
  all: readonly Change[],
  undoes?: Undoing,
) {
  const { organization } = target;
  const due = all.filter(({ steps }) => steps.length > 0);
  if (due.length > MAX_CHANGES) throw tooMany(`A plan has at most ${MAX_CHANGES} changes, not ${due.length}.`);
  let notRehearsed: string | undefined;
  const rehearsals = await rehearse(target, client, due).catch((error: unknown) => {
    if (!(error instanceof CliError) || !UNREHEARSED.includes(error.exitCode)) throw error;
    notRehearsed = error.message;
    return [];
  });
  const found = new Map(rehearsals.map((rehearsal) => [rehearsal.outcome.declared, rehearsal]));
  const entries = due.map((change) => {
    const rehearsal = found.get(change.declared);
    return [isRejected(rehearsal) ? change : withAllValues(change, rehearsal), rehearsal] as const;
  });
  const byChange = new Map<Change, Rehearsal | undefined>(entries);
  const rehearsalOf = (change: Change) => byChange.get(change);
  const changes = entries.map(([change]) => change);
  const groups = groupsOf(changes, rehearsalOf);
  if (groups.length > MAX_DIFFERENT)
    throw tooMany(`A plan has at most ${MAX_DIFFERENT} different changes, not ${groups.length}.`);
  const place = { id: idValue(organization.id), name: await organization.name() };
  const question: Question & { readonly organization: typeof place } = {
    place: session,
    organization: place,
    groups,
    undoes,
  };
  const text = questionText(question);
  const written = changes.map(({ declared: { kind, id, fields, state, isDeleted }, row, steps }) => [
    ...[kind.name, id, fields, state, isDeleted, steps],
    Object.fromEntries(changedFields(kind.resource, undefined, row).map(({ field, to }) => [field, to])),
  ]);
  const content = JSON.stringify([session.service, tokenHash, place, text, written]);
  plans += 1;
  // A refused plan needs a new one, which has another digest.
  const digest = createHmac('sha256', key)
    .update(JSON.stringify([plans, content]))
    .digest('hex')
    .slice(0, 32);
  return {
    ...question,
    changes,
    /** What the rehearsal did to a copy. */
    rehearsalOf,
    /** What it does, and where: the same for two plans with the same changes. */
    content,
    question: text,
    digest,
    /** What is as far as the user can bring it, and waits for the marketplace. */
    waiting: all.filter(isWaiting),
    notRehearsed,
    notes: [] as readonly string[],
    rejected: rehearsals.filter(isRejected).length,
    byHand: undoes === undefined ? BY_FILE : `A person runs: mkt undo ${undoes.command.id}`,
    /** The same as a file for `mkt apply`; undefined for an undo. */
    file: undoes === undefined ? fileOf(place.id, changes) : undefined,
  };
}

const MAX_SUMMARY = 200;

/** A plan as the history names it. */
export const summaryOf = ({ groups, undoes }: Plan): string =>
  cutTo(
    (undoes === undefined ? '' : `undo ${undoes.command.id}: `) +
      groups
        .map(({ changes }) => {
          const [{ declared, steps, row }] = changes;
          const { singular, plural } = declared.kind.resource;
          const ids = changes.flatMap(({ row: each }) => (each === undefined ? [] : idOf(each)));
          const what = row === undefined ? `${singular} ${sanitizeLine(newName(declared) ?? '')}` : ids.join(', ');
          return `${steps.join(', ')} ${row === undefined ? '' : `${ids.length === 1 ? singular : plural} `}${what}`.trim();
        })
        .join('; '),
    MAX_SUMMARY,
  );

export const targetOf = async (context: Context, { organization }: Plan): Promise<Target> =>
  (await targetIn(context, String(organization.id))).target;

/** What has changed since a plan was made, one sentence per resource. */
export async function changesSince(target: Target, { changes }: Pick<Plan, 'changes'>): Promise<string[]> {
  const found = await inParallel(target.context, 'Comparing', changes, async ({ declared: { kind }, row }) => {
    if (row === undefined) return [];
    const label = kind.name === 'address' ? 'The address' : `${kind.resource.singular} ${idOf(row)}`;
    const now: Resource | undefined = (await readRow(target, kind, idOf(row)))?.row;
    const changed = changedFields(kind.resource, row, now).map(({ field }) => field);
    if (now === undefined) return [`${label} was deleted.`];
    return changed.length > 0 ? [`${label}: ${changed.join(', ')}.`] : [];
  });
  return found.flat();
}

/** What the service leaves out of the briefs that are sent. */
export function leftOutData({ kind, fields }: Declared, stored: Resource | undefined): Row | undefined {
  const found = leftOutOf(kind.resource, fields, stored);
  return found.length === 0 ? undefined : { left_out: Object.fromEntries(found) };
}

/** What the rehearsal of a change found, except what the plan says itself. */
function effectsOf({ declared, row, fields }: Change, rehearsal: Rehearsal | undefined) {
  if (rehearsal === undefined) return undefined;
  const { outcome, locks, spends, fields: others } = rehearsal;
  const { error } = outcome;
  if (error !== undefined) return { rejected: error.message, ...error.details.fields };
  const values = new Map(fields.map(({ field, to }) => [field, JSON.stringify(to)]));
  const further = others.filter(
    ({ field, to }) => values.get(field) !== JSON.stringify(to) && (row !== undefined || to !== 0),
  );
  return {
    fields: Object.fromEntries(further.map(({ field, from, to }) => [field, row === undefined ? to : { from, to }])),
    ...leftOutData(declared, outcome.row),
    ...(locks.length > 0 && { locks }),
    ...(spends !== undefined && { spends }),
  };
}

const MAX_LINES = 4;

/** How a field changes. Of a brief, only the sentences that differ. */
function fieldData({ declared: { kind }, row }: Change, { field, from, to }: FieldChange): unknown {
  if (row === undefined) return to;
  if (!hasKind(kind.resource.fields, field, 'richText') || from === null || to === null) return { from, to };
  const lines = briefChanges(String(from), String(to));
  const more = lines.length - MAX_LINES;
  return { diff: more > 0 ? [...lines.slice(0, MAX_LINES), `... (${more} more lines)`] : lines };
}

/** A change for the assistant, without what names it. */
function changeData(change: Change, rehearsal: Rehearsal | undefined): Row {
  const { declared, steps, fields, path } = change;
  return {
    kind: declared.kind.resource.singular,
    steps,
    fields: Object.fromEntries(fields.map((each) => [each.field, fieldData(change, each)])),
    ...(path?.waitsForReview === true && { afterwards: WAITS }),
    rehearsal: effectsOf(change, rehearsal),
  };
}

export const WAITS = 'waits for the review of the marketplace';

/** Where a plan is applied; an address belongs to the user. */
export const placeOf = ({ place, organization, groups, changes }: Plan): Row => ({
  session: place,
  ...(changes.length > 0 && isOfUser(groups) ? {} : { organization }),
});

/** A plan for the assistant. Equal changes are together. */
export const dataOf = ({ groups, rehearsalOf }: Plan): Row[] =>
  groups.map(({ changes: [first, ...others] }) => {
    const { kind, ...data } = changeData(first, rehearsalOf(first));
    const all = [first, ...others].map(nameData);
    if (others.length === 0) return { kind, ...all[0], ...data };
    const named = first.row === undefined ? { names: all.map(({ name }) => name) } : { ids: all.map(({ id }) => id) };
    return { kind, ...named, ...data };
  });

/** How an assistant names what changes. */
export const nameData = ({ declared, row }: Change): Row => ({
  id: row === undefined ? null : (valueAt(row, 'id') ?? null),
  name: (row === undefined ? newName(declared) : valueAt(row, declared.kind.resource.title)) ?? null,
});
