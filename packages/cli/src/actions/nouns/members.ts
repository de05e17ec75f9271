import type { Invocation, Run } from '../../commands/command.js';
import type { Context } from '../../context.js';
import { CliError, usageError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { explained } from '../../errors/explain.js';
import { idOf } from '../../organization.js';
import { sanitizeLine } from '../../output/sanitize.js';
import { members } from '../../resources/members.js';
import { confirm } from '../confirm.js';
import { each } from '../each.js';
import { list as listing } from '../list.js';
import { commandWith } from '../next-command.js';
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

export const leave: Run = async (context, invocation: Invocation) => {
  const { email } = invocation.flags;
  if (email === undefined) throw usageError('--email is missing.', 'mkt members leave --email you@example.com');
  const address = sanitizeLine(String(email));
  if (!address.includes('@')) throw usageError(`--email takes your e-mail address, not "${address}".`);
  const client = await context.client();
  const organization = await context.organization();
  const id = await memberId(context, address);
  // Asked for now: whoever has left sees the organization no more.
  const name = await organization.name();
  await confirm(context, `Really leave ${name} as ${address}?`, commandWith(invocation, context, {}));
  await explained(context, { verb: 'leave', resource: members, id, organization }, () =>
    client.members.remove(organization.id, id, { signal: context.io.interrupted }),
  );
  context.note(`You left ${name}.`);
  if (!context.print.forPeople) {
    await context.print.row({ id, ok: true, result: 'left' }, { columns: [], fields: ['id', 'ok', 'result'] });
  }
};
