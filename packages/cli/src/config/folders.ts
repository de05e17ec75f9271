import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Io } from '../io/io.js';

/** The folder of config.json and credentials.json: MKT_CONFIG_DIR, else the folder of the platform. */
export function configDirectory(io: Pick<Io, 'env' | 'home' | 'platform'>): string {
  const { MKT_CONFIG_DIR, XDG_CONFIG_HOME, APPDATA } = io.env;
  if (MKT_CONFIG_DIR) return MKT_CONFIG_DIR;
  if (XDG_CONFIG_HOME) return join(XDG_CONFIG_HOME, 'mkt');
  if (io.platform === 'win32' && APPDATA) return join(APPDATA, 'mkt');
  return join(io.home, '.config', 'mkt');
}

/** The folder of what mkt can compute again: in MKT_CONFIG_DIR if that is set, else the cache folder of the platform. */
export function cacheDirectory({ env, home, platform }: Pick<Io, 'env' | 'home' | 'platform'>): string {
  const { MKT_CONFIG_DIR, XDG_CACHE_HOME, LOCALAPPDATA } = env;
  if (MKT_CONFIG_DIR) return join(MKT_CONFIG_DIR, 'cache');
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'mkt');
  if (platform === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'mkt', 'cache');
  return join(home, '.cache', 'mkt');
}

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
