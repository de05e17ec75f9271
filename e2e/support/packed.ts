import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** npm and npx are scripts with an ending of their own on Windows, which only a shell finds. */
export const shell = process.platform === 'win32';

/** The packages in the order of their imports. */
const names = ['sdk', 'server', 'mock-server', 'cli'];

export interface Packed {
  readonly name: string;
  /** The tarball. */
  readonly file: string;
  readonly files: readonly { readonly path: string }[];
}

/** Packs all packages as a release does, in a folder of their own below `folder`. */
export async function packAll(folder: string): Promise<readonly Packed[]> {
  const place = join(folder, 'packed');
  const { stdout } = await run(process.execPath, ['scripts/pack.mjs', place, ...names], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  // npm 12 names the packages in an object, older ones list them.
  const answer = JSON.parse(stdout) as Record<string, Packed & { filename: string }>;
  return Object.values(answer).map(({ name, filename, files }) => ({ name, file: join(place, filename), files }));
}

/**
 * Installs tarballs into an empty folder, with all that they depend on, without running install scripts. It asks npm's
 * cache first and the registry for the rest.
 */
export async function install(
  folder: string,
  packed: readonly Pick<Packed, 'file'>[],
  flags: readonly string[] = [],
): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{}');
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, ...flags, ...packed.map(({ file }) => file)], { cwd: folder, shell });
}
