export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

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
      # In --file=x the path begins behind the sign.
      compset -P '--*='
      _files
      return
    fi
    value=\${line%%$'\\t'*}
    about=\${line#*$'\\t'}
    # _describe reads a colon and a backslash as its own signs.
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
            # In --file=x the path begins behind the sign.
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

/** What a shell has to run once, so that Tab asks `mkt`. */
export const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
