#compdef mkt
# Completion of mkt for zsh.
_mkt() {
  local line value about
  local -a found before
  (( CURRENT > 2 )) && before=("${(@Q)words[2,CURRENT-1]}")
  while IFS= read -r line; do
    if [[ $line == ':files' ]]; then
      # In --file=x the path begins after the equals sign.
      compset -P '--*='
      _files
      return
    fi
    value=${line%%$'\t'*}
    about=${line#*$'\t'}
    # Colons and backslashes are special to _describe.
    value=${value//:/\\:}
    about=${about//\\/\\\\}
    found+=("$value${about:+:$about}")
  # PREFIX has no quote that is still open.
  done < <(mkt __complete zsh "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)
  # mkt ignores the letter case too.
  _describe -V 'mkt' found -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}'
}
if [[ ${funcstack[1]} == _mkt ]]; then
  _mkt "$@"
else
  (( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
  compdef _mkt mkt
fi
