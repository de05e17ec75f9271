import { explain } from '../../api/errors/explain.js';
import { routeTo } from '../../api/http/proxy-of.js';
import { idOf } from '../../api/organization.js';
import { lastFour, resolveToken } from '../../config/credentials/token.js';
import { NOWHERE } from '../../config/folders.js';
import { type Setting, Settings } from '../../config/settings.js';
import type { Context } from '../../context/context.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { isObject } from '../../text/json.js';
import { cellText, type Row, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { type Check, fail, failedBy, ok, skipped, warn } from './check.js';
import { connectionChecks, proxyCheck } from './network.js';
import { formatOfBody, jsonIn, ServiceReader, type ServiceResponse } from './service-reader.js';

/** Milliseconds for one network step, unless `--timeout` says otherwise. */
const TIMEOUT = 5000;
/** A clock that is off by more breaks certificates and sign-ins elsewhere. */
const SKEW_MS = 5 * 60_000;
const CHECK_URL = 'Is the URL right? mkt config list --show-origin';

/** The settings that can be used when some files cannot be read. */
export interface UsableSettings {
  readonly settings: Settings;
  /** Why the profile is ignored; flags and environment variables still count. */
  readonly withoutProfile: string | undefined;
  /** Why `.mkt.json` is ignored. */
  readonly withoutProject: string | undefined;
}

/** @param broken the files that could not be read and must not be read again */
export function usableSettings(
  { io, options }: Context,
  broken: { readonly config: boolean; readonly project: boolean },
): UsableSettings {
  const cwd = broken.project ? undefined : io.cwd;
  const withoutProject = broken.project ? 'the project file cannot be read' : undefined;
  const without = (reason: string): UsableSettings => {
    const env = { ...io.env, MKT_CONFIG_DIR: NOWHERE, MKT_PROFILE: undefined };
    const settings = new Settings({ ...io, cwd, env }, { ...options, profile: undefined });
    return { settings, withoutProfile: reason, withoutProject };
  };
  if (broken.config) return without('the config file cannot be read');
  const settings = new Settings({ ...io, cwd }, options);
  return failsToRead(() => settings.profile)
    ? without('there is no such profile')
    : { settings, withoutProfile: undefined, withoutProject };
}

const settingCheck = (check: string, read: () => string): Check => {
  try {
    return ok(check, read());
  } catch (error) {
    return failedBy(check, error);
  }
};

const failsToRead = (read: () => unknown): boolean => settingCheck('', () => String(read())).status === 'fail';

/** The profile in use and what chose it. */
export const profileCheck = ({ settings }: Context): Check =>
  settingCheck('profile', () => {
    const { profile, profileName } = settings;
    return profile === undefined ? 'none stored yet' : `${profileName.value} (from ${profileName.origin})`;
  });

/** The output format and what chose it. */
export const formatCheck = ({ settings }: UsableSettings): Check =>
  settingCheck('format', () => `${settings.format.value} (from ${settings.format.origin})`);

/** The URL of the service and what chose it. */
export function serviceCheck({ settings, withoutProfile }: UsableSettings): Check {
  if (withoutProfile !== undefined && settings.baseUrl === undefined) return skipped('service', withoutProfile);
  return settingCheck('service', () => `${settings.requiredBaseUrl} (from ${settings.baseUrl?.origin})`);
}

/** Where the token comes from and its last four characters; the token itself for the checks that need it. */
export async function tokenCheck(
  { io }: Context,
  { settings, withoutProfile }: UsableSettings,
  url: string | undefined,
  locked: string | undefined,
): Promise<{ check: Check; token?: Setting }> {
  const name = 'token';
  if (url === undefined) return { check: skipped(name, 'no service is configured') };
  const given = io.env.MKT_TOKEN || io.env.MKT_TOKEN_FILE;
  const missing = withoutProfile ?? locked;
  if (missing !== undefined && !given) return { check: skipped(name, missing) };
  try {
    const token = await resolveToken(io, settings, url);
    const other = given && settings.profile?.storage !== undefined ? '; it overrides the stored one' : '';
    return { check: ok(name, `ends in ${lastFour(token.value)} (from ${token.origin})${other}`), token };
  } catch (error) {
    return { check: failedBy(name, error) };
  }
}

/** The checks that need the service, in order. */
const networkChecks = ['proxy', 'dns', 'tcp', 'tls'];
const responseChecks = ['answer', 'sign in', 'organization', 'write access', 'clock'];
const skipAll = (checks: readonly string[], reason: string): Check[] => checks.map((check) => skipped(check, reason));

/** The network path to the service, then what its response says about token, organization and clock. */
export async function* serviceChecks(
  context: Context,
  usable: UsableSettings,
  url: string | undefined,
  token: Setting | undefined,
): AsyncGenerator<Check> {
  if (url === undefined) {
    yield* skipAll([...networkChecks, ...responseChecks], 'no service is configured');
    return;
  }
  const { io, options } = context;
  const limits = { timeout: options.timeout ?? TIMEOUT, interrupted: io.interrupted };
  const route = routeTo(url, io.env);
  const proxy = await proxyCheck(route, url, limits);
  yield proxy;
  let isReachable = proxy.status !== 'fail';
  if (route.by === 'proxy') yield* skipAll(networkChecks.slice(1), 'the proxy does that');
  else
    for await (const check of connectionChecks(url, io.now(), limits)) {
      if (check.status === 'fail') isReachable = false;
      yield check;
    }
  if (!isReachable) {
    yield* skipAll(responseChecks, 'the service cannot be reached');
    return;
  }
  const reader = await ServiceReader.open(context, url, token?.value, { retries: 0 });
  const began = io.now().getTime();
  let response: ServiceResponse;
  try {
    response = await reader.read('GET', '/organizations.json');
  } catch (error) {
    yield failedBy('answer', await explain(error, { verb: 'read', id: 'the API' }, context));
    yield* skipAll(responseChecks.slice(1), 'there is no answer');
    return;
  }
  const tookMs = io.now().getTime() - began;
  const answer = answerCheck(response, tookMs);
  yield answer;
  const rows = answer.status === 'ok' && response.status === 200 ? rowsIn(response) : undefined;
  yield answer.status === 'ok'
    ? signInCheck(response, token, rows ?? [])
    : skipped('sign in', 'the answer is not usable');
  yield await organizationCheck(usable, reader, rows);
  yield skipped(
    'write access',
    'cannot be checked without a change; mkt tokens list shows the permission of your tokens',
  );
  yield clockCheck(response, new Date(began + tookMs / 2));
}

/** Whether the response looks like the API at all. */
function answerCheck(response: ServiceResponse, tookMs: number): Check {
  const check = 'answer';
  const { status } = response;
  if (status === 429)
    return fail(check, exitCodes.rateLimited, 'Too many requests (429).', 'Wait a while, then try again');
  if (status >= 500) {
    const hint = 'Try again in a while; if it keeps failing, tell whoever runs the service';
    return fail(check, exitCodes.unexpected, `The service fails (${status}).`, hint);
  }
  if (status >= 300 && status < 400) {
    const target = sanitizeLine(response.headers.get('location') ?? 'nowhere');
    return fail(check, exitCodes.unexpected, `It redirects to ${target} instead of answering.`, CHECK_URL);
  }
  if (status === 404) return fail(check, exitCodes.notFound, 'There is no API at this URL (404).', CHECK_URL);
  if (status === 200 && !Array.isArray(jsonIn(response)?.value)) {
    const format = formatOfBody(response);
    const got = format === 'JSON' ? 'other JSON' : format;
    return fail(check, exitCodes.unexpected, `It answers with ${got} instead of a list of organizations.`, CHECK_URL);
  }
  return ok(check, `${status} in ${Math.max(1, tookMs)} ms`);
}

/** Whether the service accepts the token. */
function signInCheck({ status, headers }: ServiceResponse, token: Setting | undefined, rows: readonly Row[]): Check {
  const check = 'sign in';
  if (token === undefined) return skipped(check, 'there is no token');
  if (status === 401) {
    return fail(
      check,
      exitCodes.authentication,
      'The token was rejected: it is wrong, or it was revoked.',
      token.origin.startsWith('MKT_')
        ? `Set another one in ${token.origin}, or unset that and run: mkt login`
        : 'To sign in again, with a token from the access tokens page of your account: mkt login',
    );
  }
  if (status === 403) return fail(check, exitCodes.forbidden, 'The service does not let this token in (403).');
  if (status !== 200) return fail(check, exitCodes.rejected, `The service does not list organizations (${status}).`);
  const header = headers.get('total-count') ?? '';
  const total = /^\d+$/.test(header) ? Number(header) : rows.length;
  if (total === 0)
    return warn(check, 'accepted; the token sees no organization', 'mkt organizations create --name NAME');
  return ok(check, `accepted; the token sees ${total} organization${total === 1 ? '' : 's'}`);
}

/** The organization to work in, and whether the token sees it. */
async function organizationCheck(
  { settings, withoutProject, withoutProfile }: UsableSettings,
  reader: ServiceReader,
  rows: readonly Row[] | undefined,
): Promise<Check> {
  const check = 'organization';
  const wanted = settings.organization;
  if (wanted === undefined) {
    const unknown = withoutProject ?? withoutProfile;
    if (unknown !== undefined) return skipped(check, unknown);
    if (rows?.length === 1) return ok(check, 'none chosen; the token sees only one');
    return ok(check, 'none chosen: commands ask, or take --org');
  }
  const { value, origin } = wanted;
  if (rows === undefined)
    return skipped(check, `${sanitizeLine(value)} (from ${origin}); the service did not list any`);
  const found = rows.find((row) => idOf(row) === value || cellText(valueAt(row, 'name')) === value);
  const named = (row: object): Check =>
    ok(check, `${sanitizeLine(cellText(valueAt(row, 'name')))} (${idOf(row)}, from ${origin})`);
  if (found !== undefined) return named(found);
  // It may be on a later page.
  const response = await reader.read('GET', `/organizations/${encodeURIComponent(value)}.json`);
  const shown = jsonIn(response)?.value;
  if (response.status === 200 && isObject(shown)) return named(shown);
  return fail(
    check,
    exitCodes.notFound,
    `${sanitizeLine(value)} (from ${origin}) was not found, or this token cannot see it.`,
    'mkt organizations list',
    'To choose another: mkt organizations use ID',
  );
}

/** This machine's clock against that of the service. */
function clockCheck({ headers }: ServiceResponse, at: Date): Check {
  const check = 'clock';
  const theirs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return skipped(check, 'the service does not send its time');
  const off = at.getTime() - theirs;
  const seconds = Math.round(Math.abs(off) / 1000);
  const apart = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
  if (Math.abs(off) <= SKEW_MS) return ok(check, `${apart} from that of the service`);
  return warn(
    check,
    `This machine is ${apart} ${off > 0 ? 'ahead of' : 'behind'} the service.`,
    'Let the system set its time; on Linux: timedatectl set-ntp true',
  );
}

const rowsIn = (response: ServiceResponse): readonly Row[] => {
  const value = jsonIn(response)?.value;
  return Array.isArray(value) ? value.filter((row): row is Row => typeof row === 'object' && row !== null) : [];
};
