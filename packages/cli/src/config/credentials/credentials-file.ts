import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJsonFile, text } from '../json-file.js';

/** Tokens by account. */
const credentials = z.record(z.string(), text);

export const credentialsPath = (directory: string): string => join(directory, 'credentials.json');

/** What credentials.json holds; undefined where there is none. */
export const readCredentials = (directory: string): Record<string, string> | undefined =>
  readJsonFile(credentialsPath(directory), credentials);

/** Closes the file to other users when something opened it; true when it had to. */
function closeToOthers(path: string, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return false;
  if ((statSync(path).mode & 0o077) === 0) return false;
  chmodSync(path, 0o600);
  return true;
}

/** The secret of an account. A file that others could read is closed, and `onRepair` is called; without it nothing changes. */
export function readSecret(
  directory: string,
  account: string,
  platform: NodeJS.Platform,
  onRepair: ((path: string) => void) | undefined,
): string | undefined {
  const path = credentialsPath(directory);
  const stored = readCredentials(directory);
  if (stored === undefined) return undefined;
  if (onRepair !== undefined && closeToOthers(path, platform)) onRepair(path);
  return stored[account];
}

/** Writes, or with `undefined` removes, the secret of an account. */
export async function writeSecret(directory: string, account: string, secret: string | undefined): Promise<void> {
  // Reports a damaged file before conf reads it.
  readCredentials(directory);
  const { updateFile } = await import('../update-file.js');
  await updateFile(directory, 'credentials', (object) => {
    const kept = Object.fromEntries(Object.entries(object).filter(([key]) => key !== account));
    return secret === undefined ? kept : { ...kept, [account]: secret };
  });
}
