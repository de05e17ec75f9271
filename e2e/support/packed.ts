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
const folders = ['sdk', 'server', 'mock-server', 'cli'] as const;

export interface Packed {
  readonly name: string;
  /** The tarball. */
  readonly file: string;
  readonly files: readonly { readonly path: string }[];
}

/**
 * Packs all packages as `npm publish` does. Without `scripts`, as they were built last, and with README.md as it is in the
 * repository: the scripts exchange it meanwhile, which only one process may do at a time.
 */
export async function packAll(folder: string, { scripts = false } = {}): Promise<readonly Packed[]> {
  const workspaces = folders.flatMap((name) => ['-w', `packages/${name}`]);
  const flags = scripts ? ['--silent'] : ['--ignore-scripts'];
  const { stdout } = await run('npm', ['pack', ...flags, ...workspaces, '--json', '--pack-destination', folder], {
    cwd: root,
    shell,
    maxBuffer: 64 * 1024 * 1024,
  });
  // npm 12 names the packages in an object, older ones list them.
  const answer = JSON.parse(stdout) as Record<string, Packed & { filename: string }>;
  return Object.values(answer).map(({ name, filename, files }) => ({ name, file: join(folder, filename), files }));
}

/**
 * Installs tarballs into an empty folder, with all that they depend on, without running install scripts. It asks npm's
 * cache first and the registry for the rest.
 */
export async function install(folder: string, packed: readonly Packed[], flags: readonly string[] = []): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{}');
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, ...flags, ...packed.map(({ file }) => file)], { cwd: folder, shell });
}
