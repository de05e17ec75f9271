import type { Membership } from '@mkt/sdk';
import { withErrorContext } from '../../api/errors/explain.js';
import { idOf } from '../../api/organization.js';
import { members as resource } from '../../api/resources.js';
import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { commandWith } from '../../context/next-command.js';
import { CliError, usageError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { goneView } from '../../shared/bulk.js';
import { confirm } from '../../shared/confirm.js';
import { cellText, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';

/** The member with this e-mail address, ignoring case. */
async function memberWith(context: Context, address: string): Promise<Membership> {
  const client = await context.client();
  const organization = await context.organization();
  const found = await withErrorContext(context, { verb: 'list', resource, organization }, async () => {
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
    message: `${sanitizeLine(address)} is not a member of ${await organization.label()}.`,
    hints: [`mkt members list --org ${organization.id}`],
  });
}

/** The id of a membership that is named by its id or by the member's e-mail address. */
export const memberId = async (context: Context, named: string): Promise<string> =>
  named.includes('@') ? idOf(await memberWith(context, named)) : named;

export async function leave(context: Context, invocation: Invocation, email: string | undefined): Promise<void> {
  if (email === undefined) throw usageError('--email is required.', 'mkt members leave --email you@example.com');
  const address = sanitizeLine(email);
  if (!address.includes('@')) throw usageError(`--email takes your e-mail address, not "${address}".`);
  const client = await context.client();
  const organization = await context.organization();
  const you = await memberWith(context, address);
  const id = idOf(you);
  // Looked up now, because a former member cannot see the organization.
  const name = await organization.name();
  const member = `${sanitizeLine(cellText(valueAt(you, 'user.name')))} (${address})`;
  await confirm(context, `Really leave ${name} as ${member}?`, commandWith(invocation, context, {}));
  const options = { signal: context.io.interrupted };
  await withErrorContext(context, { verb: 'leave', resource, id, organization }, () =>
    client.members.remove(organization.id, id, options),
  );
  const stillThere = await client.organizations.get(organization.id, options).then(
    () => true,
    () => false,
  );
  // An admin may remove any member, and the API does not say which user the token belongs to.
  if (stillThere) {
    throw new CliError({
      code: 'somebody_else_removed',
      exitCode: exitCodes.unexpected,
      message: `You are still a member of ${name}. ${member} was removed instead, because that was not your e-mail address.`,
      hints: [`Use your own: mkt members leave --email ME --org ${organization.id}`],
    });
  }
  context.note(`You left ${name}.`);
  if (!context.print.isHumanReadable) await context.print.row({ id, ok: true, result: 'left' }, goneView);
}
