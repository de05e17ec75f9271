import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { sha256 } from '../digest.js';
import { tokenWith } from '../http/bearer.js';
import { randomText } from '../random.js';
import { demoSeed, demoTokens } from '../seed/demo.js';
import type { OpenedSeed } from '../seed/open.js';
import { idsOfSeed, pageSizeOfSeed } from '../seed/source-options.js';
import type { Store } from '../store/store.js';
import type { IdFormat } from '../store/tables.js';
import { fileReason, ServeError } from './errors.js';

/** What an empty store is filled with. */
export interface Seed extends OpenedSeed {
  readonly name: string;
  readonly ids: IdFormat;
  /** Items per page unless the operator chooses another number. */
  readonly pageSize?: number | undefined;
}

export const seedNames: readonly string[] = ['demo', 'empty', 'large'];

/**
 * @param name `demo`, `empty`, `large`, or the path of a seed file
 * @param wanted The format of ids; by default the one that the file asks for, else integers.
 * @throws {ServeError} with all problems of the file
 */
export async function readSeed(name: string, wanted?: IdFormat): Promise<Seed> {
  if (seedNames.includes(name)) {
    const ids = wanted ?? 'integer';
    if (name === 'demo') return { name, ids, dump: demoSeed(ids), tokens: demoTokens };
    return { name, ids, ...(await (await import('../seed/open.js')).openSeed(name, { ids })) };
  }
  const bytes = await readFile(name).catch((error: unknown) => {
    throw new ServeError(
      `The seed "${name}" cannot be read: ${fileReason(error)}. Use demo, empty, large or the path of a file.`,
    );
  });
  const text = decoded(name, bytes);
  const ids = wanted ?? idsOfSeed(text);
  const { parseSeed, SeedError } = await import('../seed/file.js');
  try {
    const readImage = (path: string) => readFile(resolve(dirname(name), path));
    const pageSize = pageSizeOfSeed(text);
    return { name, ids, pageSize, ...(await parseSeed(text, { sha256, random: randomText, readImage, ids })) };
  } catch (error) {
    throw error instanceof SeedError ? new ServeError(`${name}: ${error.message}`) : error;
  }
}

/** UTF-8, or UTF-16 with a byte order mark, which Windows PowerShell writes for `>`. */
function decoded(name: string, bytes: Buffer): string {
  const mark = bytes.toString('hex', 0, 2);
  try {
    return new TextDecoder(mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8', {
      fatal: true,
    }).decode(bytes);
  } catch {
    throw new ServeError(`${name} is not valid UTF-8. Save it as UTF-8.`);
  }
}

/** Whether the seed contains the public tokens of the documentation. */
export const seedHasDemoTokens = ({ dump }: Seed): boolean => {
  const digests = new Set(Object.values(demoTokens).map(sha256));
  return dump.tables.access_tokens.some(({ digest, revoked_at }) => revoked_at === null && digests.has(digest));
};

/** The same for tokens in a store. */
export const storeHasDemoTokens = (store: Store): Promise<boolean> =>
  store.read(async (reader) => {
    for (const secret of Object.values(demoTokens)) if (await tokenWith(reader, secret, sha256)) return true;
    return false;
  });
