import { basename, join } from 'node:path';
import { writeAtomically } from '../../config/folders.js';
import type { Context } from '../../context/context.js';
import { quoted } from '../../context/next-command.js';
import { fileError, usageError } from '../../errors/cli-error.js';

const bash = `# Completion of mkt for bash.
_mkt_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ':files' ]]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("$line")
    fi
  done < <(COMP_TYPE="$COMP_TYPE" COMP_WORDBREAKS="$COMP_WORDBREAKS" mkt __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _mkt_complete mkt
`;

const zsh = `#compdef mkt
# Completion of mkt for zsh.
_mkt() {
  local line value about
  local -a found
  while IFS= read -r line; do
    if [[ $line == ':files' ]]; then
      # In --file=x the path begins after the equals sign.
      compset -P '--*='
      _files
      return
    fi
    value=\${line%%$'\\t'*}
    about=\${line#*$'\\t'}
    # Colons and backslashes are special to _describe.
    value=\${value//:/\\\\:}
    about=\${about//\\\\/\\\\\\\\}
    found+=("$value\${about:+:$about}")
  done < <(mkt __complete zsh "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  _describe -V 'mkt' found
}
if [[ \${funcstack[1]} == _mkt ]]; then
  _mkt "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
  compdef _mkt mkt
fi
`;

const fish = `# Completion of mkt for fish.
function __mkt_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -e words[1]
    for line in (mkt __complete fish $words "$current" 2>/dev/null)
        if test "$line" = ':files'
            # In --file=x the path begins after the equals sign.
            set -l flag (string match -r '^--[^=]*=' -- $current)
            for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current"))
                echo -- "$flag$path"
            end
        else
            echo -- $line
        end
    end
end
complete -c mkt -f -a '(__mkt_complete)'
`;

const powershell = `# Completion of mkt for PowerShell.
Register-ArgumentCompleter -Native -CommandName mkt -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString().Trim('"', "'") })
    $current = $wordToComplete.Trim('"', "'")
    mkt __complete powershell @words "=$current" 2>$null | ForEach-Object {
        $value, $about = $_ -split "\`t", 2
        if ($value -eq ':files') { return }
        if (-not $about) { $about = $value }
        $typed = if ($value -match '\\s') { "'$value'" } else { $value }
        [System.Management.Automation.CompletionResult]::new($typed, $value, 'ParameterValue', $about)
    }
}
`;

const startupLine = (file: string, line: string): string =>
  `To load it in every new shell, add this line to ${file}:\n  ${line}`;

interface Shell {
  readonly script: string;
  /** Where the shell looks for scripts, or else a file of mkt that the start-up file has to load. */
  readonly path: readonly [folder: 'data' | 'config', ...names: string[]];
  readonly next: (path: string) => string;
}

export const shells: Readonly<Record<string, Shell>> = {
  bash: {
    script: bash,
    path: ['data', 'bash-completion', 'completions', 'mkt'],
    next: (path) =>
      `New shells load it if bash-completion is installed. If not: ${startupLine('~/.bashrc', `source ${quoted(path)}`)}`,
  },
  zsh: {
    script: zsh,
    path: ['data', 'mkt', 'completion.zsh'],
    next: (path) => startupLine('~/.zshrc', `source ${quoted(path)}`),
  },
  fish: {
    script: fish,
    path: ['config', 'fish', 'completions', 'mkt.fish'],
    next: () => 'New shells load it automatically.',
  },
  powershell: {
    script: powershell,
    path: ['data', 'mkt', 'completion.ps1'],
    next: (path) => startupLine('the file in $PROFILE', `. '${path.replaceAll("'", "''")}'`),
  },
};

export async function print(context: Context, shell: string): Promise<void> {
  await context.print.write(shells[shell]?.script ?? '');
}

/** Writes the script to where the shell finds it. Never changes start-up files. */
export async function install(context: Context, given: string | undefined): Promise<void> {
  const { env, home } = context.io;
  const name = given ?? basename(env.SHELL ?? '');
  const shell = Object.hasOwn(shells, name) ? shells[name] : undefined;
  if (shell === undefined) {
    const commands = Object.keys(shells).map((known) => `mkt completion install ${known}`);
    throw usageError(
      name === '' ? 'SHELL is not set. Name your shell.' : `There is no completion for the shell "${name}".`,
      `One of: ${commands.join(', ')}`,
    );
  }
  const folders = {
    data: env.XDG_DATA_HOME || join(home, '.local', 'share'),
    config: env.XDG_CONFIG_HOME || join(home, '.config'),
  };
  const [folder, ...names] = shell.path;
  const path = join(folders[folder], ...names);
  try {
    writeAtomically(path, shell.script);
  } catch (cause) {
    throw fileError(
      `Cannot write ${path} (${(cause as NodeJS.ErrnoException).code}).`,
      cause,
      `To write it elsewhere: mkt completion ${name} > FILE`,
    );
  }
  context.note(`Wrote the completion for ${name} to ${path}.`);
  context.note(shell.next(path));
}
