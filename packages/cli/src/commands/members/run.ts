import type { Membership } from '@mkt/sdk';
import { explained } from '../../api/errors/explain.js';
import { idOf } from '../../api/organization.js';
import { members } from '../../api/resources/members.js';
import type { Invocation, Run } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { commandWith } from '../../context/next-command.js';
import { CliError, usageError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { confirm } from '../../shared/confirm.js';
import { each } from '../../shared/each.js';
import { list as listing } from '../../shared/list.js';
import { removal } from '../../shared/steps.js';
import { update as updating } from '../../shared/update.js';
import { cellText, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';

export const list = listing(members);

/** Whoever has this e-mail address, whatever its case. */
async function memberWith(address: string, context: Context): Promise<Membership> {
  const client = await context.client();
  const organization = await context.organization();
  const found = await explained(context, { verb: 'list', resource: members, organization }, async () => {
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

const byEmail =
  (run: Run): Run =>
  async (context, invocation) => {
    const [named = ''] = invocation.args;
    const id = named.includes('@') ? idOf(await memberWith(named, context)) : named;
    await run(context, { ...invocation, args: [id] });
  };

export const update = byEmail(updating(members, 'membership'));
export const remove = byEmail(each(members, removal('remove', 'Removed')));

export const leave: Run = async (context, invocation: Invocation) => {
  const { email } = invocation.flags;
  if (email === undefined) throw usageError('--email is missing.', 'mkt members leave --email you@example.com');
  const address = sanitizeLine(String(email));
  if (!address.includes('@')) throw usageError(`--email takes your e-mail address, not "${address}".`);
  const client = await context.client();
  const organization = await context.organization();
  const you = await memberWith(address, context);
  const id = idOf(you);
  // Asked for now: whoever has left sees the organization no more.
  const name = await organization.name();
  const person = `${sanitizeLine(cellText(valueAt(you, 'user.name')))} (${address})`;
  await confirm(context, `Really leave ${name} as ${person}?`, commandWith(invocation, context, {}));
  const options = { signal: context.io.interrupted };
  await explained(context, { verb: 'leave', resource: members, id, organization }, () =>
    client.members.remove(organization.id, id, options),
  );
  const stillThere = await client.organizations.get(organization.id, options).then(
    () => true,
    () => false,
  );
  // An admin may remove anybody, and the API does not say whose a token is.
  if (stillThere) {
    throw new CliError({
      code: 'somebody_else_removed',
      exitCode: exitCodes.unexpected,
      message: `You are still a member of ${name}. ${person} was removed from it: that was not your address.`,
      hints: [`Give your own: mkt members leave --email ME --org ${organization.id}`],
    });
  }
  context.note(`You left ${name}.`);
  if (!context.print.forPeople) {
    await context.print.row({ id, ok: true, result: 'left' }, { columns: [], fields: ['id', 'ok', 'result'] });
  }
};
