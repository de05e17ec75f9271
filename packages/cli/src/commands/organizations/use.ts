import { explained } from '../../api/errors/explain.js';
import { findOrganization, idOf } from '../../api/organization.js';
import { updateProfile } from '../../config/config-file.js';
import type { Context } from '../../context/context.js';
import { detailView, type Presenter } from '../../shared/presenter.js';
import { cellText, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';

export async function useOrganization(context: Context, presenter: Presenter, wanted: string): Promise<void> {
  const { resource } = presenter;
  const row = await explained(context, { verb: 'use', resource, id: wanted }, () =>
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
  if (!context.print.forPeople) await context.print.row(row, await detailView(presenter, true));
}
