import { maxImageBytes, type RequestBody } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import { pauseFor } from '../http/pause.js';
import type { Image } from '../rules/context.js';
import { imageFrom } from '../rules/images.js';
import type { Reader } from '../store/store.js';
import type { ListRow } from '../store/tables.js';
import { timestamp } from '../timestamp.js';
import type { Item, PageDescription } from './page-descriptions.js';
import type { WebContext } from './web-context.js';

/**
 * An image of a form whose other fields were rejected: browsers do not choose a file again. Undo, copies and product pages have
 * one too.
 */
export interface Upload {
  readonly key: string;
  readonly name: string;
  /** Whether it is the image of the item that the form copies, which may no longer have it. */
  readonly isOriginal?: boolean;
  readonly isGone?: boolean;
}

const keyField = 'uploaded_file';
const originalField = 'original_image';

/** The files that `addUpload` added, which are stored already. */
const added = new WeakSet<File>();

/** The file that was chosen in a form; browsers send an empty one if there is none. */
export function chosenFile(form: FormData, { file, wrapper }: RequestBody): File | null {
  const chosen = form.get(`${wrapper}[${file}]`);
  return chosen instanceof File && chosen.size > 0 ? chosen : null;
}

export const uploadField = (upload: Omit<Upload, 'name'> | null | undefined): Readonly<Record<string, string>> =>
  upload ? { [upload.isOriginal ? originalField : keyField]: upload.key } : {};

/**
 * The image that `form` has, or that was stored for it or for the page that is shown again. It is stored, so that the form can
 * be sent again without it.
 */
export async function uploadIn(web: WebContext, exchange: Exchange, form: FormData | null, request: RequestBody) {
  const chosen = form && chosenFile(form, request);
  if (chosen && !added.has(chosen)) {
    const image = await imageFrom(new Uint8Array(await chosen.arrayBuffer()));
    return 'code' in image ? null : { key: await keepImage(web, exchange, chosen.name, image), name: chosen.name };
  }
  const textOf = (field: string) => (form ? form.get(field) : exchange.query(field)[0]);
  const original = textOf(originalField);
  if (typeof original === 'string') {
    const [image] = await web.site.store.read((reader) => reader.getMany('images', [original]));
    return { key: original, name: 'The image of the original', isOriginal: true, isGone: !image };
  }
  const key = textOf(keyField);
  if (typeof key !== 'string') return null;
  const kept = await web.site.store.read((reader) => keptImage(reader, key));
  // A link may have the key of another user.
  if (!kept || (form === null && kept.user_id !== exchange.userId)) return null;
  return { key, name: kept.name };
}

/**
 * Adds the stored image, or that of the item that the form copies, to a form without a new one.
 * @returns whether a file that was chosen is gone
 */
export async function addUpload(web: WebContext, exchange: Exchange, form: FormData, request: RequestBody) {
  const original = form.get(originalField);
  const key = original ?? form.get(keyField);
  if (typeof key !== 'string' || chosenFile(form, request)) return false;
  if (purgesImage(form, request)) {
    for (const field of [keyField, originalField]) form.delete(field);
    return false;
  }
  const { store } = web.site;
  const kept = original === null ? await store.read((reader) => keptImage(reader, key)) : null;
  // A small form can name a large image.
  if (kept) exchange.leaseForBody()?.grow(kept.size);
  const image = await store.read<Image | null>((reader) => reader.get(kept ? 'kept_images' : 'images', key));
  if (!image && lostImage(exchange, form)) return false;
  if (!image) {
    form.delete(keyField);
    return true;
  }
  const { type, bytes } = image;
  if (!kept) exchange.leaseForBody()?.grow(bytes.length);
  await pauseFor(exchange, bytes);
  if (request.file === null) exchange.restored = { type, bytes };
  else {
    const file = new File([bytes as BlobPart], kept?.name ?? '', { type });
    added.add(file);
    form.set(`${request.wrapper}[${request.file}]`, file);
  }
  return false;
}

/** The image without which an item is saved because it is gone, and was not chosen as a file; null for none. */
export function lostImage({ restored }: Exchange, form: FormData): string | null {
  if (restored) return null;
  if (form.has(originalField)) return 'The image of the original';
  const key = form.get(keyField);
  return key !== null && key === form.get('product_image') ? 'The image of the page' : null;
}

const purgesImage = (form: FormData, { wrapper, purge }: RequestBody): boolean =>
  form.get(`${wrapper}[${purge}]`) === '1';

/** Why a form cannot both replace and remove the image, which it then no longer removes; null for other forms. */
export function decidedTwice(form: FormData, request: RequestBody): string | null {
  if (chosenFile(form, request) === null || !purgesImage(form, request)) return null;
  form.delete(`${request.wrapper}[${request.purge}]`);
  return `You chose a file and ticked "Remove the ${request.file}", so nothing was saved. Save again to use the file, or tick it again to remove the ${request.file}.`;
}

/** Whether a form replaces or removes the image of its item. */
export const changesImage = ({ restored }: Exchange, form: FormData, request: RequestBody): boolean =>
  chosenFile(form, request) !== null || restored !== null || purgesImage(form, request);

/** The key of the image of an item, which is in its URL; undefined if it has none. */
export const imageKeyOf = ({ picture }: PageDescription, item: Item): string | undefined =>
  String(picture && item[picture]).split('/images/')[1];

/** The image of an item, before a form changes it. */
export async function imageOf(web: WebContext, exchange: Exchange, resource: PageDescription, item: Item) {
  const key = imageKeyOf(resource, item);
  const image = key === undefined ? null : await web.site.store.read((reader) => reader.get('images', key));
  if (!image) return null;
  exchange.leaseForBody()?.grow(image.bytes.length);
  await pauseFor(exchange, image.bytes);
  return image;
}

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
async function keptImage(reader: Reader, key: string): Promise<Kept | null> {
  const [image] = await reader.getMany('kept_images', [key]);
  return image && !isExpired(image) ? image : null;
}
