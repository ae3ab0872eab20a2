#!/usr/bin/env bash
# usage: tools.sh rust|node|python|chromium ...   Says clearly what is missing; installs Python and Chromium where it may.
set -euo pipefail

need_rust() {
  command -v cargo >/dev/null && return
  echo "bothways needs Rust (cargo) to be built, and there is none on the PATH." >&2
  echo "Install it with rustup: https://rustup.rs" >&2
  exit 1
}

need_node() {
  local major
  major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
  [ "$major" -ge 20 ] && command -v npm >/dev/null && return
  echo "The workbench's pages are built with Node 20 or newer and npm; found: $(node --version 2>/dev/null || echo none)." >&2
  echo "Install it from https://nodejs.org" >&2
  exit 1
}

need_python() {
  # ensurepip is what Debian packs separately and a virtual environment needs.
  python3 -c 'import venv, ensurepip' 2>/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Python for the tests of boto3 and the AWS CLI." >&2
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y python3 python3-venv >/dev/null
    return
  fi
  echo "The tests of boto3 and the AWS CLI need Python 3 with venv (on Debian: apt-get install python3 python3-venv)." >&2
  exit 1
}

need_chromium() {
  [ -n "${CHROMIUM:-}" ] || [ -x /usr/bin/chromium ] && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Chromium for the tests of the workbench." >&2
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium fonts-noto-cjk >/dev/null
    return
  fi
  echo "The tests of the workbench need Chromium (on Debian: apt-get install chromium), or its path in CHROMIUM." >&2
  exit 1
}

for tool in "$@"; do
  "need_$tool"
done
