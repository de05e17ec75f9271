#!/usr/bin/env bash
# Everything of an organization as CSV in a folder of the day; keeps the last fourteen days.
#   15 2 * * *  MKT_TOKEN_FILE=/etc/mkt/token MKT_ORG=5 /opt/mkt/nightly-export.sh /var/backups/mkt
set -euo pipefail

target=${1:?usage: nightly-export.sh FOLDER}
keep=${KEEP_DAYS:-14}
day=$(date -u +%F)

# A folder that is there is complete: it gets its name when the last file is in it. Members have e-mail addresses, so it
# is readable by nobody else, as mktemp makes it.
mkdir -p "$target"
work=$(mktemp -d "$target/.export.XXXXXX")
trap 'rm -rf "$work"' EXIT

for noun in campaigns collabs members; do
  mkt export "$noun" --quiet --out "$work/$noun.csv"
done

rm -rf "${target:?}/$day"
mv "$work" "$target/$day"

# Names of days sort as the days do.
days=$(find "$target" -mindepth 1 -maxdepth 1 -type d -name '????-??-??' | sort -r)
sed "1,${keep}d" <<< "$days" | while IFS= read -r old; do
  [[ -z $old ]] || rm -rf "$old"
done
echo "$target/$day"
