import { join } from 'node:path';
import * as z from 'zod/mini';
import { checked, readJsonFile, text } from './json-file.js';

const object = 'must be an object';

/** An organization's id. People write it as a number too. */
export const id = z.pipe(z.union([text, z.number()], 'must be text or a number'), z.transform(String));

/** One sign-in. The token itself is not here: see credentials/. Keys that this version does not know are kept. */
const profile = z.looseObject(
  {
    /** Address of the service. */
    base_url: z.optional(text),
    /** The default organization. The name is what it was called when it was chosen, for messages. */
    organization: z.optional(z.looseObject({ id, name: z.optional(text) }, object)),
    /** Output format. */
    format: z.optional(text),
    /** `keyring` or `file`: where the token is stored. */
    storage: z.optional(z.enum(['keyring', 'file'], 'must be "keyring" or "file"')),
    /** The host that the stored token belongs to: it is sent nowhere else. */
    token_host: z.optional(text),
    /** The last four characters of the token, for `mkt auth status`. */
    token_last4: z.optional(text),
  },
  object,
);
const config = z.looseObject({
  /** Name of the profile in use, unless a flag or the environment names another. */
  active: z.optional(text),
  profiles: z._default(z.record(z.string(), profile, object), {}),
});

export type Profile = z.output<typeof profile>;
export type Storage = NonNullable<Profile['storage']>;
export type Config = z.output<typeof config>;

export const configPath = (directory: string): string => join(directory, 'config.json');

/** What config.json holds; undefined where there is none. */
export const readConfig = (directory: string): Config | undefined => readJsonFile(configPath(directory), config);

/** Changes config.json. */
export async function updateConfig(directory: string, change: (config: Config) => void): Promise<void> {
  // Reports a damaged file before conf reads it.
  readConfig(directory);
  const { updateFile } = await import('./update-file.js');
  await updateFile(directory, 'config', (stored) => {
    const changed = checked(configPath(directory), stored, config);
    change(changed);
    return changed;
  });
}

/** Changes one profile, made when it is missing; the first one becomes the active one. */
export const updateProfile = (directory: string, name: string, change: (profile: Profile) => Profile): Promise<void> =>
  updateConfig(directory, (changed) => {
    changed.profiles[name] = change(changed.profiles[name] ?? {});
    changed.active ??= name;
  });
