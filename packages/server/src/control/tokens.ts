import * as z from 'zod/mini';
import type { Store } from '../store/store.js';
import { filled } from './act-inputs.js';
import { checked } from './checked.js';
import { findUser } from './users.js';

const text = z.string('must be a text').check(z.minLength(1, 'must not be empty'));
const newToken = z.strictObject(
  {
    user: text,
    permission: z.enum(['read', 'write'], 'must be read or write'),
    description: z.optional(filled),
  },
  'takes user, permission and description',
);

export interface NewToken {
  /** Id or e-mail address. */
  readonly user: string;
  readonly permission: 'read' | 'write';
  readonly description?: string | undefined;
}

export interface CreatedToken {
  readonly id: number;
  /** The secret: nothing gives it again. */
  readonly token: string;
}

export interface TokenServices {
  readonly store: Store;
  readonly now: () => string;
  readonly random: (bytes: number) => string;
  readonly sha256: (text: string) => string;
}

/** For tests that need somebody else's rights: the API makes tokens only for who has one. */
export const tokenMaker =
  ({ store, now, random, sha256 }: TokenServices) =>
  async (given: NewToken): Promise<CreatedToken> => {
    const { user, permission, description = 'Made by the control API' } = checked('token', newToken, given);
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
  };
