import { basename } from 'node:path';
import { completionFile, type ShellName, startupFiles } from '../../config/completion-file.js';
import { writeAtomically } from '../../config/folders.js';
import type { Context } from '../../context/context.js';
import { toType, usageError, usingFiles } from '../../errors/cli-error.js';
import { quoted } from '../../text/quoted.js';
import bash from './scripts/mkt.bash?raw';
import fish from './scripts/mkt.fish?raw';
import powershell from './scripts/mkt.ps1?raw';
import zsh from './scripts/mkt.zsh?raw';

const startupLine = (when: string, file: string, line: string): string =>
  `${when}, add this line to ${file}:\n  ${line}`;
const always = 'To load it in every new shell';

interface Shell {
  readonly script: string;
  readonly next: (path: string) => string;
}

export const shells = {
  bash: {
    script: bash,
    next: (path) =>
      startupLine(
        'New shells load it if bash-completion is installed. If not',
        startupFiles.bash,
        `source ${quoted(path)}`,
      ),
  },
  zsh: {
    script: zsh,
    next: (path) => startupLine(always, startupFiles.zsh, `source ${quoted(path)}`),
  },
  fish: {
    script: fish,
    next: () => 'New shells load it automatically.',
  },
  powershell: {
    script: powershell,
    next: (path) => startupLine(always, startupFiles.powershell, `. '${path.replaceAll("'", "''")}'`),
  },
} satisfies Readonly<Record<ShellName, Shell>>;

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
  const path = completionFile(context.io, name as ShellName);
  const elsewhere = toType(`mkt completion ${name} > FILE`, 'To write it elsewhere');
  usingFiles(`Cannot write ${path}`, () => writeAtomically(path, shell.script), elsewhere);
  context.note(`Wrote the completion for ${name} to ${path}.`);
  context.note(shell.next(path));
}
