#!/usr/bin/env bash
# Prints the path of a Chromium, installing Debian's where that is allowed; exit 1, with advice, where there is none.
set -euo pipefail
find_one() {
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome-stable google-chrome; do
    [ -n "$name" ] && command -v "$name" && return
  done
  return 1
}
find_one && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "installing Chromium ..." >&2
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core fonts-liberation; } >&2 || true
  find_one && exit 0
fi
echo "no Chromium was found; install it with: sudo apt-get install chromium (or name one: CHROMIUM=/path)" >&2
exit 1
