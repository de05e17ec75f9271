#!/usr/bin/env bash
# Exports an organization as CSV into one folder per day, and keeps the last fourteen days.
#   15 2 * * *  MKT_TOKEN_FILE=/etc/mkt/token MKT_ORG=5 /opt/mkt/nightly-export.sh /var/backups/mkt
set -euo pipefail

target=${1:?usage: nightly-export.sh FOLDER}
keep=${KEEP_DAYS:-14}
day=$(date -u +%F)

# The folder is renamed when its last file is written, so an existing folder is complete. It contains e-mail addresses, so
# only its owner can read it, as mktemp creates it.
mkdir -p "$target"
work=$(mktemp -d "$target/.export.XXXXXX")
trap 'rm -rf "$work"' EXIT

for noun in campaigns collabs members; do
  mkt export "$noun" --quiet --out "$work/$noun.csv"
done

rm -rf "${target:?}/$day"
mv "$work" "$target/$day"

# The names sort by date.
days=$(find "$target" -mindepth 1 -maxdepth 1 -type d -name '????-??-??' | sort -r)
sed "1,${keep}d" <<< "$days" | while IFS= read -r old; do
  [[ -z $old ]] || rm -rf "$old"
done
echo "$target/$day"
