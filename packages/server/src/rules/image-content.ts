import type { Image } from './context.js';
import type { ImageProblem } from './problems.js';

/** Who shows an image decodes all of it: a file of a few kB can have billions of pixels. */
const maxPixels = 50_000_000;

/** @param type what it begins as */
export function imageOfType(type: string | null, bytes: Uint8Array): Image | ImageProblem {
  const pixels = type === null ? null : pixelsOf(bytes, type);
  if (type === null || pixels === null) return { code: 'not_image' };
  return pixels > maxPixels ? { code: 'too_many_pixels' } : { type, bytes };
}

/**
 * How many pixels an image of a type says it has; null if it does not reach its end: if its upload or download was cut,
 * decoders show nothing or a part of it. Bytes after the end do not matter.
 */
function pixelsOf(bytes: Uint8Array, type: string): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return walks[type]?.(view) ?? null;
  } catch {
    // Read past the end.
    return null;
  }
}

/** Each finds the end of an image, or reads past that of its file. */
const walks: Readonly<Record<string, (view: DataView) => number | null>> = {
  'image/png'(view) {
    let pixels = 0;
    for (let at = 8; ; at += view.getUint32(at) + 12) {
      const chunk = view.getUint32(at + 4);
      // IHDR, then IEND.
      if (chunk === 0x49484452) pixels = view.getUint32(at + 8) * view.getUint32(at + 12);
      if (chunk === 0x49454e44) return at + 12 <= view.byteLength ? pixels : null;
    }
  },

  'image/jpeg'(view) {
    // Segments have lengths, up to the pixels, which contain no FFD9.
    let at = 2;
    let pixels = 0;
    for (let marker = view.getUint16(at); marker !== 0xffda; marker = view.getUint16(at)) {
      // Those that begin a frame are FFC0 to FFCF without FFC4, FFC8 and FFCC.
      if (marker === 0xffc0 || (marker >> 4 === 0xffc && marker % 4 > 0))
        pixels = view.getUint16(at + 5) * view.getUint16(at + 7);
      const isMarker = marker >> 8 === 0xff && marker !== 0xffff;
      at += isMarker ? view.getUint16(at + 2) + 2 : 1;
    }
    while (view.getUint16(at) !== 0xffd9) at += 1;
    return pixels;
  },

  'image/gif'(view) {
    const colors = (at: number): number => (view.getUint8(at) & 0x80 ? 6 << (view.getUint8(at) & 7) : 0);
    const areaAt = (at: number): number => view.getUint16(at, true) * view.getUint16(at + 2, true);
    let pixels = areaAt(6);
    for (let at = 13 + colors(10); view.getUint8(at) !== 0x3b; at += 1) {
      const isFrame = view.getUint8(at) === 0x2c;
      if (isFrame) pixels = Math.max(pixels, areaAt(at + 5));
      at += isFrame ? 11 + colors(at + 9) : 2;
      while (view.getUint8(at) > 0) at += view.getUint8(at) + 1;
    }
    return pixels;
  },

  'image/webp'(view) {
    if (view.getUint32(4, true) + 8 > view.byteLength) return null;
    const bits = (at: number, first: number, count: number): number =>
      (view.getUint32(at, true) >>> first) & (2 ** count - 1);
    // The name of the first chunk: VP8X, VP8L or VP8.
    switch (view.getUint8(15)) {
      case 0x58:
        return (bits(24, 0, 24) + 1) * (bits(26, 8, 24) + 1);
      case 0x4c:
        return (bits(21, 0, 14) + 1) * (bits(21, 14, 14) + 1);
      default:
        return bits(26, 0, 14) * bits(26, 16, 14);
    }
  },
};
