import type { Storage } from '../../config/config-file.js';
import { Keyring, KeyringUnavailable } from '../../config/credentials/keyring.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { isOn } from '../../io/environment.js';
import type { Io } from '../../io/io.js';
import { type Check, fail, ok, warn } from './check.js';

/** An account that nobody has: asking for it shows whether the keychain answers, and no secret. */
const NOBODY = 'doctor';

/** The keychain of this computer, asked as every command asks it: in a child that has 3 seconds. */
export async function keychainCheck({ env }: Pick<Io, 'env'>, storage: Storage | undefined): Promise<Check> {
  const name = 'keychain';
  const needed = storage === 'keyring';
  if (isOn(env.MKT_NO_KEYRING) && !needed) return ok(name, 'not used: MKT_NO_KEYRING is set');
  try {
    await new Keyring(env).get(NOBODY);
  } catch (error) {
    if (!(error instanceof KeyringUnavailable)) throw error;
    const { message } = error;
    if (needed) {
      return fail(
        name,
        exitCodes.authentication,
        `It holds your token and cannot be read: ${message}.`,
        'Set MKT_TOKEN for now',
        'Or keep the token in a file: mkt login --storage file',
      );
    }
    // One that is silent costs seconds at every sign-in; none at all is usual on servers.
    if (error.late) return warn(name, `There is one, but ${message}.`, 'To leave it alone: export MKT_NO_KEYRING=1');
    return ok(name, `none (${message}); tokens are kept in a file`);
  }
  return ok(name, needed ? 'answers; it holds your token' : 'answers');
}
