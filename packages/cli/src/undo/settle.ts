import { hasKind } from '@mkt/sdk/contract';
import type { Context } from '../context/context.js';
import { isSame } from '../declarations/compare.js';
import { type Kind, kindsByCommand } from '../declarations/kinds.js';
import { type Run, readRow } from '../declarations/plan.js';
import { failure } from '../errors/cli-error.js';
import type { HistoryFile } from '../history/database.js';
import { endCommand } from '../history/journal.js';
import type { Write } from '../history/record.js';
import { isAlive } from '../io/io.js';
import { idOf, type JsonObject, objectIn, parseJson, type Row } from '../text/values.js';
import { createdLike, runFor } from './plan.js';
import type { RecordedCommand } from './store.js';

/** A request without an answer, of the table `mkt_attempts`. */
interface StoredAttempt {
  readonly id: number;
  readonly organization_id: string;
  readonly resource: string;
  readonly resource_id: string | null;
  readonly method: string;
  readonly action: string | null;
  readonly before: string | null;
  readonly sent: string | null;
  readonly at: string;
}

interface FoundChange {
  readonly id: number;
  readonly field: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly at: string;
  readonly command_id: number | null;
}

/** For how long a request may have been carried out after it was sent, in milliseconds. */
const late = 60_000;

/** The values that a request sets: those that it sends, or the state that follows its action. */
const valuesSet = ({ states, transitions }: Kind, { action, sent }: StoredAttempt): JsonObject =>
  action === null ? (objectIn(sent) ?? {}) : { [states.field]: transitions.find((each) => each.action === action)?.to };

/** The row after a request, as far as it is this request that has changed it; undefined if it was not carried out. */
function rowAfter(kind: Kind, attempt: StoredAttempt, before: JsonObject, row: Row): JsonObject | undefined {
  const { action, at } = attempt;
  const { fields: kinds } = kind.resource;
  const now = row as JsonObject;
  // A later change was made by someone else.
  const isLater = (field: string): boolean => Date.parse(String(now[field])) > Date.parse(at) + late;
  const set = Object.entries(valuesSet(kind, attempt)).filter(([field]) => field in now);
  // The times that a change of state sets come with it.
  const times =
    action === null
      ? []
      : Object.keys(now).filter((field) => field !== 'updated_at' && hasKind(kinds, field, 'timestamp'));
  const isDone =
    set.every(([field, value]) => isSame(kind.resource, field, value, now[field])) &&
    (action === null || set.some(([field]) => before[field] !== now[field])) &&
    !times.some(isLater);
  const made = [...set.map(([field]) => field), ...times, ...(isLater('updated_at') ? [] : ['updated_at'])];
  return isDone ? { ...before, ...Object.fromEntries(made.map((field) => [field, now[field]])) } : undefined;
}

/** What the request has changed, by what the service shows now; undefined if it was not carried out. */
async function writeOf(
  run: Run,
  kind: Kind,
  attempt: StoredAttempt,
): Promise<Omit<Write, 'scope' | 'at' | 'seen'> | undefined> {
  const { resource_id: id, method } = attempt;
  const before = objectIn(attempt.before);
  if (id === null) {
    const [found, ...others] = await createdLike(run, kind, attempt, objectIn(attempt.sent) ?? {});
    if (found === undefined || others.length > 0) return undefined;
    const row = (await readRow(run, kind, idOf(found)))?.row ?? found;
    return { id: idOf(found), before: undefined, after: row as JsonObject, kind: 'created' };
  }
  const row = (await readRow(run, kind, id))?.row;
  if (method === 'DELETE') return row === undefined ? { id, before, after: undefined, kind: 'deleted' } : undefined;
  const after = row && before && rowAfter(kind, attempt, before, row);
  return after && { id, before, after, kind: 'changed' };
}

/**
 * Readings may have found since what a request has changed, as if it was made elsewhere, and others may have changed it again.
 * Takes the first change of each of its fields for that of the command, if the first reading found it.
 * @returns whether there is such a change
 */
function claimFound(file: HistoryFile, command: RecordedCommand, kind: Kind, attempt: StoredAttempt): boolean {
  const { organization_id: organization, resource, resource_id: id, method, action, at } = attempt;
  const list = [command.host, organization, resource];
  const found = file.all<FoundChange>(
    `select rowid as id, field, before, after, at, command_id from changes
     where host = ? and organization_id = ? and resource = ? and resource_id = ? and at >= ? order by rowid`,
    ...list,
    id,
    at,
  );
  const before = objectIn(attempt.before) ?? {};
  const set = valuesSet(kind, attempt);
  // A deletion has no field.
  const fields = method === 'DELETE' ? [null] : Object.keys(set);
  const first = fields.flatMap((field) => found.find((each) => each.field === field) ?? []);
  const [one] = first;
  if (one === undefined) return false;
  const latest = new Date(Date.parse(at) + late).toISOString();
  const [reading] = file.all<{ at: string | null }>(
    'select min(at) as at from observations where host = ? and organization_id = ? and resource = ? and at > ?',
    ...list,
    latest,
  );
  const times = found.filter(
    ({ at: found, field, command_id }) =>
      found === one.at && command_id === null && hasKind(kind.resource.fields, field ?? '', 'timestamp'),
  );
  const isSet = ({ field, before: was, after }: FoundChange): boolean =>
    field === null ||
    (isSame(kind.resource, field, parseJson(after ?? ''), set[field]) &&
      isSame(kind.resource, field, parseJson(was ?? ''), before[field]));
  const isOwn =
    first.every((each) => each.command_id === null && each.at <= (reading?.at ?? each.at) && isSet(each)) &&
    times.every(({ after }) => !(Date.parse(String(parseJson(after ?? ''))) > Date.parse(latest)));
  if (isOwn)
    file.write((database) => {
      const [known] = database
        .prepare('select row from mkt_rows where host = ? and organization_id = ? and resource = ? and resource_id = ?')
        .all([...list, id]);
      const { updated_at: read } = objectIn(known?.row) ?? {};
      const stamp = Date.parse(String(read)) <= Date.parse(latest) ? read : before.updated_at;
      const claim = database.prepare('update changes set command_id = ?, stamp = ? where rowid = ?');
      for (const each of new Set([...first, ...(action === null ? [] : times)]))
        claim.all([command.id, stamp, each.id]);
    });
  return true;
}

/**
 * Asks the service what became of the requests of an interrupted command that have no answer, and records it.
 * @throws if the command is still running
 */
export async function settle(context: Context, file: HistoryFile, command: RecordedCommand): Promise<void> {
  if (command.pid === null && command.unanswered === 0) return;
  if (command.pid !== null && isAlive(command.pid))
    throw failure(
      'rejected',
      `Command ${command.id} is still running (process ${command.pid}). Wait until it has ended.`,
    );
  const client = await context.client();
  for (const attempt of file.all<StoredAttempt>('select * from mkt_attempts where command_id = ?', command.id)) {
    const { organization_id: organization, resource, at } = attempt;
    const kind = kindsByCommand[resource];
    if (kind === undefined) throw new Error(`There is no resource ${resource}.`);
    const isFound = attempt.resource_id !== null && claimFound(file, command, kind, attempt);
    const write = isFound ? undefined : await writeOf(runFor(context, client, organization), kind, attempt);
    const scope = { host: command.host, organization, resource };
    file.write((database) => {
      if (write !== undefined)
        file.recorder.write({ ...write, scope, seen: context.journal.machineNow(), at }, command.id);
      database.prepare('delete from mkt_attempts where id = ?').all([attempt.id]);
    });
  }
  file.write((database) => endCommand(database, command.id));
}
