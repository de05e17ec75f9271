import { withErrorContext } from '../../api/errors/explain.js';
import { allOrganizations } from '../../api/organization.js';
import { organizations as organizationResource } from '../../api/resources.js';
import { lastFour, resolveToken } from '../../config/credentials.js';
import type { Context } from '../../context/context.js';
import { CliError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { cellText, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';

interface Status {
  base_url: string | null;
  base_url_from: string | null;
  profile: string;
  profile_from: string;
  token_from: string | null;
  token_last4: string | null;
  signed_in: boolean;
  problem: string | null;
  organization: string | null;
  organization_from: string | null;
  organizations: { id: unknown; name: string }[];
}

/** Reads the local settings, then asks the service. Returns the first problem instead of throwing it. */
async function look(context: Context): Promise<{ status: Status; problem: CliError | undefined }> {
  const { settings, io } = context;
  const { baseUrl, profileName, organization } = settings;
  const status: Status = {
    base_url: baseUrl?.value ?? null,
    base_url_from: baseUrl?.origin ?? null,
    profile: profileName.value,
    profile_from: profileName.origin,
    token_from: null,
    token_last4: null,
    signed_in: false,
    problem: null,
    organization: organization?.value ?? null,
    organization_from: organization?.origin ?? null,
    organizations: [],
  };
  try {
    const token = await resolveToken(io, settings, settings.requiredBaseUrl, (text) => context.warn(text));
    status.token_from = token.origin;
    status.token_last4 = lastFour(token.value);
    const rows = await withErrorContext(context, { action: 'list', resource: organizationResource }, () =>
      allOrganizations(context),
    );
    status.organizations = rows.map((row) => ({
      id: valueAt(row, 'id'),
      name: sanitizeLine(cellText(valueAt(row, 'name'))),
    }));
    status.signed_in = true;
    return { status, problem: undefined };
  } catch (problem) {
    if (!(problem instanceof CliError)) throw problem;
    status.problem = problem.message;
    return { status, problem };
  }
}

const from = (origin: string | null): string => `  (from ${origin})`;

function workingIn({ organization, organization_from, organizations }: Status): string {
  if (organization !== null) {
    const name = organizations.find(({ id }) => String(id) === organization)?.name;
    return `${name === undefined ? '' : `${name}, `}organization ${organization}${from(organization_from)}`;
  }
  return organizations.length === 1
    ? 'your only organization'
    : 'no organization chosen; choose with: mkt organizations use ID';
}

function statusText(status: Status, context: Context): string {
  const style = context.styleOf('stdout');
  const { base_url: url, token_from: tokenFrom, organizations, signed_in: signedIn } = status;
  const lines: [string, string][] = [
    ['Service', url === null ? 'none' : `${url}${from(status.base_url_from)}`],
    ['Profile', status.profile],
    ['Token', tokenFrom === null ? 'none' : `ends in ${status.token_last4}${from(tokenFrom)}`],
    ['Signed in', signedIn ? style('green', 'yes') : style('red', 'no')],
  ];
  if (status.organization !== null || signedIn) lines.push(['Working in', workingIn(status)]);
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
    if (context.print.isHumanReadable) await context.print.write(statusText(found, context));
    else await context.print.row(found, { columns: [], fields: Object.keys(found) });
  }
  if (problem === undefined) return;
  if (!check) throw problem;
  // A missing service also counts as not signed in.
  const { details, exitCode } = problem;
  const code = exitCode === exitCodes.usage ? exitCodes.authentication : exitCode;
  throw new CliError({ ...details, exitCode: code, silent: true });
}
