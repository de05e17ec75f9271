/** An image may have at most 5 MiB. */
export const maxImageBytes = 5 * 1024 * 1024;

/**
 * The type of an image from its first bytes, never from its name. SVG is not allowed because it can contain scripts.
 * Libraries for this read further into the file and reject images that they cannot measure.
 */
export function imageType(bytes: Uint8Array): string | null {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  // The length of the file is between the two words.
  if (start.startsWith('RIFF') && start.slice(8) === 'WEBP') return 'image/webp';
  return null;
}
