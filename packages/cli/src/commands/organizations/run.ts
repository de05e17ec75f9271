import pMap from 'p-map';
import { allOrganizations, checkProfileService, findOrganization } from '../../api/organization.js';
import { confirmByName } from '../../changes/confirm.js';
import { updateProfile } from '../../config/config-file.js';
import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { connect, find, isNumber, labelOf, namedOrPicked, pick } from '../../lists/connection.js';
import { detailView, goneView, type Listing } from '../../lists/presenter.js';
import { idOf, nameOf, type Row, sanitizeLine, valueAt } from '../../text/values.js';

/**
 * Which organizations the user may own. Only owners can delete, and the service does not say whom a token belongs to, but
 * the user is a member of all organizations that the token sees.
 */
async function possiblyOwned(context: Context): Promise<(row: Row) => boolean> {
  const client = await context.client();
  const options = { signal: context.signal };
  const { rows, members } = await context.withProgress('Reading members', async (progress) => {
    const rows = await allOrganizations(context);
    let done = 0;
    const read = async (row: Row) => {
      const found = await client.members.list(idOf(row), options).all();
      done += 1;
      progress.update(done, rows.length);
      return found;
    };
    return { rows, members: await pMap(rows, read, { concurrency: 4 }) };
  });
  const isEverywhere = (user: string) => members.every((list) => list.some((each) => each.user.id === user));
  const owned = new Set(
    rows.flatMap((row, index) => {
      const owner = members[index]?.find((each) => each.is_owner);
      return owner === undefined || isEverywhere(owner.user.id) ? [idOf(row)] : [];
    }),
  );
  return (row) => owned.has(idOf(row));
}

export async function deleteOrganization(
  context: Context,
  invocation: Invocation,
  listing: Listing,
  isDryRun: boolean,
): Promise<void> {
  const [given] = invocation.args;
  const isPicked = given === undefined && context.interactive;
  const word =
    given ?? idOf(await pick(context, listing, invocation, isPicked ? await possiblyOwned(context) : undefined));
  const { print } = context;
  const connection = await connect(context, listing);
  const { client, options } = connection.api;
  let found: Promise<Row> | undefined;
  const read = (): Promise<Row> => {
    found ??= find(connection, word);
    return found;
  };
  await print.checkKnown(goneView);
  if (isDryRun) {
    const found = await read();
    context.note(`Would delete ${labelOf(listing.resource, found)} with all its campaigns and collabs.`);
    if (!print.isText) await print.row({ id: valueAt(found, 'id'), ok: true, result: 'planned' }, goneView);
    return;
  }
  await confirmByName(context, async () => {
    const name = nameOf(await read());
    return { name, question: `Delete "${name}" with all its campaigns and collabs` };
  });
  // JSON has the id as the service sent it.
  const row = print.isText && isNumber(word) ? undefined : await read();
  const id = row === undefined ? word : idOf(row);
  await connection.explained('delete', id, () => client.organizations.delete(id, options));
  context.note(`Deleted organization ${sanitizeLine(id)}${context.onService}`);
  if (!print.isText) await print.row({ id: valueAt(row, 'id'), ok: true, result: 'deleted' }, goneView);
}

export async function useOrganization(context: Context, invocation: Invocation, listing: Listing): Promise<void> {
  const { print } = context;
  await print.checkKnown(detailView(listing));
  checkProfileService(context);
  const wanted = await namedOrPicked(context, listing, invocation);
  const row = await findOrganization(context, wanted);
  const organization = { id: idOf(row), name: nameOf(row) };
  const { settings } = context;
  const baseUrl = settings.baseUrl?.value;
  await updateProfile(settings.directory, settings.profileName.value, (profile) => ({
    ...(baseUrl !== undefined && { base_url: baseUrl }),
    ...profile,
    organization,
  }));
  context.note(`Now working in ${organization.name} (organization ${organization.id}).`);
  if (context.io.env.MKT_ORG) context.warn(`MKT_ORG is set to ${context.io.env.MKT_ORG} and overrides this.`);
  if (!print.isText) await print.row(row, detailView(listing));
}
