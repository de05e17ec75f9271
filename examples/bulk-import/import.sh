#!/usr/bin/env bash
# A draft campaign for every product. Run it as often as you like: no campaign is created twice.
#   ./import.sh products.json
set -euo pipefail

node campaigns.mjs "${1:-products.json}" > campaigns.ndjson

# Later runs continue from the report of the first: they create the remaining products, and those added at the end of the
# list since then.
if [[ -e campaigns.import.ndjson ]]; then
  mkt import campaigns --file campaigns.ndjson --resume campaigns.import.ndjson --continue-on-error --yes
else
  mkt import campaigns --file campaigns.ndjson --continue-on-error --yes
fi
