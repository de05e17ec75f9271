import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonObject, textIn } from '../json-file.js';

export const credentialsPath = (directory: string): string => join(directory, 'credentials.json');

/** Closes the file to other users when something opened it; true when it had to. */
function closeToOthers(path: string, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return false;
  if ((statSync(path).mode & 0o077) === 0) return false;
  chmodSync(path, 0o600);
  return true;
}

/** The secret of an account in credentials.json. A file that others could read is closed, and `onRepair` hears of it; without it nothing is changed. */
export function readSecret(
  directory: string,
  account: string,
  platform: NodeJS.Platform,
  onRepair: ((path: string) => void) | undefined,
): string | undefined {
  const path = credentialsPath(directory);
  const object = readJsonObject(path);
  if (object === undefined) return undefined;
  if (onRepair !== undefined && closeToOthers(path, platform)) onRepair(path);
  return textIn(object, account);
}

/** Writes, or with `undefined` removes, the secret of an account. */
export async function writeSecret(directory: string, account: string, secret: string | undefined): Promise<void> {
  readJsonObject(credentialsPath(directory));
  const { updateFile } = await import('../update-file.js');
  await updateFile(directory, 'credentials', (object) => {
    const kept = Object.fromEntries(Object.entries(object).filter(([key]) => key !== account));
    return secret === undefined ? kept : { ...kept, [account]: secret };
  });
}
