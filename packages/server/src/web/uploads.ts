import type { RequestBody } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import type { Image } from '../rules/context.js';
import { imageFrom } from '../rules/images.js';
import { fromBase64, toBase64 } from '../store/json-rows.js';
import type { Item, PageDescription } from './page-descriptions.js';
import type { WebContext } from './web-context.js';

/** An image of a form whose other fields were rejected: browsers do not choose a file again. An undo has one too. */
export interface Upload {
  readonly key: string;
  readonly name: string;
}

const keyField = 'uploaded_file';

/** The file that was chosen in a form; browsers send an empty one if there is none. */
export function chosenFile(form: FormData, { file, wrapper }: RequestBody): File | null {
  const chosen = form.get(`${wrapper}[${file}]`);
  return chosen instanceof File && chosen.size > 0 ? chosen : null;
}

export const storeUpload = (web: WebContext, userId: string, name: string, { type, bytes }: Image): Promise<string> =>
  web.processedForms.keep(userId, { name, type, base64: toBase64(bytes) });

export const uploadField = (key: string): Readonly<Record<string, string>> => ({ [keyField]: key });

/** The image that `form` has, or that was stored for it. It is stored, so that the form can be sent again without it. */
export async function uploadIn(
  web: WebContext,
  userId: string,
  form: FormData,
  request: RequestBody,
): Promise<Upload | null> {
  const chosen = chosenFile(form, request);
  const key = form.get(keyField);
  if (typeof key === 'string' && (chosen || request.file === null)) return { key, name: chosen?.name ?? '' };
  if (!chosen) return null;
  const image = await imageFrom(new Uint8Array(await chosen.arrayBuffer()));
  return 'code' in image ? null : { key: await storeUpload(web, userId, chosen.name, image), name: chosen.name };
}

/** Adds the stored image to a form without a new one. @returns whether it has expired */
export async function addUpload(
  web: WebContext,
  exchange: Exchange,
  form: FormData,
  request: RequestBody,
): Promise<boolean> {
  const key = form.get(keyField);
  if (typeof key !== 'string') return false;
  const isNew = chosenFile(form, request) !== null;
  const kept = isNew ? null : await web.site.store.read((reader) => web.processedForms.kept(reader, key));
  const stored = kept as Readonly<Record<'name' | 'type' | 'base64', string>> | null;
  // Senders know the keys of their forms, whose results have no image.
  if (stored?.base64 === undefined) form.delete(keyField);
  else {
    const { name, type, base64 } = stored;
    const bytes = fromBase64(base64);
    if (request.file === null) exchange.restored = { type, bytes };
    else form.set(`${request.wrapper}[${request.file}]`, new File([bytes as BlobPart], name, { type }));
  }
  return stored?.base64 === undefined && !isNew;
}

/** The image of an item, before a form changes it. */
export async function imageOf(web: WebContext, { picture }: PageDescription, item: Item): Promise<Image | null> {
  const [, key] = String(picture && item[picture]).split('/images/');
  return key === undefined ? null : web.site.store.read((reader) => reader.get('images', key));
}
