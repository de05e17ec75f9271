import { withErrorContext } from '../../api/errors/explain.js';
import { findOrganization, idOf } from '../../api/organization.js';
import { organizations as resource } from '../../api/resources.js';
import { updateProfile } from '../../config/config-file.js';
import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { commandWith } from '../../context/next-command.js';
import { goneView } from '../../shared/bulk.js';
import { confirmByName } from '../../shared/confirm.js';
import { detailView, type Presenter } from '../../shared/presenter.js';
import { cellText, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';

export async function deleteOrganization(context: Context, invocation: Invocation): Promise<void> {
  const [id = ''] = invocation.args;
  const client = await context.client();
  const options = { signal: context.io.interrupted };
  const subject = { verb: 'delete', resource, id };
  const lookUp = async () => {
    const row = await withErrorContext(context, subject, () => client.organizations.get(id, options));
    const name = sanitizeLine(row.name);
    return { name, question: `Delete "${name}" with all its campaigns and collabs?` };
  };
  context.print.checkKnown(goneView);
  await confirmByName(context, lookUp, commandWith(invocation, context, {}));
  await withErrorContext(context, subject, () => client.organizations.delete(id, options));
  context.note(`Deleted organization ${sanitizeLine(id)}`);
  if (!context.print.isHumanReadable) await context.print.row({ id, ok: true, result: 'deleted' }, goneView);
}

export async function useOrganization(context: Context, presenter: Presenter, wanted: string): Promise<void> {
  const row = await withErrorContext(context, { verb: 'use', resource, id: wanted }, () =>
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
  if (context.io.env.MKT_ORG) context.warn(`MKT_ORG is set to ${context.io.env.MKT_ORG} and overrides this.`);
  if (!context.print.isHumanReadable) await context.print.row(row, await detailView(presenter, true));
}
