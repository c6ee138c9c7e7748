"""Whole screens as text, compared with ``screens/*.txt``; ``PASTWORK_ACCEPT=1`` writes them anew."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from tests import SLACK
from tests.neovim.nvim import Nvim

SCREENS = Path(__file__).parent / "screens"
MARKS = "vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('pastwork'), 0, -1, {})"


def seen(child: Nvim) -> str:
    """The screen; days that depend on the hour of the run, and the folder of the run, count as the same."""
    text = re.sub(r"\b\d days ago", "N days ago", "\n".join(child.screen())) + "\n"
    return re.sub(r"/\S*/code/ferryline\b", "~/code/ferryline", text)


def check(child: Nvim, name: str) -> None:
    """The screen is, or within seconds becomes, the one kept under that name (highlighting takes its time)."""
    file = SCREENS / f"{name}.txt"
    if os.environ.get("PASTWORK_ACCEPT"):
        time.sleep(2)
        file.write_text(seen(child), encoding="utf-8")
    expected, deadline = file.read_text(encoding="utf-8"), time.monotonic() + 10 * SLACK
    while (text := seen(child)) != expected:
        assert time.monotonic() < deadline, f"read {file} and the screen side by side:\n{text}"
        time.sleep(0.1)


@pytest.fixture
def screen(window: Nvim) -> Nvim:
    window.command("set lines=27 columns=110")
    return window


def test_lens_and_annotation(screen: Nvim) -> None:
    screen.wait("#vim.lsp.codelens.get(0) > 0")
    screen.cursor(22)
    screen.wait(f"#{MARKS} == 1")
    check(screen, "file")
    screen.command("Pastwork toggle all")
    screen.wait(f"#{MARKS} == 4")
    check(screen, "all-lines")


def test_picker(screen: Nvim) -> None:
    screen.command("Pastwork search")
    screen.keys('"error page"')
    screen.wait("part('list') and #part('list') == 2 and part('preview')[1]:find('proxy')")
    check(screen, "search")
    screen.command("set columns=86")  # resizing closes; a narrow terminal has no preview
    screen.keys("<Esc>")
    screen.wait("#vim.api.nvim_list_wins() == 1")
    screen.command("Pastwork file")
    screen.wait("part('list') and #part('list') == 4")
    check(screen, "file-history")


def test_verbatim(screen: Nvim) -> None:
    screen.command("Pastwork search bookings four")
    screen.wait("part('list') and part('list')[1]:find('Bookings no longer hang', 1, true)")
    screen.keys("<CR>")
    screen.wait("vim.api.nvim_buf_get_name(0):find('^pastwork://') and vim.fn.line('$') > 5")
    screen.run("vim.fn.search('^## You')\nvim.cmd('normal! zt')")
    check(screen, "verbatim")
    screen.run("vim.fn.search('^### Edit')\nvim.cmd('normal! zozt')")
    check(screen, "verbatim-edit")
