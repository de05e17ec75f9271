/** The first bytes of each kind of picture, followed by nothing a decoder could use: only the content's start decides (D30). */
export const png = new Uint8Array([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
]);
export const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46]);
export const gif = new TextEncoder().encode('GIF89a-and-more');
export const webp = new TextEncoder().encode('RIFF\x10\0\0\0WEBPVP8 ');
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
