import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { sha256 } from '../digest.js';
import { randomText } from '../random.js';
import { demoSeed, demoTokens } from '../seed/demo.js';
import { emptySeed } from '../seed/empty.js';
import { Conflict, type Dump, type Reader, type Store } from '../store/store.js';
import { ServeError } from './errors.js';

/** What a store is filled with when it is empty. */
export interface Seed {
  readonly name: string;
  readonly dump: Dump;
  /** The secrets that work, by a short name: `ada_write`. */
  readonly tokens: Readonly<Record<string, string>>;
}

/**
 * `demo`, `empty`, `large`, or the path of a seed file.
 * @throws {ServeError} for a file that cannot be read, or whose content is no seed: with every fault and its line.
 */
export async function seedNamed(name: string, now: string): Promise<Seed> {
  if (name === 'demo') return { name, dump: demoSeed(), tokens: demoTokens };
  if (name === 'large') {
    const { largeSeed } = await import('../seed/large.js');
    return { name, dump: largeSeed(), tokens: demoTokens };
  }
  if (name === 'empty') {
    const secret = `mkt_${randomText(32)}`;
    return { name, dump: emptySeed({ secret, now }), tokens: { owner_write: secret } };
  }
  return seedOfFile(name);
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
};

async function seedOfFile(path: string): Promise<Seed> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = unreadable[error.code ?? ''] ?? error.message;
    throw new ServeError(
      `The seed "${path}" cannot be read: ${reason}. Give demo, empty, large or the path of a file.`,
    );
  });
  const { parseSeed, SeedError } = await import('../seed/file.js');
  try {
    const readImage = (image: string) => readFile(resolve(dirname(path), image));
    return { name: path, ...(await parseSeed(text, { sha256, random: randomText, readImage })) };
  } catch (error) {
    if (error instanceof SeedError) throw new ServeError(`${path}: ${error.message}`);
    throw error;
  }
}

/** Fills an empty store; leaves any other as it is. @returns whether it was empty. */
export async function sow(store: Store, seed: Seed): Promise<boolean> {
  if (!(await store.isEmpty())) return false;
  if (seed.name !== 'empty') {
    await store.load(seed.dump);
    return true;
  }
  // Several processes may start on one database: only one of them stores its token, and only that one prints it.
  const { users, access_tokens } = seed.dump.tables;
  try {
    await store.transact(async (writer) => {
      for (const user of users) await writer.insert('users', user);
      for (const token of access_tokens) await writer.insert('access_tokens', token);
    });
    return true;
  } catch (error) {
    if (error instanceof Conflict) return false;
    throw error;
  }
}

const demoDigests = () => Object.values(demoTokens).map(sha256);

/** Whether anybody who has read our documentation can sign in with what `seed` brings. */
export const bringsDemoTokens = ({ dump }: Seed): boolean => {
  const digests = new Set(demoDigests());
  return dump.tables.access_tokens.some(({ digest, revoked_at }) => revoked_at === null && digests.has(digest));
};

/** Whether anybody who has read our documentation can sign in to `store`. */
export const holdsDemoTokens = (store: Store): Promise<boolean> =>
  store.read(async (reader: Reader) => {
    for (const digest of demoDigests()) {
      const token = await reader.find('access_tokens', 'byDigest', [digest]);
      if (token && token.revoked_at === null) return true;
    }
    return false;
  });
