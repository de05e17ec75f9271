import type { Reader } from '../store/store.js';
import type { Row } from '../store/tables.js';
import { ControlError } from './errors.js';

/** A user by id or e-mail address. @throws {ControlError} when there is none */
export async function findUser(store: Reader, user: string): Promise<Row<'users'>> {
  const row = (await store.get('users', user)) ?? (await store.find('users', 'byEmail', [user]));
  if (!row) throw new ControlError(`There is no user ${user}. Name one by id (usr_ada) or e-mail address.`);
  return row;
}
