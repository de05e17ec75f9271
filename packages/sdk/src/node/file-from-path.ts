import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { ConfigurationError } from '../errors.js';
import type { NamedFile } from '../transport/files.js';

const nothingSent = { attempts: 0, mayHaveArrived: false };

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
 * @throws ConfigurationError if the file cannot be read; its `cause` is the file system's error.
 */
export async function fileFromPath(path: string): Promise<NamedFile> {
  const type = types[extname(path).toLowerCase()] ?? 'application/octet-stream';
  const data = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw Object.assign(new ConfigurationError(`${path} cannot be read (${cause.code}).`, { cause }), nothingSent);
  });
  return { data, name: basename(path), type };
}
