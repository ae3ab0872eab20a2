#!/usr/bin/env bash
# Runs every command of the table in docs/campaign.md, one after another, and says how each went.
# usage: campaign.sh [NAME...] [MINUTES]   without names: all. MINUTES: how long each fuzz target runs, instead of an hour.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tests/lib/tools.sh rust || exit 1
passed=0
failed=0
names=()
for argument; do
  if [[ $argument =~ ^[0-9]+$ ]]; then
    export BOTHWAYS_FUZZ_SECONDS=$((argument * 60))
  else
    names+=("$argument")
  fi
done
while IFS='|' read -r _ name command _; do
  name=$(xargs <<<"$name")
  command=$(sed 's/^[^`]*`//; s/`[^`]*$//' <<<"$command")
  if [ "${#names[@]}" -gt 0 ] && [[ " ${names[*]} " != *" $name "* ]]; then
    continue
  fi
  echo "== $name: $command"
  begun=$SECONDS
  if bash -c "$command" </dev/null; then
    passed=$((passed + 1)) word=passed
  else
    failed=$((failed + 1)) word=FAILED
  fi
  echo "== $name: $word after $((SECONDS - begun)) s"
done < <(grep -E '^\| [a-z0-9-]+ \| `' docs/campaign.md)
echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
