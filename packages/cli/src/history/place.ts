import { join } from 'node:path';
import { dataDirectory } from '../config/folders.js';
import type { Io } from '../io/io.js';

/** The file of the history, next to the settings if MKT_CONFIG_DIR is set; undefined if MKT_HISTORY is `off`. */
export function historyPath(io: Pick<Io, 'env' | 'home' | 'platform'>): string | undefined {
  const { MKT_HISTORY } = io.env;
  if (MKT_HISTORY) return MKT_HISTORY === 'off' ? undefined : MKT_HISTORY;
  return join(dataDirectory(io), 'history.db');
}

/** The host as it is recorded. */
export const hostOf = (baseUrl: string): string => {
  const { host, pathname } = new URL(baseUrl);
  return host + pathname.replace(/\/+$/, '');
};
