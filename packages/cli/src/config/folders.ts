import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Io } from '../io/io.js';

type Place = Pick<Io, 'env' | 'home' | 'platform'>;

/** Where the files of mkt are, by what they are: in MKT_CONFIG_DIR if that is set, else in the folder of the platform. */
const places = {
  /** config.json and credentials.json. */
  config: { variable: 'XDG_CONFIG_HOME', windows: 'APPDATA', inside: '', unix: '.config' },
  /** What mkt can compute again. */
  cache: { variable: 'XDG_CACHE_HOME', windows: 'LOCALAPPDATA', inside: 'cache', unix: '.cache' },
  data: { variable: 'XDG_DATA_HOME', windows: 'LOCALAPPDATA', inside: '', unix: join('.local', 'share') },
} as const;

const folder =
  (name: keyof typeof places) =>
  ({ env, home, platform }: Place): string => {
    const { variable, windows, inside, unix } = places[name];
    const [xdg, local] = [env[variable], env[windows]];
    if (env.MKT_CONFIG_DIR) return join(env.MKT_CONFIG_DIR, inside);
    if (xdg) return join(xdg, 'mkt');
    return platform === 'win32' && local ? join(local, 'mkt', inside) : join(home, unix, 'mkt');
  };
export const configDirectory = folder('config');
export const cacheDirectory = folder('cache');
export const dataDirectory = folder('data');

/** A path that can neither be read nor written, because it is inside a file. */
export const NOWHERE = join(process.execPath, 'nowhere');

/** Creates one folder after the other: on Node 20 a recursive `mkdir` never returns if the parent accepts no folders (/proc). */
export function makeFolder(directory: string): void {
  if (existsSync(directory)) return;
  makeFolder(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process created it first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Writes a file that other processes may be reading, and creates its folder. */
export function writeAtomically(path: string, text: string, mode?: number): void {
  makeFolder(dirname(path));
  const partial = `${path}.${process.pid}.part`;
  writeFileSync(partial, text, { mode });
  renameSync(partial, path);
}

const OURS = /^(config|credentials)\.json|^\.lock$|^cache$|^history\.db/;

/** Whether the folder holds only our files: a shared one (MKT_CONFIG_DIR=/tmp) must not be made private. */
export const isOurs = (directory: string): boolean => readdirSync(directory).every((name) => OURS.test(name));
