import { hasKind, kindsIn, resources } from '@mkt/sdk/contract/resources';
import { parseJson } from '../text/json.js';
import { clock } from '../text/local-time.js';
import { cellText, idValue } from '../text/row.js';
import { sanitizeLine } from '../text/sanitize.js';
import { cutTo } from '../text/width.js';
import type { HistoryFile } from './database.js';
import type { Place } from './open.js';

/** A row of the table `changes`, with the command that made the change. */
export interface RecordedChange {
  readonly at: string;
  readonly resource: string;
  readonly id: string | number;
  readonly name: string | null;
  readonly kind: 'created' | 'changed' | 'deleted';
  readonly field: string | null;
  readonly before: unknown;
  readonly after: unknown;
  /** `you: mkt campaigns update ...`, or `elsewhere`. */
  readonly by: string;
  readonly command_id: number | null;
}

/** The fields of a change, in the order of CSV. */
export const changeFields = ['at', 'resource', 'id', 'name', 'kind', 'field', 'before', 'after', 'by', 'command_id'];

/** What to look for. */
export interface Wanted extends Place {
  /** ISO 8601. */
  readonly since: string;
  readonly resource?: string | undefined;
  /** An id or an exact name. */
  readonly id?: string | undefined;
  readonly field?: string | undefined;
  /** Fields whose changes are left out. */
  readonly without?: readonly string[];
  /** Only the latest ones. */
  readonly limit?: number;
}

/** What happened at the same time is in the order of ids. */
const inOrder = 'c.at, c.resource, length(c.resource_id), c.resource_id, c.rowid';

type StoredChange = Record<string, string | null> & { readonly command_id: number | null };

const stored = 'select c.*, m.line from changes c left join commands m on m.id = c.command_id';

const value = (text: string | null | undefined): unknown => (text == null ? null : parseJson(text));

const changeOf = (row: StoredChange): RecordedChange => ({
  at: String(row.at),
  resource: String(row.resource),
  id: idValue(String(row.resource_id)),
  name: row.name ?? null,
  kind: row.kind as RecordedChange['kind'],
  field: row.field ?? null,
  before: value(row.before),
  after: value(row.after),
  by: row.command_id === null ? 'elsewhere' : `you: ${sanitizeLine(String(row.line))}`,
  command_id: row.command_id,
});

/** The changes of campaigns and collabs that were recorded after a row of the table. */
export const recordedSince = (file: HistoryFile, { host, organization }: Place, rowid: number): RecordedChange[] =>
  file
    .all<StoredChange>(
      `${stored} where c.rowid > ? and c.host = ? and c.organization_id = ? and c.resource in ('campaigns', 'collabs') order by ${inOrder}`,
      rowid,
      host,
      organization,
    )
    .map(changeOf);

/** The changes since a time, the latest last. */
export function changesIn(file: HistoryFile, wanted: Wanted): RecordedChange[] {
  const { host, organization, since, resource, id, field, without = [], limit } = wanted;
  const conditions = ['c.host = ?', 'c.organization_id = ?', 'c.at >= ?'];
  const values: (string | number)[] = [host, organization, since];
  if (resource !== undefined) {
    conditions.push('c.resource = ?');
    values.push(resource);
  }
  if (id !== undefined) {
    conditions.push('(c.resource_id = ? or c.name = ?)');
    values.push(id, id);
  }
  if (field !== undefined) {
    conditions.push('c.field = ?');
    values.push(field);
  }
  if (without.length > 0) {
    conditions.push(`(c.field is null or c.field not in (${without.map(() => '?').join(', ')}))`);
    values.push(...without);
  }
  const most = limit === undefined ? '' : ` limit ${limit}`;
  const order = `order by ${inOrder.replaceAll(',', ' desc,')} desc${most}`;
  const rows = file.all<StoredChange>(`${stored} where ${conditions.join(' and ')} ${order}`, ...values);
  return rows.reverse().map(changeOf);
}

/** The changes that people look for: not the time of a change of state, such as `paused_at`, next to that of the state. */
export function withoutTimes(changes: readonly RecordedChange[]): readonly RecordedChange[] {
  const stateFields: readonly string[] = [resources.campaigns, resources.collabs].map(({ states }) => states.field);
  const keyOf = ({ at, resource, id }: RecordedChange): string => [at, resource, id].join(' ');
  const changedStates = new Set(changes.flatMap((each) => (stateFields.includes(each.field ?? '') ? keyOf(each) : [])));
  return changes.filter(
    (each) => !hasKind(kindsIn(each.resource), each.field ?? '', 'timestamp') || !changedStates.has(keyOf(each)),
  );
}

/** `1 change`. */
export const countText = (count: number): string =>
  count === 0 ? 'No changes' : count === 1 ? '1 change' : `${count} changes`;

/** A value on one line. */
export const valueText = (given: unknown): string =>
  given === null || given === undefined || given === '' ? '(none)' : sanitizeLine(cellText(given));

const singular = (resource: string): string => (resource === 'address' ? resource : resource.replace(/s$/, ''));

/** `campaign 3 "Glow"`. */
export const subjectOf = ({ resource, id, name }: Pick<RecordedChange, 'resource' | 'id' | 'name'>): string => {
  const shown = name === null ? '' : ` "${cutTo(sanitizeLine(name), 50)}"`;
  return `${singular(resource)} ${sanitizeLine(String(id))}${shown}`;
};

/** `status: active -> paused`; one that was created or deleted has no single value. @param most characters of a value */
export function valuesText({ kind, field, before, after }: RecordedChange, most = Number.POSITIVE_INFINITY): string {
  return kind === 'changed' ? `${field}: ${cutTo(valueText(before), most)} -> ${cutTo(valueText(after), most)}` : kind;
}

/** A change on one line. */
export const changeLine = (change: RecordedChange): string =>
  `${clock(change.at)}  ${subjectOf(change)}  ${valuesText(change, 60)}`;
