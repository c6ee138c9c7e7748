"""``:Pastwork`` itself: completion, what is misspelt, options, health, help, what start-up costs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.lsp.conftest import Sample
from tests.neovim.conftest import COMMAND, POOL, TOLD, Start, options
from tests.neovim.nvim import PLUGIN, Nvim, nvim, program

DEEDS = [
    "context",
    "file",
    "forget",
    "line",
    "loclist",
    "log",
    "quickfix",
    "reindex",
    "restart",
    "rooms",
    "search",
    "status",
    "toggle",
]
HELP = PLUGIN / "doc" / "pastwork.txt"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nvim]:
    """A Neovim in which no server was asked for."""
    home = tmp_path_factory.mktemp("home")
    with nvim({"HOME": str(home), "LANG": "C.UTF-8"}, home, {"cmd": COMMAND}, init="_G.nothing = nil") as child:
        yield child


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Pastwork ", DEEDS),
        ("Pastwork s", ["search", "status"]),
        ("Pastwork lo", ["loclist", "log"]),
        ("Pastwork x", []),
        ("Pastwork toggle ", ["all", "line", "off"]),
        ("Pastwork toggle o", ["off"]),
        ("Pastwork rooms ", []),
        ("Pastwork search ", []),
        ("Pastwork search fi", []),
        ("silent Pastwork toggle l", ["line"]),
    ],
)
def test_completion(alone: Nvim, line: str, expected: list[str]) -> None:
    assert alone.lua("vim.fn.getcompletion(..., 'cmdline')", line) == expected


@pytest.mark.parametrize("line", ["nonsense", "file x", "toggle sideways", "status now", "log 1 2"])
def test_what_is_misspelt_is_told(alone: Nvim, line: str) -> None:
    said = alone.run("local _, err = pcall(vim.cmd, 'Pastwork ' .. ...); return err", line)
    assert f'pastwork: what is "{line}"? Known: ' in said
    assert all(deed in said for deed in DEEDS)


def test_nothing_is_loaded_before_it_is_needed(alone: Nvim) -> None:
    fresh = alone.lua("vim.tbl_filter(function(name) return name:find('^pastwork') end, vim.tbl_keys(package.loaded))")
    assert fresh == []
    assert alone.lua("vim.fn.maparg('<Plug>(pastwork-search)', 'n', false, true).desc") == "pastwork: search"


def read(child: Nvim, given: Any) -> tuple[dict[str, Any], list[str]]:
    child.run("vim.g.pastwork = vim.json.decode(...)", json.dumps(given))
    found, problems = child.lua("{ require('pastwork.options').read() }")
    return found, problems


DEFAULTS = {"cmd": ["pastwork", "lsp"], "annotations": "line", "annotation_delay": 250, "lens": True, "settings": {}}


@pytest.mark.parametrize(
    ("given", "changed", "problems"),
    [
        ({}, {}, []),
        ({"annotations": "all", "lens": False}, {"annotations": "all", "lens": False}, []),
        ({"cmd": ["/x/pastwork", "lsp", "--stdio"]}, {"cmd": ["/x/pastwork", "lsp", "--stdio"]}, []),
        ({"settings": {"lens.symbols": True}}, {"settings": {"lens.symbols": True}}, []),
        ({"annotation_delay": 0}, {"annotation_delay": 0}, []),
        ({"annotations": "sometimes"}, {}, ["vim.g.pastwork.annotations: bad value \"sometimes\"; the default is used"]),
        ({"annotation_delay": -1}, {}, ["vim.g.pastwork.annotation_delay: bad value -1; the default is used"]),
        ({"annotation_delay": 1.5}, {}, ["vim.g.pastwork.annotation_delay: bad value 1.5; the default is used"]),
        ({"annotation_delay": "9"}, {}, ["vim.g.pastwork.annotation_delay: bad value \"9\"; the default is used"]),
        ({"lens": "yes"}, {}, ["vim.g.pastwork.lens: bad value \"yes\"; the default is used"]),
        ({"cmd": "pastwork lsp"}, {}, ["vim.g.pastwork.cmd: bad value \"pastwork lsp\"; the default is used"]),
        ({"cmd": []}, {}, ["vim.g.pastwork.cmd: bad value {}; the default is used"]),
        ({"cmd": ["pastwork", 1]}, {}, ['vim.g.pastwork.cmd: bad value { "pastwork", 1 }; the default is used']),
        ({"settings": ["x"]}, {}, ['vim.g.pastwork.settings: bad value { "x" }; the default is used']),
        ({"lenses": True, "Lens": 1, "lens": False}, {"lens": False}, ["vim.g.pastwork.Lens: no such option", "vim.g.pastwork.lenses: no such option"]),
        ("on", {}, ["vim.g.pastwork.on: no such option"]),
    ],
)  # fmt: skip
def test_options(alone: Nvim, given: Any, changed: dict[str, Any], problems: list[str]) -> None:
    assert read(alone, given) == ({**DEFAULTS, **changed}, problems)


def test_empty_settings_reach_the_server_as_an_object(alone: Nvim) -> None:
    alone.run("vim.g.pastwork = {}")
    assert alone.lua("vim.json.encode(require('pastwork.options').read().settings)") == "{}"


def test_bad_options_are_told_once_and_in_the_health_report(start: Start, indexed: Sample) -> None:
    child = start(indexed, POOL, options=options(lenses=True))
    child.wait("#vim.lsp.codelens.get(0) > 0")
    child.open("ferryline/tickets.py")
    assert child.messages().count("pastwork: vim.g.pastwork.lenses: no such option") == 1
    child.command("checkhealth pastwork")
    assert any("WARNING vim.g.pastwork.lenses: no such option" in line for line in child.lines())


def test_health(start: Start, indexed: Sample) -> None:
    child = start(indexed, POOL)
    child.wait("#vim.lsp.codelens.get(0) > 0")
    child.command("checkhealth pastwork")
    report = "\n".join(child.lines())
    for expected in (
        rf"OK server: {re.escape(COMMAND[0])}, pastwork \d+\.\d+\.\d+",
        r"OK version \d+\.\d+\.\d+ at work in .*/code/ferryline",
        r"codex: 1 exchanges, 1 sessions, 0 records skipped, 0 transcripts expiring soon",
        r"claude-code: 4 exchanges, 2 sessions, 0 records skipped, 1 transcripts expiring soon",
        r"index: idle, finished (just now|\d+ \w+ ago)",
        r"vectors: \d+ ready, \d+ pending",
        r"OK the store .*palace\.db is sound",
        r"model",
    ):
        assert re.search(expected, report), expected
    assert "ERROR" not in report


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["pastwork-that-is-not-there", "lsp"], "ERROR server not found: pastwork-that-is-not-there"),
        (["false", "lsp"], "ERROR no answer from: false status --json"),
        (["echo", "lsp"], "ERROR no answer from: echo doctor --json"),
    ],
)
def test_health_of_what_does_not_work(start: Start, indexed: Sample, command: list[str], expected: str) -> None:
    child = start(indexed, options=options(cmd=command))
    child.command("checkhealth pastwork")
    report = "\n".join(child.lines())
    assert expected in report.replace(f"{shutil.which(command[0])} ", f"{command[0]} ")
    assert "no server is running in this Neovim" in report or "not found" in report


def test_help_tags_build(tmp_path: Path, alone: Nvim) -> None:
    folder = tmp_path / "doc"
    folder.mkdir()
    shutil.copy(HELP, folder)
    alone.command(f"helptags {folder}")
    tags = {line.split("\t")[0] for line in (folder / "tags").read_text().splitlines()}
    text = HELP.read_text()
    links = set(re.findall(r"\|([^|\s]+)\|", text))
    known = set(alone.lua("vim.fn.getcompletion('*', 'help')")) | tags
    assert {":Pastwork", "pastwork", "pastwork-options", "pastwork-source", "pastwork-health"} <= tags
    assert {
        link for link in links if link not in known and not alone.lua("vim.fn.getcompletion(..., 'help')[1]", link)
    } == set()
    assert all(len(line) <= 78 for line in text.splitlines())


def test_help_names_every_command_option_and_mapping(alone: Nvim) -> None:
    text = HELP.read_text()
    assert sorted(set(re.findall(r"\*:Pastwork-(\w+)\*", text))) == DEEDS
    assert set(re.findall(r"<Plug>\(pastwork-(\w+)\)", text)) == {"search", "file", "line", "rooms", "toggle"}
    schema = alone.run(
        "local out = {}; for key, option in pairs(require('pastwork.options').schema) do out[key] = vim.inspect(option.default) end; return out"
    )
    table = {
        key: default.strip()
        for key, default in re.findall(r"^(\w+) +\*pastwork-option-\w+\*\n +Default: `(.+)`", text, re.MULTILINE)
    }
    assert table == schema
    fields = dict(
        re.findall(
            r"^---@field (\w+) .*? ([A-Z][^\n]*)$", (PLUGIN / "lua/pastwork/options.lua").read_text(), re.MULTILINE
        )
    )
    assert set(fields) == set(schema)


def test_the_sources_example_runs(start: Start, indexed: Sample) -> None:
    (example,) = re.findall(r"    local function entries.*?\n    end\n", HELP.read_text(), re.DOTALL)
    child = start(indexed, POOL)
    child.wait("#vim.lsp.codelens.get(0) > 0")
    child.run(f"{example} entries('bookings four', function(found) _G.entry = found[1] end)")
    entry = child.wait("entry")
    assert entry["text"] == f"{TOLD['Bookings hang for ever'][0]}  claude-code · 1 month ago"
    child.open(entry["file"])
    child.wait("vim.fn.line('$') > 5")


#: What a plugin manager does, imitated: it puts the repository where it keeps such, and has no idea of the sub-folder.
MANAGERS = f"""
local function fetch(folder, spec)
  assert(spec.name == 'pastwork' and (spec.src or spec.source) == 'URL')
  vim.fn.mkdir(vim.fs.dirname(folder), 'p')
  assert(vim.uv.fs_symlink('{ROOT}', folder))
  vim.cmd.packadd('pastwork')
end
local site = vim.fn.stdpath('data') .. '/site/pack/'
MiniDeps = {{ add = function(spec) fetch(site .. 'deps/opt/pastwork', spec) end }}
vim.pack = {{ add = function(specs) fetch(site .. 'core/opt/pastwork', specs[1]) end }}
local function lazy(spec)
  assert(spec.url == 'URL' and spec.name == 'pastwork' and spec.lazy == false)
  spec.config({{ dir = '{ROOT}' }})
end
"""


def installations() -> dict[str, tuple[str, str]]:
    """Way -> (shell, Lua) as docs/editors.md gives them, and the two lines that all share."""
    text = (ROOT / "docs" / "editors.md").read_text().split("## Neovim\n")[1].split("\n## ")[0]
    (shell,) = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    lazy, mini, pack, shared = re.findall(r"```lua\n(.*?)```", text, re.DOTALL)
    ways = {"package": (shell, ""), "lazy": ("", f"lazy({lazy})"), "mini.deps": ("", mini), "vim.pack": ("", pack)}
    return {way: (shell, f"{MANAGERS}{lua}\n{shared}") for way, (shell, lua) in ways.items()}


@pytest.mark.parametrize("way", ["package", "lazy", "mini.deps", "vim.pack"])
def test_installations_of_the_docs(tmp_path: Path, way: str) -> None:
    """The very lines of docs/editors.md, in a home of its own; the server is found, the help too."""
    shell, lua = installations()[way]
    variables = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "TERM": "dumb"}
    subprocess.run(["sh", "-ec", shell], env=variables, cwd=ROOT, check=True)
    init = tmp_path / ".config" / "nvim" / "init.lua"
    init.parent.mkdir(parents=True)
    init.write_text(lua)
    look = """
    vim.cmd('helptags ALL')
    io.write(vim.json.encode({
      vim.fn.exists(':Pastwork'), vim.lsp.config.pastwork.cmd[2], vim.lsp._enabled_configs.pastwork ~= nil,
      vim.fn.maparg(vim.keycode('<leader>pw'), 'n'), vim.fn.getcompletion('pastwork-source', 'help')[1],
    }))
    """
    (tmp_path / "look.lua").write_text(look)
    done = subprocess.run(
        [program(), "--headless", f"+luafile {tmp_path / 'look.lua'}", "+qa!"],
        env=variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    (HELP.parent / "tags").unlink()
    assert json.loads(done.stdout) == [2, "lsp", True, "<Plug>(pastwork-search)", "pastwork-source"], done
    assert re.sub(r"pastwork: the server was not found.*", "", done.stderr).strip() == ""


#: Other plugins' pickers, imitated: each gives the example the query "bookings four", notes the rows in `rows` and
#: chooses the first.
PICKERS = """
_G.rows, _G.done = {}, false
local function finish() _G.done = true end
package.loaded['telescope.actions'] = { close = function() end, select_default = { replace = function(_, act) _G.choose = act end } }
package.loaded['telescope.actions.state'] = { get_selected_entry = function() return rows[1] end }
package.loaded['telescope.pickers'] = { new = function(_, spec)
  return { find = function()
    assert(spec.attach_mappings(1))
    spec.finder('bookings four', function(row) table.insert(rows, row) end, finish)
  end }
end }
package.loaded['fzf-lua'] = { fzf_live = function(contents, options)
  _G.choose = function() options.actions.default({ rows[1].line }) end
  contents({ 'bookings four' })(function(line)
    if not line then return finish() end
    table.insert(rows, { line = line, display = line:match('\t(.*)') })
  end)
end }
Snacks = { picker = { pick = function(spec)
  local task = {}
  _G.choose = function() spec.confirm({ close = function() end }, rows[1]) end
  local find = spec.finder(spec, { async = task, filter = { search = 'bookings four' } })
  local thread = coroutine.create(function()
    find(function(row) table.insert(rows, vim.tbl_extend('error', row, { display = row.text })) end)
    finish()
  end)
  function task.suspend() coroutine.yield() end
  function task.resume() assert(coroutine.resume(thread)) end
  assert(coroutine.resume(thread))
end } }
"""


@pytest.mark.parametrize("name", ["telescope", "fzf-lua", "snacks"])
def test_the_examples_for_other_pickers_run(start: Start, indexed: Sample, name: str) -> None:
    text = HELP.read_text()
    (entries,) = re.findall(r"    local function entries.*?\n    end\n", text, re.DOTALL)
    (example,) = re.findall(rf"\*pastwork-{name}\*\n[^\n]*>lua\n(.*?)\n<", text, re.DOTALL)
    child = start(indexed, POOL)
    child.wait("#vim.lsp.codelens.get(0) > 0")
    child.run(f"{PICKERS}\n{entries}\n{example}")
    child.wait("done")
    assert child.lua("rows[1].display") == f"{TOLD['Bookings hang for ever'][0]}  claude-code · 1 month ago"
    child.run("choose()")
    child.wait("vim.api.nvim_buf_get_name(0):find('^pastwork://exchange/') and vim.fn.line('$') > 5")


def test_what_the_readme_says_about_help_is_true(alone: Nvim) -> None:
    assert (
        alone.run("vim.cmd.helptags(...); vim.cmd.help('pastwork'); return vim.bo.filetype", str(HELP.parent)) == "help"
    )
    (HELP.parent / "tags").unlink()
