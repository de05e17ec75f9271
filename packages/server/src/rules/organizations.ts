import type { OrganizationChanges, OrganizationFields } from '@mkt/sdk/contract';
import { definedFields, withUpdatedAt } from './changes.js';
import { type Context, type Input, type Listing, listing, type MemberResourceContext } from './context.js';
import { deletionErrors } from './deletion.js';
import { invalid } from './errors.js';
import { needsLogo } from './fields.js';
import { deleteImage, storeImage } from './images.js';
import { membershipId } from './policy.js';

type OneContext = MemberResourceContext<'organizations'>;

export async function list(context: Context): Promise<Listing<object>> {
  const { items, total } = await listing(context, 'memberships', 'byUser', [context.caller.userId]);
  const ids = items.map((membership) => membership.organization_id);
  return { items: await context.store.getMany('organizations', ids), total };
}

export const get = async ({ resource }: OneContext) => resource;

/** The caller becomes the owner, and the owner is always an admin. */
export async function create(context: Context, { fields, image }: Input<OrganizationFields>) {
  const { store, caller, now } = context;
  const privacy = fields.privacy_setting ?? 'public';
  checkLogo(privacy, image !== null);
  const organization = await store.insert('organizations', {
    name: fields.name,
    privacy_setting: privacy,
    website: fields.website ?? null,
    default_currency: 'usd',
    default_countries: ['US'],
    has_active_subscription: false,
    created_at: now,
    updated_at: now,
  });
  await store.insert('memberships', {
    id: membershipId(organization.id, caller.userId),
    organization_id: organization.id,
    user_id: caller.userId,
    role: 'admin',
    is_owner: true,
    created_at: now,
    updated_at: now,
  });
  if (!image) return organization;
  return store.update('organizations', organization.id, {
    logo_key: await storeImage(context, organization.id, image),
  });
}

/** A new logo replaces the old one, even if the purge flag is sent too. */
export async function update(context: OneContext, { fields, image, purge }: Input<OrganizationChanges>) {
  const { store, resource, now } = context;
  const { purge_logo: _, ...changes } = definedFields(fields);
  const keepsLogo = resource.logo_key !== null && !purge;
  checkLogo(changes.privacy_setting ?? resource.privacy_setting, image !== null || keepsLogo);
  let logoKey = keepsLogo ? resource.logo_key : null;
  if (image) logoKey = await storeImage(context, resource.id, image);
  if (logoKey !== resource.logo_key) await deleteImage(context, resource.logo_key);
  return store.update('organizations', resource.id, withUpdatedAt(resource, { ...changes, logo_key: logoKey }, now));
}

async function remove({ store, resource }: OneContext): Promise<void> {
  const error = deletionErrors.organizations(resource);
  if (error) throw error;
  await store.deleteOrganization(resource.id);
}

export { remove as delete };

function checkLogo(privacy: string, hasLogo: boolean): void {
  if (needsLogo(privacy, hasLogo)) throw invalid('logo', { code: 'needs_logo' });
}
