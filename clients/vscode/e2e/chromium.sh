#!/usr/bin/env bash
# Sees to a Chromium: installs Debian's where this user may, does nothing where one is there.
set -euo pipefail
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core fonts-liberation
fi
