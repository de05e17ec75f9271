import { createHmac, randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import type { Marketplace } from '@mkt/sdk';
import { hasKind } from '@mkt/sdk/contract/resources';
import { fieldNames } from '../../api/field-flags.js';
import { drafts } from '../../api/labels.js';
import { operationsOf } from '../../api/operations.js';
import { idOf, organizationFor } from '../../api/organization.js';
import type { Context, Organization } from '../../context/context.js';
import { changedFields } from '../../declarations/compare.js';
import { type Declared, declarationOf, invalidFile, PURGE_BANNER } from '../../declarations/declaration.js';
import { type Change, differences, makePlan, readRow, type Target } from '../../declarations/plan.js';
import { type Rehearsal, rehearse } from '../../declarations/rehearse.js';
import { CliError, exitCodes } from '../../errors/cli-error.js';
import type { Problem } from '../../fields/problems.js';
import type { Yaml } from '../../fields/read-yaml.js';
import { idValue, type Row as Resource, valueAt } from '../../text/row.js';
import { type Question, questionText } from './question.js';
import type { Row } from './result.js';

/** Digests are made with a key of this process, so that no other plan can be made to have the same one. */
const key = randomBytes(32);
let plans = 0;

/** A plan as it was read and shown. */
export interface Plan extends Question {
  readonly digest: string;
  /** The text to approve. */
  readonly question: string;
  readonly organization: { readonly id: string | number; readonly name: string };
  /** Why there was no rehearsal. */
  readonly notRehearsed: string | undefined;
  /** How many changes the copy rejected. */
  readonly rejected: number;
  /** The same as a file for `mkt apply`. */
  readonly file: string;
}

/** A context for plans: the same settings, no terminal, and nothing on the streams of the protocol. */
export function quietContext(context: Context, organization: string | undefined, signal?: AbortSignal): Context {
  const { io, options } = context;
  const silent = { stream: new PassThrough().resume(), isTTY: false, columns: 100, rows: 24 };
  return context.derived(
    {
      ...io,
      env: { ...io.env, MKT_NO_INPUT: '1', NO_COLOR: '1' },
      stdin: { stream: Readable.from([]), isTTY: false },
      stdout: silent,
      stderr: silent,
      print: () => undefined,
      isBrief: true,
      interrupted: signal === undefined ? io.interrupted : AbortSignal.any([io.interrupted, signal]),
    },
    { ...options, quiet: true, ...(organization !== undefined && { org: organization }) },
  );
}

/** A path in the arguments of a call: `campaigns[0].status`. */
const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .slice(1);

/** Places in the arguments of a call instead of a line and a column. */
const placed = (value: unknown): Yaml => ({
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
  const options = { signal: context.signal };
  const target: Target = {
    context,
    organization,
    operations: (kind) => operationsOf(kind.resource, client, organization.id, options),
    isStrict: true,
    concurrency: 1,
  };
  return { target, client };
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
  const all = { ...fields, ...Object.fromEntries(added) };
  return { ...declared, fields: all };
}

/** The change with all the values that it writes. */
function withAllValues(change: Change, rehearsal: Rehearsal | undefined): Change {
  if (change.row !== undefined) return change;
  const declared = filledIn(change, rehearsal);
  return { ...change, declared, fields: differences(declared, undefined) };
}

const RESOURCES = ['campaigns', 'collabs', 'members'] as const;

/** A plan as a file for `mkt apply`. */
export function fileOf(organization: string | number, items: readonly (readonly [kind: string, item: Row])[]): string {
  const lists = RESOURCES.flatMap((kind) => {
    const list = items.filter(([name]) => name === kind).map(([, item]) => item);
    return list.length === 0 ? [] : [[kind, list]];
  });
  const address = items.find(([name]) => name === 'address')?.[1];
  return JSON.stringify({ organization, ...Object.fromEntries(lists), ...(address !== undefined && { address }) });
}

/** A declaration as a file has it. @param row undefined for a new object */
export function itemOf(declared: Declared, row: object | undefined): readonly [kind: string, item: Row] {
  const { kind, isDeleted, fields, state, name } = declared;
  const id = row === undefined || kind.name === 'address' ? {} : { id: idValue(idOf(row)) };
  const { banner_image_url: banner, ...others } = fields as Row;
  return [
    kind.name,
    {
      ...id,
      ...(row === undefined && name !== undefined && { name }),
      ...others,
      ...(banner === null && { [PURGE_BANNER]: true }),
      ...(isDeleted && { delete: true }),
      ...(state !== undefined && { [kind.states.field]: state }),
    },
  ];
}

const isRejected = (rehearsal: Rehearsal | undefined): boolean => rehearsal?.outcome.error !== undefined;

/** Makes a plan from the arguments of a call. It only reads. */
export async function planOf(given: Context, args: Row, maxChanges: number): Promise<Plan> {
  const { organization: wanted, ...declared } = args;
  const context = quietContext(given, wanted === undefined ? undefined : String(wanted));
  const { objects } = declarationOf(placed(declared), 'the plan', undefined);
  const { target, client } = await targetIn(context);
  const { organization } = target;
  const { changes: all, missing, problems } = await makePlan(target, objects);
  if (missing.length + problems.length > 0)
    throw invalidFile('the plan', [...missing, ...problems], problems.length === 0 ? 'not_found' : 'usage');
  const due = all.filter(({ steps }) => steps.length > 0);
  if (due.length > maxChanges)
    throw new CliError({
      code: 'usage',
      message: `A plan has at most ${maxChanges} changes, not ${due.length}. Split it.`,
    });
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
  const changes = entries.map(([change]) => change);
  const place = { id: idValue(organization.id), name: await organization.name() };
  const question = { organization: place, changes, rehearsalOf: (change: Change) => byChange.get(change) };
  const text = questionText(question);
  const written = changes.map(({ declared: { kind, id, fields, state, isDeleted }, row, steps }) => [
    ...[kind.name, id, fields, state, isDeleted, steps],
    Object.fromEntries(changedFields(kind.resource, undefined, row).map(({ field, to }) => [field, to])),
  ]);
  plans += 1;
  const digest = createHmac('sha256', key)
    // A refused plan needs a new one, which has another digest.
    .update(JSON.stringify([plans, context.settings.requiredBaseUrl, place, text, written]))
    .digest('hex')
    .slice(0, 32);
  return {
    ...question,
    question: text,
    digest,
    notRehearsed,
    rejected: rehearsals.filter(isRejected).length,
    file: fileOf(
      place.id,
      changes.map(({ declared, row }) => itemOf(declared, row)),
    ),
  };
}

/** What has changed since a plan was made, one sentence per resource. */
export async function changesSince(target: Target, { changes }: Plan): Promise<string[]> {
  const sentences: string[] = [];
  for (const { declared, row } of changes) {
    if (row === undefined) continue;
    const { kind } = declared;
    const label = kind.name === 'address' ? 'The address' : `${kind.resource.singular} ${idOf(row)}`;
    const now: Resource | undefined = (await readRow(target, kind, idOf(row)))?.row;
    const changed = changedFields(kind.resource, row, now).map(({ field }) => field);
    if (now === undefined) sentences.push(`${label} was deleted.`);
    else if (changed.length > 0) sentences.push(`${label}: ${changed.join(', ')}.`);
  }
  return sentences;
}

/** What the rehearsal of a change found, except what the plan says itself. */
function effectsOf({ row, fields }: Change, rehearsal: Rehearsal | undefined) {
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
    ...(locks.length > 0 && { locks }),
    ...(spends !== undefined && { spends }),
  };
}

/** A plan for the assistant. */
export const dataOf = ({ changes, rehearsalOf }: Plan): Row[] =>
  changes.map((change) => {
    const { declared, row, steps, fields } = change;
    const { kind, name } = declared;
    const isNew = row === undefined;
    return {
      kind: kind.resource.singular,
      id: isNew ? null : (valueAt(row, 'id') ?? null),
      name: (isNew ? name : valueAt(row, kind.resource.title)) ?? null,
      steps,
      fields: Object.fromEntries(fields.map(({ field, from, to }) => [field, isNew ? to : { from, to }])),
      rehearsal: effectsOf(change, rehearsalOf(change)),
    };
  });
