import type { Image } from '../../rules/context.js';
import { imageType, maxImageBytes } from '../../rules/images.js';

/** Reads a file that a seed names by its path. */
export type ReadImage = (path: string) => Promise<Uint8Array>;

/** Why a picture cannot be used, as the end of a sentence that begins with the field. */
export class PictureFault extends Error {
  override readonly name = 'PictureFault';
}

/**
 * The picture of a data URL or of a path.
 * @throws {PictureFault}
 */
export async function pictureOf(reference: string, readImage: ReadImage | undefined): Promise<Image> {
  const bytes = reference.startsWith('data:') ? bytesOfDataUrl(reference) : await bytesOfFile(reference, readImage);
  if (bytes.length > maxImageBytes) throw new PictureFault('must be at most 5 MiB');
  const type = imageType(bytes);
  if (type === null) throw new PictureFault('must be a PNG, JPEG, WebP or GIF picture');
  return { type, bytes };
}

function bytesOfDataUrl(url: string): Uint8Array {
  const base64 = /^data:[\w/+.-]*;base64,([A-Za-z0-9+/\s]*={0,2})$/.exec(url)?.[1]?.replace(/\s/g, '');
  if (base64 === undefined || base64.replace(/=+$/, '').length % 4 === 1) {
    throw new PictureFault('must be a data URL such as data:image/png;base64,...');
  }
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

async function bytesOfFile(path: string, readImage: ReadImage | undefined): Promise<Uint8Array> {
  if (!readImage) throw new PictureFault('must be a data URL: files can be read only for a seed that is a file itself');
  try {
    return await readImage(path);
  } catch (error) {
    throw new PictureFault(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
