import { checkedBaseUrl, hostOf } from '../../config/base-url.js';
import { configPath, type Profile, updateProfile } from '../../config/config-file.js';
import { FORMATS } from '../../config/format.js';
import type { Setting, Settings } from '../../config/settings.js';
import type { Run } from '../../context/command.js';
import { usageError } from '../../errors/cli-error.js';

/** A setting that can be changed here. The token has commands of its own: login and logout. */
interface Key {
  readonly read: (settings: Settings) => Setting | undefined;
  readonly write: (profile: Profile, value: string) => Profile;
  readonly forget: (profile: Profile) => Profile;
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
    forget: ({ base_url: _gone, ...kept }) => kept,
  },
  org: {
    read: (settings) => settings.organization,
    write: (profile, id) => ({ ...profile, organization: { id } }),
    forget: ({ organization: _gone, ...kept }) => kept,
  },
  format: {
    read: (settings) => settings.format,
    write: (profile, format) => {
      if (!FORMATS.some((known) => known === format))
        throw usageError(`"${format}" is not an output format.`, `One of: ${FORMATS.join(', ')}`);
      return { ...profile, format };
    },
    forget: ({ format: _gone, ...kept }) => kept,
  },
};

function keyNamed(name: string): Key {
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (key === undefined)
    throw usageError(`There is no setting "${name}".`, `Settings: ${Object.keys(keys).join(', ')}`);
  return key;
}

export const list: Run = async (context, { flags }) => {
  const { settings } = context;
  const rows = [
    { key: 'profile', ...settings.profileName },
    ...Object.entries(keys).map(([key, { read }]) => ({ key, value: null, origin: null, ...read(settings) })),
  ];
  const shown = flags['show-origin'] === true ? rows : rows.map(({ key, value }) => ({ key, value }));
  const columns = [
    { field: 'key', header: 'SETTING', priority: 0 },
    { field: 'value', header: 'VALUE', priority: 0 },
    { field: 'origin', header: 'FROM', priority: 0 },
  ];
  const fields = Object.keys(shown[0] ?? {});
  await context.print.rows([shown], { fields, columns: columns.filter(({ field }) => fields.includes(field)) });
};

export const get: Run = async (context, { args: [name = ''] }) => {
  const value = keyNamed(name).read(context.settings)?.value;
  if (value !== undefined) await context.print.write(`${value}\n`);
};

const change = async (context: Parameters<Run>[0], update: (profile: Profile) => Profile): Promise<string> => {
  const { directory, profileName, profile } = context.settings;
  update(profile ?? {});
  await updateProfile(directory, profileName.value, update);
  return `of profile "${profileName.value}"`;
};

export const set: Run = async (context, { args: [name = '', value = ''] }) => {
  const key = keyNamed(name);
  context.note(`Set ${name} ${await change(context, (profile) => key.write(profile, value))} to ${value}.`);
};

export const unset: Run = async (context, { args: [name = ''] }) => {
  context.note(`Forgot ${name} ${await change(context, keyNamed(name).forget)}.`);
};

export const path: Run = async (context) => {
  await context.print.write(`${configPath(context.settings.directory)}\n`);
};
