import { join } from 'node:path';
import type { Io } from '../io/io.js';

type Place = Pick<Io, 'env' | 'home' | 'platform'>;

/** The file of the history, next to the settings if MKT_CONFIG_DIR is set; undefined if MKT_HISTORY is `off`. */
export function historyPath({ env, home, platform }: Place): string | undefined {
  const { MKT_HISTORY, MKT_CONFIG_DIR, XDG_DATA_HOME, LOCALAPPDATA } = env;
  const name = 'history.db';
  if (MKT_HISTORY) return MKT_HISTORY === 'off' ? undefined : MKT_HISTORY;
  if (MKT_CONFIG_DIR) return join(MKT_CONFIG_DIR, name);
  if (XDG_DATA_HOME) return join(XDG_DATA_HOME, 'mkt', name);
  if (platform === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'mkt', name);
  return join(home, '.local', 'share', 'mkt', name);
}

/** The host as it is recorded. */
export const hostOf = (baseUrl: string): string => {
  const { host, pathname } = new URL(baseUrl);
  return host + pathname.replace(/\/+$/, '');
};
