"""The plugin in a real terminal; ``PASTWORK_PICTURES=DIR`` draws what the docs show."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from demo.build import build

from tests.lsp.conftest import Sample
from tests.neovim.conftest import COMMAND, POOL, SETTINGS, TOLD, tell, variables
from tests.neovim.nvim import PLUGIN, program
from tests.neovim.terminal import Style, Terminal, as_html, picture, styled, terminal

FIX, SIZE = TOLD["Bookings hang for ever"][0], TOLD["Use the pool size"][0]


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([1, 38, 2, 255, 0, 16], Style(foreground="#ff0010", bold=True)),
        ([48, 5, 231, 3], Style(background="#ffffff", italic=True)),
        ([38, 5, 244], Style(foreground="#808080")),
        ([31, 42, 4, 7], Style(foreground="#ffc0b9", background="#b3f6c0", underline=True, reverse=True)),
        ([1, 3, 4, 7, 91, 100, 22, 23, 24, 27, 39, 49], Style()),
        ([31, 0], Style()),
        ([38], Style()),
        ([5, 53], Style()),
    ],
)
def test_sequences(codes: list[int], expected: Style) -> None:
    assert styled(Style(), codes) == expected


def test_what_is_captured_is_only_text() -> None:
    page = as_html("\x1b[31ma<b>\x1b[0m &\n\x1b[7mx")
    assert re.search(r'<span style="color:#ffc0b9;background:#14161b;[^"]*">a&lt;b&gt;</span>', page)
    assert "&amp;" in page
    assert re.search(r'<span style="color:#14161b;background:#e0e2ea;[^"]*">x</span>', page)
    assert "<b>" not in page


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Sample]:
    """The sample in a folder with a short name, since pictures show it."""
    with tempfile.TemporaryDirectory(prefix="demo-") as folder:
        home, workspace = build(Path(folder), datetime.now(UTC).date())
        sample = Sample(home, workspace, tmp_path / "data")
        sample.pastwork("index", "--scan", str(workspace), "--no-vectors")
        tell(sample.data)
        yield sample


@pytest.fixture
def screen(shown: Sample, tmp_path: Path) -> Iterator[Terminal]:
    """A Neovim as a user has it, in a terminal of its own."""
    if not shutil.which("tmux"):
        reason = "tmux is absent; install it (make test-editors needs it)"
        if os.environ.get("PASTWORK_PICTURES"):
            pytest.fail(reason)
        pytest.skip(reason)
    told = json.dumps({"cmd": COMMAND, "settings": SETTINGS}).replace("'", "''")
    before = [
        f"set runtimepath^={PLUGIN}", "set termguicolors background=dark noswapfile noshowcmd laststatus=2",
        f"let g:pastwork = json_decode('{told}')", "lua vim.lsp.enable('pastwork')",
        "set statusline=%f\\ %=\\ %{v:lua.require'pastwork'.statusline()}\\ ",
    ]  # fmt: skip
    words = [str(program()), "--clean", *(word for line in before for word in ("--cmd", line)), POOL]
    with terminal(words, variables(shown, tmp_path / "state"), shown.workspace) as opened:
        yield opened


def draw(screen: Terminal, name: str) -> None:
    """What the terminal shows, as a picture of the docs."""
    folder = os.environ.get("PASTWORK_PICTURES")
    if folder:
        file = Path(folder) / f"neovim-{name}.png"
        picture(screen.captured(), screen.columns, file)
        assert file.read_bytes().startswith(b"\x89PNG")


def test_a_walk_through_a_terminal(screen: Terminal) -> None:
    screen.wait("2 past exchanges", SIZE[:20], "pastwork: 9 past exchanges")
    screen.type("22G")
    screen.wait(f"{FIX} · claude-code · 1 month ago")
    draw(screen, "file")
    screen.type("K")
    screen.wait("lines stand")
    draw(screen, "hover")
    screen.type("j")
    screen.type(":Pastwork search\n")
    screen.wait("9 found")
    screen.type("clear error page rendered")
    screen.wait("## Agent", "3 found")
    draw(screen, "search")
    screen.escape("Past work in this workspace")
    screen.type(":Pastwork search bookings hang four\n")
    screen.wait("# Bookings no longer")
    screen.keys("Enter")
    screen.wait(f"# {FIX}")
    screen.type("/^## You\n")
    screen.type("zt")
    screen.type("/^### Edit\n")
    screen.type("zo:noh | echo\n")
    screen.wait("class PoolTimeout(Exception):")
    draw(screen, "verbatim")
    screen.type("d")
    screen.wait("pool.py", "tickets.py")
    screen.type("1\n")
    screen.wait("from ferryline import settings")
    draw(screen, "diff")
    screen.type(":tabclose\n")
    screen.type("q")
    screen.type(":Pastwork quickfix\n")
    screen.wait("[Quickfix List] Past work on")
