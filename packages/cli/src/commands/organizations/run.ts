import { explained } from '../../api/errors/explain.js';
import { findOrganization, idOf } from '../../api/organization.js';
import { organizations } from '../../api/resources/organizations.js';
import { viewOf } from '../../api/resources/resource.js';
import { updateProfile } from '../../config/update-config.js';
import type { Run } from '../../context/command.js';
import { commandWith } from '../../context/next-command.js';
import { confirmByName } from '../../shared/confirm.js';
import { create as creation } from '../../shared/create.js';
import { each } from '../../shared/each.js';
import { list as listing } from '../../shared/list.js';
import { show as showing } from '../../shared/show.js';
import { removal } from '../../shared/steps.js';
import { update as updating } from '../../shared/update.js';
import { cellText, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';

export const list = listing(organizations);
export const create = creation(organizations, {
  verb: 'create',
  done: 'Created',
  wrapper: 'organization',
  next: (row) => `You own it. To work in it: mkt organizations use ${idOf(row)}`,
});

/** Without an id: the organization that one works in. */
const orCurrent =
  (run: Run): Run =>
  async (context, invocation) => {
    const args = invocation.args.length > 0 ? invocation.args : [(await context.organization()).id];
    await run(context, { ...invocation, args });
  };

export const show = orCurrent(showing(organizations));
export const update = orCurrent(updating(organizations, 'organization'));

const removing = each(organizations, { ...removal('delete', 'Deleted'), severe: false });

export const remove: Run = async (context, invocation) => {
  const [id = ''] = invocation.args;
  const lookUp = async () => {
    const client = await context.client();
    const row = await explained(context, { verb: 'delete', resource: organizations, id }, () =>
      client.organizations.get(id, { signal: context.io.interrupted }),
    );
    const name = sanitizeLine(row.name);
    return { name, question: `Delete "${name}" with all its campaigns and collabs?` };
  };
  await confirmByName(context, lookUp, commandWith(invocation, context, {}));
  await removing(context, invocation);
};

export const use: Run = async (context, { args: [wanted = ''] }) => {
  const row = await explained(context, { verb: 'use', resource: organizations, id: wanted }, () =>
    findOrganization(context, wanted, 'as given'),
  );
  const organization = { id: idOf(row), name: sanitizeLine(cellText(valueAt(row, 'name'))) };
  const { settings } = context;
  const baseUrl = settings.baseUrl?.value;
  await updateProfile(settings.directory, settings.profileName.value, (profile) => ({
    ...(baseUrl !== undefined && { base_url: baseUrl }),
    ...profile,
    organization,
  }));
  context.note(`Now working in ${organization.name} (organization ${organization.id}).`);
  if (context.io.env.MKT_ORG) context.warn(`MKT_ORG is set to ${context.io.env.MKT_ORG} and goes before this.`);
  if (!context.print.forPeople) await context.print.row(row, await viewOf(organizations, 'one', true));
};
