#!/usr/bin/env bash
# Everything that has to hold, stage by stage; the last line counts the tests of all stages.
# usage: all.sh [STAGE...]   without names: every stage.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/lib/stamp.sh
. tests/lib/serve.sh
. tests/lib/count.sh

export CARGO_TERM_COLOR=never RUST_BACKTRACE=0
export BOTHWAYS=${BOTHWAYS:-$PWD/target/release/bothways}
ENVIRONMENT=$PWD/target/sdk-tests
SHARED_CASES=$PWD/../shared/cases
wanted=("$@")

tests/lib/tools.sh rust node python || exit 1

format() { cargo fmt --all --check && cargo fmt --manifest-path tests/rust/Cargo.toml --check; }
lints() { cargo clippy --workspace --all-targets --all-features --locked -q -- -D warnings; }
no_features() { cargo check --workspace --no-default-features --locked -q; }
rust() { cargo test --workspace --locked --no-fail-fast; }
locks() { ! git grep -n '"resolved": *"http' -- '*package-lock.json'; }
pages() { tests/lib/pages.sh && cd apps/workbench && npm run --silent check && npm test --silent; }
build() { make --no-print-directory build; }

python_packages() {
  python3 -m venv --clear "$ENVIRONMENT/python" &&
    "$ENVIRONMENT/python/bin/pip" install -q --disable-pip-version-check --no-deps -r tests/python/requirements.txt
}
python() {
  once "$ENVIRONMENT/python/.stamp" tests/python/requirements.txt -- python_packages || return
  (cd tests/python && PYTHONDONTWRITEBYTECODE=1 "$ENVIRONMENT/python/bin/python" -m pytest)
}

node_packages() { npm ci --loglevel=error --no-audit --no-fund; }
javascript() {
  (cd tests/node && once node_modules/.stamp package-lock.json -- node_packages) || return
  with_server env -C tests/node node --test --test-reporter=spec
}

peers() { tests/peers.sh moto; }

browser() {
  tests/lib/tools.sh chromium || return
  (cd tests/browser && once node_modules/.stamp package-lock.json -- node_packages &&
    node --test --test-reporter=spec "$@")
}
# What measures times has the machine to itself; the others are two at once, as a page mostly waits.
browser_times() { browser scroll.test.mjs; }
browser_all() { browser --test-concurrency=2 $(cd tests/browser && ls -- *.test.mjs | grep -vx scroll.test.mjs); }

rust_sdk() {
  CARGO_TARGET_DIR=$ENVIRONMENT/rust with_server \
    cargo test --manifest-path tests/rust/Cargo.toml --locked -q
}

go_sdk() { GOTOOLCHAIN=local with_server env -C tests/go go test -count=1 -v ./...; }
java_sdk() { with_server env -C tests/java mvn -B -ntp test; }

# The binary end to end, optimised: whole data files, twenty kills, fifty power losses.
end_to_end() { cargo test --release --locked --no-fail-fast -p bothways; }
instructions() { tests/instructions.sh; }
two_commands() { tests/two-commands.sh; }
cases() { with_server tests/cases.sh "$SHARED_CASES"; }

stage format      one     format
stage lints       one     lints
stage no-features one     no_features
stage locks       one     locks
stage rust        cargo   rust
stage pages       vitest  pages
stage build       one     build
stage end-to-end  cargo   end_to_end
stage_with valgrind instructions plain instructions
stage two-commands one    two_commands
stage python      pytest  python
stage javascript  node    javascript
stage browser-times node  browser_times
stage browser     node    browser_all
stage peers       cargo   peers
stage rust-sdk    cargo   rust_sdk
stage_with go        go-sdk    go     go_sdk
stage_with "mvn javac" java-sdk maven java_sdk
if [ -d "$SHARED_CASES" ]; then
  stage cases     plain   cases
fi
finish
