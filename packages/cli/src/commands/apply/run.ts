import { capital, past } from '../../api/errors/explain.js';
import { organizationFor } from '../../api/organization.js';
import { confirm } from '../../changes/confirm.js';
import { failureCode } from '../../changes/outcomes.js';
import { fieldLabel, fieldLines, hanging, INDENT, type Layout, signed, valueText } from '../../changes/plan-lines.js';
import type { Context, Organization } from '../../context/context.js';
import { type Declared, invalidFile, readDeclaration } from '../../declarations/declaration.js';
import { type AppliedChange, execute } from '../../declarations/execute.js';
import {
  type Change,
  countSteps,
  isWaiting,
  labelOfChange,
  makePlan,
  memberLabel,
  stateOf,
  type Target,
  targetFor,
} from '../../declarations/plan.js';
import { costLines, costOf, fixedBy, publicationText, totalCosts } from '../../declarations/publication.js';
import type { Rehearsal } from '../../declarations/rehearse.js';
import { CliError, exitCodes, firstHints, messageText, usageError } from '../../errors/cli-error.js';
import { leftOutOf } from '../../fields/brief.js';
import { asField } from '../../fields/problems.js';
import { fileOf } from '../../fields/read-input.js';
import { countText, doneText } from '../../history/changes.js';
import { labelOf } from '../../lists/connection.js';
import type { View } from '../../output/view.js';
import { withEscapes } from '../../text/escapes.js';
import { isStreamed } from '../../text/formats.js';
import { groupBy, idOf, idValue, pick, type Row, sanitizeLine, valueAt } from '../../text/values.js';

/** The values of a new object in fields that are not declared. */
function defaultsText({ declared, path, row }: Change): string {
  if (row !== undefined || declared.isDeleted) return '';
  const { states, resource } = declared.kind;
  const { defaults: known } = resource;
  const isMoved = path !== undefined && path.actions.length > 0;
  const defaults = { ...(!isMoved && declared.kind.isDraft && { [states.field]: states.initial }), ...known };
  const texts = Object.entries(defaults).flatMap(([field, value]) =>
    field in declared.fields ? [] : `${fieldLabel(field)} ${Array.isArray(value) ? value.join(' and ') : value}`,
  );
  return texts.join(', ');
}

const sharedDefaults = (groups: ReadonlyMap<string, readonly Change[]>, layout: Layout): string[] =>
  [...groups].flatMap(([text, [first, ...others]]) =>
    text === '' || first === undefined || others.length === 0
      ? []
      : hanging('', `By default, for ${others.length + 1} new ${first.declared.kind.resource.plural}: ${text}`, layout),
  );

function changeLines(change: Change, groups: ReadonlyMap<string, readonly Change[]>, layout: Layout): string[] {
  const { declared, row, fields, steps, path, similar } = change;
  const { resource, states } = declared.kind;
  const isNew = row === undefined;
  const name = declared.name === undefined ? '' : ` "${withEscapes(declared.name)}"`;
  const label = isNew
    ? `${resource.singular}${name}`
    : declared.kind.name === 'members'
      ? sanitizeLine(memberLabel(row))
      : labelOf(resource, row);
  const lines: string[] = [];
  if (declared.isDeleted) return signed('-', `delete ${label}`, layout);
  if (isNew) lines.push(...signed('+', `create ${label}`, layout));
  else if (fields.length > 0) lines.push(...signed('~', `update ${label}`, layout));
  for (const field of fields) {
    if (!isNew || field.field !== 'name') lines.push(...fieldLines(resource, field, isNew, layout));
  }
  const defaults = defaultsText(change);
  if (defaults !== '' && groups.get(defaults)?.length === 1)
    lines.push(...hanging(`${INDENT}by default: `, defaults, layout));
  if (path !== undefined && path.actions.length > 0) {
    const isOnly = steps.length === path.actions.length;
    const from = isNew ? states.initial : sanitizeLine(stateOf(declared, row));
    const review = path.waitsForReview ? ', then the marketplace reviews it' : '';
    const text = `${path.actions.join(', ')}${isOnly ? ` ${label}` : ''}: ${from} -> ${path.to}${review}`;
    lines.push(...signed('>', text, layout, isOnly ? '' : INDENT));
  }
  for (const text of publicationText(change, undefined, valueText)) lines.push(...hanging(INDENT, text, layout));
  if (similar !== undefined) {
    const hint = `${capital(labelOf(resource, similar))} already exists. To change it instead, add id: ${idOf(similar)}.`;
    lines.push(...hanging(INDENT, hint, layout).map((line) => layout.style('yellow', line)));
  }
  return lines;
}

/** The differences between the file and the service, one object after the other. */
export function renderPlan(changes: readonly Change[], layout: Layout): string {
  const { create, update, delete: deleted, actions, unchanged } = countSteps(changes);
  const waiting = changes.filter(isWaiting);
  const summary = `Plan: ${create} to create, ${update} to change,${deleted === 0 ? '' : ` ${deleted} to delete,`} ${actions} action${actions === 1 ? '' : 's'}, ${unchanged} unchanged${waiting.length === 0 ? '' : `, ${waiting.length} waiting for review`}.`;
  const groups = groupBy(changes, defaultsText);
  const lines = [
    ...changes.flatMap((change) => (change.steps.length > 0 ? changeLines(change, groups, layout) : [])),
    ...sharedDefaults(groups, layout),
    ...(unchanged > 0 ? signed('=', `${unchanged} unchanged`, layout) : []),
    ...waiting.flatMap(({ declared, row = {} }) =>
      hanging(INDENT, `${labelOf(declared.kind.resource, row)} is waiting for review by the marketplace.`, layout),
    ),
    '',
    ...hanging('', summary, layout),
    ...costLines(changes.flatMap(costOf)).flatMap((line) => hanging('', line, layout)),
  ];
  return `${lines.join('\n')}\n`;
}

/** What `--json` prints. */
const resultView: View = {
  columns: [],
  fields: ['organization', 'dry_run', 'up_to_date', 'counts', 'costs', 'changes'],
};

/** The fields of each of `changes`, and of each row in csv, tsv and ndjson. */
const changeView: View = {
  columns: [],
  fields: [
    ...['kind', 'id', 'name', 'line', 'steps', 'fields', 'fixes', 'similar', 'outcome', 'done', 'differs', 'error'],
    'rehearsal',
  ],
};

function outcomeOf(change: Change | AppliedChange): string {
  const { path, steps } = change;
  if (steps.length === 0) return isWaiting(change) ? 'waiting' : 'unchanged';
  if (!('done' in change)) return 'planned';
  if (change.error !== undefined) return 'failed';
  // It is not what the file says before the marketplace has reviewed it.
  return path?.waitsForReview === true ? 'waiting' : 'done';
}

/** @param change a planned change, or one with its result */
function changeData(change: Change | AppliedChange): Row {
  const { declared, row, fields, steps, similar } = change;
  const { done = [], differs = [], error } = change as Partial<AppliedChange>;
  const fixes = fixedBy(change);
  const state = outcomeOf(change);
  return {
    kind: declared.kind.resource.singular,
    id: valueAt(row, 'id') ?? null,
    name: declared.name ?? valueAt(row, declared.kind.resource.title) ?? null,
    line: declared.positionOf().line,
    steps,
    fields: Object.fromEntries(fields.map(({ field, from, to }) => [field, { from, to }])),
    ...(fixes !== undefined && { fixes }),
    ...(similar !== undefined && { similar: pick(similar, ['id', 'name']) }),
    outcome: state,
    done,
    differs,
    error: error === undefined ? null : { ...pick(error.details, ['code', 'fields']), message: error.message },
  };
}

/** Whether each change is a row; in JSON and YAML, all of them are one object. */
const printsRows = ({ print }: Context): boolean => isStreamed(print.options.format);

/** What a rehearsal of a change found, for programs. */
const rehearsalData = ({ outcome: { error }, fields, locks, spends }: Rehearsal): Row => ({
  fields: Object.fromEntries(fields.map(({ field, from, to }) => [field, { from, to }])),
  rejected: error === undefined ? null : error.message,
  errors: error?.details.fields ?? {},
  locks,
  spends: spends ?? null,
});

type Rehearsals = ReadonlyMap<Declared, Rehearsal>;

/** Prints the plan for programs, and its outcomes unless it is a dry run. */
async function printResult(
  { context, organization }: Target,
  changes: readonly Change[],
  outcomes: readonly AppliedChange[] | undefined,
  rehearsals: Rehearsals,
): Promise<void> {
  const { print } = context;
  if (print.isHumanReadable) return;
  const byObject = new Map(outcomes?.map((outcome) => [outcome.declared, outcome]));
  const rows = changes.map((change) => {
    const rehearsal = rehearsals.get(change.declared);
    const data = changeData(byObject.get(change.declared) ?? change);
    return rehearsal === undefined ? data : { ...data, rehearsal: rehearsalData(rehearsal) };
  });
  if (printsRows(context)) return print.rows([rows], changeView);
  const counts = countSteps(changes);
  const result = {
    organization: { id: idValue(organization.id), name: await organization.name() },
    dry_run: outcomes === undefined,
    up_to_date: counts.unchanged === changes.length,
    counts,
    costs: totalCosts(changes.flatMap(costOf)),
    changes: rows,
  };
  return print.row(result, resultView);
}

async function report({ context, organization }: Target, outcome: AppliedChange): Promise<void> {
  const { declared, row, fields, done, error, differs } = outcome;
  const { kind, positionOf } = declared;
  const { command } = kind.resource;
  const label = labelOfChange(outcome);
  for (const step of done)
    context.note(`${capital(past(step))} ${label} in ${await organization.name()}${context.onService}`);
  const sent = Object.fromEntries(fields.map(({ field, to }) => [field, to]));
  for (const [field, parts] of done.length === 0 ? [] : leftOutOf(kind.resource, sent, row))
    context.warn(`The service left out of the ${field} of ${label}: ${parts}.`);
  if (row !== undefined && differs.length > 0) {
    context.warn(
      `The service stored ${differs.join(', ')} of ${label} in a different form, so the next run will show a difference again. To compare: mkt ${command} show ${idOf(row)} --org ${organization.id}`,
    );
  }
  if (error === undefined || !context.print.isHumanReadable) return;
  const rejected = Object.entries(error.details.reasons ?? error.details.fields ?? {}).map(([field, messages]) => {
    const texts = messages.map((message) => sanitizeLine(messageText(message, asField)));
    return `  line ${positionOf(field).line}, ${field}: ${texts.join(' ')}`;
  });
  context.warn(
    [row !== undefined && error.details.namesObject ? error.message : `${label}: ${error.message}`, ...rejected].join(
      '\n',
    ),
  );
}

/** The error of a run with failures. The exit code is 9 if some steps were done, else that of the first failure. */
function failureOf(outcomes: readonly AppliedChange[]): CliError {
  const failed = outcomes.filter(({ error }) => error !== undefined);
  const errors = failed.flatMap(({ error }) => error ?? []);
  const { code, exitCode } = failureCode(
    errors,
    outcomes.some(({ done }) => done.length > 0),
  );
  const applied = outcomes.length - failed.length;
  const partly = failed.filter(({ done }) => done.length > 0).length;
  return new CliError({
    code,
    exitCode,
    message: `${exitCode === exitCodes.interrupted ? 'Interrupted: applied' : 'Applied'} ${doneText(applied, outcomes.length)}${partly === 0 ? '' : `, ${partly} partially`}.`,
    hints: [
      ...firstHints(errors.map(({ details }) => details)),
      'To continue, run the same command again. It makes the remaining changes',
    ],
    results: outcomes.map(changeData),
  });
}

async function organizationOf(wanted: string | undefined, context: Context, file: string): Promise<Organization> {
  if (wanted === undefined) return context.organization();
  const organization = await organizationFor(context, { value: wanted, origin: file });
  if (context.options.org === undefined) return organization;
  const given = await context.organization();
  if (given.id === organization.id) return organization;
  throw usageError(
    `${file} is for ${await organization.label()}, but --org is ${await given.label()}.`,
    'Remove one of the two',
  );
}

async function confirmPlan(context: Context, changes: readonly Change[]): Promise<void> {
  try {
    await confirm(context, 'Make these changes');
  } catch (error) {
    // Programs have not received the plan yet.
    if (!(error instanceof CliError) || context.print.isHumanReadable) throw error;
    throw new CliError({ ...error.details, results: changes.map(changeData) });
  }
}

interface ApplyFlags {
  readonly file?: string;
  readonly 'dry-run'?: boolean;
  readonly rehearse?: boolean;
}

/** Reads the file, shows the plan, asks for confirmation, and makes the changes. */
export async function applyFile(context: Context, given: string | undefined, flags: ApplyFlags): Promise<void> {
  const { 'dry-run': isDryRun, rehearse: isRehearsed } = flags;
  const file = fileOf(given, flags.file, 'mkt apply marketplace.yaml');
  const { print } = context;
  if (print.isHumanReadable && print.options.fields !== undefined) {
    throw usageError('--fields needs a machine-readable format.', 'Add --json or --format csv');
  }
  await print.checkKnown(printsRows(context) ? changeView : resultView);
  const declaration = await readDeclaration(file, context);
  const client = await context.client();
  const organization = await organizationOf(declaration.organization, context, file.name);
  const target = targetFor(context, client, organization);
  const { changes, missing, problems } = await makePlan(target, declaration.objects);
  const code = problems.length === 0 ? 'not_found' : 'usage';
  if (missing.length + problems.length > 0) throw invalidFile(file.name, [...missing, ...problems], code);
  if (print.isHumanReadable) {
    await print.write(`${sanitizeLine(await organization.label())}\n\n${renderPlan(changes, print.options)}`);
  }
  for (const { line, message } of declaration.notes) context.warn(`${file.name}:${line}: ${message}`);
  for (const { declared, row, fields: changed } of changes)
    for (const [field, parts] of leftOutOf(declared.kind.resource, declared.fields, row))
      if (!changed.some((change) => change.field === field))
        context.note(
          `${file.name}:${declared.positionOf(field).line}: the ${field} also has ${parts}, which the service leaves out.`,
        );
  const due = changes.filter(({ steps }) => steps.length > 0);
  // The server is loaded only for a rehearsal.
  const rehearsing =
    isRehearsed === true && due.length > 0 ? await import('../../declarations/rehearse.js') : undefined;
  const rehearsed = (await rehearsing?.rehearse(target, client, due)) ?? [];
  const rehearsals: Rehearsals = new Map(rehearsed.map((rehearsal) => [rehearsal.outcome.declared, rehearsal]));
  if (rehearsing !== undefined && print.isHumanReadable) {
    await print.write(`\n${rehearsing.renderRehearsal(rehearsed, print.options)}`);
  }
  if (isDryRun) await printResult(target, changes, undefined, rehearsals);
  const rejected = rehearsed.filter(({ outcome }) => outcome.error !== undefined).length;
  if (rejected > 0 && (isDryRun || context.options.yes))
    throw new CliError({
      code: 'rehearsal_rejected',
      exitCode: exitCodes.rejected,
      message: `${rejected} ${rejected === 1 ? 'change was' : 'changes were'} rejected in the rehearsal. Nothing was changed.`,
    });
  if (isDryRun) return;
  if (due.length === 0) return printResult(target, changes, [], rehearsals);
  await confirmPlan(context, changes);
  if (rehearsing !== undefined) {
    rehearsing.checkUnchanged(changes, (await makePlan(target, declaration.objects)).changes);
  }

  const outcomes = await execute(target, due);
  for (const outcome of outcomes) if (outcome.started) await report(target, outcome);
  const left = outcomes.filter(({ started }) => !started).length;
  if (left > 0) context.warn(`${countText(left)} ${left === 1 ? 'was' : 'were'} not started.`);
  const failed = outcomes.some(({ error }) => error !== undefined);
  // If nothing was done, the error has all results, and stdout stays empty.
  if (outcomes.some(({ done, error }) => done.length > 0 || error === undefined)) {
    await printResult(target, changes, outcomes, rehearsals);
  }
  if (failed) throw failureOf(outcomes);
  const waiting = outcomes.filter(({ path }) => path?.waitsForReview === true).length;
  const review = waiting === 0 ? '' : ` ${waiting} ${waiting === 1 ? 'waits' : 'wait'} for review by the marketplace.`;
  context.note(`Applied ${countText(outcomes.length)}.${review}`);
}
