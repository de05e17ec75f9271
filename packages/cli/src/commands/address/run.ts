import { explained } from '../../api/errors/explain.js';
import { address } from '../../api/resources/address.js';
import { viewOf } from '../../api/resources/resource.js';
import type { Run } from '../../context/command.js';
import { commandWith } from '../../context/next-command.js';
import { usageError } from '../../errors/cli-error.js';
import { confirm } from '../../shared/confirm.js';
import { collectFields } from '../../shared/fields/collect.js';
import { show as showing } from '../../shared/show.js';

/** What the first address needs (D46); asked for when nothing at all is given. */
const NEEDED = ['address_one', 'city', 'state', 'postal_code', 'country_code'];

export const show = showing(address);

export const set: Run = async (context, invocation) => {
  const given = Object.keys(invocation.flags).length > 0;
  if (!given && !context.interactive) {
    throw usageError(
      'Nothing to change: no field is given.',
      'mkt address set --address-one TEXT --city TEXT --state TEXT --postal-code TEXT --country-code US',
    );
  }
  const fields = await collectFields(invocation, 'address', context, given ? [] : NEEDED);
  const client = await context.client();
  const view = await viewOf(address, 'one', true);
  context.print.checkKnown(view);
  const row = await explained(context, { verb: 'set', resource: address, id: '' }, () =>
    client.address.update(fields, { signal: context.io.interrupted }),
  );
  context.note('Set your address.');
  await context.print.changed(row, view);
};

export const remove: Run = async (context, invocation) => {
  const client = await context.client();
  await confirm(context, 'Really delete your address?', commandWith(invocation, context, {}));
  await explained(context, { verb: 'delete', resource: address, id: '' }, () =>
    client.address.delete({ signal: context.io.interrupted }),
  );
  context.note('Deleted your address.');
  if (!context.print.forPeople)
    await context.print.row({ ok: true, result: 'deleted' }, { columns: [], fields: ['ok', 'result'] });
};
