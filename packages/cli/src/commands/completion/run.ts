import { renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../config/folders.js';
import type { Run } from '../../context/command.js';
import { quoted } from '../../context/next-command.js';
import { fileError, usageError } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';
import { SHELLS, type Shell, scripts } from './scripts.js';

/** Prints the script of the shell that the command is named after. */
export const print: Run = async (context, { command }) => {
  await context.print.write(scripts[command.name as Shell]);
};

interface Place {
  readonly path: string;
  readonly next: string;
}

/** Where each shell looks by itself, or a file of ours that its start-up file has to read. */
function placeFor(shell: Shell, { env, home }: Io): Place {
  const data = env.XDG_DATA_HOME || join(home, '.local', 'share');
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const sourced = (path: string, file: string, line: string): Place => ({
    path,
    next: `To load it in every new shell, add this line to ${file}:\n  ${line}`,
  });
  switch (shell) {
    case 'bash': {
      const path = join(data, 'bash-completion', 'completions', 'mkt');
      const { next } = sourced(path, '~/.bashrc', `source ${quoted(path)}`);
      return {
        path,
        next: `New shells load it where bash-completion is installed. ${next.replace('To load it', 'Elsewhere, to load it')}`,
      };
    }
    case 'zsh': {
      const path = join(data, 'mkt', 'completion.zsh');
      return sourced(path, '~/.zshrc', `source ${quoted(path)}`);
    }
    case 'fish':
      return { path: join(config, 'fish', 'completions', 'mkt.fish'), next: 'New shells load it by themselves.' };
    case 'powershell': {
      const path = join(data, 'mkt', 'completion.ps1');
      return sourced(path, 'the file that $PROFILE names', `. '${path.replaceAll("'", "''")}'`);
    }
  }
}

/** The one that was named, else the one of the person's account. */
function shellFrom(name: string | undefined, { env }: Io): Shell {
  const wanted = name ?? basename(env.SHELL ?? '');
  const shell = SHELLS.find((known) => known === wanted);
  if (shell !== undefined) return shell;
  const choice = `One of: ${SHELLS.map((known) => `mkt completion install ${known}`).join(', ')}`;
  if (name === undefined && wanted === '') throw usageError('It is not known which shell you use.', choice);
  throw usageError(`There is no completion for the shell "${wanted}".`, choice);
}

/** Writes the script where the shell finds it, and says where that is. Start-up files are never changed. */
export const install: Run = async (context, { args: [name] }) => {
  const { io } = context;
  const shell = shellFrom(name, io);
  const { path, next } = placeFor(shell, io);
  try {
    makeFolder(dirname(path));
    const partial = `${path}.${process.pid}.part`;
    writeFileSync(partial, scripts[shell]);
    renameSync(partial, path);
  } catch (cause) {
    throw fileError(
      `Cannot write ${path} (${(cause as NodeJS.ErrnoException).code}).`,
      cause,
      `Put it where you like: mkt completion ${shell} > FILE`,
    );
  }
  context.note(`Wrote the completion for ${shell} to ${path}.`);
  context.note(next);
};
