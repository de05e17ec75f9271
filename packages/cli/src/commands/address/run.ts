import { fieldsOfKind } from '@mkt/sdk/contract/resources';
import { operationsOf } from '../../api/operations.js';
import { confirm } from '../../changes/confirm.js';
import { outdatedPosition } from '../../changes/service-rules.js';
import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import type { Flag } from '../../context/flags.js';
import { toType, usageError } from '../../errors/cli-error.js';
import { collectFields } from '../../fields/collect.js';
import { openPage } from '../../lists/browse.js';
import { connect } from '../../lists/connection.js';
import { detailView, type Listing } from '../../lists/presenter.js';
import { sanitizeLine } from '../../text/values.js';

export async function showAddress(context: Context, presenter: Listing, web: boolean): Promise<void> {
  const { resource } = presenter;
  if (web) return openPage(context, resource);
  const connection = await connect(context, presenter);
  const { client, options } = connection.api;
  await connection.explained('show', '', async () =>
    context.print.row(await client.address.get(options), detailView(presenter)),
  );
}

export async function setAddress(
  context: Context,
  invocation: Invocation<readonly Flag[], 'addressFields'>,
  presenter: Listing,
): Promise<void> {
  const { 'dry-run': isDryRun, ...others } = invocation.flags;
  const given = Object.keys(others).length > 0;
  if (!given && !context.interactive) {
    throw usageError(
      'Nothing to change: no fields were given.',
      toType('mkt address set --address-one TEXT --city TEXT --state TEXT --postal-code TEXT --country-code US'),
    );
  }
  // Those that the first address needs.
  const required = given ? [] : fieldsOfKind(presenter.resource.fields, 'place');
  const fields = await collectFields(context, invocation, { required });
  const connection = await connect(context, presenter);
  const { client, options } = connection.api;
  const view = detailView(presenter);
  await context.print.checkKnown(view);
  const { resource } = presenter;
  const found = await connection.explained('show', '', () => operationsOf(resource, client, '', options).read(''));
  const before = found?.row;
  const outdated = outdatedPosition(before, fields);
  const changes = { ...fields, ...Object.fromEntries(outdated.map((field) => [field, null])) };
  if (outdated.length > 0)
    context.note(
      `${isDryRun === true ? 'Would clear' : 'Clearing'} ${outdated.map((field) => field.replaceAll('_', ' ')).join(', ')} of the earlier place. To set new ones: ${outdated.map((field) => `--${field.replaceAll('_', '-')} VALUE`).join(' ')}`,
    );
  if (isDryRun === true) {
    context.note('Would set your address:');
    return context.print.changed({ ...before, ...changes }, view);
  }
  const row = await connection.explained('set', '', () => client.address.update(changes, options));
  context.note(`Set your address${context.onService}.`);
  await context.print.changed(row, view);
}

export async function deleteAddress(context: Context, presenter: Listing, isDryRun: boolean): Promise<void> {
  const connection = await connect(context, presenter);
  const { client, options } = connection.api;
  const { print } = context;
  const view = { columns: [], fields: ['ok', 'result'] };
  await print.checkKnown(view);
  const printResult = async (result: string): Promise<void> => {
    if (!print.isText) await print.row({ ok: true, result }, view);
  };
  const read = () => connection.explained('show', '', () => client.address.get(options));
  if (isDryRun) {
    const row = await read();
    context.note(`Would delete your address: ${sanitizeLine(`${row.address_one}, ${row.city}`)}.`);
    return printResult('planned');
  }
  // The response also says whether the service is a copy.
  if (!context.options.yes) await read();
  await confirm(context, 'Really delete your address');
  await connection.explained('delete', '', () => client.address.delete(options));
  context.note(`Deleted your address${context.onService}.`);
  await printResult('deleted');
}
