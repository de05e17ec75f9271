import type { Invocation, Run } from '../../commands/command.js';
import type { Context } from '../../context.js';
import { CliError, usageError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { explained } from '../../errors/explain.js';
import { idOf } from '../../organization.js';
import { sanitizeLine } from '../../output/sanitize.js';
import { members } from '../../resources/members.js';
import { each } from '../each.js';
import { list as listing } from '../list.js';
import { removal } from '../steps.js';
import { update as updating } from '../update.js';

export const list = listing(members);

/** The membership id of whoever is named; an e-mail address is looked up among the members. */
async function memberId(context: Context, named: string): Promise<string> {
  if (!named.includes('@')) return named;
  const client = await context.client();
  const organization = await context.organization();
  const found = await explained(context, { verb: 'list', resource: members, organization }, async () => {
    const wanted = named.toLowerCase();
    for await (const member of client.members.list(organization.id, { signal: context.io.interrupted })) {
      if (member.user?.email?.toLowerCase() === wanted) return idOf(member);
    }
    return undefined;
  });
  if (found !== undefined) return found;
  throw new CliError({
    code: 'not_found',
    exitCode: exitCodes.notFound,
    message: `Nobody with the address ${sanitizeLine(named)} is a member of ${await organization.label()}.`,
    hints: [`mkt members list --org ${organization.id}`],
  });
}

const byEmail =
  (run: Run): Run =>
  async (context, invocation) => {
    const [named = ''] = invocation.args;
    await run(context, { ...invocation, args: [await memberId(context, named)] });
  };

export const update = byEmail(updating(members, 'membership'));
export const remove = byEmail(each(members, removal('remove', 'Removed')));

const leaving = each({ ...members, noun: 'your membership' }, removal('leave', 'Left'));

export const leave: Run = async (context, invocation: Invocation) => {
  const { email } = invocation.flags;
  if (email === undefined) throw usageError('--email is missing.', 'mkt members leave --email you@example.com');
  if (!String(email).includes('@'))
    throw usageError(`--email takes your e-mail address, not "${sanitizeLine(String(email))}".`);
  await leaving(context, { ...invocation, args: [await memberId(context, String(email))] });
};
