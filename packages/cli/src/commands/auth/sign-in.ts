import { AuthenticationError, HttpError } from '@mkt/sdk';
import { explain } from '../../api/errors/explain.js';
import { clientFor, withoutRedirects } from '../../api/http/client.js';
import { organizations } from '../../api/labels.js';
import { pickOrganization } from '../../api/organization.js';
import { declined } from '../../changes/confirm.js';
import { type Profile, type Storage, updateConfig, updateProfile } from '../../config/config-file.js';
import { accountOf, checkedToken, lastFour, tokenVariable, writeSecret } from '../../config/credentials.js';
import { Keyring, KeyringUnavailable } from '../../config/keyring.js';
import { checkedBaseUrl, hostOf, type Setting } from '../../config/settings.js';
import type { Context } from '../../context/context.js';
import { serviceFlags } from '../../context/flags.js';
import { CliError, hintText, signIn, usageError } from '../../errors/cli-error.js';
import { readStdin } from '../../fields/read-input.js';
import { isOn, type PromptCheck } from '../../io/io.js';
import { forgetService } from '../../lists/completion-cache.js';
import { idOf, idValue, nameOf, type Row, sanitizeLine } from '../../text/values.js';

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

const checkWith =
  (parse: (text: string, origin: string) => string, whenEmpty: string): PromptCheck =>
  (text) => {
    if (text.trim() === '') return `${whenEmpty}, or press Ctrl-C to cancel.`;
    try {
      parse(text, 'your input');
      return undefined;
    } catch (error) {
      if (error instanceof CliError)
        return [error.message, ...(error.details.hints ?? []).slice(0, 1).map(hintText)].join(' ');
      throw error;
    }
  };

async function askBaseUrl(context: Context): Promise<string> {
  const { settings } = context;
  const prompter = settings.baseUrl === undefined ? await context.prompter() : undefined;
  if (prompter === undefined) return settings.requiredBaseUrl;
  const url = await prompter.text('URL of the service (--base-url)', {
    hint: 'https://api.example.com',
    check: checkWith(checkedBaseUrl, 'Enter the URL'),
  });
  return checkedBaseUrl(url, 'your input');
}

/** Sends a request without a token, so that a wrong URL is reported before anyone looks for a token. */
async function probe(context: Context, baseUrl: string): Promise<void> {
  const client = await clientFor(context, baseUrl, 'none', [(request, next) => next(withoutRedirects(request))]);
  const anonymous = { signal: context.signal, retry: false, headers: { authorization: null } } as const;
  try {
    await client.organizations.list(anonymous);
  } catch (error) {
    // A service that wants a token, by an error or by a redirect to its sign-in page.
    const wantsToken = error instanceof HttpError && (error.status < 400 || [401, 403].includes(error.status));
    if (!wantsToken) throw await explain(error, { action: 'list', resource: organizations }, context);
  }
}

/** The organizations that the token has access to. @throws an error if the token is rejected, so that it is not stored */
async function checkToken(context: Context, token: string, baseUrl: string): Promise<readonly Row[]> {
  const client = await clientFor(context, baseUrl, token);
  try {
    return await client.organizations.list({ signal: context.signal }).all();
  } catch (error) {
    if (!(error instanceof AuthenticationError))
      throw await explain(error, { action: 'list', resource: organizations }, context);
    throw new CliError({
      code: 'token_rejected',
      message: `${baseUrl} rejected this token; nothing was stored.`,
      hints: [
        'Copy the complete token again; it is shown only once, when it is created',
        'Or create a new one on the access tokens page',
      ],
      status: error.status,
      ...(error.requestId !== null && { requestId: error.requestId }),
    });
  }
}

interface Accepted {
  readonly token: string;
  /** The organizations that the token has access to. */
  readonly rows: readonly Row[];
}

/** A token that the service accepts. The prompt asks again after a rejected one, so that the next is not pasted into the shell. */
async function askToken(context: Context, withToken: boolean, baseUrl: string): Promise<Accepted> {
  if (withToken) {
    const token = checkedToken(await readStdin(context.io, '--with-token'), 'stdin');
    return { token, rows: await checkToken(context, token, baseUrl) };
  }
  const prompter = await context.prompter();
  if (prompter === undefined) {
    throw usageError(
      'mkt cannot prompt for the token without a terminal.',
      signIn('mkt login --with-token < token.txt'),
      'To sign in without storing it: set MKT_TOKEN',
    );
  }
  await probe(context, baseUrl);
  context.note(`Signing in to ${baseUrl}. Create a token on the access tokens page of your account.`);
  for (;;) {
    const text = await prompter.secret('Paste your token', checkWith(checkedToken, 'Paste the token'));
    const token = checkedToken(text, 'your input');
    try {
      return { token, rows: await checkToken(context, token, baseUrl) };
    } catch (error) {
      if (!(error instanceof CliError) || error.details.code !== 'token_rejected') throw error;
      context.warn([error.message, ...(error.details.hints ?? []).map(hintText)].join('\n'));
    }
  }
}

/** Stores the token in the keychain if it works, else or with `--storage file` in a file. Says where before it writes. */
async function store(context: Context, account: string, token: string, wanted: Storage | undefined): Promise<Storage> {
  const { directory } = context.settings;
  const noKeyring = isOn(context.io.env.MKT_NO_KEYRING);
  if (wanted === 'keyring' && noKeyring)
    throw usageError('--storage keyring and MKT_NO_KEYRING cannot be used together.');
  if (wanted !== 'file' && !noKeyring) {
    try {
      await new Keyring(context.io.env).set(account, token);
      context.note('The token is stored in the keychain of this computer.');
      return 'keyring';
    } catch (error) {
      if (!(error instanceof KeyringUnavailable)) throw error;
      if (wanted === 'keyring') {
        throw new CliError({
          code: 'keyring_unavailable',
          message: `The keychain of this computer cannot be used: ${error.message}. Nothing was stored.`,
          hints: [signIn('mkt login --storage file')],
          cause: error,
        });
      }
      context.note(`The keychain of this computer cannot be used: ${error.message}.`);
    }
  }
  context.note(`The token is stored unencrypted in ${directory}/credentials.json, which only you can read.`);
  await writeSecret(directory, account, token);
  return 'file';
}

const named = (row: Row) => ({ id: idOf(row), name: nameOf(row) });

async function chooseOrganization(context: Context, rows: readonly Row[]): Promise<Row | undefined> {
  const wanted = context.options.org;
  if (wanted !== undefined) {
    const found = rows.find((row) => named(row).id === wanted || named(row).name === wanted);
    if (found === undefined)
      throw usageError(
        `This token has no access to an organization "${wanted}" (--org).`,
        ...rows.map((row) => `--org ${named(row).id}  ${named(row).name}`),
      );
    return found;
  }
  if (rows.length <= 1) return rows[0];
  return pickOrganization(context, rows, 'Which organization do you work in?');
}

/** Names that need no quotes in a command line, and do not clash with properties of JavaScript objects. */
const PROFILE_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.@-]*$/u;

function checkProfileName({ value, origin }: Setting): void {
  if (PROFILE_NAME.test(value)) return;
  throw usageError(
    `"${sanitizeLine(value)}" (${origin}) is not a valid profile name.`,
    'Use letters, digits, and . _ @ - after the first character',
  );
}

export async function login(context: Context, withToken: boolean, wanted: Storage | undefined): Promise<void> {
  const { io, settings } = context;
  checkProfileName(settings.profileName);
  const baseUrl = await askBaseUrl(context);
  // Hints must name the URL, and not a profile that does not exist yet.
  const { profile: _profile, ...others } = context.options;
  const there = context.derived(io, { ...others, 'base-url': baseUrl });
  const { token, rows } = await askToken(there, withToken, baseUrl);
  const chosen = await chooseOrganization(context, rows);

  const profile = settings.profileName.value;
  const host = hostOf(baseUrl);
  const earlier = settings.profile;
  const storage = await store(context, accountOf(profile, host), token, wanted);
  // Without a choice, the organization of the profile stays if this token has access to it.
  const before = rows.find((row) => idOf(row) === earlier?.organization?.id);
  const organization = chosen ?? before;
  await updateProfile(settings.directory, profile, ({ organization: _before, ...rest }) => ({
    ...rest,
    base_url: baseUrl,
    storage,
    token_host: host,
    token_last4: lastFour(token),
    ...(organization !== undefined && { organization: named(organization) }),
  }));
  // A later logout would not find a token that is stored elsewhere.
  if (earlier?.storage !== storage || earlier.token_host !== host) await removeToken(context, profile, earlier ?? {});

  const { 'base-url': _baseUrl, ...elsewhere } = context.options;
  const flags = serviceFlags({ options: elsewhere });
  context.note(`Signed in to ${baseUrl}${profile === 'default' ? '' : ` as profile "${profile}"`}.`);
  if (organization !== undefined) {
    const { id, name } = named(organization);
    const kept = chosen === undefined ? `, as before. To choose another: mkt organizations use ID${flags}` : '.';
    context.note(`Working in ${name} (organization ${id})${kept}`);
  } else if (rows.length === 0)
    context.note(`You belong to no organization yet. Next: mkt organizations create --name NAME${flags}`);
  else context.note(`You belong to ${rows.length} organizations. Next, choose one: mkt organizations use ID${flags}`);
  const variable = tokenVariable(io);
  if (variable !== undefined) context.warn(`${variable} is set and overrides the token that you just stored.`);
}
