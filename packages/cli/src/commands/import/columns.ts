import { quoted } from '../../context/next-command.js';
import { usageError } from '../../errors/cli-error.js';
import { nearest } from '../../text/nearest.js';
import { sanitizeLine } from '../../text/sanitize.js';
import type { Kind } from './kind.js';
import type { Fault, Source } from './source.js';

/** What the columns of a file mean. */
export interface Columns {
  /** The field that a column holds, by the column's name. */
  readonly fields: ReadonlyMap<string, string>;
  /** Columns that only the service sets. */
  readonly readOnly: readonly string[];
  /** Whether every field that the API demands has a column: else no row can be judged. */
  readonly complete: boolean;
  readonly faults: readonly Fault[];
  /** The flags that would mend the faults, as far as can be guessed. */
  readonly hints: readonly string[];
}

/** `COLUMN=FIELD`; a column may hold the sign itself, a field never does. */
function mapped(map: string): readonly [column: string, field: string] {
  const at = map.lastIndexOf('=');
  if (at > 0) return [map.slice(0, at).trim(), map.slice(at + 1).trim()];
  throw usageError(`--map takes COLUMN=FIELD, not "${sanitizeLine(map)}".`, "--map 'Campaign name=name'");
}

/** `CPM amount` and `cpm-amount` are `cpm_amount`. */
const asField = (column: string): string =>
  column
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** What `--map` says, checked against the columns that there are and the fields that can be set. */
function readMaps(maps: readonly string[], { columns }: Source, kind: Kind): ReadonlyMap<string, string> {
  const names = kind.fields.map(({ field = '' }) => field);
  const read = new Map<string, string>();
  for (const map of maps) {
    const [column, field] = mapped(map);
    if (!columns.includes(column)) {
      throw usageError(
        `--map ${sanitizeLine(map)}: there is no column "${sanitizeLine(column)}".`,
        `Columns: ${columns.map(sanitizeLine).join(', ')}`,
      );
    }
    if (field !== '' && !names.includes(field)) {
      throw usageError(
        kind.readOnly.includes(field)
          ? `--map ${sanitizeLine(map)}: only the service sets ${field}.`
          : `--map ${sanitizeLine(map)}: there is no field "${sanitizeLine(field)}".`,
        `Fields: ${names.join(', ')}`,
      );
    }
    read.set(column, field);
  }
  return read;
}

function unknownColumn(column: string, line: number, guess: string | undefined, { resource }: Kind): Fault {
  return {
    line,
    column,
    message: `is no field of a ${resource.noun}.${guess === undefined ? '' : ` Did you mean ${guess}?`}`,
  };
}

/** Fields that the API demands, and no column holds. */
function missingColumns(fields: ReadonlyMap<string, string>, kind: Kind): string[] {
  const held = new Set(fields.values());
  return kind.fields.flatMap(({ field = '', required }) => (required === true && !held.has(field) ? [field] : []));
}

/** Finds the field of every column: what `--map` says, else the field of that name. */
export function readColumns(source: Source, asked: readonly string[], kind: Kind): Columns {
  const given = readMaps(asked, source, kind);
  const names = kind.fields.map(({ field = '' }) => field);
  const fields = new Map<string, string>();
  const readOnly: string[] = [];
  const faults: Fault[] = [];
  const unknown: string[] = [];
  const maps: string[] = [];
  for (const column of source.columns) {
    const field = given.get(column) ?? asField(column);
    const line = lineOf(column, source);
    const taken = [...fields].find(([, other]) => other === field)?.[0];
    if (field === '') continue;
    if (!names.includes(field)) {
      (kind.readOnly.includes(field) ? readOnly : unknown).push(column);
    } else if (taken === undefined) fields.set(column, field);
    else
      faults.push({
        line,
        column,
        message: `holds ${field}, and so does "${sanitizeLine(taken)}": name one with --map.`,
      });
  }
  const free = new Set(names.filter((name) => ![...fields.values()].includes(name)));
  for (const column of unknown) {
    const guess = nearest(column, [...free]);
    if (guess !== undefined) free.delete(guess);
    faults.push(unknownColumn(column, lineOf(column, source), guess, kind));
    maps.push(`--map ${quoted(`${sanitizeLine(column)}=${guess ?? ''}`)}`);
  }
  const missing = missingColumns(fields, kind);
  const line = source.headerLine ?? 1;
  const { noun } = kind.resource;
  for (const field of missing) {
    faults.push({ line, message: `no column holds ${field}, which every ${noun} needs.` });
    if (free.has(field)) maps.unshift(`--map COLUMN=${field}`);
  }
  // Rows without any field would become drafts that nobody wants.
  if (fields.size === 0 && missing.length === 0) faults.push({ line, message: `no column is a field of a ${noun}.` });
  const hints = maps.length === 0 ? [] : [`Say what columns hold, or leave them out: ${maps.join(' ')}`];
  return { fields, readOnly, complete: fields.size > 0 && missing.length === 0, faults, hints };
}

/** A column of a table stands in its header; a key stands where it is used first. */
function lineOf(column: string, { headerLine, rows }: Source): number {
  if (headerLine !== undefined) return headerLine;
  return rows.find(({ cells }) => cells.has(column))?.cells.get(column)?.line ?? 1;
}
