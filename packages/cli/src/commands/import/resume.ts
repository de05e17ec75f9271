import { existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { commandWith } from '../../context/next-command.js';
import { CliError, usageError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { sanitizeLine } from '../../text/sanitize.js';
import type { CheckedRow } from './check.js';
import { ImportLog, type LogHeader } from './import-log.js';
import type { InputFile } from './read-file.js';

/** In the folder of the file: `campaigns.import.ndjson`. For stdin, named by the digest of its content. */
export function defaultReport({ path, sha256 }: InputFile, noun: string): string {
  if (path === '-') return `${noun}-${sha256.slice(0, 8)}.import.ndjson`;
  return join(dirname(path), `${basename(path, extname(path))}.import.ndjson`);
}

/** A name that is free: `campaigns.import-2.ndjson`. */
function unusedReport(path: string): string {
  const ending = extname(path);
  for (let number = 2; ; number += 1) {
    const name = `${path.slice(0, path.length - ending.length)}-${number}${ending}`;
    if (!existsSync(name)) return name;
  }
}

/** The command that continues the import of this report. */
export const resumeCommand = (context: Context, invocation: Invocation, report: string): string =>
  commandWith(invocation, context, { report: undefined, map: undefined, resume: report });

export function logToResume(path: string): ImportLog {
  const log = ImportLog.read(path);
  if (log !== undefined) return log;
  throw usageError(`--resume ${path}: there is no report.`, 'To start a new import, leave out --resume');
}

/** Rejects a second import of a file that has a report already: it would create every row again. */
export function rejectSecondRun(path: string, file: InputFile, context: Context, invocation: Invocation): void {
  const log = ImportLog.read(path);
  if (log === undefined) return;
  const created = [...log.rows()].filter(([row]) => log.isCreated(row)).length;
  const sameFile = log.sha256 === file.sha256;
  const finished = sameFile && created === log.total;
  const progress = log.runs > 0 ? `with ${created} of ${log.total} rows created` : 'that has not sent a row yet';
  const resume = sameFile ? 'To import the rest' : 'To import the rest, with corrected and added rows';
  const again = commandWith(invocation, context, { report: unusedReport(path) });
  throw new CliError({
    code: 'report_exists',
    exitCode: exitCodes.usage,
    message: finished
      ? `${file.name} has been imported already: ${path} lists all ${created} rows as created. Nothing was created.`
      : `${path} is the report of an import of ${sanitizeLine(log.header.file)} ${progress}. Nothing was created.`,
    hints: [
      ...(finished ? [] : [`${resume}: ${resumeCommand(context, invocation, path)}`]),
      `To create all rows${created > 0 ? ' again' : ''}: ${again}`,
    ],
  });
}

/**
 * Checks that the report belongs to the same import: the same resource, service, organization and columns, and the same
 * position and values of every row that was sent. Other rows may change, and rows may be added.
 */
export function checkSameImport(log: ImportLog, now: LogHeader, file: InputFile, rows: readonly CheckedRow[]): void {
  const { path, header } = log;
  const compare = (what: string, before: string, given: string, ...hints: string[]): void => {
    if (before === given) return;
    const [was, is] = [before, given].map((text) => sanitizeLine(text) || 'empty');
    throw usageError(`${path} is the report of another import: its ${what} is ${was}, not ${is}.`, ...hints);
  };
  compare('resource', header.noun, now.noun);
  compare('service', header.service, now.service, `--base-url ${header.service}`);
  compare('organization', header.organization, now.organization, `--org ${header.organization}`);
  compare('--map', header.map.join(' '), now.map.join(' '), 'To use that of the report, leave out --map');
  if (log.sha256 === file.sha256) return;
  const byNumber = new Map(rows.map((row) => [row.row, row]));
  for (const [number, logged] of log.rows()) {
    if (!log.isCreated(number) && !log.isUnknown(number)) continue;
    const row = byNumber.get(number);
    if (row?.key === logged.key) continue;
    const created = log.isCreated(number) ? 'was created' : 'may have been created';
    const change = row === undefined ? 'and is missing now' : 'with other values';
    throw usageError(
      `${file.name} is not the file of ${path}, or has changed: row ${number} (line ${row?.line ?? logged.last.line}) ${created} ${change}.`,
      'Restore that row; you can change rows that were not created, and add rows at the end',
    );
  }
}
