import { version } from '../../../package.json';
import { routeTo } from '../../api/http/proxy-of.js';
import { lastFour, resolveToken } from '../../config/credentials/token.js';
import type { Setting } from '../../config/settings.js';
import type { Context } from '../../context/context.js';
import { CliError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { certificatesCheck } from './certificates.js';
import { type Check, fail, failedBy, ok, skipped } from './check.js';
import { configFileCheck, credentialsFileCheck, folderCheck, projectCheck } from './files.js';
import { keychainCheck } from './keychain.js';
import { proxyCheck } from './proxy.js';
import { serviceChecks, withoutAnswer } from './service.js';
import { formatCheck, type Ground, groundFor, profileCheck, serviceCheck } from './settings.js';
import { wayChecks } from './way.js';

/** Milliseconds for a step on the way to the service where --timeout says nothing. */
const PATIENCE = 5000;

const NEEDED = [20, 19] as const;

/** @param running the version of Node, such as `20.20.2` */
export function nodeCheck(running: string): Check {
  const [major = 0, minor = 0] = running.split('.').map(Number);
  const enough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
  if (enough) return ok('node', running);
  return fail(
    'node',
    exitCodes.unexpected,
    `Node ${running} is too old: mkt needs ${NEEDED.join('.')} or newer.`,
    'Install a newer one from https://nodejs.org',
  );
}

/** Where the token comes from and its last four characters; the token itself for the checks that need it. */
async function tokenCheck(
  { io }: Context,
  { settings, withoutProfile }: Ground,
  address: string | undefined,
  locked: string | undefined,
): Promise<{ check: Check; token?: Setting }> {
  const name = 'token';
  if (address === undefined) return { check: skipped(name, 'it is not known for which service') };
  const given = io.env.MKT_TOKEN || io.env.MKT_TOKEN_FILE;
  const missing = withoutProfile ?? locked;
  if (missing !== undefined && !given) return { check: skipped(name, missing) };
  try {
    const token = await resolveToken(io, settings, address);
    const { value, origin } = token;
    const other = given && settings.profile?.storage !== undefined ? '; it goes before the stored one' : '';
    return { check: ok(name, `ends in ${lastFour(value)} (from ${origin})${other}`), token };
  } catch (error) {
    if (error instanceof CliError) return { check: failedBy(name, error) };
    throw error;
  }
}

/** Everything that a command of mkt relies on, in the order in which one thing builds on another. */
export async function* examine(context: Context): AsyncGenerator<Check> {
  const { io, options } = context;
  const { directory } = context.settings;
  yield nodeCheck(process.versions.node);
  yield ok('mkt', `${version}, on ${io.platform}`);
  yield folderCheck(directory, io);
  const configFile = configFileCheck(directory, io);
  yield configFile;
  const project = projectCheck(io);
  yield project;
  const config = configFile.status === 'fail';
  const ground = groundFor(context, { config, project: project.status === 'fail' });
  yield profileCheck(context, ground, config);
  yield formatCheck(ground);
  const keychain = await keychainCheck(io, ground.settings.profile?.storage);
  yield keychain;
  yield credentialsFileCheck(directory, io);
  const service = serviceCheck(ground);
  yield service;
  const address = service.status === 'ok' ? ground.settings.requiredBaseUrl : undefined;
  const locked = keychain.status === 'fail' ? 'the keychain cannot be read' : undefined;
  const { check: tokenFound, token } = await tokenCheck(context, ground, address, locked);
  yield tokenFound;
  yield certificatesCheck(io);
  if (address === undefined) {
    const reason = 'it is not known which service';
    yield* ['proxy', 'dns', 'tcp', 'tls'].map((check) => skipped(check, reason));
    yield* withoutAnswer(reason);
    return;
  }
  const limits = { timeout: options.timeout ?? PATIENCE, interrupted: io.interrupted };
  const route = routeTo(address, io.env);
  let reached = true;
  const seen = (check: Check): Check => {
    if (check.status === 'fail') reached = false;
    return check;
  };
  yield seen(await proxyCheck(route, address, limits));
  if (route.by === 'proxy') yield* ['dns', 'tcp', 'tls'].map((check) => skipped(check, 'the proxy does that'));
  else for await (const check of wayChecks(address, io.now(), limits)) yield seen(check);
  if (reached) yield* serviceChecks(context, ground, address, token);
  else yield* withoutAnswer('the service cannot be reached');
}
