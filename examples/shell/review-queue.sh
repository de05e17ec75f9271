#!/usr/bin/env bash
# Lists the collabs waiting for review, in all organizations of the token.
#   ./review-queue.sh
set -euo pipefail

mkt organizations list --all --format tsv --no-header --quiet --fields id,name |
  while IFS=$'\t' read -r id organization; do
    mkt collabs list --org "$id" --state submitted_for_review --quiet \
      --format tsv --no-header --fields id,name < /dev/null |
      while IFS=$'\t' read -r collab name; do
        printf '%s\t%s\t%s\n' "$organization" "$collab" "$name"
      done
  done
