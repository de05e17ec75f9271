import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SqliteDriverMissing, sqliteDriver } from '@mkt/server/sqlite';
import { engines, version } from '../../../package.json';
import { reasonOf } from '../../api/errors/explain.js';
import { configPath, readConfig } from '../../config/config-file.js';
import { credentialsPath, fromKeyring, readCredentials } from '../../config/credentials.js';
import { isOurs, NOWHERE } from '../../config/folders.js';
import { Keyring, KeyringUnavailable } from '../../config/keyring.js';
import type { Context } from '../../context/context.js';
import { exitCodes, type Hint, toType } from '../../errors/cli-error.js';
import { HistoryUnusable, historyHints, openHistory } from '../../history/database.js';
import { historyPath } from '../../history/place.js';
import { isOn } from '../../io/io.js';
import { sanitizeLine } from '../../text/values.js';
import { type Check, type Findings, fail, ok, type Result, warn } from './check.js';

/** @param running the version of Node, such as `20.20.2` */
export function nodeResult(running: string): Result {
  const [major = 0, minor = 0] = running.split('.').map(Number);
  // `^20.19 || >=22.12`: the minor versions of two majors, and each later major.
  const needed = engines.node.match(/\d+\.\d+/g) ?? [];
  const isSupported = needed.some((least, index) => {
    const [ofMajor = 0, ofMinor = 0] = least.split('.').map(Number);
    return major === ofMajor ? minor >= ofMinor : major > ofMajor && index === needed.length - 1;
  });
  if (isSupported) return ok(running);
  return fail(
    exitCodes.unexpected,
    `Node ${running} is not supported: mkt needs ${needed.map((least) => `${least}+`).join(' or ')}.`,
    'Install a newer one from https://nodejs.org',
  );
}

/** The mode, such as `0644`, if other users have access; undefined if they do not, or on Windows. */
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

const ELSEWHERE = toType('MKT_CONFIG_DIR=/path/to/your/folder mkt ...', 'To use another folder');

const existingAncestor = (path: string): string => (existsSync(path) ? path : existingAncestor(dirname(path)));

function configFolder({ context }: Findings): Result {
  const { directory } = context.settings;
  if (!existsSync(directory)) {
    const above = existingAncestor(directory);
    return statSync(above).isDirectory() && can(above, constants.W_OK | constants.X_OK)
      ? ok(`${directory}: does not exist yet; the first sign-in creates it`)
      : warn(`${directory} cannot be created in ${above}, so sign-ins cannot be stored.`, ELSEWHERE);
  }
  if (!statSync(directory).isDirectory()) return fail(exitCodes.usage, `${directory} is not a folder.`, ELSEWHERE);
  if (!can(directory, constants.R_OK | constants.X_OK))
    return fail(exitCodes.usage, `${directory} cannot be read.`, toType(`ls -ld ${directory}`), ELSEWHERE);
  const mode = openMode(directory, context.io.platform);
  if (mode !== undefined) {
    const hint = isOurs(directory) ? `chmod 700 ${directory}` : ELSEWHERE;
    return warn(`${directory} can be accessed by other users (mode ${mode}).`, hint);
  }
  if (!can(directory, constants.W_OK))
    return warn(`${directory} is not writable, so sign-ins cannot be stored.`, ELSEWHERE);
  return ok(directory);
}

function settingsFile(path: string, content: unknown, { io }: Context, ...hints: Hint[]): Result {
  if (content === undefined) return ok(`${path}: does not exist`);
  const mode = openMode(path, io.platform);
  if (mode === undefined) return ok(path);
  return warn(`${path} can be read by other users (mode ${mode}).`, toType(`chmod 600 ${path}`), ...hints);
}

/** The keychain of this computer, read as every command reads it: in a child process with a limit of 3 seconds. */
async function keychain({ context: { io, settings } }: Findings): Promise<Result> {
  // An account that does not exist: reading it shows whether the keychain works, without reading a secret.
  const account = 'doctor';
  if (settings.profile?.storage === 'keyring') {
    await fromKeyring(io, account, 'mkt login');
    return ok('works; your token is stored there');
  }
  if (isOn(io.env.MKT_NO_KEYRING)) return ok('not used: MKT_NO_KEYRING is set');
  try {
    await new Keyring(io.env).get(account);
    return ok('works');
  } catch (error) {
    if (!(error instanceof KeyringUnavailable)) throw error;
    const { message } = error;
    // One that does not respond delays every sign-in by seconds. Servers usually have none.
    if (error.late)
      return warn(`A keychain exists, but ${message}.`, toType('export MKT_NO_KEYRING=1', 'To ignore it'));
    return ok(`none (${message}); tokens are stored in a file`);
  }
}

function certificates({ context }: Findings): Result {
  const { NODE_EXTRA_CA_CERTS: path, NODE_TLS_REJECT_UNAUTHORIZED } = context.io.env;
  if (NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return warn(
      'NODE_TLS_REJECT_UNAUTHORIZED=0: anyone on the network path can read your token.',
      'unset NODE_TLS_REJECT_UNAUTHORIZED',
      'To trust one more certificate: NODE_EXTRA_CA_CERTS=/path/to/company-ca.pem',
    );
  }
  if (!path) return ok('the built-in ones');
  try {
    // Node reads the file when it starts, and ignores one that it cannot read.
    const { subject } = new X509Certificate(readFileSync(path));
    return ok(`the built-in ones and those in ${path}, first ${sanitizeLine(subject)}`);
  } catch (error) {
    return fail(
      exitCodes.usage,
      `${path} (from NODE_EXTRA_CA_CERTS) is not a readable file that begins with a certificate (${reasonOf(error)}).`,
      'It needs complete blocks from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
      'Or trust only the built-in ones: unset NODE_EXTRA_CA_CERTS',
    );
  }
}

const withoutProfiles = (context: Context): Context => {
  const env = { ...context.io.env, MKT_CONFIG_DIR: NOWHERE, MKT_PROFILE: undefined };
  const { profile: _profile, ...options } = context.options;
  return context.derived({ ...context.io, env }, options);
};

/** What `serve --db FILE` stores data with. */
async function sqlite(): Promise<Result> {
  try {
    return ok((await sqliteDriver()).name);
  } catch (error) {
    if (!(error instanceof SqliteDriverMissing)) throw error;
    return warn('none, so mkt serve --db FILE does not work.', ...error.hints);
  }
}

async function history({ context }: Findings): Promise<Result> {
  const path = historyPath(context.io);
  if (path === undefined) return ok('off');
  if (!existsSync(path)) return ok(`none yet: ${path}`);
  try {
    const file = await openHistory(path);
    try {
      file.check();
      return ok(path);
    } finally {
      file.close();
    }
  } catch (error) {
    if (!(error instanceof HistoryUnusable)) throw error;
    return error.withoutDriver ? ok(path) : warn(`${error.message}.`, ...historyHints);
  }
}

export const machineChecks: readonly Check[] = [
  { name: 'node', run: () => nodeResult(process.versions.node) },
  { name: 'mkt', run: ({ context }) => ok(`${version}, on ${context.io.platform}`) },
  { name: 'config folder', run: configFolder },
  {
    name: 'credentials file',
    run: ({ context }) => {
      const { directory } = context.settings;
      const hint = 'If others use this machine: mkt tokens list, then mkt tokens revoke ID';
      return settingsFile(credentialsPath(directory), readCredentials(directory), context, hint);
    },
  },
  {
    name: 'config file',
    run: ({ context }) => {
      const { directory } = context.settings;
      return settingsFile(configPath(directory), readConfig(directory), context);
    },
    without: withoutProfiles,
  },
  {
    name: 'project file',
    run: ({ context: { settings } }) => {
      if (settings.project === undefined) return ok('.mkt.json: not found in this folder or its parents');
      const { path, ignored } = settings.project;
      return ignored.length === 0
        ? ok(path)
        : warn(`${path}: ignored settings: ${ignored.join(', ')}.`, toType('mkt help config'));
    },
    without: (context) => context.derived({ ...context.io, cwd: undefined }, context.options),
  },
  {
    name: 'profile',
    needs: () => ['config file'],
    run: ({ context: { settings } }) => {
      const { profile, profileName } = settings;
      return ok(profile === undefined ? 'none stored yet' : `${profileName.value} (from ${profileName.origin})`);
    },
    without: withoutProfiles,
  },
  {
    name: 'format',
    run: ({ context: { settings } }) => ok(`${settings.format.value} (from ${settings.format.origin})`),
  },
  { name: 'keychain', run: keychain },
  { name: 'certificates', run: certificates },
  { name: 'sqlite', run: sqlite },
  { name: 'history', needs: () => ['sqlite'], run: history },
];
