import type { SqliteDatabase } from '@mkt/server/sqlite';
import type { JsonObject } from '../text/values.js';
import type { CommandLine, Scope } from './record.js';

/** A request that changes something, before it is sent. */
export interface Attempt {
  readonly scope: Scope;
  /** Undefined for what is created. */
  readonly id: string | undefined;
  readonly method: string;
  /** A web action, such as `publish`. */
  readonly action: string | undefined;
  readonly before: JsonObject | undefined;
  /** The fields that are sent. */
  readonly sent: JsonObject | undefined;
}

/** Records a command that is about to change something. @returns its number */
export function addCommand(database: SqliteDatabase, { host, organization }: Scope, line: CommandLine): number {
  const [added] = database
    .prepare(
      'insert into commands (host, organization_id, at, profile, line, undoes) values (?, ?, ?, ?, ?, ?) returning id',
    )
    .all([host, organization, line.at, line.profile, line.line, line.undoes ?? null]);
  return Number(added?.id);
}

const json = (value: JsonObject | undefined): string | null => (value === undefined ? null : JSON.stringify(value));

/** Records a request that is about to be sent. @returns its number */
export function addAttempt(database: SqliteDatabase, command: number, attempt: Attempt, at: string): number {
  const { scope, id = null, method, action = null, before, sent } = attempt;
  database.prepare('insert or replace into mkt_running (command_id, pid) values (?, ?)').all([command, process.pid]);
  const [added] = database
    .prepare(
      'insert into mkt_attempts (command_id, host, organization_id, resource, resource_id, method, action, before, sent, at) ' +
        'values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id',
    )
    .all([command, scope.host, scope.organization, scope.resource, id, method, action, json(before), json(sent), at]);
  return Number(added?.id);
}

/** Notes that a command has ended. One that has changed nothing is forgotten. */
export function endCommand(database: SqliteDatabase, command: number): void {
  database.prepare('delete from mkt_running where command_id = ?').all([command]);
  database
    .prepare(
      `delete from commands where id = ? and not exists (select 1 from changes where command_id = commands.id)
         and not exists (select 1 from mkt_attempts where command_id = commands.id)`,
    )
    .all([command]);
}
