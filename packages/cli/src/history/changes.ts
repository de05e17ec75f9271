import { fieldsOfKind, hasKind, kindsIn, resources } from '@mkt/sdk/contract/resources';
import { clock } from '../text/local-time.js';
import { cellText, idValue, parseJson, sanitizeLine } from '../text/values.js';
import { cutTo } from '../text/width.js';
import type { HistoryFile, Place } from './database.js';

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
  /** The end of a period that has what was found by a reading at its end. The one after it begins with what follows. */
  readonly until?: string | undefined;
  readonly isSinceIncluded?: boolean | undefined;
  readonly resource?: string | undefined;
  /** An id or an exact name. */
  readonly id?: string | undefined;
  /** Only changes of these fields, and no rows that were created or deleted. */
  readonly fields?: readonly string[] | undefined;
  /** Also counters, what follows from other fields, and the time of a change of state next to that of the state. */
  readonly allFields?: boolean | undefined;
  readonly madeBy?: 'me' | 'elsewhere' | undefined;
}

/** What happened at the same time is in the order of ids. */
const inOrder = 'c.at, c.resource, length(c.resource_id), c.resource_id, c.rowid';

type StoredChange = Record<string, string | null> & { readonly command_id: number | null };

const stored = 'select c.*, m.line from changes c left join commands m on m.id = c.command_id';

/** Precedes the command that changed something on this machine. */
const own = 'you: ';

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
  by: row.command_id === null ? 'elsewhere' : own + sanitizeLine(String(row.line)),
  command_id: row.command_id,
});

/** The changes of campaigns and collabs that were recorded after a row of the table. */
export const recordedSince = (file: HistoryFile, { host, organization }: Place, rowid: number): RecordedChange[] =>
  withoutTimes(
    file
      .all<StoredChange>(
        `${stored} where c.rowid > ? and c.host = ? and c.organization_id = ? and c.resource in ('campaigns', 'collabs') order by ${inOrder}`,
        rowid,
        host,
        organization,
      )
      .map(changeOf),
  );

const { campaigns, collabs } = resources;
/** Fields that move by themselves, which series show, and those that follow from others. */
const moving = [campaigns, collabs].flatMap(({ fields }) =>
  fieldsOfKind(fields, 'counter', 'derived').filter((field) => !hasKind(fields, field, 'timestamp')),
);
const stateFields: readonly string[] = [campaigns, collabs].map(({ states }) => states.field);

/** The changes that people look for: not the time of a change of state, such as `paused_at`, next to that of the state. */
function withoutTimes(changes: readonly RecordedChange[]): RecordedChange[] {
  const keyOf = ({ at, resource, id }: RecordedChange): string => [at, resource, id].join(' ');
  const changedStates = new Set(changes.flatMap((each) => (stateFields.includes(each.field ?? '') ? keyOf(each) : [])));
  return changes.filter(
    (each) => !hasKind(kindsIn(each.resource), each.field ?? '', 'timestamp') || !changedStates.has(keyOf(each)),
  );
}

/** The changes since a time, the latest last. */
export function changesIn(file: HistoryFile, wanted: Wanted): RecordedChange[] {
  const { host, organization, since, until, isSinceIncluded = true, resource, id, fields, allFields, madeBy } = wanted;
  const oneOf = (names: readonly string[]): string => `(${names.map(() => '?').join(', ')})`;
  const isMoving = fields === undefined && allFields !== true;
  const conditions: readonly (readonly [isUsed: boolean, condition: string, ...values: (string | undefined)[]])[] = [
    [true, 'c.host = ? and c.organization_id = ?', host, organization],
    [true, `c.at ${isSinceIncluded ? '>=' : '>'} ?`, since],
    [resource !== undefined, 'c.resource = ?', resource],
    [id !== undefined, '(c.resource_id = ? or c.name = ?)', id, id],
    [fields !== undefined, `c.field in ${oneOf(fields ?? [])}`, ...(fields ?? [])],
    [isMoving, `(c.field is null or c.field not in ${oneOf(moving)})`, ...moving],
    [until !== undefined, 'c.at <= ?', until],
    [madeBy !== undefined, `c.command_id is ${madeBy === 'me' ? 'not ' : ''}null`],
  ];
  const used = conditions.filter(([isUsed]) => isUsed);
  const where = used.map(([, condition]) => condition).join(' and ');
  const values = used.flatMap(([, , ...own]) => own);
  const found = file.all<StoredChange>(`${stored} where ${where} order by ${inOrder}`, ...values).map(changeOf);
  return isMoving ? withoutTimes(found) : found;
}

/** `1 change`. */
export const countText = (count: number): string =>
  count === 0 ? 'No changes' : count === 1 ? '1 change' : `${count} changes`;

/** `2 changes`, or `1 of 2 changes` if not all were made. */
export const doneText = (done: number, all: number): string =>
  done === all ? countText(all) : `${done} of ${countText(all)}`;

const valueText = (given: unknown): string =>
  given === null || given === undefined || given === '' ? '(none)' : sanitizeLine(cellText(given));

const singular = (resource: string): string => (resource === 'address' ? resource : resource.replace(/s$/, ''));

/** `campaign 3 "Glow"`. @param most characters of the name */
export const subjectOf = (
  { resource, id, name }: Pick<RecordedChange, 'resource' | 'id' | 'name'>,
  most?: number,
): string => {
  const shown = name === null ? '' : ` "${cutTo(sanitizeLine(name), most)}"`;
  return `${singular(resource)} ${sanitizeLine(String(id))}${shown}`;
};

/** `status: active -> paused`; one that was created or deleted has no single value. */
const valuesText = ({ kind, field, before, after }: RecordedChange, most?: number): string =>
  kind === 'changed' ? `${field}: ${cutTo(valueText(before), most)} -> ${cutTo(valueText(after), most)}` : kind;

/** The columns of a table of changes. A narrow terminal has no room for the command. */
export const changeColumns = [
  { field: 'at', header: 'When', priority: 0, whole: true },
  { field: 'what', header: 'What', priority: 0 },
  { field: 'change', header: 'Change', priority: 0 },
  { field: 'by', header: 'By', priority: 0 },
  { field: 'command', header: 'Command', priority: 1 },
];

/** A change as a row of the table. */
export const changeCells = (change: RecordedChange) => ({
  at: clock(change.at),
  what: subjectOf(change),
  change: valuesText(change),
  by: change.command_id === null ? change.by : 'you',
  command: change.command_id === null ? '' : change.by.slice(own.length),
});

/** A change on one line. @param most characters of each of its texts, on a terminal */
export const changeLine = (change: RecordedChange, most?: number): string =>
  `${clock(change.at)}  ${subjectOf(change, most)}  ${valuesText(change, most)}`;
