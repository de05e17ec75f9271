import { AuthenticationError, type Marketplace } from '@mkt/sdk';
import { explain } from '../../api/errors/explain.js';
import { clientFor } from '../../api/http/client.js';
import { idOf, pickOrganization } from '../../api/organization.js';
import { organizations } from '../../api/resources.js';
import { checkedBaseUrl, hostOf } from '../../config/base-url.js';
import { type Profile, type Storage, updateConfig, updateProfile } from '../../config/config-file.js';
import { accountOf, checkedToken, lastFour, tokenVariable, writeSecret } from '../../config/credentials.js';
import { Keyring, KeyringUnavailable } from '../../config/keyring.js';
import type { Setting } from '../../config/settings.js';
import type { Context } from '../../context/context.js';
import { CliError, usageError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { isOn } from '../../io/io.js';
import { forgetService } from '../../shared/completion-cache.js';
import { readStdin } from '../../shared/fields/read-input.js';
import { cellText, type Row, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';

/** Removes the stored token of a profile. Warns if the keychain cannot be reached. */
async function removeToken(context: Context, name: string, { storage, token_host: host }: Profile): Promise<void> {
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

async function askBaseUrl(context: Context): Promise<string> {
  const { settings } = context;
  const prompter = settings.baseUrl === undefined ? await context.prompter() : undefined;
  if (prompter === undefined) return settings.requiredBaseUrl;
  const url = await prompter.text('URL of the service (--base-url)', {
    hint: 'https://api.example.com',
    check: (text) => {
      try {
        checkedBaseUrl(text, 'your input');
        return undefined;
      } catch (error) {
        return error instanceof CliError ? error.message : String(error);
      }
    },
  });
  return checkedBaseUrl(url, 'your input');
}

async function askToken(context: Context, withToken: boolean, baseUrl: string): Promise<string> {
  if (withToken) return checkedToken(await readStdin(context.io, '--with-token'), 'stdin');
  const prompter = await context.prompter();
  if (prompter === undefined) {
    throw usageError(
      'mkt cannot prompt for the token without a terminal.',
      'mkt login --with-token < token.txt',
      'To sign in without storing it: set MKT_TOKEN',
    );
  }
  context.note(`Signing in to ${baseUrl}. Create a token on the access tokens page of your account.`);
  return checkedToken(await prompter.secret('Paste your token'), 'your input');
}

/** The organizations that the token has access to. @throws an error if the token is rejected, so that it is not stored */
async function checkToken(context: Context, client: Marketplace, baseUrl: string): Promise<readonly Row[]> {
  try {
    return await client.organizations.list({ signal: context.io.interrupted }).all();
  } catch (error) {
    if (!(error instanceof AuthenticationError))
      throw await explain(error, { verb: 'list', resource: organizations }, context);
    throw new CliError({
      code: 'token_rejected',
      exitCode: exitCodes.authentication,
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
          exitCode: exitCodes.unexpected,
          message: `The keychain of this computer cannot be used: ${error.message}. Nothing was stored.`,
          hints: ['mkt login --storage file'],
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

const named = (row: Row) => ({ id: idOf(row), name: sanitizeLine(cellText(valueAt(row, 'name'))) });

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
  const token = await askToken(context, withToken, baseUrl);
  const rows = await checkToken(context, await clientFor(context, baseUrl, token), baseUrl);
  const chosen = await chooseOrganization(context, rows);

  const profile = settings.profileName.value;
  const host = hostOf(baseUrl);
  const earlier = settings.profile;
  const storage = await store(context, accountOf(profile, host), token, wanted);
  await updateProfile(settings.directory, profile, ({ organization: before, ...others }) => {
    const stillVisible = before !== undefined && rows.some((row) => idOf(row) === before.id) ? before : undefined;
    const organization = chosen === undefined ? stillVisible : named(chosen);
    return {
      ...others,
      base_url: baseUrl,
      storage,
      token_host: host,
      token_last4: lastFour(token),
      ...(organization !== undefined && { organization }),
    };
  });
  // A later logout would not find a token that is stored elsewhere.
  if (earlier?.storage !== storage || earlier.token_host !== host) await removeToken(context, profile, earlier ?? {});

  context.note(`Signed in to ${baseUrl}${profile === 'default' ? '' : ` as profile "${profile}"`}.`);
  if (chosen !== undefined) context.note(`Working in ${named(chosen).name} (organization ${named(chosen).id}).`);
  else if (rows.length === 0)
    context.note('You belong to no organization yet. Next: mkt organizations create --name NAME');
  else context.note(`You belong to ${rows.length} organizations. Next, choose one: mkt organizations use ID`);
  const variable = tokenVariable(io);
  if (variable !== undefined) context.warn(`${variable} is set and overrides the token that you just stored.`);
}

export async function logout(context: Context, all: boolean): Promise<void> {
  const { settings } = context;
  const { profiles } = settings.config;
  const wanted = all ? Object.keys(profiles) : [settings.profileName.value];
  const signedIn = wanted.filter((name) => profiles[name]?.storage !== undefined);
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
