#!/usr/bin/env bash
# usage: cases.sh DIRECTORY   runs the behaviour cases that lie beside the project against $BOTHWAYS_ENDPOINT.
# Those that do not pass stand in cases-not-yet.txt with the reason; it says which of them have come to pass.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
log=$(mktemp)
python3 "$1/run_cases.py" --endpoint "$BOTHWAYS_ENDPOINT" >"$log"
failing=$(sed -n 's/^FAIL \([^ ]*\).*/\1/p' "$log" | sort)
not_yet=$(sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$here/cases-not-yet.txt" | sort)
new=$(comm -23 <(echo "$failing") <(echo "$not_yet") | sed '/^$/d')
mended=$(comm -13 <(echo "$failing") <(echo "$not_yet") | sed '/^$/d')
grep '^FAIL' "$log"
tail -1 "$log" | sed 's/^/of all cases: /'
for id in $mended; do echo "passes now, take it off the list: $id"; done
good=$(grep -c '^ok' "$log")
bad=$(wc -w <<<"$new")
rm -f "$log"
echo "$good passed, $bad failed"
[ "$good" -gt 0 ] && [ "$bad" -eq 0 ]
