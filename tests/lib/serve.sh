# Sourced. A bothways server for the length of a command.

# with_server COMMAND...   runs the command with BOTHWAYS_ENDPOINT naming a fresh server in memory.
with_server() {
  local out pid status=0
  out=$(mktemp)
  "$BOTHWAYS" serve --memory --port 0 >"$out" 2>"$out.talk" </dev/null &
  pid=$!
  if await_url "$out" "$pid"; then
    BOTHWAYS_ENDPOINT=$url "$@" || status=$?
  else
    status=1
  fi
  stop_server "$pid" || status=1
  # What the server had to say matters where something went wrong.
  [ "$status" = 0 ] || cat "$out.talk" >&2
  rm -f "$out" "$out.talk"
  return "$status"
}

# await_url FILE PID   waits for the server's first line and leaves its address in $url.
await_url() {
  local file=$1 pid=$2 tries=0
  while ! url=$(grep -o -m1 'http://[^[:space:]]*' "$file"); do
    tries=$((tries + 1))
    if [ "$tries" -gt 600 ] || ! kill -0 "$pid" 2>/dev/null; then
      echo "the server did not start" >&2
      return 1
    fi
    sleep 0.05
  done
}

# stop_server PID   asks it to stop; fails if it had died or ends badly.
stop_server() {
  local pid=$1 status=0
  if ! kill -TERM "$pid" 2>/dev/null; then
    echo "the server died during the tests" >&2
    wait "$pid" || true
    return 1
  fi
  wait "$pid" || status=$?
  [ "$status" = 0 ] || echo "the server ended with $status" >&2
  return "$status"
}
