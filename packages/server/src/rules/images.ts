import { imageType, maxImageBytes } from '@mkt/sdk/contract';
import type { Id } from '../store/tables.js';
import type { Context, Image } from './context.js';
import type { ImageProblem } from './problems.js';

/** The image in a file, by its content; otherwise why it cannot be used. */
export async function imageFrom(bytes: Uint8Array): Promise<Image | ImageProblem> {
  if (bytes.length > maxImageBytes) return { code: 'image_too_large' };
  // Loaded with the first image.
  const { imageOfType } = await import('./image-content.js');
  return imageOfType(imageType(bytes), bytes);
}

/** The key cannot be guessed, because the image's URL needs no token. */
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
