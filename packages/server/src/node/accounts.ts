import {
  accessTokenFields,
  codesOnly,
  organizationFields,
  problemOf,
  problemText,
  type Schema,
} from '@mkt/sdk/contract';
import { sha256 } from '../digest.js';
import { randomText } from '../random.js';
import { Conflict, type Store } from '../store/store.js';
import { timestamp } from '../timestamp.js';
import { ServeError } from './errors.js';

/** Rejects text that a seed exported from this store could not contain. @throws {ServeError} */
function check(name: string, text: string, schema: Schema): void {
  const { error } = schema.safeParse(text, codesOnly);
  for (const issue of error?.issues ?? []) throw new ServeError(`The ${name} ${problemText(problemOf(issue))}.`);
}

/** @throws {ServeError} if the e-mail address is taken or a text is not valid */
export async function addUser(store: Store, email: string, name: string): Promise<void> {
  const { name: filledText } = organizationFields.shape;
  check('e-mail address', email, filledText);
  check('name', name, filledText);
  try {
    await store.transact((writer) => writer.insert('users', { id: `usr_${randomText(12)}`, name, email }));
  } catch (error) {
    if (error instanceof Conflict) throw new ServeError(`There is already a user with the e-mail address ${email}.`);
    throw error;
  }
}

/** @returns the secret, which is not stored @throws {ServeError} if there is no such user or a text is not valid */
export async function addToken(
  store: Store,
  email: string,
  { permission, description }: { readonly permission: string; readonly description: string },
): Promise<string> {
  check('description', description, accessTokenFields.shape.description);
  const secret = `mkt_${randomText(32)}`;
  await store.transact(async (writer) => {
    const user = await writer.find('users', 'byEmail', [email]);
    if (!user)
      throw new ServeError(`There is no user with the e-mail address ${email}. Add one: mkt serve users add ${email}`);
    await writer.insert('access_tokens', {
      user_id: user.id,
      digest: sha256(secret),
      description,
      permission,
      created_at: timestamp(Date.now()),
    });
  });
  return secret;
}
