#!/usr/bin/env bash
# The end-to-end run with all it needs; skipped, loudly, where there is no browser, but never in CI.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../node.sh"
if ! CHROMIUM=$(bash "$here/../../system.sh" chromium); then
  echo "SKIPPED: the extension was not tested in a real VS Code"
  [ -z "${CI:-}" ]
  exit
fi
export CHROMIUM
bash "$here/install.sh"
node "$here/drive.mjs"
