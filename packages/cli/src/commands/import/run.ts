import { existsSync, renameSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { version } from '../../../package.json';
import { withErrorContext } from '../../api/errors/with-context.js';
import { drafts, isNamed } from '../../api/labels.js';
import { type DraftOperations, operationsOf } from '../../api/operations.js';
import { confirm } from '../../changes/confirm.js';
import type { Context } from '../../context/context.js';
import { failure, hintText, toType, usageError } from '../../errors/cli-error.js';
import { firstLines } from '../../fields/problems.js';
import { fileOf } from '../../fields/read-input.js';
import { readAll } from '../../lists/read-pages.js';
import { idOf, sanitizeLine } from '../../text/values.js';
import { expandMaps, isColumnOf, rowTypeOf, saveMap, skipsOthers } from './columns.js';
import { findExisting, type Job, RowCreator, showsProgress } from './create-rows.js';
import type { ImportFlags } from './flags.js';
import { ImportLog, type LogHeader, lockReport } from './log.js';
import { outcomeOf, outcomeView, resumeCommand, showPlan, showResult } from './output.js';
import { formatOf, type InputFile, readInputFile, readTable } from './read-file.js';
import { checkRows } from './rows.js';

/** In the folder of the file: `campaigns.import.ndjson`. For stdin, named by the digest of its content. */
function defaultReport({ path, sha256 }: InputFile, plural: string): string {
  if (path === '-') return `${plural}-${sha256.slice(0, 8)}.import.ndjson`;
  return join(dirname(path), `${basename(path, extname(path))}.import.ndjson`);
}

/** The flags that decide which row of the file is which: a report keeps them. */
const readingFlags = ['sheet', 'delimiter', 'skip-lines'] as const;

const differences = (before: LogHeader, now: LogHeader): (readonly [string, string, string, string])[] =>
  (
    [
      ['resource', before.noun, now.noun, `mkt import ${before.noun}`],
      ['service', before.service, now.service, `--base-url ${before.service}`],
      ['organization', before.organization, now.organization, `--org ${before.organization}`],
      ['--map', before.map.join(' '), now.map.join(' '), 'To use the mapping of the report, leave out --map'],
      ...readingFlags.map((flag) => {
        const values = [before[flag], now[flag]].map((value) => String(value ?? '')) as [string, string];
        return [`--${flag}`, ...values, `To use that of the report, leave out --${flag}`] as const;
      }),
    ] as const
  ).filter(([, was, is]) => was !== is);

/** `x.import-2.ndjson`, or the next number that is not in use. */
function unusedPath(path: string): string {
  for (let number = 2; ; number += 1) {
    const other = path.replace(/(\.[^./\\]*)?$/, `-${number}$1`);
    if (!existsSync(other)) return other;
  }
}

/**
 * Rejects a second import of a file that already has a report: it would create every row again. A dry run only warns.
 * The command to resume is suggested only if it works.
 */
function rejectSecondRun(
  { path, header, latest, claimed }: ImportLog,
  now: LogHeader,
  isDryRun: boolean,
  job: Pick<Job, 'context' | 'file'>,
): void {
  const { context, file } = job;
  const created = claimed.size;
  const isSameFile = latest?.sha256 === file.sha256;
  // --resume uses the mapping of the report.
  const isSameImport = differences(header, { ...now, map: header.map }).length === 0;
  const isFinished = isSameImport && isSameFile && created === latest?.rows;
  const place = isSameImport ? '' : ` as ${header.noun} of organization ${header.organization} at ${header.service}`;
  const progress = latest ? `with ${created} of ${latest.rows} rows created` : 'that has not sent a row yet';
  const message = isFinished
    ? `${file.name} has already been imported: ${path} lists all ${created} rows as created.`
    : `${path} is the report of an import of ${sanitizeLine(header.file)}${place} ${progress}.`;
  const resume = isSameFile ? 'To import the rest' : 'To import the rest, with corrected and added rows';
  const again = context.commandWith({ report: unusedPath(path), 'dry-run': undefined });
  const hints = [
    ...(isFinished || !isSameImport ? [] : [toType(resumeCommand(job, path), resume)]),
    toType(again, `To create all rows${isSameImport && created > 0 ? ' again' : ''}`),
  ];
  if (!isDryRun) throw failure('report_exists', `${message} Nothing was created.`, ...hints);
  if (showsProgress(context)) context.warn([message, ...hints.map(hintText)].join('\n  '));
}

/** Whether the report is of an import to the same organization, and all that it created was deleted, as by `mkt undo`. */
async function wasUndone(
  context: Context,
  { header, claimed }: ImportLog,
  now: LogHeader,
  { list }: DraftOperations,
): Promise<boolean> {
  const isSamePlace = (['noun', 'service', 'organization'] as const).every((key) => header[key] === now[key]);
  if (claimed.size === 0 || !isSamePlace) return false;
  const left = await readAll(context, now.noun, list(), (row) => claimed.has(idOf(row)));
  return left.length === 0;
}

/**
 * Checks that the report belongs to the same import: the same resource, service, organization and columns, and the same
 * position and values of every row that was sent. Other rows may change, and rows may be added.
 */
function checkSameImport({ log, file, table, rows }: Job, now: LogHeader): void {
  const { path } = log;
  const [different] = differences(log.header, now);
  if (different !== undefined) {
    const [what, before, given, hint] = different;
    const [was, is] = [before, given].map((text) => sanitizeLine(text) || 'empty');
    throw usageError(`${path} is the report of another import: its ${what} is ${was}, not ${is}.`, hint);
  }
  if (log.latest?.sha256 === file.sha256) return;
  const byNumber = new Map(rows.map((row) => [row.row, row]));
  for (const [number, { key }] of log.rows) {
    const row = byNumber.get(number);
    const status = log.statusOf(number);
    if (row?.key === key || status === 'open') continue;
    const line = row === undefined ? '' : ` (line ${table.placeOf(number).line})`;
    const created = status === 'created' ? 'was created' : 'may have been created';
    const change = row === undefined ? 'and is missing now' : 'with other values';
    throw usageError(
      `${file.name} is not the file of ${path}, or has changed: row ${number}${line} ${created} ${change}.`,
      'Restore that row. You can still change rows that were not created, and add rows at the end',
    );
  }
}

/** Checks all rows, shows the plan, creates the rows that do not exist yet, and logs each of them in the report. */
export async function importRows(context: Context, [word = '', given]: readonly string[], flags: ImportFlags) {
  const resource = Object.values(drafts).find((each) => isNamed(each, word));
  if (resource === undefined) {
    throw usageError(
      `"${sanitizeLine(word)}" cannot be imported.`,
      ...Object.keys(drafts).map((each) => `mkt import ${each} FILE`),
    );
  }
  const { name } = resource;
  const source = fileOf(given, flags.file, `mkt import ${name} ${name}.csv`);
  if (flags.report !== undefined && flags.resume !== undefined) {
    throw usageError('--report and --resume cannot be used together.', '--resume continues its own report');
  }
  const file = await readInputFile(context, source);
  const path = flags.resume ?? flags.report ?? defaultReport(file, name);
  const unlock = flags['dry-run'] ? undefined : lockReport(path);
  try {
    const earlier = ImportLog.read(path);
    if (flags.resume !== undefined && earlier === undefined) {
      throw usageError(`There is no report at ${path}.`, 'To start a new import, leave out --resume');
    }
    const resumed = flags.resume === undefined ? undefined : earlier;
    const format = formatOf(file, flags['input-format'] ?? resumed?.header.input_format);
    const map = flags.map === undefined ? (resumed?.header.map ?? []) : expandMaps(flags.map);
    const type = rowTypeOf(resource);
    const given = Object.fromEntries(
      readingFlags.flatMap((flag) => {
        const value = flags[flag] ?? resumed?.header[flag];
        return value === undefined ? [] : [[flag, value]];
      }),
    ) as Pick<LogHeader, (typeof readingFlags)[number]>;
    const table = await readTable(file, format, {
      ...given,
      'skip-totals': flags['skip-totals'] === true,
      isColumn: isColumnOf(map, type),
      skipsOthers: skipsOthers(map),
    });
    const checked = checkRows(
      file.name,
      {
        table,
        maps: map,
        skipsContinuations: flags['skip-continuations'] === true,
        commandWith: (change) => context.commandWith(change),
      },
      type,
    );
    if (flags['save-map'] !== undefined) saveMap(flags['save-map'], checked.byField, map);
    const client = await context.client();
    const organization = await context.organization();
    const header: LogHeader = {
      mkt_import: 1,
      mkt: version,
      command: context.commandWith({}),
      noun: name,
      file: file.name,
      input_format: format,
      map,
      ...given,
      service: context.settings.requiredBaseUrl,
      organization: organization.id,
    };
    const operations = operationsOf(resource, client, organization.id, { signal: context.signal });
    const isUndone = earlier !== undefined && (await wasUndone(context, earlier, header, operations));
    if (isUndone) {
      const old = unusedPath(path);
      if (flags['dry-run'] !== true) renameSync(path, old);
      context.note(
        `Nothing that the earlier import has created exists any more, so it begins again. Its report is ${old}.`,
      );
    }
    const log = (isUndone ? undefined : resumed) ?? new ImportLog(path, header);
    const job = { context, type, organization, operations, file, table, ...checked, log };
    if (earlier !== undefined && resumed === undefined && !isUndone)
      rejectSecondRun(earlier, header, flags['dry-run'] === true, job);
    checkSameImport(job, header);
    await context.print.checkKnown(outcomeView);
    await runImport(job, flags);
  } finally {
    unlock?.();
  }
}

async function runImport(job: Job, flags: ImportFlags): Promise<void> {
  const { context, type, organization, file, rows, log } = job;
  const { singular, plural } = type.resource;
  const subject = { action: 'import', resource: type.resource, organization };
  const due = rows.filter(({ row }) => log.statusOf(row) !== 'created');
  const left = rows.filter(({ row }) => log.statusOf(row) === 'open');
  const existing = due.length === 0 ? [] : await withErrorContext(context, subject, () => findExisting(job, rows));
  if (due.length > 0 && showsProgress(context)) await showPlan(job, left, existing);
  if (flags['dry-run']) {
    if (due.length === 0) context.note(`Every row of ${file.name} has already been created.`);
    context.note('Dry run: nothing was created.');
    if (!context.print.isHumanReadable) {
      await context.print.rows([left.map((row) => outcomeOf(row, job))], outcomeView);
    }
    return;
  }
  if (due.length > 0) {
    const what = due.length === 1 ? `this ${singular}` : `these ${due.length} ${plural}`;
    await confirm(context, `Create ${what}`);
  }
  try {
    log.open(resumeCommand(job, log.path));
    if (due.length > 0) {
      const run = (log.latest?.run ?? 0) + 1;
      const at = context.io.now().toISOString();
      log.add({ run, at, sha256: file.sha256, rows: rows.length, existing: existing.map(idOf) });
    }
    const creator = new RowCreator(job, flags);
    const errors = await withErrorContext(context, subject, () => creator.run());
    for (const line of firstLines(creator.leftOut, ({ row, field, parts }) => {
      return `${file.name}:${job.table.placeOf(row).line}: the service left out of the ${field}: ${parts}.`;
    }))
      context.warn(line);
    await showResult(job, errors);
  } finally {
    await log.close();
  }
}
