#!/usr/bin/env bash
# Has system programs that editor tests need, and prints where they are: system.sh PROGRAM…, of those that PACKAGES lists.
# Where Debian's packages may be installed they are; else says what to install and fails.
set -euo pipefail
declare -A PACKAGES=(
  [tmux]="tmux"
  [luacheck]="lua-check"
  [emacs]="emacs-nox elpa-eglot"
  [chromium]="chromium fonts-dejavu-core fonts-liberation"
)

# Prints the path of a program; fails where there is none.
path_of() {
  case $1 in
    chromium) for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome-stable google-chrome; do
        [ -n "$name" ] && command -v "$name" && return
      done
      return 1 ;;
    emacs) command -v emacs && emacs --batch --eval \
      '(progn (package-initialize) (kill-emacs (if (locate-library "eglot") 0 1)))' 2> /dev/null ;;
    *) command -v "$1" ;;
  esac
}

missing=()
for program in "$@"; do
  packages=${PACKAGES[$program]?"no package is known for $program"}
  path_of "$program" > /dev/null || missing+=($packages)
done
if [ ${#missing[@]} -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "installing ${missing[*]} ..." >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq || true
  for package in "${missing[@]}"; do  # one by one: newer Emacsen come with eglot, and Debian without its package
    apt-get install -y -qq --no-install-recommends "$package" > /dev/null || true
  done
fi
for program in "$@"; do
  path_of "$program" || { echo "$program is absent; on Debian and Ubuntu: sudo apt-get install ${missing[*]}" >&2; exit 1; }
done
