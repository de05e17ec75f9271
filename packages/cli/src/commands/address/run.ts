import { withErrorContext } from '../../api/errors/explain.js';
import type { Argument, Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import type { Flag } from '../../context/flags.js';
import { commandWith } from '../../context/next-command.js';
import { usageError } from '../../errors/cli-error.js';
import { openPage } from '../../shared/browse.js';
import { confirm } from '../../shared/confirm.js';
import { collectFields } from '../../shared/fields/collect.js';
import { connect, detailView, type Presenter } from '../../shared/presenter.js';

/** The required fields of the first address; prompted for if no field is given. */
const REQUIRED_AT_FIRST = ['address_one', 'city', 'state', 'postal_code', 'country_code'];

export async function showAddress(context: Context, presenter: Presenter, web: boolean): Promise<void> {
  const { resource } = presenter;
  if (web) return openPage(context, resource);
  const { api } = await connect(context, resource);
  const view = await detailView(presenter, context.print.needsFields);
  await withErrorContext(context, { action: 'show', resource, id: '' }, async () =>
    context.print.row(await api.client.address.get(api.options), view),
  );
}

export async function setAddress(
  context: Context,
  invocation: Invocation<readonly Flag[], readonly Argument[], 'addressFields'>,
  presenter: Presenter,
): Promise<void> {
  const { resource } = presenter;
  const given = Object.keys(invocation.flags).length > 0;
  if (!given && !context.interactive) {
    throw usageError(
      'Nothing to change: no fields were given.',
      'mkt address set --address-one TEXT --city TEXT --state TEXT --postal-code TEXT --country-code US',
    );
  }
  const fields = await collectFields(context, invocation, { required: given ? [] : REQUIRED_AT_FIRST });
  const { api } = await connect(context, resource);
  const view = await detailView(presenter, true);
  context.print.checkKnown(view);
  const row = await withErrorContext(context, { action: 'set', resource, id: '' }, () =>
    api.client.address.update(fields, api.options),
  );
  context.note('Set your address.');
  await context.print.changed(row, view);
}

export async function deleteAddress(context: Context, invocation: Invocation, { resource }: Presenter): Promise<void> {
  const { api } = await connect(context, resource);
  await confirm(context, 'Really delete your address?', commandWith(invocation, context, {}));
  await withErrorContext(context, { action: 'delete', resource, id: '' }, () => api.client.address.delete(api.options));
  context.note('Deleted your address.');
  if (!context.print.isHumanReadable) {
    await context.print.row({ ok: true, result: 'deleted' }, { columns: [], fields: ['ok', 'result'] });
  }
}
