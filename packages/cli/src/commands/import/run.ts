import { version } from '../../../package.json';
import { explained } from '../../api/errors/explain.js';
import { idOf } from '../../api/organization.js';
import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { commandWith } from '../../context/next-command.js';
import { usageError } from '../../errors/cli-error.js';
import { confirm } from '../../shared/confirm.js';
import { operationsOf } from '../../shared/operations.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { checkRows, readColumns, rowTypeOf } from './check.js';
import { type InputFormat, importable } from './choices.js';
import { type Job, RowCreator, showsProgress } from './create-rows.js';
import { ImportLog, type LogHeader } from './import-log.js';
import { lockReport } from './lock.js';
import { countRows, outcomeData, outcomeView, problemsError, showPlan, showResult } from './output.js';
import { readInputFile, readTable } from './read-file.js';
import { findExisting } from './reconcile.js';
import { checkSameImport, defaultReport, logToResume, rejectSecondRun, resumeCommand } from './resume.js';

interface ImportFlags {
  readonly file?: string;
  readonly 'input-format'?: InputFormat;
  readonly map?: readonly string[];
  readonly 'dry-run'?: boolean;
  readonly 'continue-on-error'?: boolean;
  readonly report?: string;
  readonly resume?: string;
}

/** Checks all rows, shows the plan, creates the rows that do not exist yet, and logs each of them in the report. */
export async function importRows(context: Context, invocation: Invocation, noun: string, flags: ImportFlags) {
  const name = importable.find((each) => each === noun);
  if (name === undefined) {
    throw usageError(`"${sanitizeLine(noun)}" cannot be imported.`, `One of: ${importable.join(', ')}`);
  }
  if (flags.file === undefined) {
    throw usageError('--file is missing. Name the file with the rows.', `mkt import ${name} --file ${name}.csv`);
  }
  if (flags.report !== undefined && flags.resume !== undefined) {
    throw usageError('--report and --resume cannot be used together.', '--resume continues its own report');
  }
  const earlier = flags.resume === undefined ? undefined : logToResume(flags.resume).header;
  const file = await readInputFile(context, flags.file, flags['input-format'] ?? earlier?.input_format);
  const map = flags.map ?? earlier?.map ?? [];
  const type = rowTypeOf(name);
  const table = readTable(file);
  if (table.problems.length > 0) throw problemsError(file.name, table.problems);
  const columns = readColumns(table, map, type);
  const { rows, problems } = checkRows(table, columns, type);
  if (problems.length > 0) throw problemsError(file.name, problems, columns.hints);

  const path = flags.resume ?? flags.report ?? defaultReport(file, name);
  const unlock = flags['dry-run'] ? undefined : lockReport(path);
  try {
    if (flags.resume === undefined) rejectSecondRun(path, file, context, invocation);
    const client = await context.client();
    const organization = await context.organization();
    const header: LogHeader = {
      mkt_import: 1,
      mkt: version,
      command: commandWith(invocation, context, {}),
      noun: name,
      file: file.name,
      input_format: file.format,
      map,
      service: context.settings.requiredBaseUrl,
      organization: organization.id,
    };
    // Read again, now that no other process can write to it.
    const log = flags.resume === undefined ? new ImportLog(path, header) : logToResume(path);
    checkSameImport(log, header, file, rows);
    context.print.checkKnown(outcomeView);
    const operations = operationsOf(name, client, organization.id, { signal: context.io.interrupted });
    await runImport({ context, invocation, type, organization, operations, file, columns, rows, log }, flags);
  } finally {
    unlock?.();
  }
}

async function runImport(job: Job, flags: ImportFlags): Promise<void> {
  const { context, invocation, type, organization, operations, file, rows, log } = job;
  const { noun, plural } = type.resource;
  const subject = { verb: 'import', resource: type.resource, organization };
  const { left, unknown } = countRows(rows, log);
  const count = left.length + unknown;
  const existing =
    count === 0 ? [] : await explained(context, subject, () => findExisting(context, plural, operations, rows));
  if (count > 0 && showsProgress(context)) await showPlan(job, existing);
  if (flags['dry-run']) {
    if (count === 0) context.note(`All ${rows.length} rows of ${file.name} are already created.`);
    context.note('Dry run: nothing was created.');
    if (!context.print.forPeople) {
      await context.print.rows([left.map((row) => outcomeData({ row, state: 'pending' }))], outcomeView);
    }
    return;
  }
  if (count > 0 && context.interactive) {
    const what = count === 1 ? `this ${noun}` : `these ${count} ${plural}`;
    await confirm(context, `Create ${what}?`, commandWith(invocation, context, {}));
  }
  try {
    await log.open(resumeCommand(context, invocation, log.path));
    if (count > 0) {
      const at = context.io.now().toISOString();
      await log.add({ run: log.runs + 1, at, sha256: file.sha256, rows: rows.length, existing: existing.map(idOf) });
    }
    const creator = new RowCreator(job, flags['continue-on-error'] === true);
    await explained(context, subject, () => creator.run());
    await showResult(job, creator);
  } finally {
    await log.close();
  }
}
