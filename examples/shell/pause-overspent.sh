#!/usr/bin/env bash
# Pauses the active campaigns that have used at least this share of their budget, in percent.
#   ./pause-overspent.sh 90
#   DRY_RUN=1 ./pause-overspent.sh 90    only lists them
set -euo pipefail

percent=${1:?usage: pause-overspent.sh PERCENT}
[[ $percent =~ ^[0-9]+$ ]] || { echo "PERCENT is a whole number, not \"$percent\"." >&2; exit 2; }

ids=$(mkt campaigns list --status active --quiet --jq "
  .[] | select(.total_budget_amount > 0 and .used_amount * 100 >= .total_budget_amount * $percent) | .id")

if [[ -z $ids ]]; then
  echo "No active campaign has used $percent % of its budget." >&2
elif [[ -n ${DRY_RUN:-} ]]; then
  echo "$ids"
else
  # Ids are numbers here; opaque ones come in quotes, which xargs takes away. 4 run at a time; exit 9: some were paused.
  xargs mkt campaigns pause --yes --json --fields id,name,status <<< "$ids"
fi
