#!/usr/bin/env bash
# The graph's tests over HTTP against independent servers, each of which this starts and ends.
# usage: peers.sh [moto|dynalite|dynoxide]...   without names: moto. docs/peers.md says what each cannot do.
#        peers.sh --install NAME...             only installs; also ministack, which is only measured (bench/).
#
# On each, a table with the samples is copied there by `bothways copy` and read by every kind of read, compared with the
# original; on those with transactions the graph's tests run too: a part of them, or all with FULL=1, which takes minutes.
#
# PEERS (default target/peers) is where they are installed; dynoxide is used where PEERS/dynoxide/bin has it, or installed
# from its crate with INSTALL=1, which takes minutes. What a server cannot do is named in tests/peers/NAME.skip.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/lib/stamp.sh
. tests/lib/serve.sh
PEERS=${PEERS:-$PWD/target/peers}
BOTHWAYS=${BOTHWAYS:-$PWD/target/release/bothways}
# The files that ask for a plain engine; the others work on the lab, whose faults no server has.
TESTS=(edges entities lists operations)
[ -z "${FULL:-}" ] || TESTS+=(import ranges sets walks)
export RUST_BACKTRACE=0
mkdir -p "$PEERS"

python_packages() {
  python3 -m venv --clear "$PEERS/moto" &&
    "$PEERS/moto/bin/pip" install -q --disable-pip-version-check --no-deps -r tests/peers/moto.txt
}
ministack_packages() {
  python3 -m venv --clear "$PEERS/ministack" &&
    "$PEERS/ministack/bin/pip" install -q --disable-pip-version-check --no-deps -r tests/peers/ministack.txt
}
node_packages() {
  mkdir -p "$PEERS/dynalite" && cp tests/peers/package.json tests/peers/package-lock.json "$PEERS/dynalite/" &&
    (cd "$PEERS/dynalite" && npm ci --loglevel=error --no-audit --no-fund)
}
crate() {
  [ -x "$PEERS/dynoxide/bin/dynoxide" ] && return
  [ -n "${INSTALL:-}" ] || { echo "dynoxide is not in $PEERS/dynoxide; INSTALL=1 installs it" >&2; return 1; }
  cargo install --locked dynoxide-rs --version 3.2.0 --root "$PEERS/dynoxide" --no-default-features \
    --features native-sqlite,http-server,cli
}

# Installs a server, and leaves its command in $command.
prepare() {
  case $1 in
  moto)
    once "$PEERS/moto.stamp" tests/peers/moto.txt -- python_packages || return
    command=("$PEERS/moto/bin/moto_server" -H 127.0.0.1 -p "$2")
    ;;
  dynalite)
    once "$PEERS/dynalite.stamp" tests/peers/package-lock.json -- node_packages || return
    command=("$PEERS/dynalite/node_modules/.bin/dynalite" --host 127.0.0.1 --port "$2" --createTableMs 0)
    ;;
  dynoxide)
    crate || return
    command=("$PEERS/dynoxide/bin/dynoxide" --host 127.0.0.1 --port "$2")
    ;;
  ministack) once "$PEERS/ministack.stamp" tests/peers/ministack.txt -- ministack_packages ;;
  *) echo "no such server: $1" >&2; return 2 ;;
  esac
}

if [ "${1:-}" = --install ]; then
  shift
  for name in "$@"; do
    command=()
    INSTALL=1 prepare "$name" 0 || exit
  done
  exit
fi

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Waits until somebody listens.
await_port() {
  local tries=0
  until (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do
    tries=$((tries + 1))
    { [ "$tries" -lt 300 ] && kill -0 "$2" 2>/dev/null; } || { echo "it did not start" >&2; return 1; }
    sleep 0.1
  done
}

# Copies the samples to a server and compares every kind of read.
reads() {
  local there=$1 work failed=0 line one two
  work=$(mktemp -d)
  "$BOTHWAYS" serve --data "$work/here" --sample --port 0 >"$work/out" 2>&1 </dev/null &
  local pid=$!
  await_url "$work/out" "$pid" && stop_server "$pid" || failed=1
  for line in follow school; do
    "$BOTHWAYS" copy "$line" --data "$work/here" --to "$there" || failed=1
  done
  while read -r line; do
    # shellcheck disable=SC2086
    one=$("$BOTHWAYS" $line -q --data "$work/here" 2>&1)
    # shellcheck disable=SC2086
    two=$("$BOTHWAYS" $line -q --endpoint "$there" 2>&1)
    [ "$one" = "$two" ] || { echo "differs: $line"; diff <(echo "$one") <(echo "$two") | head -5; failed=1; }
  done <<'READS'
in follow follows bob
out follow follows alice
in follow follows star --all
in follow follows star --limit 7 --reverse
count follow follows star
edge follow follows alice bob
edge follow follows alice nobody
get follow actor alice
show follow actor alice
show school student a91
in school enrolled math204 --all
READS
  rm -rf "$work"
  return "$failed"
}

run() {
  local name=$1 port pid status=0 command=() files=() skips=()
  port=$(free_port)
  prepare "$name" "$port" || return
  "${command[@]}" >"$PEERS/$name.log" 2>&1 </dev/null &
  pid=$!
  for file in "${TESTS[@]}"; do files+=(--test "$file"); done
  [ "$name" = moto ] || files+=(--test contention)
  while read -r test _; do
    case $test in '' | '#'*) ;; *) skips+=(--skip "$test") ;; esac
  done <"tests/peers/$name.skip"
  await_port "$port" "$pid" && reads "http://127.0.0.1:$port" || status=1
  [ "$name" = dynalite ] || [ "$status" = 1 ] ||
    BOTHWAYS_PEER=http://127.0.0.1:$port timeout 600 \
      cargo test -q --locked --no-fail-fast -p bothways-graph "${files[@]}" -- --exact "${skips[@]}" || status=1
  kill "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  return "$status"
}

failed=0
[ $# -gt 0 ] || set -- moto
for name in "$@"; do
  echo "== the graph on $name"
  run "$name" || failed=1
done
exit "$failed"
