import { allOrganizations } from '../../api/organization.js';
import { lastFour, resolveToken } from '../../config/credentials.js';
import type { Setting } from '../../config/settings.js';
import type { Context } from '../../context/context.js';
import { CliError, type ExitCode, exitCodes } from '../../errors/cli-error.js';
import type { Style } from '../../text/style.js';
import { idValue, nameOf, type Row, valueAt } from '../../text/values.js';

/** Other errors do not say whether the service accepts the token. */
const decided: readonly ExitCode[] = [exitCodes.authentication, exitCodes.usage];

/** Reads the local settings, then asks the service. Returns the first problem instead of throwing it. */
async function look(context: Context) {
  const { settings, io } = context;
  const { baseUrl, profileName, organization } = settings;
  let token: Setting | undefined;
  let rows: readonly Row[] = [];
  let problem: CliError | undefined;
  try {
    token = await resolveToken(io, settings, settings.requiredBaseUrl, (text) => context.warn(text));
    rows = await allOrganizations(context);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    problem = error;
  }
  const status = {
    base_url: baseUrl?.value ?? null,
    base_url_from: baseUrl?.origin ?? null,
    profile: profileName.value,
    profile_from: profileName.origin,
    token_from: token?.origin ?? null,
    token_last4: token === undefined ? null : lastFour(token.value),
    signed_in: problem === undefined || (decided.includes(problem.exitCode) ? false : null),
    problem: problem?.message ?? null,
    organization: organization === undefined ? null : idValue(organization.value),
    organization_from: organization?.origin ?? null,
    organizations: rows.map((row) => ({ id: valueAt(row, 'id'), name: nameOf(row) })),
  };
  return { status, problem };
}

type Status = Awaited<ReturnType<typeof look>>['status'];

const from = (origin: string | null): string => `  (from ${origin})`;

function workingIn({ organization, organization_from, organizations }: Status): string {
  if (organization !== null) {
    const name = organizations.find(({ id }) => id === organization)?.name;
    return `${name === undefined ? '' : `${name}, `}organization ${organization}${from(organization_from)}`;
  }
  return organizations.length === 1
    ? 'your only organization'
    : 'no organization chosen; choose with: mkt organizations use ID';
}

const signedInText = (signedIn: boolean | null, style: Style): string =>
  signedIn === null
    ? style('yellow', 'unknown, because the service did not answer')
    : signedIn
      ? style('green', 'yes')
      : style('red', 'no');

function statusText(status: Status, context: Context): string {
  const style = context.styleOf('stdout');
  const { base_url: url, token_from: tokenFrom, organizations, signed_in: signedIn } = status;
  const lines: [string, string][] = [
    ['Service', url === null ? 'none' : `${url}${from(status.base_url_from)}`],
    ['Profile', status.profile],
    ['Token', tokenFrom === null ? 'none' : `ends in ${status.token_last4}${from(tokenFrom)}`],
    ['Signed in', signedInText(signedIn, style)],
  ];
  if (status.organization !== null || signedIn === true) lines.push(['Working in', workingIn(status)]);
  const text = lines.map(([label, value]) => `${style('dim', label.padEnd(12))}${value}`);
  if (organizations.length > 0) {
    const widest = Math.max(...organizations.map(({ id }) => String(id).length));
    text.push('', style('dim', 'Organizations of this token'));
    for (const { id, name } of organizations) text.push(`  ${String(id).padEnd(widest)}  ${name}`);
  }
  return `${text.join('\n')}\n`;
}

export async function status(context: Context, check: boolean): Promise<void> {
  const { status: found, problem } = await look(context);
  if (!check && (context.print.isHumanReadable || problem === undefined)) {
    if (context.print.isText) await context.print.write(statusText(found, context));
    else await context.print.row(found, { columns: [], fields: Object.keys(found) });
  }
  if (problem === undefined) return;
  if (!check) throw problem;
  // A missing service also counts as not signed in.
  const { details, exitCode } = problem;
  const code = exitCode === exitCodes.usage ? exitCodes.authentication : exitCode;
  throw new CliError({ ...details, exitCode: code, silent: true });
}
