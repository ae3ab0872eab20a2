# Sourced. once STAMP PATH... -- COMMAND...   runs the command unless it already ran on the same content.
once() {
  local stamp=$1 paths=() content
  shift
  while [ "$1" != -- ]; do
    paths+=("$1")
    shift
  done
  shift
  content=$(find "${paths[@]}" -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  [ "$(cat "$stamp" 2>/dev/null)" = "$content" ] && return
  "$@"
  mkdir -p "$(dirname "$stamp")"
  echo "$content" >"$stamp"
}
