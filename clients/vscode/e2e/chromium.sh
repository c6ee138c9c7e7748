#!/usr/bin/env bash
# Prints the path of a Chromium, installing Debian's where that is allowed; exit 1, with advice, where there is none.
set -euo pipefail
bash "$(dirname "${BASH_SOURCE[0]}")/../../system.sh" chromium
for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome-stable google-chrome; do
  [ -n "$name" ] && command -v "$name" && exit
done
exit 1
