import type { Image } from '../rules/context.js';
import { invalid } from '../rules/errors.js';
import { imageType, maxImageBytes } from '../rules/images.js';

/** The picture in a form's file field. @throws 422 on `field` for what is no picture, or too large (D30) */
export async function pictureOf(file: unknown, field: string): Promise<Image | null> {
  if (file === undefined) return null;
  if (!(file instanceof Blob)) throw invalid(field, 'Logo must be sent as a file in a multipart request.');
  if (file.size > maxImageBytes) throw invalid(field, 'Logo must be at most 5 MiB.');
  const bytes = new Uint8Array(await file.arrayBuffer());
  const type = imageType(bytes);
  if (type === null) throw invalid(field, 'Logo must be a PNG, JPEG, WebP or GIF picture.');
  return { type, bytes };
}
