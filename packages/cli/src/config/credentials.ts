import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { CliError, failure, signIn, usageError } from '../errors/cli-error.js';
import type { Io } from '../io/io.js';
import { readJsonFile, text } from './config-file.js';
import { hostOf, type Setting, type Settings } from './settings.js';
import { textOf } from './text-of.js';

/** The account that a secret is stored under. It contains the host, so that a token is never used for another host. */
export const accountOf = (profile: string, host: string): string => `${profile}@${host}`;

export const lastFour = (token: string): string => token.slice(-4);

export const credentialsPath = (directory: string): string => join(directory, 'credentials.json');

/** The tokens of credentials.json by account; undefined if there is no file. */
export const readCredentials = (directory: string): Record<string, string> | undefined =>
  readJsonFile(credentialsPath(directory), z.record(z.string(), text));

/** Writes, or with `undefined` removes, the secret of an account in credentials.json. */
export async function writeSecret(directory: string, account: string, secret: string | undefined): Promise<void> {
  // Reports a damaged file before conf reads it.
  readCredentials(directory);
  const { updateFile } = await import('./update-file.js');
  await updateFile(directory, 'credentials', ({ [account]: _old, ...others }) =>
    secret === undefined ? others : { ...others, [account]: secret },
  );
}

/** Checks that a token can be sent in a header. Messages say where an invalid one came from, but never show it. */
export function checkedToken(text: string, origin: string): string {
  const token = text.trim();
  if (token === '') throw usageError(`The token from ${origin} is empty.`);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usageError(
      `The token from ${origin} contains a space or an invalid character.`,
      'Copy the complete token again',
    );
  }
  return token;
}

/** The variable whose token overrides a stored one, if one is set. */
export const tokenVariable = ({ env }: Pick<Io, 'env'>): 'MKT_TOKEN' | 'MKT_TOKEN_FILE' | undefined =>
  (['MKT_TOKEN', 'MKT_TOKEN_FILE'] as const).find((name) => env[name]);

/** Where the token comes from, without fetching it: MKT_TOKEN, MKT_TOKEN_FILE, the profile's store, or nowhere. */
export function tokenOrigin(io: Io, settings: Settings): string | undefined {
  const variable = tokenVariable(io);
  if (variable !== undefined) return variable === 'MKT_TOKEN' ? variable : `MKT_TOKEN_FILE (${io.env.MKT_TOKEN_FILE})`;
  const storage = settings.profile?.storage;
  if (storage === undefined) return undefined;
  return storage === 'keyring' ? 'the keychain of this computer' : `credentials.json in ${settings.directory}`;
}

function readTokenFile(path: string): string {
  try {
    return textOf(readFileSync(path), path);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    throw usageError(`Cannot read ${path}, the file in MKT_TOKEN_FILE (${code}).`);
  }
}

function makePrivate({ platform }: Io, path: string, warn: (text: string) => void): void {
  if (platform === 'win32' || !existsSync(path) || (statSync(path).mode & 0o077) === 0) return;
  chmodSync(path, 0o600);
  warn(`${path} was readable by other users. Its permissions have been corrected.`);
}

/**
 * The token to send to `baseUrl`. A stored one goes only to the host that it was stored for. `warn` is called if the
 * permissions of the file had to be corrected; without it, they are not changed.
 */
export async function resolveToken(
  io: Io,
  settings: Settings,
  baseUrl: string,
  warn?: (text: string) => void,
): Promise<Setting> {
  const { MKT_TOKEN, MKT_TOKEN_FILE = '' } = io.env;
  const origin = tokenOrigin(io, settings) ?? '';
  const variable = tokenVariable(io);
  if (variable !== undefined)
    return { value: checkedToken(MKT_TOKEN || readTokenFile(MKT_TOKEN_FILE), variable), origin };
  const { profile } = settings;
  const name = settings.profileName.value;
  const login = name === 'default' ? 'mkt login' : `mkt login --profile ${name}`;
  if (profile?.storage === undefined || profile.token_host === undefined) {
    throw failure('not_signed_in', 'You are not signed in.', signIn(login, 'To sign in'), 'In scripts: set MKT_TOKEN');
  }
  const host = hostOf(baseUrl);
  if (host !== profile.token_host) {
    throw failure(
      'not_signed_in',
      `The stored token belongs to ${profile.token_host} and is not sent to ${host}.`,
      signIn(`mkt login --base-url ${baseUrl} --profile another`, 'To sign in there'),
      'Or set MKT_TOKEN',
    );
  }
  const account = accountOf(name, host);
  const { directory } = settings;
  const secret =
    profile.storage === 'keyring' ? await fromKeyring(io, account, login) : readCredentials(directory)?.[account];
  if (profile.storage === 'file' && warn !== undefined) makePrivate(io, credentialsPath(directory), warn);
  if (secret === undefined)
    throw failure(
      'not_signed_in',
      `The token of profile "${name}" is missing from ${origin}.`,
      signIn(login, 'To sign in again'),
    );
  return { value: checkedToken(secret, origin), origin };
}

/** @throws how to sign in without the keychain, if it cannot be read */
export async function fromKeyring(io: Io, account: string, login: string): Promise<string | undefined> {
  const { Keyring, KeyringUnavailable } = await import('./keyring.js');
  try {
    return (await new Keyring(io.env).get(account)) ?? undefined;
  } catch (cause) {
    if (!(cause instanceof KeyringUnavailable)) throw cause;
    throw failure(
      'not_signed_in',
      `The keychain of this computer cannot be read: ${cause.message}.`,
      'Set MKT_TOKEN for now',
      signIn(`${login} --storage file`, 'Or store the token in a file'),
    );
  }
}
