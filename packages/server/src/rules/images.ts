import type { Id } from '../store/tables.js';
import type { Context, Image } from './context.js';

/** The key cannot be guessed, because the image's URL needs no token (D30). */
export async function storeImage(context: Context, organizationId: Id<'organizations'>, image: Image): Promise<string> {
  const { id } = await context.store.insert('images', {
    id: context.random(24),
    organization_id: organizationId,
    type: image.type,
    bytes: image.bytes,
  });
  return id;
}

export async function deleteImage({ store }: Context, key: string | null): Promise<void> {
  if (key !== null) await store.delete('images', key);
}
