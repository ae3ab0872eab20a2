#!/usr/bin/env bash
# Counts what the hot operations cost, in instructions under callgrind, and compares with tests/instructions.txt. A count is
# the same on a busy machine as on a quiet one, so this sees a path that has grown long where no timing could.
# usage: instructions.sh   BLESS=1 writes the counts of this build to the file instead.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
STORED=tests/instructions.txt
TIMES=400
# A count may be larger by so much: libraries, hash seeds and compilers of the same version move it by a few of a hundred.
MOST_PERCENT=8

cargo build --release --locked -q -p bothways --example hot_path || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# total OPERATION TIMES   instructions of a run.
total() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "${CARGO_TARGET_DIR:-target}/release/examples/hot_path" "$1" "$2" 2>"$work/$1.log" >/dev/null &&
    awk '/Collected/ { print $NF }' "$work/$1.log"
}

# count OPERATION   instructions of one: what so many of them add to a run.
count() {
  local without with
  without=$(total "$1" 0) && with=$(total "$1" "$TIMES") && echo $(((with - without) / TIMES))
}

passed=0 failed=0 counts=()
compiler=$(rustc --version)
stored_by=$(sed -n 's/^# by //p' "$STORED")
for operation in GetItem Query PutItem UpdateItem BatchWriteItem; do
  now=$(count "$operation")
  before=$(awk -v name="$operation" '$1 == name { print $2 }' "$STORED")
  counts+=("$operation $now")
  if [ -z "$now" ] || [ "$now" -lt 1000 ]; then
    echo "$operation: not counted"
    cat "$work/$operation.log"
    failed=$((failed + 1))
  elif [ -n "${BLESS:-}" ] || [ $((now * 100)) -le $((before * (100 + MOST_PERCENT))) ]; then
    echo "$operation: $now instructions, stored: $before"
    passed=$((passed + 1))
  else
    echo "$operation: $now instructions, which is over $MOST_PERCENT % more than the $before of $STORED"
    echo "  (those were by $stored_by; this is $compiler)"
    failed=$((failed + 1))
  fi
done
if [ -n "${BLESS:-}" ] && [ "$failed" = 0 ]; then
  {
    echo "# Instructions of one operation, from request bytes to answer bytes in memory: tests/instructions.sh"
    echo "# by $compiler"
    printf '%s\n' "${counts[@]}"
  } >"$STORED"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
