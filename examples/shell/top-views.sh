#!/usr/bin/env bash
# The most viewed campaigns per platform, with your own jq: NDJSON passes through a pipe row by row.
#   ./top-views.sh 3
set -euo pipefail

count=${1:-3}
command -v jq > /dev/null || { echo 'This one needs jq: apt-get install jq, brew install jq.' >&2; exit 127; }

mkt export campaigns --format ndjson --quiet |
  jq --raw-output --slurp --argjson count "$count" '
    [.[] | {name, views: .view_count, platform: .platform_ids[]}]
    | group_by(.platform)[]
    | sort_by(-.views)[:$count][]
    | [.platform, .views, .name] | @tsv'
