import { updateConfig } from '../../config/config-file.js';
import { tokenVariable } from '../../config/credentials/token.js';
import type { Context } from '../../context/context.js';
import { forgetService } from '../../shared/completion-cache.js';
import { forgetToken } from './forget-token.js';

export async function logout(context: Context, all: boolean): Promise<void> {
  const { settings } = context;
  const { profiles } = settings.config;
  const wanted = all ? Object.keys(profiles) : [settings.profileName.value];
  const signedIn = wanted.filter((name) => profiles[name]?.storage !== undefined);
  for (const name of signedIn) {
    const profile = profiles[name] ?? {};
    if (profile.token_host !== undefined) forgetService(context.io, profile.token_host);
    await forgetToken(context, name, profile);
  }
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
  const variable = tokenVariable(context.io);
  if (variable !== undefined) context.warn(`${variable} is still set, so commands still sign in with it.`);
}
