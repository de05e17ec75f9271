import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { CliError, fileError, toType, usageError } from '../errors/cli-error.js';
import { textOf } from './text-of.js';

export const text = z.string('must be text');
const object = 'must be an object';

/** An organization's id. People write it as a number too. */
const id = z.pipe(z.union([text, z.number()], 'must be text or a number'), z.transform(String));

/** One sign-in. The token itself is not here: see credentials.ts. Unknown keys are preserved. */
const profile = z.looseObject(
  {
    /** URL of the service. */
    base_url: z.optional(text),
    /** The default organization. The name is the one it had when it was chosen, for messages. */
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

/** What a project may set for everyone who works in its folder. Never a host, a token or a profile: it may be cloned. */
const project = z.looseObject({ org: z.optional(id), format: z.optional(text) });

/** Checks the content of a file; messages such as "must be text" come from its schema. */
function checked<Schema extends z.ZodMiniType>(path: string, value: unknown, schema: Schema): z.output<Schema> {
  const { success, data, error } = z.safeParse(schema, value);
  if (success) return data;
  const [issue] = error.issues;
  const field = issue?.path.join('.');
  throw usageError(
    field ? `${path}: ${field} ${issue?.message}.` : `${path} is damaged: it is not a JSON object.`,
    toType(`mv ${path} ${path}.broken`, 'Correct it in an editor, or start over'),
  );
}

/** The content of a JSON file; undefined if there is no file. Does not use conf, which takes longer to load than a command runs. */
export function readJsonFile<Schema extends z.ZodMiniType>(path: string, schema: Schema): z.output<Schema> | undefined {
  let content: string;
  try {
    content = textOf(readFileSync(path), path);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw fileError(`Cannot read ${path} (${code}).`, cause, toType(`ls -l ${path}`, 'Check its permissions'));
  }
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    // Not an object either.
  }
  return checked(path, value, schema);
}

export const configPath = (directory: string): string => join(directory, 'config.json');

/** The content of config.json; undefined if there is none. */
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

/** Changes one profile, or creates it. The first profile becomes the active one. */
export const updateProfile = (directory: string, name: string, change: (profile: Profile) => Profile): Promise<void> =>
  updateConfig(directory, (changed) => {
    changed.profiles[name] = change(changed.profiles[name] ?? {});
    changed.active ??= name;
  });

export interface Project {
  readonly path: string;
  readonly org?: string | undefined;
  readonly format?: string | undefined;
  readonly ignored: readonly string[];
}

/** The nearest `.mkt.json` from `directory` upwards. */
export function readProject(directory: string): Project | undefined {
  const path = join(directory, '.mkt.json');
  const found = readJsonFile(path, project);
  if (found !== undefined) {
    const { org, format, ...others } = found;
    return { path, org, format, ignored: Object.keys(others) };
  }
  return dirname(directory) === directory ? undefined : readProject(dirname(directory));
}
