import { idOf } from '../../api/organization.js';
import type { Setting } from '../../config/settings.js';
import type { Context } from '../../context/context.js';
import { CliError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { cellText, type Row, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { type Check, fail, failedBy, ok, skipped, warn } from './check.js';
import { type Answer, formOf, jsonIn, Probe } from './probe.js';
import type { Ground } from './settings.js';

/** A clock that is further off than this breaks certificates and sign-ins of other services. */
const SKEW_MS = 5 * 60_000;

const ADDRESS = 'Is the address right? mkt config list --show-origin';

/** Whether what answers looks like the API at all. */
function answerCheck(answer: Answer): Check {
  const check = 'answer';
  const { status, took } = answer;
  if (status === 429)
    return fail(check, exitCodes.rateLimited, 'Too many requests (429).', 'Wait a while, then repeat');
  if (status >= 500)
    return fail(
      check,
      exitCodes.unexpected,
      `The service fails (${status}).`,
      'Repeat in a while; if it stays, tell the service',
    );
  if (status >= 300 && status < 400) {
    const target = sanitizeLine(answer.headers.get('location') ?? 'nowhere');
    return fail(check, exitCodes.unexpected, `It redirects to ${target} where an answer is due.`, ADDRESS);
  }
  if (status === 200 && !Array.isArray(jsonIn(answer)?.value)) {
    const form = formOf(answer);
    const got = form === 'JSON' ? 'other JSON' : form;
    return fail(check, exitCodes.unexpected, `It answers with ${got}, and not with a list of organizations.`, ADDRESS);
  }
  if (status === 404) return fail(check, exitCodes.notFound, 'There is no API at this address (404).', ADDRESS);
  return ok(check, `${status} in ${Math.max(1, took)} ms`);
}

/** Whether the token counts there. */
function signInCheck({ status, headers }: Answer, token: Setting | undefined, rows: readonly Row[]): Check {
  const check = 'sign in';
  if (token === undefined) return skipped(check, 'there is no token');
  if (status === 401) {
    return fail(
      check,
      exitCodes.authentication,
      'The token was rejected: it is wrong, or it was revoked.',
      token.origin.startsWith('MKT_')
        ? `Set another one in ${token.origin}, or unset that and use: mkt login`
        : 'To sign in again, with a token from the access tokens page of your account: mkt login',
    );
  }
  if (status === 403) return fail(check, exitCodes.forbidden, 'The service does not let this token in (403).');
  if (status !== 200) return fail(check, exitCodes.rejected, `The service refuses to list organizations (${status}).`);
  const told = headers.get('total-count') ?? '';
  const total = /^\d+$/.test(told) ? Number(told) : rows.length;
  if (total === 0)
    return warn(check, 'accepted; the token sees no organization', 'mkt organizations create --name NAME');
  return ok(check, `accepted; the token sees ${total} organization${total === 1 ? '' : 's'}`);
}

/** The organization to work in, and whether the token sees it. */
async function organizationCheck(
  { settings, withoutProject, withoutProfile }: Ground,
  probe: Probe,
  rows: readonly Row[] | undefined,
): Promise<Check> {
  const check = 'organization';
  const wanted = settings.organization;
  if (wanted === undefined) {
    const unknown = withoutProject ?? withoutProfile;
    if (unknown !== undefined) return skipped(check, unknown);
    if (rows?.length === 1) return ok(check, 'none chosen; the token sees one alone');
    return ok(check, 'none chosen: commands ask, or take --org');
  }
  const { value, origin } = wanted;
  if (rows === undefined) return skipped(check, `${sanitizeLine(value)} (from ${origin}); nobody to ask about it`);
  const found = rows.find((row) => idOf(row) === value || cellText(valueAt(row, 'name')) === value);
  const named = (row: object): Check =>
    ok(check, `${sanitizeLine(cellText(valueAt(row, 'name')))} (${idOf(row)}, from ${origin})`);
  if (found !== undefined) return named(found);
  // It may stand on a later page.
  const answer = await probe.ask('GET', `/organizations/${encodeURIComponent(value)}.json`);
  const shown = jsonIn(answer)?.value;
  if (answer.status === 200 && typeof shown === 'object' && shown !== null) return named(shown);
  return fail(
    check,
    exitCodes.notFound,
    `${sanitizeLine(value)} (from ${origin}) was not found, or this token does not see it.`,
    'mkt organizations list',
    'To choose another: mkt organizations use ID',
  );
}

/** This machine's clock against that of the service. */
function clockCheck({ headers, at }: Answer): Check {
  const check = 'clock';
  const date = headers.get('date');
  const theirs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return skipped(check, 'the service does not say what time it is');
  const off = at.getTime() - theirs;
  const seconds = Math.round(Math.abs(off) / 1000);
  const apart = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
  if (Math.abs(off) <= SKEW_MS) return ok(check, `${apart} from that of the service`);
  return warn(
    check,
    `This machine is ${apart} ${off > 0 ? 'ahead of' : 'behind'} the service.`,
    'Let the system set its time by itself; on Linux: timedatectl set-ntp true',
  );
}

const rowsIn = (answer: Answer): readonly Row[] => {
  const value = jsonIn(answer)?.value;
  return Array.isArray(value) ? value.filter((row): row is Row => typeof row === 'object' && row !== null) : [];
};

/** What needs an answer of the service, in order. */
const NEED_ANSWER = ['answer', 'sign in', 'organization', 'write access', 'clock'] as const;
export const withoutAnswer = (reason: string): Check[] => NEED_ANSWER.map((check) => skipped(check, reason));

/** One request, and what its answer tells about the service, the token, the organization and the clock. */
export async function* serviceChecks(
  context: Context,
  ground: Ground,
  address: string,
  token: Setting | undefined,
): AsyncGenerator<Check> {
  const probe = await Probe.open(context, address, token?.value);
  let answer: Answer;
  try {
    answer = await probe.ask('GET', '/organizations.json');
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.network) throw error;
    yield failedBy('answer', error);
    yield* withoutAnswer('there is no answer').slice(1);
    return;
  }
  const sound = answerCheck(answer);
  yield sound;
  const rows = sound.status === 'ok' && answer.status === 200 ? rowsIn(answer) : undefined;
  const signIn = sound.status === 'ok' ? signInCheck(answer, token, rows ?? []) : skipped('sign in', 'no use asking');
  yield signIn;
  yield await organizationCheck(ground, probe, rows);
  yield skipped(
    'write access',
    'cannot be told without changing something; mkt tokens list shows what your tokens may',
  );
  yield clockCheck(answer);
}
