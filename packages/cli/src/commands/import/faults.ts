import { CliError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { sanitizeLine } from '../../text/sanitize.js';
import type { Fault } from './source.js';

/** As many as a person reads before mending the first; the count says how many there are. */
const SHOWN = 20;
/** As many as a program gets in an error. */
export const REPORTED = 1000;

const sentence = (name: string, { line, sheetRow = line, column, message }: Fault): string => {
  const place = `${name}:${line}${sheetRow === line ? '' : ` (row ${sheetRow})`}`;
  if (column === undefined) return `${place}: ${sanitizeLine(message)}`;
  return `${place}, column "${sanitizeLine(column)}": ${sanitizeLine(message)}`;
};

const counted = (count: number, what: string): string => (count === 1 ? `One ${what}` : `${count} ${what}s`);

/** The first of many lines, and how many there are beyond them. */
export function firstLines<Item>(items: readonly Item[], text: (item: Item) => string): string[] {
  const lines = items.slice(0, SHOWN).map(text);
  return items.length > SHOWN ? [...lines, `... and ${items.length - SHOWN} more`] : lines;
}

/** All faults of a file in one error: nothing was sent. */
export function faultsError(name: string, faults: readonly Fault[], hints: readonly string[] = []): CliError {
  const sorted = [...faults].sort((one, other) => one.line - other.line);
  return new CliError({
    code: 'invalid_file',
    exitCode: exitCodes.usage,
    message: `${counted(faults.length, 'fault')} in ${name}; nothing was created.`,
    lines: firstLines(sorted, (fault) => sentence(name, fault)),
    hints,
    results: sorted.slice(0, REPORTED).map(({ line, column, message }) => ({
      line,
      ...(column !== undefined && { column: sanitizeLine(column) }),
      message: sanitizeLine(message),
    })),
  });
}
