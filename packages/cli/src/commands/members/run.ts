import { confirm } from '../../changes/confirm.js';
import type { Context } from '../../context/context.js';
import { serviceFlags } from '../../context/flags.js';
import { failure, toType, usageError } from '../../errors/cli-error.js';
import { connect, find } from '../../lists/connection.js';
import { goneView, type Listing } from '../../lists/presenter.js';
import { idOf, sanitizeLine, textAt, valueAt } from '../../text/values.js';

export async function leave(
  context: Context,
  listing: Listing,
  { email: given, 'dry-run': isDryRun }: { readonly email?: string; readonly 'dry-run'?: boolean },
): Promise<void> {
  const check = (text: string) => (text.includes('@') ? undefined : 'Enter your e-mail address.');
  const email = given ?? (await (await context.prompter())?.text('Your own e-mail address (--email)', { check }));
  if (email === undefined)
    throw usageError('--email is required.', toType('mkt members leave --email you@example.com'));
  const address = sanitizeLine(email);
  if (!address.includes('@')) throw usageError(`--email takes your e-mail address, not "${address}".`);
  const organization = await context.organization();
  const connection = await connect(context, listing);
  const { client, options } = connection.api;
  const you = await find(connection, address);
  const id = idOf(you);
  // Looked up now, because a former member cannot see the organization.
  const name = await organization.name();
  const member = `${sanitizeLine(textAt(you, 'user.name'))} (${address})`;
  if (valueAt(you, 'is_owner') === true) {
    throw failure(
      'forbidden',
      `${member} owns ${name}. The owner cannot leave.`,
      toType(
        `mkt organizations delete ${organization.id}${serviceFlags(context)}`,
        'To delete it with everything in it',
      ),
    );
  }
  const { print } = context;
  await print.checkKnown(goneView);
  if (isDryRun) {
    context.note(`Would leave ${name} as ${member}.`);
    if (!print.isText) await print.row({ id: valueAt(you, 'id'), ok: true, result: 'planned' }, goneView);
    return;
  }
  await confirm(context, `Really leave ${name} as ${member}`);
  await connection.explained('leave', id, () => client.members.remove(organization.id, id, options));
  const stillThere = await client.organizations.get(organization.id, options).then(
    () => true,
    () => false,
  );
  // An admin may remove any member, and the API does not say which user the token belongs to.
  if (stillThere) {
    throw failure(
      'somebody_else_removed',
      `You are still a member of ${name}. ${member} was removed instead, because that was not your e-mail address.`,
      toType(`mkt members leave --email ME --org ${organization.id}${serviceFlags(context)}`, 'Use your own'),
    );
  }
  context.note(`You left ${name}${context.onService}.`);
  if (!print.isText) await print.row({ id: valueAt(you, 'id'), ok: true, result: 'left' }, goneView);
}
