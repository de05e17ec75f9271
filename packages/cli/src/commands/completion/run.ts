import { basename, join } from 'node:path';
import { writeAtomically } from '../../config/folders.js';
import type { Context } from '../../context/context.js';
import { fileError, toType, usageError } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';
import { quoted } from '../../text/quoted.js';
import bash from './scripts/mkt.bash?raw';
import fish from './scripts/mkt.fish?raw';
import powershell from './scripts/mkt.ps1?raw';
import zsh from './scripts/mkt.zsh?raw';

const startupLine = (when: string, file: string, line: string): string =>
  `${when}, add this line to ${file}:\n  ${line}`;
const always = 'To load it in every new shell';

export interface Shell {
  readonly script: string;
  /** Where the shell looks for scripts, or else a file of mkt that the start-up file has to load. */
  readonly path: readonly [folder: 'data' | 'config', ...names: string[]];
  readonly next: (path: string) => string;
}

export const shells = {
  bash: {
    script: bash,
    path: ['data', 'bash-completion', 'completions', 'mkt'],
    next: (path) =>
      startupLine('New shells load it if bash-completion is installed. If not', '~/.bashrc', `source ${quoted(path)}`),
  },
  zsh: {
    script: zsh,
    path: ['data', 'mkt', 'completion.zsh'],
    next: (path) => startupLine(always, '~/.zshrc', `source ${quoted(path)}`),
  },
  fish: {
    script: fish,
    path: ['config', 'fish', 'completions', 'mkt.fish'],
    next: () => 'New shells load it automatically.',
  },
  powershell: {
    script: powershell,
    path: ['data', 'mkt', 'completion.ps1'],
    next: (path) => startupLine(always, 'the file in $PROFILE', `. '${path.replaceAll("'", "''")}'`),
  },
} satisfies Readonly<Record<string, Shell>>;

/** Where `mkt completion install` writes the script of a shell. */
export function completionFile({ env, home }: Pick<Io, 'env' | 'home'>, { path: [folder, ...names] }: Shell): string {
  const folders = {
    data: env.XDG_DATA_HOME || join(home, '.local', 'share'),
    config: env.XDG_CONFIG_HOME || join(home, '.config'),
  };
  return join(folders[folder], ...names);
}

export async function print(context: Context, shell: keyof typeof shells): Promise<void> {
  await context.print.write(shells[shell].script);
}

/** Writes the script to where the shell finds it. Never changes start-up files. */
export async function install(context: Context, given: string | undefined): Promise<void> {
  const { env } = context.io;
  const name = given ?? (basename(env.SHELL ?? '') || (env.PSModulePath ? 'powershell' : ''));
  const shell: Shell | undefined = Object.hasOwn(shells, name) ? shells[name as keyof typeof shells] : undefined;
  if (shell === undefined) {
    const commands = Object.keys(shells).map((known) => `mkt completion install ${known}`);
    throw usageError(
      name === '' ? 'SHELL is not set. Name your shell.' : `There is no completion for the shell "${name}".`,
      `One of: ${commands.join(', ')}`,
    );
  }
  const path = completionFile(context.io, shell);
  try {
    writeAtomically(path, shell.script);
  } catch (cause) {
    throw fileError(
      `Cannot write ${path} (${(cause as NodeJS.ErrnoException).code}).`,
      cause,
      toType(`mkt completion ${name} > FILE`, 'To write it elsewhere'),
    );
  }
  context.note(`Wrote the completion for ${name} to ${path}.`);
  context.note(shell.next(path));
}
