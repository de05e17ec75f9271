import { createHash } from 'node:crypto';
import { inputRequired } from '@modelcontextprotocol/server';
import type { Context } from '../../context/context.js';
import { exitCodes } from '../../errors/cli-error.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { CommandError, json } from './command-line.js';

interface Fields {
  readonly [field: string]: { readonly from: unknown; readonly to: unknown };
}

interface Change {
  readonly kind: string;
  readonly id: unknown;
  readonly name: unknown;
  readonly steps: readonly string[];
  readonly fields: Fields;
  readonly rehearsal?: {
    readonly fields: Fields;
    readonly rejected: string | null;
    readonly errors: Readonly<Record<string, readonly string[]>>;
    readonly locks: readonly string[];
    readonly spends: { readonly amount: number; readonly currency: string } | null;
  };
}

interface Plan {
  readonly organization: { readonly id: string; readonly name: string };
  readonly changes: readonly Change[];
}

const shown = (value: unknown): string => {
  const line = sanitizeLine(typeof value === 'string' ? value : JSON.stringify(value ?? null));
  return line.length <= 80 ? line : `${line.slice(0, 80)}... (${line.length} characters)`;
};

/** A change on one line, as a person approves it. */
function lineOf({ kind, id, name, steps, fields, rehearsal }: Change): string {
  const what = id === null ? `${kind} "${shown(name)}"` : `${kind} ${shown(id)} "${shown(name)}"`;
  const values = Object.entries(fields).map(([field, { from, to }]) =>
    id === null ? `${field}: ${shown(to)}` : `${field}: ${shown(from)} -> ${shown(to)}`,
  );
  const { amount, currency } = rehearsal?.spends ?? {};
  const spends = amount === undefined ? '' : `; creators can earn up to ${amount} ${shown(currency)}`;
  return `${steps.join(', ')} ${what}${values.length > 0 ? ` (${values.join('; ')})` : ''}${spends}`;
}

/** What the rehearsal of a change found, except what the plan says itself. */
function effectsOf({ id, fields, rehearsal }: Change) {
  if (rehearsal === undefined) return undefined;
  const { rejected, errors, locks, spends } = rehearsal;
  if (rejected !== null) return { rejected, ...errors };
  const others = Object.entries(rehearsal.fields).filter(
    ([name, { to }]) => JSON.stringify(fields[name]?.to) !== JSON.stringify(to) && (id !== null || to !== 0),
  );
  return {
    fields: Object.fromEntries(others.map(([name, { from, to }]) => [name, id === null ? to : { from, to }])),
    ...(locks.length > 0 && { locks }),
    ...(spends !== null && { spends }),
  };
}

/** After these, the plan itself may still be possible: the copy would differ from the service, or may not be made. */
const UNREHEARSED: readonly number[] = [exitCodes.unexpected, exitCodes.forbidden];

/** The plan for a file in the format of `mkt apply`, rehearsed if a copy can be made. It only reads. */
export async function planOf(context: Context, file: string) {
  const read = async (...flags: readonly string[]) =>
    (await json(context, ['apply', '-', '--dry-run', ...flags], {
      stdin: file,
      accepted: [exitCodes.rejected],
    })) as Plan;
  let problem: string | undefined;
  const { organization, changes: all } = await read('--rehearse').catch((error: unknown) => {
    if (!(error instanceof CommandError) || !UNREHEARSED.includes(error.code)) throw error;
    problem = error.message;
    return read();
  });
  const changes = all.filter(({ steps }) => steps.length > 0);
  // Without what does not change anything, such as line numbers, and without the times of a rehearsal.
  const planned = changes.map(({ kind, id, name, steps, fields }) => ({ kind, id, name, steps, fields }));
  const digest = createHash('sha256')
    .update(JSON.stringify([organization, planned]))
    .digest('hex');
  return {
    organization,
    changes,
    id: digest.slice(0, 16),
    rejected: changes.filter(({ rehearsal }) => typeof rehearsal?.rejected === 'string').length,
    /** For the assistant. */
    data: changes.map((change, index) => ({ ...planned[index], rehearsal: effectsOf(change) })),
    about: { organization, ...(problem !== undefined && { not_rehearsed: problem }) },
  };
}

/** The question to the user, with every change on a line. */
export const approvalOf = ({ organization: { id, name }, changes }: Plan) =>
  inputRequired.elicit({
    message: [
      `Apply ${changes.length} change${changes.length === 1 ? '' : 's'} in ${shown(name)} (organization ${shown(id)})?`,
      ...changes.map(lineOf),
    ].join('\n- '),
    requestedSchema: {
      type: 'object',
      properties: { approve: { type: 'boolean', title: 'Apply these changes', default: false } },
      required: ['approve'],
    },
  });
