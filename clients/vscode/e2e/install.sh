#!/usr/bin/env bash
# Brings a real VS Code (code-server) from the npm registry into $RUN/code-server; does nothing when it is there.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../node.sh"
VERSION=4.139.1
target=$RUN/code-server
[ -e "$target/.ready-$VERSION" ] && exit 0
rm -rf "$target"; mkdir -p "$target"; cd "$target"
echo '{"private": true}' > package.json
echo "fetching code-server $VERSION ..."
npm install --silent --ignore-scripts "code-server@$VERSION"
cd node_modules/code-server/lib/vscode
# `npm ci` refuses: the published lock file is out of step. Only these native modules are needed here.
npm install --silent --omit=dev --ignore-scripts
echo "compiling its native modules (about two minutes) ..."
MAKEFLAGS=-j2 npm rebuild --silent @vscode/spdlog node-pty @vscode/native-watchdog @vscode/fs-copyfile @vscode/deviceid
touch "$target/.ready-$VERSION"
