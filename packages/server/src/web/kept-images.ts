import { maxImageBytes } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import { pauseFor } from '../http/pause.js';
import type { Image } from '../rules/context.js';
import type { Reader } from '../store/store.js';
import type { ListRow } from '../store/tables.js';
import { timestamp } from '../timestamp.js';
import type { WebContext } from './web-context.js';

/** Milliseconds. */
const maxAge = 60 * 60_000;

interface Limit {
  readonly images: number;
  readonly bytes: number;
}
const perUser: Limit = { images: 10, bytes: 4 * maxImageBytes };
const ofAll: Limit = { images: 1000, bytes: 50 * maxImageBytes };
/** The maximum number of expired images that are removed at once, because each may be large. */
const sweep = 2;

type Kept = ListRow<'kept_images'>;

const isExpired = ({ expires_at }: Kept): boolean => Date.parse(expires_at) <= Date.now();
const bytesOf = (images: readonly Kept[]): number => images.reduce((sum, { size }) => sum + size, 0);
const hasRoom = (images: readonly Kept[], size: number, limit: Limit): boolean =>
  images.length < limit.images && bytesOf(images) + size <= limit.bytes;

/**
 * Which images leave for one of `size` bytes: some that have expired, then the oldest of its user, then the oldest of
 * the user who has most, so that no user loses an image to those who keep more.
 * @param images the oldest first
 */
export function replacedImages(images: readonly Kept[], userId: string, size: number): readonly string[] {
  const leaving = new Set(images.filter(isExpired).slice(0, sweep));
  const left = () => images.filter((image) => !leaving.has(image));
  const leftOf = (user: string) => left().filter(({ user_id }) => user_id === user);
  for (let own = leftOf(userId); !hasRoom(own, size, perUser); own = leftOf(userId)) leaving.add(own[0] as Kept);
  for (let all = left(); !hasRoom(all, size, ofAll); all = left()) {
    const sizes = new Map<string, number>();
    for (const { user_id, size } of all) sizes.set(user_id, (sizes.get(user_id) ?? 0) + size);
    const most = Math.max(...sizes.values());
    leaving.add(all.find(({ user_id }) => sizes.get(user_id) === most) as Kept);
  }
  return [...leaving].map(({ id }) => id);
}

/** Stores an image of the visitor for an hour. @returns its key */
export async function keepImage({ site }: WebContext, exchange: Exchange, name: string, image: Image): Promise<string> {
  const { type, bytes } = image;
  await pauseFor(exchange, bytes);
  const id = site.random(18);
  const userId = exchange.userId ?? '';
  const row = {
    id,
    user_id: userId,
    // PostgreSQL has no text with it.
    name: name.replaceAll('\0', ''),
    type,
    size: bytes.length,
    expires_at: timestamp(Date.now() + maxAge),
    bytes,
  };
  await site.store.transact(async (writer) => {
    // Writers at the same time may exceed the limit: the next one removes more.
    const images = await writer.page('kept_images', 'byExpiry', [], { offset: 0, limit: 2 * ofAll.images });
    for (const other of replacedImages(images, userId, bytes.length)) await writer.delete('kept_images', other);
    await writer.insert('kept_images', row);
  }, userId);
  return id;
}

/** Without its bytes; null if it has expired. */
export async function keptImage(reader: Reader, key: string): Promise<Kept | null> {
  const [image] = await reader.getMany('kept_images', [key]);
  return image && !isExpired(image) ? image : null;
}
