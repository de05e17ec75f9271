import type { Image } from '../../rules/context.js';
import { imageFrom } from '../../rules/images.js';
import { sentenceOf } from '../../rules/problems.js';
import { fromBase64 } from '../../store/json-rows.js';

/** The image that a seed names by a data URL or a path; otherwise why it cannot be used: a sentence that begins with `label`. */
export async function readImage(
  label: string,
  reference: string,
  readFile: ((path: string) => Promise<Uint8Array>) | undefined,
): Promise<Image | string> {
  let bytes: Uint8Array | null;
  if (reference.startsWith('data:')) {
    bytes = bytesOfDataUrl(reference);
    if (!bytes) return `${label} must be a data URL such as data:image/png;base64,....`;
  } else {
    if (!readFile) return `${label} must be a data URL: only seeds that are files can name other files.`;
    try {
      bytes = await readFile(reference);
    } catch (error) {
      return `${label} cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
    }
  }
  const image = await imageFrom(bytes);
  return 'code' in image ? sentenceOf(image, label) : image;
}

function bytesOfDataUrl(url: string): Uint8Array | null {
  const base64 = /^data:[\w/+.-]*;base64,([A-Za-z0-9+/\s]*={0,2})$/.exec(url)?.[1]?.replace(/\s/g, '');
  if (base64 === undefined || base64.replace(/=+$/, '').length % 4 === 1) return null;
  return fromBase64(base64);
}
