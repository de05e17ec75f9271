import type { Context, Image } from './context.js';

/** An image may have at most 5 MiB (D30). */
export const maxImageBytes = 5 * 1024 * 1024;

/**
 * The type of an image from its first bytes, never from its name (D30). SVG is not allowed because it can contain scripts.
 * Libraries for this read further into the file and reject images that they cannot measure.
 */
export function imageType(bytes: Uint8Array): string | null {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  // The length of the file is between the two words.
  if (start.startsWith('RIFF') && start.slice(8) === 'WEBP') return 'image/webp';
  return null;
}

/** The key cannot be guessed, because the image's URL needs no token (D30). */
export async function storeImage(context: Context, organizationId: number, image: Image): Promise<string> {
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
