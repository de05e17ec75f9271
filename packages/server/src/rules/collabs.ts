import type { CollabFields } from '@mkt/sdk/contract';
import type { Row } from '../store/tables.js';
import { sent, stamped } from './changes.js';
import type { Input, MemberContext, MemberResourceContext } from './context.js';
import { guarded, refused } from './errors.js';
import { dropImage, keepImage } from './images.js';
import { listing } from './listing.js';
import { draftsIndex } from './policy.js';

type OneContext = MemberResourceContext<'collabs'>;

export const list = (context: MemberContext) =>
  listing(context, 'collabs', draftsIndex(context.membership), [context.organizationId]);

export const get = async ({ resource }: OneContext) => resource;

/**
 * What was sent stands above what the page of `?website=` says, which stands above the organization's defaults
 * (api.md, Collabs rules 1 to 3, D41, D42).
 */
export async function create(context: MemberContext, { fields, prefill, purge }: Input<CollabFields>) {
  const { store, organizationId, now } = context;
  const organization = (await store.get('organizations', organizationId)) as Row<'organizations'>;
  const { purge_banner_image: _, ...given } = sent(fields);
  const banner = prefill?.image && !purge ? await keepImage(context, organizationId, prefill.image) : null;
  return store.insert('collabs', {
    name: prefill?.name ?? 'Untitled collab',
    website: prefill?.website ?? organization.website,
    currency: organization.default_currency,
    countries: prefill?.countries ?? organization.default_countries,
    require_spark_ads: false,
    requires_product_shipment: false,
    brief: prefill?.brief ?? organization.brief_template,
    ...given,
    organization_id: organizationId,
    state: 'draft',
    submissions_count: 0,
    approved_submissions_count: 0,
    completed_count: 0,
    published_at: null,
    banner_image_key: banner,
    created_at: now,
    updated_at: now,
  });
}

export async function update(context: OneContext, { fields, purge }: Input<CollabFields>) {
  const { store, resource, now } = context;
  const { purge_banner_image: _, ...changes } = sent(fields);
  if (purge) await dropImage(context, resource.banner_image_key);
  const banner = purge ? null : resource.banner_image_key;
  return store.update('collabs', resource.id, stamped(resource, { ...changes, banner_image_key: banner }, now));
}

/** api.md, Collabs rule 4. */
export async function remove(context: OneContext): Promise<void> {
  const { store, resource } = context;
  if (resource.approved_submissions_count > 0) throw guarded('A collab with approved submissions cannot be deleted.');
  await store.delete('collabs', resource.id);
  await dropImage(context, resource.banner_image_key);
}

/** D38: submit, pause, unpause. */
export const submit = (context: OneContext) => move(context, 'submitted for review', 'draft', 'submitted_for_review');
export const pause = (context: OneContext) => move(context, 'paused', 'published', 'paused');
export const unpause = (context: OneContext) => move(context, 'unpaused', 'paused', 'published');

async function move({ store, resource, now }: OneContext, verb: string, from: string, to: string): Promise<void> {
  if (resource.state !== from) {
    throw refused(`Collab ${resource.id} is ${resource.state}: it can be ${verb} only when it is ${from}.`);
  }
  await store.update('collabs', resource.id, { state: to, updated_at: now });
}
