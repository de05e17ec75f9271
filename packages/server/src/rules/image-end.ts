/**
 * Whether an image of a type reaches its end. If its upload or download was cut, decoders show nothing or a part of it.
 * Bytes after the end do not matter.
 */
export function isWhole(bytes: Uint8Array, type: string): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return endsIn[type]?.(view) === true;
  } catch {
    // Read past the end.
    return false;
  }
}

/** Each finds the end of an image, or reads past that of its file. */
const endsIn: Readonly<Record<string, (view: DataView) => boolean>> = {
  'image/png'(view) {
    for (let at = 8; ; at += view.getUint32(at) + 12)
      if (view.getUint32(at + 4) === 0x49454e44) return at + 12 <= view.byteLength;
  },

  'image/jpeg'(view) {
    // Segments have lengths, up to the pixels, which contain no FFD9.
    let at = 2;
    while (view.getUint16(at) !== 0xffda) {
      const isMarker = view.getUint8(at) === 0xff && view.getUint8(at + 1) !== 0xff;
      at += isMarker ? view.getUint16(at + 2) + 2 : 1;
    }
    while (view.getUint16(at) !== 0xffd9) at += 1;
    return true;
  },

  'image/gif'(view) {
    const colors = (at: number): number => (view.getUint8(at) & 0x80 ? 6 << (view.getUint8(at) & 7) : 0);
    for (let at = 13 + colors(10); view.getUint8(at) !== 0x3b; at += 1) {
      at += view.getUint8(at) === 0x2c ? 11 + colors(at + 9) : 2;
      while (view.getUint8(at) > 0) at += view.getUint8(at) + 1;
    }
    return true;
  },

  'image/webp': (view) => view.getUint32(4, true) + 8 <= view.byteLength,
};
