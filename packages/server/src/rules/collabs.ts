import { type CollabFields, contract, resources, type Transition } from '@mkt/sdk/contract';
import type { Row } from '../store/tables.js';
import { checkTransition, definedFields, withUpdatedAt } from './changes.js';
import type { Input, MemberContext, MemberResourceContext } from './context.js';
import { deletionErrors } from './deletion.js';
import { deleteImage, storeImage } from './images.js';
import { visibleItems } from './policy.js';

const endpoints = contract.collabs;
const { states, defaults } = resources.collabs;

type OneContext = MemberResourceContext<'collabs'>;

export const list = (context: MemberContext) => visibleItems(context, 'collabs');

export const get = async ({ resource }: OneContext) => resource;

/**
 * Fields in the request override those read from the `?website=` page, which override the organization's defaults. Only the form
 * of a web page has an image: of the product page, or of the collab that it copies.
 */
export async function create(context: MemberContext, { fields, prefill, purge, image }: Input<CollabFields>) {
  const { store, organizationId, now } = context;
  const organization = (await store.get('organizations', organizationId)) as Row<'organizations'>;
  const { purge_banner_image: _, ...given } = definedFields(fields);
  const picture = purge ? null : (image ?? prefill?.image);
  const banner = picture ? await storeImage(context, organizationId, picture) : null;
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
    banner_image_key: banner,
    created_at: now,
    updated_at: now,
  });
}

/** Only an undo of a web page has an image. */
export async function update(context: OneContext, { fields, purge, image }: Input<CollabFields>) {
  const { store, resource, now } = context;
  const { purge_banner_image: _, ...changes } = definedFields(fields);
  let { banner_image_key: banner } = resource;
  if (purge || image) await deleteImage(context, banner);
  if (purge) banner = null;
  if (image) banner = await storeImage(context, resource.organization_id, image);
  return store.update('collabs', resource.id, withUpdatedAt(resource, { ...changes, banner_image_key: banner }, now));
}

async function remove(context: OneContext): Promise<void> {
  const { store, resource } = context;
  const error = deletionErrors.collabs(resource);
  if (error) throw error;
  await store.delete('collabs', resource.id);
  await deleteImage(context, resource.banner_image_key);
}

export { remove as delete };

export const submit = (context: OneContext) => changeState(context, endpoints.submit);
export const pause = (context: OneContext) => changeState(context, endpoints.pause);
export const unpause = (context: OneContext) => changeState(context, endpoints.unpause);

async function changeState({ store, resource, now }: OneContext, { transition }: { readonly transition: Transition }) {
  checkTransition(`Collab ${resource.id}`, resource.state, transition);
  await store.update('collabs', resource.id, { state: transition.to, updated_at: now });
}
