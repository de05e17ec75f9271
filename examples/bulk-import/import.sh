#!/usr/bin/env bash
# A draft campaign for every product. Run it as often as you like: no campaign is created twice.
#   ./import.sh products.json
set -euo pipefail

node campaigns.mjs "${1:-products.json}" > campaigns.ndjson

# The report of the first run is the memory of all further ones. They create what that one left, and products that the
# shop has added at the end of its list since.
if [[ -e campaigns.import.ndjson ]]; then
  mkt import campaigns --file campaigns.ndjson --resume campaigns.import.ndjson --continue-on-error
else
  mkt import campaigns --file campaigns.ndjson --continue-on-error
fi
