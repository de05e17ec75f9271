import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { commandWith } from '../../context/next-command.js';
import { CliError, fileError, usageError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { sanitizeLine } from '../../text/sanitize.js';
import type { CheckedRow } from './check.js';
import { resumeCommand } from './job.js';
import { isCreated, isUnknown } from './memory.js';
import { freeReport, type Options } from './options.js';
import type { InputFile } from './read-file.js';
import { type ReadReport, readReport, type UnwritableReport } from './report.js';

/** The report that is gone on with. */
export function reportToResume(path: string): ReadReport {
  const read = readReport(path);
  if (read === undefined)
    throw usageError(`--resume ${path}: there is no report.`, 'A new import is begun without --resume');
  return read;
}

/**
 * A report that is there already: this import, or another one of the same file, has run. Beginning anew would create
 * everything once more.
 */
export function refuseSecondRun(path: string, file: InputFile, context: Context, invocation: Invocation): void {
  const read = readReport(path);
  if (read === undefined) return;
  const { memory, header } = read;
  const created = [...memory.rows()].filter(([, remembered]) => isCreated(remembered)).length;
  const same = memory.sha256 === file.sha256;
  // A crash, or another process at this moment: the header alone is there.
  const begun = memory.runs > 0;
  const finished = same && created === memory.total;
  const resume = `${same ? 'To do what is left' : 'To do what is left, mended and added rows too'}: ${resumeCommand(context, invocation, path)}`;
  throw new CliError({
    code: 'report_exists',
    exitCode: exitCodes.usage,
    message: finished
      ? `${file.name} is imported already: ${path} reports all ${created} rows as created. Nothing was done.`
      : `${path} reports an import of ${sanitizeLine(header.file)} ${begun ? `with ${created} of ${memory.total} rows created` : 'that has sent no row yet'}. Nothing was done.`,
    hints: [
      ...(finished ? [] : [resume]),
      `To create all rows${created > 0 ? ' once more' : ''}: ${commandWith(invocation, context, { report: freeReport(path) })}`,
    ],
  });
}

/** That the report is of the same import: the same noun, service, organization and columns. */
export function checkPlace(
  { header }: ReadReport,
  path: string,
  { noun, maps }: Options,
  here: { readonly service: string; readonly organization: string },
): void {
  const differs = (what: string, there: string, now: string, ...hints: string[]): void => {
    if (there === now) return;
    const [was, is] = [there, now].map((text) => sanitizeLine(text) || 'none');
    throw usageError(`${path} is of another import: its ${what} is ${was}, not ${is}.`, ...hints);
  };
  differs('noun', header.noun, noun);
  differs('service', header.service, here.service, `--base-url ${header.service}`);
  differs('organization', header.organization, here.organization, `--org ${header.organization}`);
  if (maps !== undefined)
    differs('--map', header.map.join(' '), maps.join(' '), 'Without --map it goes on with its own');
}

/**
 * That the rows which were sent still stand where they stood, with the same values. Others may have been mended, and
 * rows may have been added at the end.
 */
export function checkRowsUnchanged(
  { memory }: ReadReport,
  path: string,
  file: InputFile,
  rows: readonly CheckedRow[],
): void {
  if (memory.sha256 === file.sha256) return;
  const byNumber = new Map(rows.map((row) => [row.row, row]));
  for (const [number, remembered] of memory.rows()) {
    if (!isCreated(remembered) && !isUnknown(remembered)) continue;
    const now = byNumber.get(number);
    if (now?.key === remembered.key) continue;
    const what = isCreated(remembered) ? 'was created' : 'may have been created';
    const how = now === undefined ? 'and is not in it any more' : 'with other values';
    throw usageError(
      `${file.name} is not the file of ${path}, or has changed: row ${number} (line ${now?.line ?? remembered.last.line}) ${what} ${how}.`,
      'Put that row back as it was; rows that were not created may be changed, and added at the end',
    );
  }
}

/** What was sent is in the report, up to the line that could not be written: that row will be looked for. */
export function reportFailed(
  { cause }: UnwritableReport,
  path: string,
  context: Context,
  invocation: Invocation,
): CliError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason = code === 'ENOSPC' ? 'the disk is full' : (code ?? message);
  const hint =
    readReport(path) === undefined
      ? 'Keep it elsewhere: --report FILE'
      : `Once it can be written: ${resumeCommand(context, invocation, path)}`;
  return fileError(`The report ${path} cannot be written: ${reason}. No further row was begun.`, cause, hint);
}
