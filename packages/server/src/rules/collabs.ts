import { type CollabFields, contract, resources, type Transition } from '@mkt/sdk/contract';
import type { Row } from '../store/tables.js';
import { sent, stamped } from './changes.js';
import type { Input, MemberContext, MemberResourceContext } from './context.js';
import { guarded } from './errors.js';
import { dropImage, keepImage } from './images.js';
import { listing } from './listing.js';
import { draftsIndex } from './policy.js';
import { checkTransition } from './transitions.js';

const endpoints = contract.collabs;
const { states, defaults } = resources.collabs;

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
    ...defaults,
    name: prefill?.name ?? defaults.name,
    website: prefill?.website ?? organization.website,
    currency: organization.default_currency,
    countries: prefill?.countries ?? organization.default_countries,
    brief: prefill?.brief ?? organization.brief_template,
    ...given,
    organization_id: organizationId,
    state: states.initial,
    submissions_count: 0,
    approved_submissions_count: 0,
    completed_count: 0,
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
async function remove(context: OneContext): Promise<void> {
  const { store, resource } = context;
  if (resource.approved_submissions_count > 0) throw guarded('A collab with approved submissions cannot be deleted.');
  await store.delete('collabs', resource.id);
  await dropImage(context, resource.banner_image_key);
}

export { remove as delete };

/** D38: submit, pause, unpause. */
export const submit = (context: OneContext) => move(context, endpoints.submit);
export const pause = (context: OneContext) => move(context, endpoints.pause);
export const unpause = (context: OneContext) => move(context, endpoints.unpause);

async function move(
  { store, resource, now }: OneContext,
  { transition }: { readonly transition: Transition },
): Promise<void> {
  checkTransition(`Collab ${resource.id}`, resource.state, transition);
  await store.update('collabs', resource.id, { state: transition.to, updated_at: now });
}
