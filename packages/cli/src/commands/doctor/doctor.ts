import type { Context } from '../../context/context.js';
import { CliError, hintText, interrupted } from '../../errors/cli-error.js';
import type { Printer } from '../../output/printer.js';
import { columnOf } from '../../output/view.js';
import type { Style } from '../../text/style.js';
import { sanitizeLine } from '../../text/values.js';
import { wrap } from '../../text/width.js';
import { type Result, runChecks, type Status } from './check.js';
import { machineChecks } from './machine.js';
import { serviceChecks, testControlChecks } from './service.js';

/** Checks everything that a command relies on, prints each result, and fails if one failed. */
export async function doctor(context: Context): Promise<void> {
  const printer = printerFor(context);
  // Each line is printed as soon as possible: a service that does not respond takes a while.
  const asLines = printer.isText;
  const results: [string, Result][] = [];
  const checks = [...machineChecks, ...serviceChecks, ...testControlChecks(context)];
  for await (const [name, result] of runChecks(context, checks)) {
    if (context.io.interrupted.aborted) throw interrupted();
    results.push([name, result]);
    if (asLines) await printer.write(resultLines(printer, name, result));
  }
  if (!asLines) {
    const rows = results.map(([check, { exitCode: _ofTheRun, ...result }]) => ({
      check,
      ...result,
      try: result.try.map(hintText),
    }));
    const fields = ['check', 'status', 'detail', 'try'];
    await printer.rows([rows], { fields, columns: fields.map(columnOf) });
  }
  const count = (status: Status): number => results.filter(([, result]) => result.status === status).length;
  const failures = results.filter(([, { status }]) => status === 'fail');
  const [, first] = failures[0] ?? [];
  if (first) {
    const names = failures.map(([name]) => name).join(', ');
    const rest = count('skipped') > 0 ? `; ${count('skipped')} skipped` : '';
    throw new CliError({
      code: 'doctor',
      exitCode: first.exitCode,
      message: `${failures.length} of ${results.length} checks failed: ${names}${rest}.`,
      // As lines, each check has shown its own hints.
      hints: asLines ? [] : first.try,
    });
  }
  if (!printer.isHumanReadable) return;
  const warnings = count('warn') === 1 ? 'warning' : 'warnings';
  const counts = { ok: count('ok'), [warnings]: count('warn'), skipped: count('skipped') };
  const parts = Object.entries(counts).flatMap(([word, number]) => (number === 0 ? [] : `${number} ${word}`));
  context.note(`${results.length} checks: ${parts.join(', ')}.`);
}

function printerFor(context: Context): Printer {
  try {
    return context.print;
  } catch (error) {
    if (error instanceof CliError) return context.printerFor('table');
    throw error;
  }
}

type Color = Parameters<Style>[0];
const colors: Readonly<Record<Status, Color>> = { ok: 'green', warn: 'yellow', fail: 'red', skipped: 'dim' };
const STATUS_WIDTH = 9;
const NAME_WIDTH = 18;
const TRY = 'try: ';

/** One check: status, name and detail, and below them the hints. */
function resultLines({ options: { style, width } }: Printer, name: string, result: Result): string {
  const { status, detail, try: hints } = result;
  const left = STATUS_WIDTH + NAME_WIDTH;
  const right = width === undefined ? Number.POSITIVE_INFINITY : Math.max(24, width - left);
  const [first = '', ...rest] = wrap(sanitizeLine(detail), right);
  const hintLines = hints
    .flatMap((hint) => wrap(hintText(hint), right - TRY.length))
    .map((line, index) => `${index === 0 ? style('dim', TRY) : ' '.repeat(TRY.length)}${line}`);
  const head = `${style(colors[status], status.padEnd(STATUS_WIDTH))}${name.padEnd(NAME_WIDTH)}${first}`;
  return `${[head, ...[...rest, ...hintLines].map((line) => `${' '.repeat(left)}${line}`)].join('\n')}\n`;
}
