import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { configPath, readConfig, type Storage } from '../../config/config-file.js';
import { credentialsPath, readCredentials } from '../../config/credentials/credentials-file.js';
import { Keyring, KeyringUnavailable } from '../../config/credentials/keyring.js';
import { isOurs } from '../../config/folders.js';
import { readProject } from '../../config/project-file.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { type Io, isOn } from '../../io/io.js';
import { type Check, fail, failedBy, ok, reasonOf, warn } from './check.js';

const NEEDED = [20, 19] as const;

/** @param running the version of Node, such as `20.20.2` */
export function nodeCheck(running: string): Check {
  const [major = 0, minor = 0] = running.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return ok('node', running);
  return fail(
    'node',
    exitCodes.unexpected,
    `Node ${running} is too old: mkt needs ${NEEDED.join('.')} or newer.`,
    'Install a newer one from https://nodejs.org',
  );
}

/** `0644` if others than the owner have access; undefined if they have none, or if modes mean nothing here. */
function openMode(path: string, platform: NodeJS.Platform): string | undefined {
  if (platform === 'win32') return undefined;
  const mode = statSync(path).mode & 0o777;
  return (mode & 0o077) === 0 ? undefined : `0${mode.toString(8).padStart(3, '0')}`;
}

const can = (path: string, access: number): boolean => {
  try {
    accessSync(path, access);
    return true;
  } catch {
    return false;
  }
};

const ELSEWHERE = 'Use another folder for settings: MKT_CONFIG_DIR=/path/to/your/folder mkt ...';

const existingAncestor = (path: string): string => (existsSync(path) ? path : existingAncestor(dirname(path)));

/** The folder of the settings. */
export function folderCheck(directory: string, { platform }: Pick<Io, 'platform'>): Check {
  const name = 'config folder';
  if (!existsSync(directory)) {
    const above = existingAncestor(directory);
    return statSync(above).isDirectory() && can(above, constants.W_OK | constants.X_OK)
      ? ok(name, `${directory}: none yet, the first sign-in creates it`)
      : warn(name, `${directory} cannot be created in ${above}: no sign-in can be stored.`, ELSEWHERE);
  }
  if (!statSync(directory).isDirectory())
    return fail(name, exitCodes.usage, `${directory} is not a folder.`, ELSEWHERE);
  if (!can(directory, constants.R_OK | constants.X_OK))
    return fail(name, exitCodes.usage, `${directory} cannot be read.`, `ls -ld ${directory}`, ELSEWHERE);
  const mode = openMode(directory, platform);
  if (mode !== undefined) {
    const hint = isOurs(directory) ? `chmod 700 ${directory}` : ELSEWHERE;
    return warn(name, `${directory} is open to others (mode ${mode}).`, hint);
  }
  if (!can(directory, constants.W_OK))
    return warn(name, `${directory} cannot be written: no sign-in can be stored.`, ELSEWHERE);
  return ok(name, directory);
}

/** A JSON file of the settings: whether it can be read, and by whom. */
function fileCheck(
  name: string,
  path: string,
  read: () => unknown,
  { platform }: Pick<Io, 'platform'>,
  ...more: readonly string[]
): Check {
  try {
    if (read() === undefined) return ok(name, `${path}: none`);
  } catch (error) {
    return failedBy(name, error);
  }
  const mode = openMode(path, platform);
  if (mode === undefined) return ok(name, path);
  return warn(name, `${path} can be read by others (mode ${mode}).`, `chmod 600 ${path}`, ...more);
}

export const configFileCheck = (directory: string, io: Pick<Io, 'platform'>): Check =>
  fileCheck('config file', configPath(directory), () => readConfig(directory), io);

/** The file of tokens that are not in a keychain. */
export const credentialsFileCheck = (directory: string, io: Pick<Io, 'platform'>): Check =>
  fileCheck(
    'credentials file',
    credentialsPath(directory),
    () => readCredentials(directory),
    io,
    'If others use this machine: mkt tokens list, then mkt tokens revoke ID',
  );

/** The nearest `.mkt.json`, from the working folder upwards. */
export function projectCheck({ cwd }: Pick<Io, 'cwd'>): Check {
  const name = 'project file';
  try {
    const project = cwd === undefined ? undefined : readProject(cwd);
    if (project === undefined) return ok(name, '.mkt.json: none in this folder or above');
    const { path, ignored } = project;
    if (ignored.length > 0) return warn(name, `${path}: ${ignored.join(', ')} is ignored there.`, 'mkt help config');
    return ok(name, path);
  } catch (error) {
    return failedBy(name, error);
  }
}

/** The keychain of this computer, read as every command reads it: in a child process with a limit of 3 seconds. */
export async function keychainCheck({ env }: Pick<Io, 'env'>, storage: Storage | undefined): Promise<Check> {
  const name = 'keychain';
  const isNeeded = storage === 'keyring';
  if (isOn(env.MKT_NO_KEYRING) && !isNeeded) return ok(name, 'not used: MKT_NO_KEYRING is set');
  try {
    // An account that does not exist: the answer shows that the keychain works, and no secret.
    await new Keyring(env).get('doctor');
  } catch (error) {
    if (!(error instanceof KeyringUnavailable)) throw error;
    const { message } = error;
    if (isNeeded) {
      return fail(
        name,
        exitCodes.authentication,
        `It holds your token and cannot be read: ${message}.`,
        'Set MKT_TOKEN for now',
        'Or store the token in a file: mkt login --storage file',
      );
    }
    // A silent one costs seconds at every sign-in; having none is usual on servers.
    if (error.late) return warn(name, `There is one, but ${message}.`, 'To ignore it: export MKT_NO_KEYRING=1');
    return ok(name, `none (${message}); tokens are stored in a file`);
  }
  return ok(name, isNeeded ? 'works; it holds your token' : 'works');
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g;

const isCertificate = (block: string): boolean => {
  try {
    return new X509Certificate(block).serialNumber !== '';
  } catch {
    return false;
  }
};

/** The certificates that are trusted in addition to the usual ones; Node reads them when it starts. */
export function certificatesCheck({ env }: Pick<Io, 'env'>): Check {
  const check = 'certificates';
  const path = env.NODE_EXTRA_CA_CERTS;
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return warn(
      check,
      'NODE_TLS_REJECT_UNAUTHORIZED=0: anyone on the network path can read your token.',
      'unset NODE_TLS_REJECT_UNAUTHORIZED',
      'To trust one more certificate: NODE_EXTRA_CA_CERTS=/path/to/company-ca.pem',
    );
  }
  if (!path) return ok(check, 'the usual ones');
  const problem = (what: string, ...hints: readonly string[]): Check =>
    fail(check, exitCodes.usage, `${path} (from NODE_EXTRA_CA_CERTS) ${what}.`, ...hints);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return problem(
      `cannot be read (${reasonOf(error)})`,
      'unset NODE_EXTRA_CA_CERTS, or set it to the path of an existing file',
    );
  }
  const blocks = text.match(CERTIFICATE) ?? [];
  if (blocks.length > 0 && blocks.every(isCertificate))
    return ok(check, `the usual ones and ${blocks.length} from ${path}`);
  return problem(
    blocks.length === 0 ? 'holds no certificate' : 'holds a damaged certificate',
    'It needs complete blocks from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
  );
}
