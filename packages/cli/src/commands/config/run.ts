import { checkedBaseUrl, hostOf } from '../../config/base-url.js';
import { configPath, type Profile, updateProfile } from '../../config/config-file.js';
import { FORMATS } from '../../config/format.js';
import type { Setting, Settings } from '../../config/settings.js';
import type { Context } from '../../context/context.js';
import { usageError } from '../../errors/cli-error.js';

/** A setting that can be changed here. For the token there are login and logout. */
interface Key {
  readonly read: (settings: Settings) => Setting | undefined;
  readonly write: (profile: Profile, value: string) => Profile;
  readonly unset: (profile: Profile) => Profile;
}

const keys: Readonly<Record<string, Key>> = {
  base_url: {
    read: (settings) => settings.baseUrl,
    write: (profile, value) => {
      const baseUrl = checkedBaseUrl(value, 'as given');
      if (profile.token_host !== undefined && profile.token_host !== hostOf(baseUrl)) {
        throw usageError(
          `The stored token belongs to ${profile.token_host}.`,
          `To use another service: mkt login --base-url ${baseUrl} --profile another`,
        );
      }
      return { ...profile, base_url: baseUrl };
    },
    unset: ({ base_url: _removed, ...others }) => others,
  },
  org: {
    read: (settings) => settings.organization,
    write: (profile, id) => ({ ...profile, organization: { id } }),
    unset: ({ organization: _removed, ...others }) => others,
  },
  format: {
    read: (settings) => settings.format,
    write: (profile, format) => {
      if (!FORMATS.some((known) => known === format))
        throw usageError(`"${format}" is not an output format.`, `One of: ${FORMATS.join(', ')}`);
      return { ...profile, format };
    },
    unset: ({ format: _removed, ...others }) => others,
  },
};

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
  const value = keyNamed(name).read(context.settings)?.value;
  if (value !== undefined) await context.print.write(`${value}\n`);
}

async function change(context: Context, update: (profile: Profile) => Profile): Promise<string> {
  const { directory, profileName, profile } = context.settings;
  // Reports a bad value before the file is locked.
  update(profile ?? {});
  await updateProfile(directory, profileName.value, update);
  return `of profile "${profileName.value}"`;
}

export async function set(context: Context, name: string, value: string): Promise<void> {
  const key = keyNamed(name);
  context.note(`Set ${name} ${await change(context, (profile) => key.write(profile, value))} to ${value}.`);
}

export async function unset(context: Context, name: string): Promise<void> {
  context.note(`Removed ${name} ${await change(context, keyNamed(name).unset)}.`);
}

export async function path(context: Context): Promise<void> {
  await context.print.write(`${configPath(context.settings.directory)}\n`);
}
