import type { Membership } from '@mkt/sdk';
import { explained } from '../../api/errors/explain.js';
import { idOf } from '../../api/organization.js';
import { members as resource } from '../../api/resources.js';
import type { Context } from '../../context/context.js';
import { CliError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { sanitizeLine } from '../../text/sanitize.js';

/** The member with this e-mail address, ignoring case. */
export async function memberWith(context: Context, address: string): Promise<Membership> {
  const client = await context.client();
  const organization = await context.organization();
  const found = await explained(context, { verb: 'list', resource, organization }, async () => {
    const wanted = address.toLowerCase();
    for await (const member of client.members.list(organization.id, { signal: context.io.interrupted })) {
      if (member.user?.email?.toLowerCase() === wanted) return member;
    }
    return undefined;
  });
  if (found !== undefined) return found;
  throw new CliError({
    code: 'not_found',
    exitCode: exitCodes.notFound,
    message: `Nobody with the address ${sanitizeLine(address)} is a member of ${await organization.label()}.`,
    hints: [`mkt members list --org ${organization.id}`],
  });
}

/** The id of a membership that is named by its id or by the member's e-mail address. */
export const memberId = async (context: Context, named: string): Promise<string> =>
  named.includes('@') ? idOf(await memberWith(context, named)) : named;
