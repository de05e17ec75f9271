import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { configPath } from '../../config/config-file.js';
import { credentialsPath } from '../../config/credentials/credentials-file.js';
import { readJsonObject } from '../../config/json-file.js';
import { isOurs } from '../../config/own-folder.js';
import { type Project, readProject } from '../../config/project-file.js';
import { CliError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import type { Io } from '../../io/io.js';
import { type Check, fail, failedBy, ok, warn } from './check.js';

/** `0644` where others than the owner may look; undefined where none may, or where modes mean nothing. */
function openMode(path: string, platform: NodeJS.Platform): string | undefined {
  if (platform === 'win32') return undefined;
  const mode = statSync(path).mode & 0o777;
  return (mode & 0o077) === 0 ? undefined : `0${mode.toString(8).padStart(3, '0')}`;
}

const can = (path: string, what: number): boolean => {
  try {
    accessSync(path, what);
    return true;
  } catch {
    return false;
  }
};

const ELSEWHERE = 'Keep settings elsewhere: MKT_CONFIG_DIR=/a/folder/of/yours mkt ...';

/** What is there on the way to a folder that is not. */
const nearestAbove = (path: string): string => (existsSync(path) ? path : nearestAbove(dirname(path)));

/** The folder that settings are kept in. */
export function folderCheck(directory: string, { platform }: Pick<Io, 'platform'>): Check {
  const name = 'config folder';
  if (!existsSync(directory)) {
    const above = nearestAbove(directory);
    return statSync(above).isDirectory() && can(above, constants.W_OK | constants.X_OK)
      ? ok(name, `${directory}: none yet, the first sign-in makes it`)
      : warn(name, `${directory} cannot be made in ${above}: no sign-in can be kept.`, ELSEWHERE);
  }
  if (!statSync(directory).isDirectory()) return fail(name, exitCodes.usage, `${directory} is no folder.`, ELSEWHERE);
  const mode = openMode(directory, platform);
  if (!can(directory, constants.R_OK | constants.X_OK))
    return fail(name, exitCodes.usage, `${directory} cannot be read.`, `ls -ld ${directory}`, ELSEWHERE);
  if (mode !== undefined) {
    const mend = isOurs(directory) ? `chmod 700 ${directory}` : ELSEWHERE;
    return warn(name, `${directory} is open to others (mode ${mode}).`, mend);
  }
  if (!can(directory, constants.W_OK))
    return warn(name, `${directory} cannot be written: no sign-in can be kept.`, ELSEWHERE);
  return ok(name, directory);
}

/** A JSON file of ours: whether it can be read, and by whom. */
function fileCheck(name: string, path: string, { platform }: Pick<Io, 'platform'>): Check {
  try {
    if (readJsonObject(path) === undefined) return ok(name, `${path}: none`);
  } catch (error) {
    if (error instanceof CliError) return failedBy(name, error);
    throw error;
  }
  const mode = openMode(path, platform);
  if (mode !== undefined) return warn(name, `${path} can be read by others (mode ${mode}).`, `chmod 600 ${path}`);
  return ok(name, path);
}

export const configFileCheck = (directory: string, io: Pick<Io, 'platform'>): Check =>
  fileCheck('config file', configPath(directory), io);

/** Where tokens are kept that are not in a keychain. Others who could read it may have the token. */
export function credentialsFileCheck(directory: string, io: Pick<Io, 'platform'>): Check {
  const check = fileCheck('credentials file', credentialsPath(directory), io);
  if (check.status !== 'warn') return check;
  return { ...check, try: [...check.try, 'If strangers use this machine: mkt tokens list, then mkt tokens revoke ID'] };
}

/** `.mkt.json` of the folder that one is in, or above. */
export function projectCheck({ cwd }: Pick<Io, 'cwd'>): Check {
  const name = 'project file';
  let project: Project | undefined;
  try {
    project = cwd === undefined ? undefined : readProject(cwd);
  } catch (error) {
    if (error instanceof CliError) return failedBy(name, error);
    throw error;
  }
  if (project === undefined) return ok(name, '.mkt.json: none from here upwards');
  const { path, ignored } = project;
  if (ignored.length > 0) return warn(name, `${path}: ${ignored.join(', ')} is ignored there.`, 'mkt help config');
  return ok(name, path);
}
