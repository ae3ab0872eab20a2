#!/usr/bin/env bash
# Builds the workbench's pages where their sources changed, so that cargo can embed them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../apps/workbench"
. ../../tests/lib/stamp.sh

install_packages() { npm ci --loglevel=error --no-audit --no-fund; }
build_pages() { npm run build; }

once node_modules/.stamp package-lock.json -- install_packages
once ../../crates/workbench/pages/.stamp package.json package-lock.json index.html vite.config.ts src public scripts \
  ../../crates/workbench/openapi.json -- build_pages
