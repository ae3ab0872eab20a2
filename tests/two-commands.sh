#!/usr/bin/env bash
# `make run` as the README says it: builds, starts, has both models and their sample data, stops when told,
# and has them still when started again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/lib/serve.sh

work=$(mktemp -d)
out=$work/out
pid=
cleanup() {
  [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

expect() {
  grep -qF -- "$2" <<<"$1" || { echo "expected: $2"; echo "got: $1"; exit 1; }
}

for start in first second; do
  : >"$out"
  make --no-print-directory run PORT=0 DATA="$work/data" >"$out" 2>"$work/err" </dev/null &
  pid=$!
  await_url "$out" "$pid"
  expect "$(cat "$out" "$work/err")" "in follow follows bob"
  expect "$(curl -sf "$url/healthz")" "healthy"
  bob=$(target/release/bothways in follow follows bob --endpoint "$url" --json)
  expect "$bob" '"alice"'
  expect "$bob" '"dave"'
  expect "$(target/release/bothways show school student a91 --endpoint "$url")" "math204"
  # The server is make's only child now; what ends it well ends make well.
  kill -TERM "$(cat "/proc/$pid/task/$pid/children")"
  wait "$pid"
  pid=
  echo "ok: make run, $start start"
done
