import * as z from 'zod/mini';
import type { Reader, Store } from '../store/store.js';
import type { Row } from '../store/tables.js';
import { filled } from './act-inputs.js';
import { ControlError, checked } from './errors.js';
import { text } from './matching.js';

const newToken = z.strictObject(
  {
    user: text,
    permission: z.enum(['read', 'write'], 'must be read or write'),
    description: z.optional(filled),
  },
  'accepts only user, permission and description',
);

export interface NewToken {
  /** Id or e-mail address. */
  readonly user: string;
  readonly permission: 'read' | 'write';
  readonly description?: string | undefined;
}

export interface CreatedToken {
  readonly id: number | string;
  /** The secret, which is not shown again. */
  readonly token: string;
}

export interface ControlServices {
  readonly store: Store;
  /** The current time in the API's format (D11). */
  readonly now: () => string;
  readonly random: (bytes: number) => string;
  readonly sha256: (text: string) => string;
}

/** For tests that need another user's permissions: the API creates tokens only for callers that have one. */
export async function createToken(
  given: NewToken,
  { store, now, random, sha256 }: ControlServices,
): Promise<CreatedToken> {
  const { user, permission, description = 'Created by the control API' } = checked('token', newToken, given);
  const token = `mkt_${random(32)}`;
  return store.transact(async (writer) => {
    const owner = await findUser(writer, user);
    const { id } = await writer.insert('access_tokens', {
      user_id: owner.id,
      digest: sha256(token),
      description,
      permission,
      created_at: now(),
      revoked_at: null,
    });
    return { id, token };
  });
}

/** A user by id or e-mail address. @throws {ControlError} if there is no such user */
export async function findUser(store: Reader, user: string): Promise<Row<'users'>> {
  const row = (await store.get('users', user)) ?? (await store.find('users', 'byEmail', [user]));
  if (!row) throw new ControlError(`There is no user ${user}. Use an id, such as usr_ada, or an e-mail address.`);
  return row;
}
