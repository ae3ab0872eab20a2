# Sourced. Stages, and the counting of what their runners report.

passed=0
failed=0
broken=()
LOGS=$PWD/target/test-logs

# stage NAME RUNNER COMMAND   runs it in a subshell, shows its output, and adds its tests to the count.
stage() {
  local name=$1 runner=$2 begun=$SECONDS status=0 good bad
  shift 2
  if [ "${#wanted[@]}" -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then
    return
  fi
  mkdir -p "$LOGS"
  echo "== $name"
  ("$@") </dev/null 2>&1 | tee "$LOGS/$name.log"
  status=${PIPESTATUS[0]}
  read -r good bad <<<"$(counts "$runner" "$LOGS/$name.log")"
  if [ "$runner" = one ]; then
    good=$((status == 0)) bad=$((status != 0))
  elif [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
    bad=1 # it broke before or after its tests
  elif [ "$status" -eq 0 ] && [ "$good" -eq 0 ]; then
    bad=1 # a runner that finds no tests must not look like one that passed
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  [ "$bad" -eq 0 ] || broken+=("$name")
  echo "== $name: $good passed, $bad failed, $((SECONDS - begun)) s"
}

# stage_with TOOLS NAME RUNNER COMMAND   a stage that needs tools which not everybody has; without them it says so.
stage_with() {
  local tool
  for tool in $1; do
    if ! command -v "$tool" >/dev/null; then
      [ "${#wanted[@]}" -gt 0 ] && [[ " ${wanted[*]} " != *" $2 "* ]] || echo "== $2: skipped, as there is no $tool on the PATH"
      return
    fi
  done
  stage "${@:2}"
}

# counts RUNNER LOG   prints "passed failed" from the runner's own summary lines.
counts() {
  case $1 in
    cargo) sum '^test result:' ' passed' ' failed' "$2" ;;
    pytest) sum '^[0-9].* in [0-9.]+s' ' passed' ' (failed|errors?)' "$2" ;;
    vitest) sum '^ *Tests ' ' passed' ' failed' "$2" ;;
    node) echo "$(last 'ℹ pass ' "$2") $(last 'ℹ fail ' "$2")" ;;
    go) echo "$(grep -c '^--- PASS' "$2") $(grep -c '^--- FAIL' "$2")" ;;
    maven) maven "$2" ;;
    plain) sum '^[0-9]+ passed, [0-9]+ failed' ' passed' ' failed' "$2" ;;
    *) echo 0 0 ;;
  esac
}

# sum LINE GOOD BAD LOG   adds the numbers that stand before GOOD and BAD on the lines that match LINE.
sum() {
  local lines
  lines=$(sed 's/\x1b\[[0-9;]*m//g' "$4" | grep -E "$1")
  echo "$(add "$2" "$lines") $(add "$3" "$lines")"
}
add() { grep -oE "[0-9]+$1" <<<"$2" | awk '{ n += $1 } END { print n + 0 }'; }
last() { grep "$1" "$2" | tail -1 | grep -oE '[0-9]+' || echo 0; }

# Tests run, failures, errors and skipped ones stand on one line, and the last such line is the sum.
maven() {
  local run failures errors skipped
  read -r run failures errors skipped <<<"$(grep 'Tests run:' "$1" | tail -1 | sed 's/Time.*//' | grep -oE '[0-9]+' | xargs)"
  echo "$((${run:-0} - ${failures:-0} - ${errors:-0} - ${skipped:-0})) $((${failures:-0} + ${errors:-0}))"
}

finish() {
  [ "${#broken[@]}" -eq 0 ] || echo "failed: ${broken[*]} (logs in target/test-logs)"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}
