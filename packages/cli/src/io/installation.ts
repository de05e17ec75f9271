import { existsSync, realpathSync } from 'node:fs';

declare const COMMIT: string | null | undefined;

/** The commit that was built; null if it is unknown, and when the sources run unbuilt. */
export const commit = typeof COMMIT === 'string' ? COMMIT : null;

/** Folders by which their programs are known. The first one that matches counts. */
const ofExecutable = [
  [/^\/usr\/bin\//, 'deb'],
  [/\/Cellar\//, 'homebrew'],
  [/\/scoop\//i, 'scoop'],
  [/\/WinGet\//i, 'winget'],
  [/(?:)/, 'archive'],
] as const;
const ofBundle = [
  [/\/_npx\/|\/dlx-|\/pnpm\/dlx\/|\/bunx-/, 'npx'],
  [/\/pnpm\/global\//i, 'pnpm'],
  [/\/yarn\/(?:data\/)?global\//i, 'yarn'],
  [/\/\.bun\/install\/global\//, 'bun'],
  [/\/node_modules\//, 'npm'],
  [/(?:)/, 'source'],
] as const;

/** How `mkt` came to this computer. `archive`: the executable of a release; `npm`: installed globally; `project`: a dependency. */
export type Installation = (typeof ofExecutable | typeof ofBundle)[number][1] | 'project';

/** The folder of the project whose dependency a file is, or in which a package manager keeps global packages. */
export const projectOf = (program: string): string => program.split(/[\\/]node_modules[\\/]/)[0] ?? '';

/**
 * @param program the file that Node runs; in a single executable, that is the executable
 * @param isProject whether a folder is that of a project
 */
export function installationOf(
  program: string,
  executable: boolean,
  isProject = (folder: string): boolean => existsSync(`${folder}/package.json`),
): Installation {
  const path = program.replaceAll('\\', '/');
  const kinds = executable ? ofExecutable : ofBundle;
  const kind = kinds.find(([folder]) => folder.test(path))?.[1] ?? 'source';
  return kind === 'npm' && isProject(projectOf(program)) ? 'project' : kind;
}

const sea = process.getBuiltinModule?.('node:sea') as typeof import('node:sea') | undefined;

/** Whether this is the executable that contains Node. */
export const isExecutable = sea?.isSea() === true;

/** Where this program is, without links. Without /proc, Linux cannot name the file of an executable that is on the PATH. */
export function programPath(): string {
  const program = isExecutable ? process.execPath : (process.argv[1] ?? '');
  return existsSync(program) ? realpathSync(program) : program;
}

export const installation = (): Installation => installationOf(programPath(), isExecutable);
