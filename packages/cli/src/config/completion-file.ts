import { join } from 'node:path';
import type { Io } from '../io/io.js';

/** The files that load a script which the shell does not find itself. */
export const startupFiles = { bash: '~/.bashrc', zsh: '~/.zshrc', powershell: 'the file in $PROFILE' } as const;

/** Where each shell looks for scripts, or else a file of mkt that the start-up file has to load. */
const paths = {
  bash: ['data', 'bash-completion', 'completions', 'mkt'],
  zsh: ['data', 'mkt', 'completion.zsh'],
  fish: ['config', 'fish', 'completions', 'mkt.fish'],
  powershell: ['data', 'mkt', 'completion.ps1'],
} as const;

export type ShellName = keyof typeof paths;

/** Where `mkt completion install` writes the script of a shell. */
export function completionFile({ env, home }: Pick<Io, 'env' | 'home'>, shell: ShellName): string {
  const folders = {
    data: env.XDG_DATA_HOME || join(home, '.local', 'share'),
    config: env.XDG_CONFIG_HOME || join(home, '.config'),
  };
  const [folder, ...names] = paths[shell];
  return join(folders[folder], ...names);
}

/** The files of all shells, and what loads each. */
export const completionFiles = (io: Pick<Io, 'env' | 'home'>): { path: string; startup: string | undefined }[] =>
  (Object.keys(paths) as ShellName[]).map((shell) => ({
    path: completionFile(io, shell),
    startup: shell === 'fish' ? undefined : startupFiles[shell],
  }));
