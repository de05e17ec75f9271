const bytesOf = (latin1: string): Uint8Array => Uint8Array.from(latin1, (character) => character.charCodeAt(0));

/** A width and height of one pixel, as each kind writes it. */
const big = '\0\0\0\x01\0\0\0\x01';
const little = '\x01\0\x01\0';

/** The parts of each kind of picture up to its end, with nothing a decoder could use (D30). `size` is its width and height. */
export const pngOf = (size = big) => bytesOf(`\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR${size}.....crc.\0\0\0\0IENDcrc.`);
// Its preview has an end and a size of its own, and what looks like a size is in a table.
export const jpegOf = (size = '\0\x01\0\x01', frame = '\xc2') => {
  const large = '\xff\xff\xff\xff';
  const tables = `\xff\xe0\0\x11JF\xff\xd8\xff\xc0\0\x08.${large}\xff\xd9\xff\xc4\0\x08.${large}.`;
  return bytesOf(`\xff\xd8${tables}\xff${frame}\0\x09.${size}..\xff\xda\0\x04..pixels\xff\0\xff\xd9`);
};
export const gifOf = (size = little, frame = little) =>
  bytesOf(`GIF89a${size}\x80..2colrs!\xf9\x02;;\0,....${frame}\x80colors\x08\x02;;\x01.\0;`);
export const webpOf = (chunk = `VP8 \x0a\0\0\0...\x9d\x01\x2a${little}`) =>
  bytesOf(`RIFF${String.fromCharCode(chunk.length + 4)}\0\0\0WEBP${chunk}`);
export const [png, jpeg, gif, webp] = [pngOf(), jpegOf(), gifOf(), webpOf()];
export const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

/** A form as a browser sends it: `organization[name]`, `organization[logo]` (D30). */
export function organizationForm(
  fields: Readonly<Record<string, string>>,
  logo?: Uint8Array,
  name = 'logo.png',
): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields))
    form.set(field.includes('[') || field === 'purge_logo' ? field : `organization[${field}]`, value);
  if (logo) form.set('organization[logo]', new File([logo as BlobPart], name));
  return form;
}
