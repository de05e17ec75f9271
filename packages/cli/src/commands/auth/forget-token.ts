import type { Profile } from '../../config/config-file.js';
import { writeSecret } from '../../config/credentials/credentials-file.js';
import { Keyring, KeyringUnavailable } from '../../config/credentials/keyring.js';
import { accountOf } from '../../config/credentials/token.js';
import type { Context } from '../../context/context.js';

/** Removes what is stored for a profile from where it is stored. A keychain that cannot be reached is warned of. */
export async function forgetToken(
  context: Context,
  name: string,
  { storage, token_host: host }: Profile,
): Promise<void> {
  if (storage === undefined || host === undefined) return;
  const account = accountOf(name, host);
  if (storage === 'file') {
    await writeSecret(context.settings.directory, account, undefined);
    return;
  }
  try {
    await new Keyring(context.io.env).delete(account);
  } catch (error) {
    if (!(error instanceof KeyringUnavailable)) throw error;
    context.warn(
      `The keychain cannot be reached (${error.message}): an entry "${account}" of the service "mkt" may be left in it.`,
    );
  }
}
