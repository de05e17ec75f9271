import type { RequestBody } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import { pauseFor } from '../http/pause.js';
import type { Image } from '../rules/context.js';
import { imageFrom } from '../rules/images.js';
import { keepImage, keptImage } from './kept-images.js';
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
