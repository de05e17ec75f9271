import { type Config, configFrom, configPath, type Profile } from './config-file.js';
import { type JsonObject, readJsonObject } from './json-file.js';

/** Changes config.json; what this version does not know in it is kept. */
export async function updateConfig(directory: string, change: (config: Config) => void): Promise<void> {
  // A damaged file is told about in our words, before conf meets it.
  readJsonObject(configPath(directory));
  const { updateFile } = await import('./update-file.js');
  await updateFile(directory, 'config', (object) => {
    const config = configFrom(object);
    change(config);
    const known: JsonObject = { ...object, profiles: config.profiles };
    if (config.active === undefined) delete known.active;
    else known.active = config.active;
    return known;
  });
}

/** Changes one profile, made when it is missing; the first one becomes the active one. */
export const updateProfile = (directory: string, name: string, change: (profile: Profile) => Profile): Promise<void> =>
  updateConfig(directory, (config) => {
    config.profiles[name] = change(config.profiles[name] ?? {});
    config.active ??= name;
  });
