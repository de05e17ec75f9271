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
    *) fail "There is no mkt for the system $(uname -s)." 'With Node 20.19 or newer: npm install -g @mkt/cli' ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) processor=x64 ;;
    aarch64 | arm64) processor=arm64 ;;
    *) fail "There is no mkt for the processor $(uname -m)." 'With Node 20.19 or newer: npm install -g @mkt/cli' ;;
  esac
  # A shell that Rosetta translates sees the wrong processor.
  if [ "$system" = darwin ] && [ "$(sysctl -n hw.optional.arm64 2>/dev/null || true)" = 1 ]; then processor=arm64; fi
  for file in /lib/ld-musl-*; do
    if [ -e "$file" ]; then fail 'mkt needs the C library of GNU, and this system has musl.' 'With Node 20.19 or newer: npm install -g @mkt/cli'; fi
  done
  printf '%s-%s\n' "$system" "$processor"
}

download() { # <file> <target>
  if has curl; then
    curl -fsSL --proto '=https,http' --proto-redir "=$protocols" --connect-timeout 20 --retry 2 -o "$2" "$base_url/$1" 2>"$work/why"
  elif has wget; then
    wget -q --timeout=20 --tries=2 -O "$2" "$base_url/$1" 2>"$work/why"
  else
    fail 'Neither curl nor wget is installed; one of them is needed for the download.'
  fi || fail "Cannot download $base_url/$1" "$(cat "$work/why")" 'Check the connection and the proxy, then run this again.'
}

sha256() { # <file>
  if has sha256sum; then sha256sum "$1"; elif has shasum; then shasum -a 256 "$1"; else openssl dgst -sha256 -r "$1"; fi |
    cut -d ' ' -f 1
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
  if [ -z "$dir" ]; then dir=${HOME:?HOME is not set. Name a folder with --dir.}/.local/bin; fi
  : "${base_url:=@RELEASES@/download/v$version}"
  protocols=https
  case "$base_url" in
    *@*) fail '--base-url cannot contain a user name or a password.' ;;
    https://*) ;;
    http://localhost | http://localhost[:/]* | http://127.0.0.1 | http://127.0.0.1[:/]* | http://\[::1\] | http://\[::1\][:/]*) protocols=https,http ;;
    *) fail "--base-url must begin with https:// (http:// only on this machine), not $base_url" ;;
  esac

  name="mkt-$version-$(system_name)"
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
    # macOS runs only signed programs on its own processors. This signature is good for this machine.
    codesign --force --sign - "$program" 2>"$work/why" || fail 'Cannot sign mkt for this Mac.' "$(cat "$work/why")"
  fi
  if ! found=$("$program" --version 2>"$work/why"); then
    case "$(cat "$work/why")" in
      *libatomic*) fail 'mkt needs the library libatomic.so.1.' 'Debian, Ubuntu: apt-get install libatomic1' 'Fedora: dnf install libatomic' 'Then run this again.' ;;
      *) fail 'mkt does not run on this system.' "$(cat "$work/why")" ;;
    esac
  fi
  [ "$found" = "$version" ] || fail "The archive contains mkt $found, not $version."

  before=$("$dir/mkt" --version 2>/dev/null || true)
  mkdir -p "$dir" 2>"$work/why" || fail "Cannot create $dir." "$(cat "$work/why")" 'Name another folder with --dir.'
  next="$dir/.mkt.$$"
  # A running mkt keeps its file: the new one takes its name.
  { cp "$program" "$next" && chmod 755 "$next" && mv -f "$next" "$dir/mkt"; } 2>"$work/why" || {
    rm -f "$next" 2>/dev/null || true
    fail "Cannot write $dir/mkt." "$(cat "$work/why")" 'Name another folder with --dir.'
  }
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
