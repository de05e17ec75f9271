import type { Format } from '../../config/format.js';
import type { Run } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { CliError, interrupted } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import type { Check, Status } from './check.js';
import { drift } from './drift/drift.js';
import { examine } from './examine.js';
import { checkLines } from './show-checks.js';

const FIELDS = ['check', 'status', 'detail', 'try'] as const;

/** The format that was asked for. One that a file of settings asks for counts only as far as that file can be read. */
function formatOf({ options, settings }: Context): Format {
  if (options.jq !== undefined) return 'json';
  try {
    return settings.format.value;
  } catch (error) {
    if (error instanceof CliError) return options.format ?? 'table';
    throw error;
  }
}

const counted = (checks: readonly Check[], status: Status): number =>
  checks.filter((check) => check.status === status).length;

/** `21 checks: 19 ok, 1 warning, 1 skipped.` */
function summary(checks: readonly Check[]): string {
  const warnings = counted(checks, 'warn');
  const parts = [
    [counted(checks, 'ok'), 'ok'],
    [warnings, warnings === 1 ? 'warning' : 'warnings'],
    [counted(checks, 'skipped'), 'skipped'],
  ].flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]));
  return `${checks.length} checks: ${parts.join(', ')}.`;
}

/** `told`: what mends it has been said with the checks themselves. */
function failureOf(checks: readonly Check[], told: boolean): CliError | undefined {
  const failures = checks.filter(({ status }) => status === 'fail');
  const [first] = failures;
  if (first === undefined) return undefined;
  const skippedOnes = counted(checks, 'skipped');
  const names = failures.map(({ check }) => check).join(', ');
  return new CliError({
    code: 'doctor',
    exitCode: first.exitCode ?? exitCodes.unexpected,
    message: `${failures.length} of ${checks.length} checks failed: ${names}${skippedOnes > 0 ? `; ${skippedOnes} skipped` : ''}.`,
    hints: told ? [] : first.try,
  });
}

async function examination(context: Context): Promise<void> {
  const format = formatOf(context);
  const printer = context.printerFor(format);
  // Lines come as they are known: a service that is silent keeps one waiting.
  const asLines = printer.forPeople && context.options.fields === undefined;
  const checks: Check[] = [];
  for await (const check of examine(context)) {
    if (context.io.interrupted.aborted) throw interrupted();
    checks.push(check);
    if (asLines) await printer.write(checkLines(context, check));
  }
  if (!asLines) {
    const rows = checks.map(({ exitCode: _ofTheRun, ...row }) => row);
    const columns = FIELDS.map((field) => ({ field, header: field.toUpperCase(), priority: 0 }));
    await printer.rows([rows], { fields: FIELDS, columns });
  }
  const failure = failureOf(checks, asLines);
  if (failure !== undefined) throw failure;
  if (format === 'table') context.note(summary(checks));
}

export const doctor: Run = (context, { flags }) => (flags.drift === true ? drift(context) : examination(context));
