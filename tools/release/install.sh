#!/bin/sh
# Installs mkt @VERSION@ for this user: downloads the archive of this system, checks its SHA-256, and puts one file into a folder.
#   curl -fsSL @RELEASES@/latest/download/install.sh | sh
#   curl -fsSL @RELEASES@/latest/download/install.sh | sh -s -- --dir /opt/mkt/bin
set -eu

usage='Usage: install.sh [--version VERSION] [--dir DIR] [--base-url URL]

  --version VERSION  Install this version (default @VERSION@)
  --dir DIR          Install DIR/mkt (default ~/.local/bin)
  --base-url URL     Download from this folder, which has the files of the release: https, or http on this machine'

work=''

say() { printf '%s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  printf '  Nothing was installed or changed.\n' >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# Prints the name of this system as the files have it: linux-x64.
system_name() {
  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    MINGW* | MSYS* | CYGWIN*) fail 'This script is for macOS and Linux.' 'In Windows, run this in PowerShell:' 'irm @RELEASES@/latest/download/install.ps1 | iex' ;;
    *) fail "There is no mkt for the system $(uname -s)." 'With Node 20.19+ or 22.12+: npm install -g @mkt/cli' ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) processor=x64 ;;
    aarch64 | arm64) processor=arm64 ;;
    *) fail "There is no mkt for the processor $(uname -m)." 'With Node 20.19+ or 22.12+: npm install -g @mkt/cli' ;;
  esac
  # A shell that Rosetta translates sees the wrong processor.
  if [ "$system" = darwin ] && [ "$(sysctl -n hw.optional.arm64 2>/dev/null || true)" = 1 ]; then processor=arm64; fi
  # The loader that starts the system's own shell. A glibc system can have musl's files, too.
  if grep -q 'ld-musl-' /bin/sh 2>/dev/null; then fail 'mkt needs the C library of GNU, and this system has musl.' 'With Node 20.19+ or 22.12+: npm install -g @mkt/cli'; fi
  printf '%s-%s\n' "$system" "$processor"
}

download() { # <file> <target>
  if has curl; then
    curl -fsSL --proto '=https,http' --proto-redir "=$protocols" --connect-timeout 20 --retry 2 -o "$2" "$base_url/$1" 2>"$work/why"
  elif has wget; then
    # The options that BusyBox has, too.
    wget -T 20 -O "$2" "$base_url/$1" 2>"$work/why"
  else
    fail 'Neither curl nor wget is installed; one of them is needed for the download.'
  fi || fail "Cannot download $base_url/$1" "$(grep -v '^ *$' "$work/why" | tail -n 1)" 'Check the address, the connection and the proxy, then run this again.'
}

sha256() { # <file>
  if has sha256sum; then sha256sum "$1"; elif has shasum; then shasum -a 256 "$1"; else openssl dgst -sha256 -r "$1"; fi |
    cut -d ' ' -f 1
}

# Says what is in the way, before anything is downloaded.
check_target() { # <folder>
  if [ -d "$1/mkt" ]; then fail "$1/mkt is a folder." 'Name another folder with --dir.'; fi
  before=''
  if [ -e "$1/mkt" ]; then
    before=$("$1/mkt" --version 2>/dev/null </dev/null | head -n 1 || true)
    case "$before" in
      [0-9]*.[0-9]*.[0-9]*) ;;
      # Every executable of Node contains this, also one that does not run here.
      *) grep -q NODE_SEA_FUSE "$1/mkt" || fail "$1/mkt is another program." 'Name another folder with --dir.' ;;
    esac
  fi
  parent=$1
  while [ ! -e "$parent" ]; do parent=$(dirname "$parent"); done
  [ -d "$parent" ] || fail "Cannot create $1: $parent is not a folder." 'Name another folder with --dir.'
  [ -w "$parent" ] || fail "You may not write to $parent." 'Name another folder with --dir, or run the script with sudo: ... | sudo sh -s -- --dir DIR'
  other=$(command -v mkt || true)
  case "$other" in
    '' | "$1/mkt") ;;
    *) say "Note: your shell finds $other first, and that remains. Remove it, or type $1/mkt." ;;
  esac
}

main() {
  version='@VERSION@'
  base_url=''
  dir=''
  while [ $# -gt 0 ]; do
    case "$1" in
      -h | --help)
        say "$usage"
        exit 0
        ;;
      --version | --dir | --base-url)
        [ -n "${2-}" ] || fail "$1 needs a value." "$usage"
        case "$1" in
          --version) version=${2#v} ;;
          --dir) dir=$2 ;;
          --base-url) base_url=${2%/} ;;
        esac
        shift 2
        ;;
      *) fail "Unknown argument \"$1\"." "$usage" ;;
    esac
  done
  case "$version" in
    *[!0-9A-Za-z.+-]*) fail "\"$version\" is not a version." ;;
  esac
  if [ -z "$dir" ]; then
    [ -n "${HOME-}" ] || fail 'HOME is not set.' 'Name a folder with --dir.'
    dir=$HOME/.local/bin
  fi
  case "$dir" in
    /*) ;;
    *) dir=$PWD/${dir#./} ;;
  esac
  : "${base_url:=@RELEASES@/download/v$version}"
  protocols=https
  case "$base_url" in
    *@*) fail '--base-url cannot contain a user name or a password.' ;;
    https://*) ;;
    http://localhost | http://localhost[:/]* | http://127.0.0.1 | http://127.0.0.1[:/]* | http://\[::1\] | http://\[::1\][:/]*) protocols=https,http ;;
    *) fail "--base-url must begin with https:// (http:// only on this machine), not $base_url" ;;
  esac

  name="mkt-$version-$(system_name)"
  for program in tar mktemp awk; do has "$program" || fail "The program $program is not installed."; done
  has sha256sum || has shasum || has openssl || fail 'sha256sum, shasum or openssl is needed to check the download.'
  check_target "$dir"
  archive="$name.tar.gz"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  say "Downloading $base_url/$archive"
  download SHA256SUMS "$work/SHA256SUMS"
  expected=$(awk -v file="$archive" '$2 == file { print $1 }' "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "$base_url/SHA256SUMS does not contain $archive." 'Is that version released for this system?'
  download "$archive" "$work/$archive"
  actual=$(sha256 "$work/$archive")
  [ "$actual" = "$expected" ] || fail "The SHA-256 of $archive does not match: the file is damaged or was replaced." \
    "expected $expected" "found    $actual"
  (cd "$work" && tar -xzf "$archive") || fail "Cannot unpack $archive."
  program="$work/$name/mkt"
  if [ "$(uname -s)" = Darwin ] && ! codesign --verify "$program" 2>/dev/null; then
    # The signature of the build is rejected. This one is good for this machine.
    codesign --force --sign - "$program" 2>"$work/why" || fail 'Cannot sign mkt for this Mac.' "$(cat "$work/why")"
  fi
  made=''
  [ -d "$dir" ] || made=$dir
  mkdir -p "$dir" 2>"$work/why" || fail "Cannot create $dir." "$(cat "$work/why")" 'Name another folder with --dir.'
  next="$dir/.mkt.$$"
  # An empty folder goes again, and one with the program in it remains.
  trap 'rm -rf "$work" "$next"; [ -z "$made" ] || rmdir "$made" 2>/dev/null || true' EXIT
  { cp "$program" "$next" && chmod 755 "$next"; } 2>"$work/why" || fail "Cannot write $dir/mkt." "$(cat "$work/why")" 'Name another folder with --dir.'
  # Started where it will be: a folder for temporary files often runs no programs.
  if ! found=$("$next" --version 2>"$work/why" </dev/null); then
    case "$(cat "$work/why")" in
      *libatomic*) fail 'mkt needs the library libatomic.so.1.' 'Debian, Ubuntu: apt-get install libatomic1' 'Fedora: dnf install libatomic' 'Then run this again.' ;;
      *ermission\ denied*) fail "$dir is on a file system that runs no programs (noexec)." 'Name another folder with --dir.' ;;
      *) fail 'mkt does not run on this system.' "$(cat "$work/why")" ;;
    esac
  fi
  [ "$found" = "$version" ] || fail "The archive contains mkt $found, not $version."
  # A running mkt keeps its file: the new one takes its name.
  mv -f "$next" "$dir/mkt" 2>"$work/why" || fail "Cannot write $dir/mkt." "$(cat "$work/why")" 'Name another folder with --dir.'
  case "$before" in
    '') say "Installed mkt $version as $dir/mkt" ;;
    "$version") say "Installed mkt $version again as $dir/mkt" ;;
    *) say "Replaced mkt $before with $version in $dir/mkt" ;;
  esac
  case ":${PATH:-}:" in
    *":$dir:"*) say 'Next: mkt --help, and for Tab completion: mkt completion install' ;;
    *)
      say "Your shell does not look for programs in $dir yet. Add this line to ~/.profile (zsh: ~/.zprofile), and open a new terminal:"
      say "  export PATH=\"$dir:\$PATH\""
      ;;
  esac
}

# Everything is in a function, so that a script that was cut off does nothing.
main "$@"
