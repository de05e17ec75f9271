import type { Invocation } from '../../context/command.js';
import type { Context, Organization } from '../../context/context.js';
import { commandWith } from '../../context/next-command.js';
import type { Operations } from '../../shared/operations.js';
import type { CheckedRow } from './check.js';
import type { Kind } from './kind.js';
import type { InputFile } from './read-file.js';
import type { Report } from './report.js';

/** One run of an import: what is created where, and how it is remembered. */
export interface Job {
  readonly context: Context;
  readonly invocation: Invocation;
  readonly kind: Kind;
  readonly organization: Organization;
  /** Calls that end at once at Ctrl-C: reading. */
  readonly verbs: Operations;
  readonly file: InputFile;
  readonly rows: readonly CheckedRow[];
  readonly continueOnError: boolean;
  readonly report: Report;
}

/** The command that goes on with the import of this report. */
export const resumeCommand = (context: Context, invocation: Invocation, report: string): string =>
  commandWith(invocation, context, { report: undefined, map: undefined, resume: report });

/** What happens meanwhile is for people; a program reads stderr as errors. */
export function say(context: Context, text: string): void {
  if (context.print.forPeople || context.interactive) context.note(text);
}
