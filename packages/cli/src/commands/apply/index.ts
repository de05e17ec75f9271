import { idOf, organizationFor } from '../../api/organization.js';
import type { Invocation, Run } from '../../context/command.js';
import type { Context, Organization } from '../../context/context.js';
import { commandWith } from '../../context/next-command.js';
import { CliError, usageError } from '../../errors/cli-error.js';
import { fieldMessage } from '../../errors/field-message.js';
import { confirm } from '../../shared/confirm.js';
import { readText } from '../../shared/fields/read-input.js';
import { operationsOf } from '../../shared/operations.js';
import { labelOf } from '../../shared/presenter.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { answerRow, changeRow, failureOf, viewOfAnswer } from './answer.js';
import { foldersOf } from './brief-file.js';
import { type Declaration, readDeclaration } from './declaration.js';
import { readDocument } from './document.js';
import { execute, type Outcome } from './execute.js';
import { faultsError } from './faults.js';
import { findAll } from './find.js';
import type { Place } from './place.js';
import { type Change, planFor } from './plan.js';
import { renderPlan } from './render.js';

/** Receipts: `Created campaign 48 "Autumn glow"`. */
const DONE: Readonly<Record<string, string>> = { submit: 'Submitted' };
const past = (step: string): string =>
  DONE[step] ?? `${step.charAt(0).toUpperCase()}${step.slice(1)}${step.endsWith('e') ? 'd' : 'ed'}`;

async function read(file: string, { io }: Context): Promise<Declaration> {
  const text = await readText(file, '--file', io);
  const name = file === '-' ? 'stdin' : file;
  const read = readDocument(text);
  if ('faults' in read) throw faultsError(name, read.faults);
  const declaration = readDeclaration(read, foldersOf(file));
  if ('faults' in declaration) throw faultsError(name, declaration.faults);
  return declaration;
}

/** The organization of the file; else the one that flags and settings name. Two that differ are a mistake. */
async function organizationOf(
  { organization: wanted }: Declaration,
  context: Context,
  file: string,
): Promise<Organization> {
  if (wanted === undefined) return context.organization();
  const organization = await organizationFor(context, { value: wanted, origin: file });
  if (context.options.org === undefined) return organization;
  const given = await context.organization();
  if (given.id === organization.id) return organization;
  throw usageError(
    `${file} is for ${await organization.label()}, and --org says ${await given.label()}.`,
    'Leave one of the two out',
  );
}

const place = async (declaration: Declaration, context: Context, file: string): Promise<Place> => {
  const client = await context.client();
  const organization = await organizationOf(declaration, context, file);
  const options = { signal: context.io.interrupted };
  return {
    context,
    organization,
    verbs: ({ key }) => operationsOf(key, client, organization.id, options),
  };
};

/** Whether each change is a row of its own; in json and yaml all of them are one object. */
const inRows = ({ print }: Context): boolean =>
  print.options.jq === undefined && ['csv', 'tsv', 'ndjson'].includes(print.options.format);

async function printAnswer(
  { context, organization }: Place,
  changes: readonly Change[],
  outcomes: readonly Outcome[] | undefined,
): Promise<void> {
  const rows = inRows(context);
  const view = viewOfAnswer(rows);
  if (context.print.forPeople) return;
  if (rows) {
    const found = (change: Change) => outcomes?.find((outcome) => outcome.change === change);
    await context.print.rows([changes.map((change) => changeRow(change, found(change)))], view);
  } else await context.print.row(await answerRow(organization, changes, outcomes), view);
}

/** Receipts and complaints, a line for each. */
async function tell({ context, organization }: Place, { change, row, done, error, differs }: Outcome): Promise<void> {
  const { resource } = change.declared.kind;
  const label =
    row === undefined ? `${resource.noun} "${sanitizeLine(change.declared.name ?? '')}"` : labelOf(resource, row);
  for (const step of done) context.note(`${past(step)} ${label} in ${await organization.name()}`);
  if (differs.length > 0) {
    context.warn(
      `The service keeps ${differs.join(', ')} of ${label} otherwise than declared, so the next run will show it again. To see how: mkt ${resource.command} show ${row === undefined ? '' : idOf(row)} --org ${organization.id}`,
    );
  }
  if (error === undefined || !context.print.forPeople) return;
  const fields = Object.entries(error.details.fields ?? {}).map(([field, messages]) => {
    const at = change.declared.positions.get(field);
    return `  ${at === undefined ? field : `line ${at.line}, ${field}`}: ${messages.map((message) => fieldMessage(field, message)).join(' ')}`;
  });
  const named = row !== undefined && error.message.toLowerCase().includes(`${resource.noun} ${idOf(row)} `);
  context.warn([named ? error.message : `${label}: ${error.message}`, ...fields].join('\n'));
}

async function carryOut(where: Place, changes: readonly Change[]): Promise<void> {
  const due = changes.filter(({ steps }) => steps.length > 0);
  const outcomes = await execute(where, due);
  for (const outcome of outcomes) if (outcome.begun) await tell(where, outcome);
  const waiting = outcomes.filter(({ begun }) => !begun).length;
  if (waiting > 0) where.context.warn(`${waiting === 1 ? 'One change was' : `${waiting} changes were`} not begun.`);
  // An error alone leaves stdout empty, and holds what became of each.
  if (outcomes.some(({ done, error }) => done.length > 0 || error === undefined)) {
    await printAnswer(where, changes, outcomes);
  }
  const failed = outcomes.filter(({ error }) => error !== undefined);
  if (failed.length > 0) throw failureOf(failed, outcomes);
  where.context.note(`Applied ${outcomes.length} of ${outcomes.length} changes.`);
}

/** `apply`: makes the service as the file declares, after showing the difference and asking. */
export const apply: Run = async (context: Context, invocation: Invocation) => {
  const { file, 'dry-run': dryRun } = invocation.flags;
  if (file === undefined) throw usageError('--file is missing.', 'mkt apply -f marketplace.yaml');
  const name = file === '-' ? 'stdin' : String(file);
  const { print } = context;
  if (print.forPeople && print.options.fields !== undefined) {
    throw usageError('--fields chooses from what programs read.', 'Together with it: --json, or --format csv');
  }
  print.checkKnown(viewOfAnswer(inRows(context)));
  const declaration = await read(String(file), context);
  const where = await place(declaration, context, name);
  const { matches, faults } = await findAll(where, declaration);
  const plan = planFor(matches);
  if (faults.length + plan.faults.length > 0) throw faultsError(name, [...faults, ...plan.faults]);
  const { changes } = plan;
  const { style, width } = print.options;
  if (print.forPeople) {
    await print.write(`${sanitizeLine(await where.organization.label())}\n\n${renderPlan(changes, { style, width })}`);
  }
  if (dryRun === true || changes.every(({ steps }) => steps.length === 0)) {
    await printAnswer(where, changes, dryRun === true ? undefined : []);
    return;
  }
  await ask(context, invocation, changes);
  await carryOut(where, changes);
};

async function ask(context: Context, invocation: Invocation, changes: readonly Change[]): Promise<void> {
  try {
    await confirm(context, 'Make these changes?', commandWith(invocation, context, {}));
  } catch (error) {
    // A program has not seen the difference yet.
    if (!(error instanceof CliError) || context.print.forPeople) throw error;
    throw new CliError({ ...error.details, results: changes.map((change) => changeRow(change)) });
  }
}
