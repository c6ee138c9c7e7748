"""Real Neovims with the plugin, real servers, and the sample home indexed by the real command."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pastwork.store.writer import StoreWriter
from tests.lsp.conftest import Sample
from tests.lsp.conftest import indexed as indexed_as_it_is  # noqa: F401 - a fixture
from tests.neovim.nvim import Nvim, errors, nvim

COMMAND = [sys.executable, "-P", "-m", "pastwork", "lsp"]
#: No model: what is shown depends on words alone, and no server loads one.
SETTINGS = {"embedding.model": "none", "search.mode": "verbatim-okapi"}
POOL = "ferryline/pool.py"
#: Words of a prompt -> what its object says in these tests, however exchanges are distilled.
TOLD = {
    "Bookings hang for ever": (
        "Bookings no longer hang: the pool gives up after 5 s",
        "`book` releases its connection",
    ),
    "Why 5 seconds": ("The proxy ends a request after 8 s", "proxy_read_timeout"),
    "Child tickets show": ("Prices are in cents everywhere", ""),
    "read the database url": ("Settings come from the environment", "FERRYLINE_DATABASE_URL, FERRYLINE_POOL_SIZE"),
    "since the clocks changed": ("Departures are shown in the port's time zone", "Europe/Oslo"),
    "Two requests at the same time": ("Only one caller refreshes the sign-in token", "LEEWAY is 30 s"),
    "Use the pool size": ("The pool's default size comes from the settings", "settings.POOL_SIZE"),
    "Should the timetable be cached": ("No cache server for the timetable", "212 rows, 40 kB"),
    "tests/test_load.py fails": ("The load test waits longer than production", "timeout=60"),
}

Start = Callable[..., Nvim]


#: ``part``: the lines of a part of the picker (prompt, list, preview), nil where it is not open.
#: ``ask``: what the server answers; ``found``: the exchange that a search finds first.
PARTS = """
function _G.part(name)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if vim.bo[buffer].filetype == 'pastwork-' .. name then return vim.api.nvim_buf_get_lines(buffer, 0, -1, false) end
  end
end
function _G.ask(method, params)
  return vim.lsp.get_clients({ name = 'pastwork' })[1]:request_sync(method, params, 9000).result
end
function _G.found(query) return ask('pastwork/search', { query = query, limit = 1 }).hits[1] end
vim.lsp.enable('pastwork')
"""


def options(**more: Any) -> dict[str, Any]:
    """``vim.g.pastwork`` of the tests, with changes."""
    return {"cmd": COMMAND, "annotation_delay": 20, "settings": SETTINGS, **more}


def variables(sample: Sample, state: Path, **more: str) -> dict[str, str]:
    """The environment of a Neovim that knows this home only; its own files go to ``state``."""
    own = {f"XDG_{name}_HOME": str(state / name.lower()) for name in ("STATE", "CACHE", "RUNTIME")}
    return sample.variables(
        **own, XDG_RUNTIME_DIR=str(state), NVIM_LOG_FILE=str(state / "nvim.log"), LANG="C.UTF-8", **more
    )


def tell(data: Path) -> None:
    """Gives every exchange of the sample the object it has in ``TOLD``."""
    with closing(StoreWriter.open(data)) as writer, writer.transaction():
        for (row,) in writer.connection.execute("SELECT row FROM exchange").fetchall():
            kept = writer.kept([row])[row]
            core, context = next(said for words, said in TOLD.items() if kept.prompt.startswith(words))
            writer.set_object(row, structs.replace(kept.object, exchange_core=core, specific_context=context), 9)


@pytest.fixture(scope="session")
def indexed(indexed_as_it_is: Sample, tmp_path_factory: pytest.TempPathFactory) -> Sample:  # noqa: F811
    """The sample with objects that the distiller's progress does not change; nothing may change it."""
    data = tmp_path_factory.mktemp("told") / "data"
    shutil.copytree(indexed_as_it_is.data, data)
    tell(data)
    return Sample(indexed_as_it_is.home, indexed_as_it_is.workspace, data)


@pytest.fixture
def sample(indexed: Sample, tmp_path: Path) -> Sample:
    """A copy of one's own of transcripts and store; the project's folder stays where it is, so that paths agree."""
    shutil.copytree(indexed.home, tmp_path / "home", ignore=shutil.ignore_patterns("code"))
    shutil.copytree(indexed.data, tmp_path / "data")
    return Sample(tmp_path / "home", indexed.workspace, tmp_path / "data")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts Neovims of one's own: ``start(sample, *files, options=…, init=…)``."""
    with ExitStack() as stack:

        def started(sample: Sample, *files: Path | str, **given: Any) -> Nvim:
            known = given.pop("options", options())
            cwd = given.pop("cwd", sample.workspace)
            environment = variables(sample, tmp_path / "state", **given.pop("variables", {}))
            return stack.enter_context(nvim(environment, cwd, known, *files, **{"init": PARTS, **given}))

        yield started


@pytest.fixture(scope="module")
def shared_window(indexed: Sample, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nvim]:
    """One Neovim for tests that only look; ``window`` puts it in order for each."""
    environment = variables(indexed, tmp_path_factory.mktemp("state"))
    with nvim(environment, indexed.workspace, options(), POOL, init=PARTS) as child:
        child.wait("#vim.lsp.codelens.get(0) > 0")
        yield child
        assert errors(child.messages()) == []


@pytest.fixture
def window(shared_window: Nvim, indexed: Sample) -> Iterator[Nvim]:
    """``shared_window`` with the sample's pool.py alone on the screen, the cursor on its first line."""
    child = shared_window
    child.keys("<C-\\><C-n>")
    child.run(
        "for _, w in ipairs(vim.api.nvim_list_wins()) do if vim.fn.win_gettype(w) ~= '' then vim.api.nvim_win_close(w, true) end end"
    )
    child.command("silent! tabonly! | silent! only!")
    child.command(f"edit! {indexed.workspace / POOL}")
    child.command("set lines=30 columns=120")
    child.run("require('pastwork.marks').toggle('line')")
    child.command("messages clear")
    child.cursor(1)
    yield child
    assert errors(child.messages()) == []
