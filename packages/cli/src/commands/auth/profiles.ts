import { declined } from '../../changes/confirm.js';
import { type Profile, updateConfig } from '../../config/config-file.js';
import { accountOf, tokenVariable, writeSecret } from '../../config/credentials.js';
import { Keyring, KeyringUnavailable } from '../../config/keyring.js';
import type { Context } from '../../context/context.js';
import { signIn, usageError } from '../../errors/cli-error.js';
import { forgetService } from '../../lists/completion-cache.js';
import { idValue } from '../../text/values.js';

/** Removes the stored token of a profile. Warns if the keychain cannot be reached. */
export async function removeToken(
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
      `The keychain cannot be reached (${error.message}): it may still contain the entry "${account}" of the service "mkt".`,
    );
  }
}

export async function logout(context: Context, all: boolean): Promise<void> {
  const { settings } = context;
  const { profiles } = settings.config;
  // Reading `profile` throws if the profile that was named does not exist.
  const wanted = all ? Object.entries(profiles) : [[settings.profileName.value, settings.profile] as const];
  const signedIn = wanted.flatMap(([name, profile]) => (profile?.storage === undefined ? [] : [name]));
  for (const name of signedIn) {
    const profile = profiles[name] ?? {};
    if (profile.token_host !== undefined) forgetService(context.io, profile.token_host);
    await removeToken(context, name, profile);
  }
  if (signedIn.length > 0) {
    await updateConfig(settings.directory, (config) => {
      for (const name of signedIn) {
        const { storage: _storage, token_host: _host, token_last4: _last4, ...others } = config.profiles[name] ?? {};
        config.profiles[name] = others;
      }
    });
  }
  if (signedIn.length === 0) context.note('No token is stored.');
  for (const name of signedIn)
    context.note(`Removed the token of profile "${name}". It stays valid until you revoke it.`);
  const variable = tokenVariable(context.io);
  if (variable !== undefined) context.warn(`${variable} is still set, so commands still sign in with it.`);
}

async function profileNamed(context: Context, given: string | undefined, command: string): Promise<string> {
  const { profiles } = context.settings.config;
  const names = Object.keys(profiles);
  if (names.length === 0) throw usageError('No profile is stored yet.', signIn('mkt login --profile NAME'));
  const choices = names.map((name) => ({ value: name, label: name, hint: profiles[name]?.base_url ?? '' }));
  const name = given ?? (await (await context.prompter())?.select('Which profile?', choices));
  if (name === undefined) throw usageError('Name the profile.', ...names.map((each) => `mkt auth ${command} ${each}`));
  if (Object.hasOwn(profiles, name)) return name;
  throw usageError(
    `There is no profile "${name}".`,
    `Profiles: ${names.join(', ')}`,
    signIn(`mkt login --profile ${name}`, 'To create it'),
  );
}

export async function switchProfile(context: Context, given: string | undefined): Promise<void> {
  const { settings, io } = context;
  const name = await profileNamed(context, given, 'switch');
  await updateConfig(settings.directory, (config) => {
    config.active = name;
  });
  const { base_url: baseUrl, organization } = settings.config.profiles[name] ?? {};
  const place = organization === undefined ? '' : `, in ${organization.name ?? `organization ${organization.id}`}`;
  context.note(`Now using profile "${name}": ${baseUrl ?? 'no URL'}${place}.`);
  if (io.env.MKT_PROFILE) context.warn(`MKT_PROFILE is set to ${io.env.MKT_PROFILE} and overrides this.`);
}

/** Lists the profiles, without their tokens. */
export async function listProfiles(context: Context): Promise<void> {
  const { config, profileName } = context.settings;
  const rows = Object.entries(config.profiles).map(([profile, { base_url, organization, storage, token_last4 }]) => ({
    profile,
    active: profile === profileName.value,
    base_url: base_url ?? null,
    organization: organization === undefined ? null : idValue(organization.id),
    organization_name: organization?.name ?? null,
    storage: storage ?? null,
    token_last4: (storage && token_last4) ?? null,
  }));
  if (rows.length === 0) context.note('No profile is stored yet. To sign in: mkt login');
  const columns = [
    { field: 'profile', header: 'PROFILE', priority: 0 },
    { field: 'active', header: 'ACTIVE', priority: 1 },
    { field: 'base_url', header: 'SERVICE', priority: 0 },
    { field: 'organization_name', header: 'ORGANIZATION', priority: 1 },
    { field: 'token_last4', header: 'TOKEN ENDS IN', priority: 2 },
  ];
  const fields = ['profile', 'active', 'base_url', 'organization', 'organization_name', 'storage', 'token_last4'];
  await context.print.rows([rows], { columns, fields });
}

/** Removes a profile: its token and its settings. */
export async function removeProfile(context: Context, given: string | undefined): Promise<void> {
  const { settings, io } = context;
  const name = await profileNamed(context, given, 'remove');
  if (given === undefined && context.options.yes !== true) {
    const prompter = await context.prompter();
    if ((await prompter?.confirm(`Really remove profile "${name}"?`)) !== true) throw declined();
  }
  const profile = settings.config.profiles[name] ?? {};
  if (profile.token_host !== undefined) forgetService(io, profile.token_host);
  await removeToken(context, name, profile);
  let isActive = false;
  await updateConfig(settings.directory, (config) => {
    delete config.profiles[name];
    isActive = config.active === name;
    if (isActive) delete config.active;
  });
  context.note(
    `Removed profile "${name}".${profile.storage === undefined ? '' : ' Its token stays valid until you revoke it.'}`,
  );
  const others = Object.keys(settings.config.profiles).filter((other) => other !== name);
  if (!isActive || others.length === 0) return;
  const choose = `No profile is active now. To choose one: mkt auth switch ${others[0]}`;
  context.note(others.includes('default') ? 'Now using profile "default".' : choose);
}
