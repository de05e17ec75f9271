#!/usr/bin/env bash
# A new draft with the fields of a campaign, under another name. Prints its id.
#   ./copy-campaign.sh 3 'Bold launch, autumn'
set -euo pipefail

id=${1:?usage: copy-campaign.sh ID NAME}
name=${2:?usage: copy-campaign.sh ID NAME}

# Values that the service sets, such as status and used_amount, are not copied.
fields=name,website,content_type,category,currency,countries,platform_ids,tiktok_music_id
fields+=,cpm_amount,min_payout_amount,max_payout_amount,base_reward_amount,brief

# Two commands instead of a pipe: if the campaign does not exist, nothing is created.
original=$(mkt campaigns show "$id" --json --fields "$fields")
mkt campaigns create --file - --name "$name" --quiet --jq .id <<< "$original"
