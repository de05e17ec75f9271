#!/usr/bin/env bash
# What each status has in its budgets, as CSV. One request per page of campaigns, computed with --jq.
#   ./budget-report.sh > budgets.csv
set -euo pipefail

mkt campaigns list --all --quiet --jq '
  ["status", "campaigns", "total", "used", "unused"],
  (group_by(.status)[] | [
    .[0].status,
    length,
    (map(.total_budget_amount) | add),
    (map(.used_amount) | add),
    (map(.unused_amount) | add)
  ]) | join(",")' |
  # --jq prints texts as JSON does, in quotes.
  tr -d '"'
