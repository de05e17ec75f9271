import { imageType, maxImageBytes } from '@mkt/sdk/contract';
import type { Id } from '../store/tables.js';
import type { Context, Image } from './context.js';

/** The image in a file, by its first bytes. @returns what is wrong with it, as the end of a sentence, if it cannot be used */
export function imageFrom(bytes: Uint8Array): Image | string {
  if (bytes.length > maxImageBytes) return 'must be at most 5 MiB';
  const type = imageType(bytes);
  return type === null ? 'must be a PNG, JPEG, WebP or GIF image' : { type, bytes };
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
