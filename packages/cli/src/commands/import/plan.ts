import type { Context, Organization } from '../../context/context.js';
import { cellText, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { cutTo } from '../../text/width.js';
import type { CheckedRow } from './check.js';
import type { Columns } from './columns.js';
import type { Kind } from './kind.js';
import { isCreated, isUnknown, type Memory } from './memory.js';
import type { InputFile } from './read-file.js';
import { nameKey, type Survey } from './survey.js';

/** As many names as tell a person whether it is the right file. */
const NAMES = 5;

export interface Planned {
  readonly context: Context;
  readonly kind: Kind;
  readonly organization: Organization;
  readonly file: InputFile;
  readonly columns: Columns;
  readonly rows: readonly CheckedRow[];
  readonly memory: Memory;
  readonly seen: Survey;
}

export interface Counts {
  readonly created: number;
  /** Sent, and the answer lost. */
  readonly unknown: number;
  readonly left: readonly CheckedRow[];
}

/** What there is to do. */
export function countsOf(rows: readonly CheckedRow[], memory: Memory): Counts {
  const known = rows.map(({ row }) => memory.of(row));
  return {
    created: known.filter(isCreated).length,
    unknown: known.filter(isUnknown).length,
    left: rows.filter((_row, index) => !isCreated(known[index]) && !isUnknown(known[index])),
  };
}

const named = ({ name }: CheckedRow): string =>
  name === undefined ? '  (without a name)' : `  ${cutTo(sanitizeLine(name), 70)}`;

const several = (count: number, noun: string, plural: string): string => `${count} ${count === 1 ? noun : plural}`;

/** Names that stand on more than one row: legal, and seldom meant. */
function repeated(rows: readonly CheckedRow[]): string[] {
  const lines = new Map<string, { name: string; lines: number[] }>();
  for (const { name, line } of rows) {
    if (name === undefined) continue;
    const entry = lines.get(nameKey(name)) ?? { name, lines: [] };
    entry.lines.push(line);
    lines.set(nameKey(name), entry);
  }
  return [...lines.values()]
    .filter((entry) => entry.lines.length > 1)
    .map((entry) => `"${cutTo(sanitizeLine(entry.name), 40)}" (lines ${entry.lines.slice(0, 5).join(', ')})`);
}

/** What will be done, before it is asked whether to. */
export async function tellPlan(planned: Planned): Promise<void> {
  const { context, kind, organization, file, columns, rows, memory, seen } = planned;
  const { noun, plural } = kind.resource;
  const { created, unknown, left } = countsOf(rows, memory);
  const label = await organization.label();
  const more = left.length > NAMES ? [`  ... and ${left.length - NAMES} more`] : [];
  const lines = [
    `Create ${several(left.length, noun, plural)} from ${file.name} in ${label}${left.length > 0 ? ':' : '.'}`,
    ...left.slice(0, NAMES).map(named),
    ...more,
  ];
  if (created > 0) lines.push(`Created already, and left alone: ${created}.`);
  if (unknown > 0) lines.push(`Answer lost, looked for in ${await organization.name()} first: ${unknown}.`);
  if (columns.readOnly.length > 0) {
    lines.push(`Left out, since only the service sets them: ${columns.readOnly.map(sanitizeLine).join(', ')}.`);
  }
  const twice = repeated(rows);
  if (twice.length > 0) {
    lines.push(
      `On several rows, each of which is created: ${twice.slice(0, NAMES).join(', ')}${twice.length > NAMES ? ', ...' : ''}.`,
    );
  }
  context.note(lines.join('\n'));
  // Claimed things are rows of this very import.
  const there = new Set(
    seen.things
      .filter((thing) => !memory.claimed.has(cellText(valueAt(thing, 'id'))))
      .map((thing) => nameKey(cellText(valueAt(thing, 'name')))),
  );
  const again = left.filter(({ name }) => name !== undefined && there.has(nameKey(name))).length;
  if (again > 0) {
    const name = await organization.name();
    context.warn(
      `${again === 1 ? 'One of these names is' : `${again} of these names are`} in ${name} already; the rows are created beside what is there.`,
    );
  }
}
