import type { Run } from '../../commands/command.js';
import { forgetService } from '../../completion/remember.js';
import type { Profile } from '../../config/config-file.js';
import { Settings } from '../../config/settings.js';
import { updateConfig } from '../../config/update-config.js';
import type { Context } from '../../context.js';
import { writeSecret } from '../../credentials/credentials-file.js';
import { Keyring, KeyringUnavailable } from '../../credentials/keyring.js';
import { accountOf } from '../../credentials/token.js';

async function forget(context: Context, name: string, { storage, token_host: host }: Profile): Promise<void> {
  if (storage === undefined || host === undefined) return;
  forgetService(context.io, host);
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

export const logout: Run = async (context, { flags }) => {
  const settings = new Settings(context.io, { ...context.options, newProfile: true });
  const { profiles } = settings.config;
  const wanted = flags.all === true ? Object.keys(profiles) : [settings.profileName.value];
  const signedIn = wanted.filter((name) => profiles[name]?.storage !== undefined);
  for (const name of signedIn) await forget(context, name, profiles[name] ?? {});
  if (signedIn.length > 0) {
    await updateConfig(settings.directory, (config) => {
      for (const name of signedIn) {
        const { storage: _storage, token_host: _host, token_last4: _last4, ...kept } = config.profiles[name] ?? {};
        config.profiles[name] = kept;
      }
    });
  }
  if (signedIn.length === 0) context.note('Nothing to forget: no token is stored.');
  for (const name of signedIn)
    context.note(`Forgot the token of profile "${name}". It stays valid until it is revoked.`);
  if (context.io.env.MKT_TOKEN) context.warn('MKT_TOKEN is still set, so commands still sign in with it.');
};
