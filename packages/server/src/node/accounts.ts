import { accessTokenFields, organizationFields, type Schema } from '@mkt/sdk/contract';
import { sha256 } from '../digest.js';
import { randomText } from '../random.js';
import { Conflict, type KeptStore, type Store } from '../store/store.js';
import { ServeError } from './errors.js';
import { type OpenOptions, openKeptStore } from './open-store.js';
import { plainly } from './plainly.js';

export const moment = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

/** Opens a kept store, works on it, closes it. @throws {ServeError} */
export async function withStore<Result>(
  db: string,
  work: (store: KeptStore) => Promise<Result>,
  options: OpenOptions = {},
): Promise<Result> {
  if (db === 'memory:') throw new ServeError('Name the kept data with --db FILE.db or --db postgres://...');
  return plainly(async () => {
    const store = await openKeptStore(db, options);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  });
}

/** Text that the API would take there, so that a seed of this store can be read again. @throws {ServeError} */
function check(what: string, text: string, schema: Schema): void {
  const { error } = schema.safeParse(text);
  if (error) throw new ServeError(`The ${what} ${error.issues[0]?.message}.`);
}

/** @throws {ServeError} when the address is taken, or no text for the store. */
export async function addUser(store: Store, email: string, name: string): Promise<void> {
  const { name: filledText } = organizationFields.shape;
  check('e-mail address', email, filledText);
  check('name', name, filledText);
  try {
    await store.transact((writer) => writer.insert('users', { id: `usr_${randomText(12)}`, name, email }));
  } catch (error) {
    if (error instanceof Conflict) throw new ServeError(`There is a user with the e-mail address ${email} already.`);
    throw error;
  }
}

/** @returns the secret, which is kept nowhere. @throws {ServeError} when there is no such user, or no description. */
export async function addToken(
  store: Store,
  email: string,
  { permission, description }: { readonly permission: string; readonly description: string },
): Promise<string> {
  check('description', description, accessTokenFields.shape.description);
  const secret = `mkt_${randomText(32)}`;
  return store.transact(async (writer) => {
    const user = await writer.find('users', 'byEmail', [email]);
    if (!user) {
      throw new ServeError(`There is no user with the e-mail address ${email}. Add one: mkt serve users add ${email}`);
    }
    await writer.insert('access_tokens', {
      user_id: user.id,
      digest: sha256(secret),
      description,
      permission,
      created_at: moment(),
      revoked_at: null,
    });
    return secret;
  });
}
