import { version } from '../../../package.json';
import { explained } from '../../api/errors/explain.js';
import type { Invocation, Run } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { commandWith } from '../../context/next-command.js';
import { confirm } from '../../shared/confirm.js';
import { operationsOf } from '../../shared/operations.js';
import { type CheckedRow, checkRows } from './check.js';
import { type Columns, readColumns } from './columns.js';
import { createRows, type Ran } from './create-rows.js';
import { faultsError } from './faults.js';
import type { Job } from './job.js';
import { type Kind, kindNamed } from './kind.js';
import { lockReport } from './lock.js';
import { Memory } from './memory.js';
import { defaultReport, type Options, readOptions } from './options.js';
import { asData, outcomeView, tell } from './outcomes.js';
import { countsOf, tellPlan } from './plan.js';
import { readDelimited } from './read-delimited.js';
import { type InputFile, readInputFile } from './read-file.js';
import { readObjects } from './read-objects.js';
import { type ReadReport, Report, UnwritableReport } from './report.js';
import type { Header } from './report-lines.js';
import { checkPlace, checkRowsUnchanged, refuseSecondRun, reportFailed, reportToResume } from './resume.js';
import type { Source } from './source.js';
import { idsOf, survey } from './survey.js';

interface Input {
  readonly file: InputFile;
  readonly columns: Columns;
  readonly rows: readonly CheckedRow[];
}

const sourceOf = ({ text, format }: InputFile): Source =>
  format === 'csv' || format === 'tsv' ? readDelimited(text, format) : readObjects(text, format);

/** The rows of the file, all of them checked. @throws all that is wrong with them */
async function readRows(context: Context, options: Options, kind: Kind, maps: readonly string[]): Promise<Input> {
  const file = await readInputFile(context, options.file, options.inputFormat);
  const source = sourceOf(file);
  if (source.faults.length > 0) throw faultsError(file.name, source.faults);
  if (source.rows.length === 0) throw faultsError(file.name, [{ line: 1, message: 'there are no rows.' }]);
  const columns = readColumns(source, maps, kind);
  const { rows, faults } = checkRows(source, columns, kind);
  if (columns.faults.length + faults.length > 0)
    throw faultsError(file.name, [...columns.faults, ...faults], columns.hints);
  return { file, columns, rows };
}

interface Place {
  readonly options: Options;
  readonly kind: Kind;
  readonly maps: readonly string[];
  readonly reportPath: string;
  readonly earlier: ReadReport | undefined;
}

/** Asks, creates and tells, with the report locked. */
async function runImport(context: Context, invocation: Invocation, input: Input, place: Place): Promise<void> {
  const { options, kind, maps, reportPath, earlier } = place;
  const { file, columns, rows } = input;
  const { resource } = kind;
  const client = await context.client();
  const organization = await context.organization();
  const service = context.settings.requiredBaseUrl;
  if (earlier !== undefined) {
    checkPlace(earlier, reportPath, options, { service, organization: organization.id });
    checkRowsUnchanged(earlier, reportPath, file, rows);
  }
  context.print.checkKnown(outcomeView);
  const verbs = operationsOf(kind.noun, client, organization.id, { signal: context.io.interrupted });
  const memory = earlier?.memory ?? new Memory();
  const { left, unknown } = countsOf(rows, memory);
  const subject = { verb: 'import', resource, organization };
  const nothingLeft = left.length + unknown === 0;
  const seen = nothingLeft
    ? { things: [] }
    : await explained(context, subject, () => survey(context, resource.plural, verbs, rows));
  if (!nothingLeft && (context.print.forPeople || context.interactive)) {
    await tellPlan({ context, kind, organization, file, columns, rows, memory, seen });
  }
  if (options.dryRun) {
    if (nothingLeft) context.note(`All ${rows.length} rows of ${file.name} are created already.`);
    context.note('Dry run: nothing was created.');
    if (!context.print.forPeople)
      await context.print.rows([left.map((row) => asData(row, { state: 'pending' }))], outcomeView);
    return;
  }
  if (!nothingLeft && context.interactive) {
    const many = left.length + unknown;
    const what = many === 1 ? `this ${resource.noun}` : `these ${many} ${resource.plural}`;
    await confirm(context, `Create ${what}?`, commandWith(invocation, context, {}));
  }
  const header: Header = {
    mkt_import: 1,
    mkt: version,
    command: commandWith(invocation, context, {}),
    noun: options.noun,
    file: file.name,
    input_format: file.format,
    map: maps,
    service,
    organization: organization.id,
  };
  try {
    const report = await (earlier === undefined
      ? Report.begin(reportPath, header)
      : Report.continue(reportPath, earlier));
    const { continueOnError } = options;
    const job = { context, invocation, kind, organization, verbs, file, rows, report, continueOnError };
    try {
      const ran = await explained(context, subject, () => run(job, nothingLeft ? undefined : idsOf(seen)));
      await tell(job, ran);
    } finally {
      await report.close();
    }
  } catch (error) {
    throw error instanceof UnwritableReport ? reportFailed(error, reportPath, context, invocation) : error;
  }
}

/** @param existing things that are there already; undefined where there is nothing to do */
async function run(job: Job, existing: readonly string[] | undefined): Promise<Ran> {
  const { context, file, report, rows } = job;
  if (existing !== undefined) {
    const at = context.io.now().toISOString();
    await report.add({ run: report.memory.runs + 1, at, sha256: file.sha256, rows: rows.length, existing });
  }
  return createRows(job);
}

/** `import campaigns|collabs`: checks every row, shows the plan, creates what is not created yet, remembers each row. */
export const importRows: Run = async (context, invocation) => {
  const options = readOptions(invocation);
  const kind = kindNamed(options.noun);
  const before = options.resume === undefined ? undefined : reportToResume(options.resume);
  const maps = options.maps ?? before?.header.map ?? [];
  const inputFormat = options.inputFormat ?? before?.header.input_format;
  const input = await readRows(context, { ...options, inputFormat }, kind, maps);
  const reportPath = options.resume ?? options.report ?? defaultReport(input.file, options.noun);
  const refuse = (): void => {
    if (options.resume === undefined) refuseSecondRun(reportPath, input.file, context, invocation);
  };
  const runOn = (earlier: ReadReport | undefined): Promise<void> =>
    runImport(context, invocation, input, { options, kind, maps, reportPath, earlier });
  refuse();
  if (options.dryRun) return runOn(before);
  const unlock = lockReport(reportPath);
  try {
    // Read again: another process may have ended between the first look and the lock.
    refuse();
    await runOn(options.resume === undefined ? undefined : reportToResume(options.resume));
  } finally {
    unlock();
  }
};
