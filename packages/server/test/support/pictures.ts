const bytesOf = (latin1: string): Uint8Array => Uint8Array.from(latin1, (character) => character.charCodeAt(0));

/** The parts of each kind of picture up to its end, with nothing a decoder could use (D30). */
export const png = bytesOf('\x89PNG\r\n\x1a\n\0\0\0\x04IDATdatacrc.\0\0\0\0IENDcrc.');
// Its preview has an end of its own.
export const jpeg = bytesOf('\xff\xd8\xff\xe0\0\x08JF\xff\xd8\xff\xd9\xff\xda\0\x04..pixels\xff\0\xff\xd9');
export const gif = bytesOf('GIF89a....\x80..2colrs!\xf9\x02;;\0,........\x80colors\x08\x02;;\x01.\0;');
export const webp = bytesOf('RIFF\x0c\0\0\0WEBPVP8 data');
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
