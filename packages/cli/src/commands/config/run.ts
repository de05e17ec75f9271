import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkProfileService, findOrganization } from '../../api/organization.js';
import { configPath, type Profile, updateProfile } from '../../config/config-file.js';
import { tokenOrigin } from '../../config/credentials.js';
import { cacheDirectory } from '../../config/folders.js';
import { checkedBaseUrl, hostOf, type Setting, type Settings } from '../../config/settings.js';
import type { Context } from '../../context/context.js';
import { CliError, type ExitCode, exitCodes, signIn, toType, usageError, usingFiles } from '../../errors/cli-error.js';
import { historyPath } from '../../history/place.js';
import { FORMATS } from '../../text/formats.js';
import { idOf, nameOf } from '../../text/values.js';

/** A setting that can be changed here. For the token there are login and logout. */
interface Key {
  readonly read: (settings: Settings) => Setting | undefined;
  /** The field of the profile, and its new value after a check. */
  readonly field: keyof Profile & string;
  readonly check: (context: Context, value: string) => unknown;
}

const keys: Readonly<Record<string, Key>> = {
  base_url: {
    read: (settings) => settings.baseUrl,
    field: 'base_url',
    check: ({ settings: { profile } }, value) => {
      const baseUrl = checkedBaseUrl(value, 'as given');
      if (profile?.token_host !== undefined && profile.token_host !== hostOf(baseUrl)) {
        throw usageError(
          `The stored token belongs to ${profile.token_host}.`,
          signIn(`mkt login --base-url ${baseUrl} --profile another`, 'To use another service'),
        );
      }
      return baseUrl;
    },
  },
  org: { read: (settings) => settings.organization, field: 'organization', check: findIfSignedIn },
  format: {
    read: (settings) => settings.format,
    field: 'format',
    check: (_context, format) => {
      if (FORMATS.some((known) => known === format)) return format;
      throw usageError(`"${format}" is not an output format.`, `One of: ${FORMATS.join(', ')}`);
    },
  },
};

/** The organization with this id or name. It is not checked without a sign-in or a connection. */
async function findIfSignedIn(context: Context, wanted: string): Promise<Profile['organization']> {
  const { settings, io } = context;
  if (settings.baseUrl === undefined || tokenOrigin(io, settings) === undefined) return { id: wanted };
  try {
    const row = await findOrganization(context, wanted);
    checkProfileService(context);
    return { id: idOf(row), name: nameOf(row) };
  } catch (error) {
    const unchecked: readonly ExitCode[] = [exitCodes.network, exitCodes.authentication];
    if (!(error instanceof CliError) || !unchecked.includes(error.exitCode)) throw error;
    context.warn(`The organization was not checked. ${error.message}`);
    return { id: wanted };
  }
}

function keyNamed(name: string): Key {
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (key === undefined)
    throw usageError(`There is no setting "${name}".`, `Settings: ${Object.keys(keys).join(', ')}`);
  return key;
}

export async function list(context: Context, showOrigin: boolean): Promise<void> {
  const { settings } = context;
  const rows = [
    { key: 'profile', ...settings.profileName },
    ...Object.entries(keys).map(([key, { read }]) => ({ key, value: null, origin: null, ...read(settings) })),
  ];
  const columns = [
    { field: 'key', header: 'SETTING', priority: 0 },
    { field: 'value', header: 'VALUE', priority: 0 },
    { field: 'origin', header: 'FROM', priority: 0 },
  ].slice(0, showOrigin ? 3 : 2);
  const shown = showOrigin ? rows : rows.map(({ key, value }) => ({ key, value }));
  await context.print.rows([shown], { fields: columns.map(({ field }) => field), columns });
}

export async function get(context: Context, name: string): Promise<void> {
  await context.printValue(name, keyNamed(name).read(context.settings)?.value ?? null);
}

/** Changes the profile in use, and returns its name for the receipt. */
async function change({ settings }: Context, update: (profile: Profile) => Profile): Promise<string> {
  const { directory, profileName } = settings;
  // Fails for a name without a profile: only login creates one.
  void settings.profile;
  await updateProfile(directory, profileName.value, update);
  return `of profile "${profileName.value}"`;
}

export async function set(context: Context, name: string, value: string): Promise<void> {
  const { field, check } = keyNamed(name);
  const checked = await check(context, value);
  context.note(`Set ${name} ${await change(context, (profile) => ({ ...profile, [field]: checked }))} to ${value}.`);
}

export async function unset(context: Context, name: string): Promise<void> {
  const { field } = keyNamed(name);
  const receipt = await change(context, ({ [field]: _removed, ...others }) => others);
  context.note(`Removed ${name} ${receipt}.`);
}

export async function path(context: Context): Promise<void> {
  await context.printValue('path', configPath(context.settings.directory));
  context.note(`The cache is in ${cacheDirectory(context.io)}.`);
}

/** Renames the file of the history and those that SQLite keeps next to it. The next command begins a new one. */
export function resetHistory(context: Context): void {
  const { io } = context;
  const file = historyPath(io);
  if (file === undefined || !existsSync(file)) {
    context.note(`There is no history${file === undefined ? '' : `: ${file} does not exist`}.`);
    return;
  }
  const old = `${file}.${io.now().toISOString().replace(/\W/g, '').slice(0, 15)}`;
  const rename = () => {
    for (const ending of ['-wal', '-shm', '']) if (existsSync(file + ending)) renameSync(file + ending, old + ending);
  };
  usingFiles(`Cannot rename ${file}`, rename, toType(`ls -ld ${dirname(file)}`, 'Check its permissions'));
  context.note(`The old history is ${old}. The next command begins a new one.`);
}
