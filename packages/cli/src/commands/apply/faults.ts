import { CliError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import type { Position } from '../../shared/fields/read-yaml.js';
import { sanitizeLine } from '../../text/sanitize.js';

/** Something in the file that cannot be meant, found before anything is sent. */
export interface Fault {
  readonly at: Position;
  readonly message: string;
  /** A declared id that the service does not know. */
  readonly notFound?: boolean;
}

const counted = (count: number): string => (count === 1 ? 'One fault' : `${count} faults`);

/** All faults of a file in one error, in the order of the file; ends with 3 where ids that do not exist are the only ones. */
export function faultsError(file: string, faults: readonly Fault[], ...hints: readonly string[]): CliError {
  const sorted = [...faults].sort((one, other) => one.at.line - other.at.line || one.at.column - other.at.column);
  const missing = sorted.every(({ notFound }) => notFound === true);
  const fields: Record<string, string[]> = {};
  for (const { at, message } of sorted) {
    const place = `line ${at.line}:${at.column}`;
    fields[place] = [...(fields[place] ?? []), sanitizeLine(message)];
  }
  return new CliError({
    code: missing ? 'not_found' : 'usage',
    exitCode: missing ? exitCodes.notFound : exitCodes.usage,
    message: `${counted(sorted.length)} in ${file}; nothing was changed.`,
    fields,
    hints,
    results: sorted.map(({ at, message }) => ({ ...at, message: sanitizeLine(message) })),
  });
}
