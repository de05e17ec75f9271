import { join } from 'node:path';
import { isObject, readJsonObject, textIn } from './json-file.js';

/** Where the secret of a profile is kept. */
export type Storage = 'keyring' | 'file';

/** One sign-in. The secret is not here: see credentials/. */
export interface Profile {
  base_url?: string;
  /** The default organization. The name is what it was called when it was chosen, for messages. */
  organization?: { id: string; name?: string };
  format?: string;
  storage?: Storage;
  /** The host that the stored token belongs to: it is sent nowhere else. */
  token_host?: string;
  token_last4?: string;
}

export interface Config {
  /** Name of the profile in use when nothing else is said. */
  active?: string;
  profiles: Record<string, Profile>;
}

export const configPath = (directory: string): string => join(directory, 'config.json');

function profileFrom(value: unknown): Profile {
  if (!isObject(value)) return {};
  const profile: Profile = {};
  const keys = ['base_url', 'format', 'token_host', 'token_last4'] as const;
  for (const key of keys) {
    const text = textIn(value, key);
    if (text !== undefined) profile[key] = text;
  }
  if (value.storage === 'keyring' || value.storage === 'file') profile.storage = value.storage;
  const { organization } = value;
  if (isObject(organization)) {
    const id = typeof organization.id === 'number' ? String(organization.id) : textIn(organization, 'id');
    const name = textIn(organization, 'name');
    if (id !== undefined) profile.organization = { id, ...(name !== undefined && { name }) };
  }
  return profile;
}

/** What an object read from config.json means; keys of other versions are ignored. */
export function configFrom(object: Record<string, unknown> | undefined): Config {
  const config: Config = { profiles: {} };
  if (object === undefined) return config;
  const active = textIn(object, 'active');
  if (active !== undefined) config.active = active;
  if (isObject(object.profiles)) {
    for (const [name, value] of Object.entries(object.profiles)) config.profiles[name] = profileFrom(value);
  }
  return config;
}

export const readConfig = (directory: string): Config => configFrom(readJsonObject(configPath(directory)));
