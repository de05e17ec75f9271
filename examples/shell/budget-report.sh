#!/usr/bin/env bash
# Budgets by status and currency, as CSV. Amounts in different currencies can't be added.
# One request per page of campaigns, computed with --jq.
#   ./budget-report.sh > budgets.csv
set -euo pipefail

mkt campaigns list --all --quiet --jq '
  ["status", "currency", "campaigns", "total", "used", "unused"],
  (group_by(.status, .currency)[] | [
    .[0].status,
    .[0].currency,
    length,
    (map(.total_budget_amount) | add),
    (map(.used_amount) | add),
    (map(.unused_amount) | add)
  ]) | join(",")' |
  # --jq prints texts as JSON does, in quotes.
  tr -d '"'
