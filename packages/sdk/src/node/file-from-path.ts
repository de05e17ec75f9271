import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { NamedFile } from '../transport/files.js';

const types: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
};

/**
 * Reads a file to send: `organizations.update(5, { logo: await fileFromPath('logo.png') })`.
 *
 * @throws the file system's own error if the file cannot be read.
 */
export async function fileFromPath(path: string): Promise<NamedFile> {
  const type = types[extname(path).toLowerCase()] ?? 'application/octet-stream';
  return { data: await readFile(path), name: basename(path), type };
}
