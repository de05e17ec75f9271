import type { Context, Image } from './context.js';

/** A picture may have at most 5 MiB (D30). */
export const maxImageBytes = 5 * 1024 * 1024;

const starts: readonly { type: string; at: number; bytes: readonly number[] }[] = [
  { type: 'image/png', at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/gif', at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { type: 'image/webp', at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
];

/**
 * The type of a picture by its first bytes, never by its name (D30). SVG is not a picture here: it can carry scripts.
 * Own code, because the libraries that do this read on into the file and reject what they cannot measure.
 */
export function imageType(bytes: Uint8Array): string | null {
  return starts.find(({ at, bytes: start }) => start.every((byte, index) => bytes[at + index] === byte))?.type ?? null;
}

/** Keeps a picture under a key that nobody guesses: its address needs no token (D30). */
export async function keepImage(context: Context, organizationId: number, image: Image): Promise<string> {
  const { id } = await context.store.insert('images', {
    id: context.random(24),
    organization_id: organizationId,
    type: image.type,
    bytes: image.bytes,
  });
  return id;
}

export async function dropImage({ store }: Context, key: string | null): Promise<void> {
  if (key !== null) await store.delete('images', key);
}
