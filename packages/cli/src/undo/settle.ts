import { contract, type Endpoint, hasKind } from '@mkt/sdk/contract';
import { idOf } from '../api/organization.js';
import type { Context } from '../context/context.js';
import { isSame } from '../declarations/compare.js';
import { type Kind, kindsByCommand } from '../declarations/kinds.js';
import { type Run, readRow } from '../declarations/plan.js';
import { failure } from '../errors/cli-error.js';
import { endCommand } from '../history/attempts.js';
import type { HistoryFile } from '../history/database.js';
import { Recorder, type Write } from '../history/record.js';
import { type JsonObject, objectIn } from '../text/json.js';
import { cellText, type Row, valueAt } from '../text/row.js';
import { createdLike, runFor } from './plan.js';
import { isAlive, type RecordedCommand } from './store.js';

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

/** For how long a request may have been carried out after it was sent, in milliseconds. */
const late = 60_000;

/** The row after a request, as far as it is this request that has changed it; undefined if it was not carried out. */
function rowAfter(
  kind: Kind,
  { action, sent, at }: StoredAttempt,
  before: JsonObject,
  row: Row,
): JsonObject | undefined {
  const now = row as JsonObject;
  if (action !== null) {
    const endpoints: Readonly<Record<string, Endpoint>> = contract[kind.name];
    const state = kind.states.field;
    const to = endpoints[action]?.transition?.to;
    if (cellText(valueAt(row, state)) !== to || before[state] === to) return undefined;
    // The times that a change of state sets come with it.
    const times = Object.keys(now).filter((field) => hasKind(kind.resource.fields, field, 'timestamp'));
    return { ...before, ...Object.fromEntries([state, ...times].map((field) => [field, now[field]])) };
  }
  const fields = Object.entries(objectIn(sent) ?? {}).filter(([field]) => field in now);
  const isDone = fields.every(([field, value]) => isSame(kind.resource, field, value, now[field]));
  // A later change was made by someone else.
  const { updated_at: updated } = Date.parse(String(now.updated_at)) <= Date.parse(at) + late ? now : before;
  const after = { ...before, ...Object.fromEntries(fields.map(([field]) => [field, now[field]])), updated_at: updated };
  return isDone ? after : undefined;
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
    const write = await writeOf(runFor(context, client, organization), kind, attempt);
    const scope = { host: command.host, organization, resource };
    file.write((database) => {
      if (write !== undefined)
        new Recorder(database).write({ ...write, scope, seen: context.journal.machineNow(), at }, command.id);
      database.prepare('delete from mkt_attempts where id = ?').all([attempt.id]);
    });
  }
  file.write((database) => endCommand(database, command.id));
}
