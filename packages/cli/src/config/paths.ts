import { join } from 'node:path';
import type { Io } from '../io/io.js';

/** The folder of config.json and credentials.json: MKT_CONFIG_DIR, else what the platform prescribes. */
export function configDirectory(io: Pick<Io, 'env' | 'home' | 'platform'>): string {
  const { MKT_CONFIG_DIR, XDG_CONFIG_HOME, APPDATA } = io.env;
  if (MKT_CONFIG_DIR) return MKT_CONFIG_DIR;
  if (XDG_CONFIG_HOME) return join(XDG_CONFIG_HOME, 'mkt');
  if (io.platform === 'win32' && APPDATA) return join(APPDATA, 'mkt');
  return join(io.home, '.config', 'mkt');
}
