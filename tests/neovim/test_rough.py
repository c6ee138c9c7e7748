"""Rough use: windows closed under way, servers that die, sessions, swap files, names and text of every kind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.lsp.conftest import Sample
from tests.lsp.transcript import appended, transcript_with
from tests.neovim.conftest import POOL, TOLD, Start
from tests.neovim.nvim import Nvim, errors
from tests.neovim.test_life import LENS, MARKS, PROMPT, server
from tests.neovim.test_picker import HITS, typed
from tests.neovim.test_verbatim import SHOWN, id_of, opened

FIX = TOLD["Bookings hang for ever"][0]
NAME = "a b|c 'd' \"e\" %f #g $HOME [h] `i`.py"


def test_a_search_outlives_its_server(start: Start, indexed: Sample) -> None:
    """What was asked of a server that died is asked of the next, without another key."""
    child = start(indexed, POOL)
    child.wait(LENS)
    typed(child, "zzz")
    dying = server(child)
    dying.send_signal(signal.SIGSTOP)
    child.keys("<BS><BS><BS>bookings four")
    child.wait("part('prompt')[1] == 'bookings four'")
    child.run("vim.wait(200)")
    dying.send_signal(signal.SIGKILL)
    child.wait("part('list')[1]:find(..., 1, true)", FIX)
    child.wait("part('preview')[1]:find(..., 1, true)", FIX)
    assert child.lua("vim.fn.mode()") == "i"


def test_neovim_ends_at_once_whatever_is_under_way(start: Start, indexed: Sample) -> None:
    for keys in (":Pastwork search<CR>boo", ":Pastwork file<CR>", ":Pastwork search<CR>boo<Esc>:Pastwork status<CR>"):
        child = start(indexed, POOL)
        child.keys(keys)
        child.keys("<C-\\><C-n>:qa<CR>" if keys.endswith("boo") else ":qa!<CR>")
        assert child.process.wait(10) == 0, keys
        child.close()


def test_pasted_lines_become_one_query(window: Nvim) -> None:
    window.command("Pastwork search")
    window.wait("part('prompt')")
    window.ask("nvim_paste", "Traceback:\n  pool.py, line 3\nPoolTimeout: bookings", True, -1)
    window.keys(" four")
    window.wait("part('prompt')[1] == ...", "Traceback:   pool.py, line 3 PoolTimeout: bookings four")
    assert any("Traceback:" in row for row in window.screen())
    window.keys("<C-w><C-w>")  # removes words, as anywhere
    window.wait("part('prompt')[1] == ...", "Traceback:   pool.py, line 3 PoolTimeout: ")


def test_fast_typing_and_escape(window: Nvim) -> None:
    for _ in range(5):
        window.keys(":Pastwork search<CR>bookings<C-n><C-n><Esc>")
    window.keys("22G")
    window.wait("#vim.api.nvim_list_wins() == 1 and vim.fn.mode() == 'n' and vim.fn.line('.') == 22")
    window.keys(":Pastwork search bookings four<CR><CR>")  # before anything is found: stays
    window.wait(HITS)


@pytest.mark.parametrize("part", ["prompt", "list", "preview"])
def test_windows_closed_during_a_search(window: Nvim, part: str) -> None:
    window.command("vsplit")
    window.command("Pastwork search")
    window.wait("part('prompt')")
    window.keys("boo")
    window.run(
        """
        for _, each in ipairs(vim.api.nvim_list_wins()) do
          if vim.bo[vim.api.nvim_win_get_buf(each)].filetype == 'pastwork-' .. ... then vim.api.nvim_win_close(each, true) end
        end
        """,
        part,
    )
    window.keys("k<C-n><C-d><C-\\><C-n>")
    window.run("vim.wait(300)")
    window.keys("<Esc>")
    window.wait("#vim.api.nvim_list_wins() == 2 and vim.fn.mode() == 'n'")


def test_q_and_going_elsewhere_close_the_search(window: Nvim) -> None:
    window.command("vsplit")
    typed(window, "bookings")
    window.keys("<C-\\><C-n>:q<CR>")
    window.wait("#vim.api.nvim_list_wins() == 2")
    typed(window, "bookings")
    window.keys("<C-\\><C-n>:2wincmd w<CR>")
    window.wait("#vim.api.nvim_list_wins() == 2")
    assert window.lua("vim.fn.winnr()") == 2  # where the user went, not where the search was opened
    assert window.messages() == []


@pytest.mark.parametrize(("option", "said"), [("winfixbuf", "E1513"), ("nohidden", "E37")])
def test_what_neovim_refuses_is_told(start: Start, indexed: Sample, option: str, said: str) -> None:
    child = start(indexed, POOL)
    child.wait(LENS)
    child.command(f"set {option} | call setline(1, 'changed')")
    typed(child, "bookings four")
    child.keys("<CR>")
    child.wait("vim.fn.execute('messages'):find('pastwork: E', 1, true)")
    assert [line for line in child.messages() if said in line]
    assert errors(child.messages()) == []
    assert child.lines()[0] == "changed"


def test_a_session_brings_the_verbatim_back(start: Start, indexed: Sample, tmp_path: Path) -> None:
    child = start(indexed, POOL)
    child.wait(LENS)
    exchange = id_of(child, "bookings four")
    child.command(f"split pastwork://exchange/{exchange}.md")
    child.wait(SHOWN)
    child.cursor(30)
    child.command(f"mksession {tmp_path / 'session.vim'}")
    child.close()
    again = start(indexed)
    again.command(f"source {tmp_path / 'session.vim'}")
    assert again.wait(SHOWN) == exchange
    assert again.lua("{ #vim.api.nvim_list_wins(), vim.bo.modifiable, vim.fn.foldclosed(vim.fn.search('^### ', 'n')) > 0 }") == [2, False, True]  # fmt: skip
    assert errors(again.messages()) == []


def test_the_verbatim_can_not_be_spoilt(window: Nvim) -> None:
    exchange = opened(window, "bookings four")
    before = window.lines()
    for deed in ("normal! ddix", "normal! u", "write", "silent! undo"):
        window.run("pcall(vim.cmd, ...)", deed)
        assert window.lines() == before, deed
    window.command("messages clear")
    window.cursor(40)
    window.command("edit!")
    window.wait("vim.fn.line('$') == ...", len(before))
    assert (window.lines(), window.lua("vim.fn.line('.')"), window.lua("vim.bo.modified")) == (before, 40, False)
    assert not list(Path(window.lua("vim.fn.stdpath('state')")).glob("swap/*exchange*"))
    window.command(f"edit pastwork://exchange/{exchange}")  # the name without its ending will do
    window.wait("vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), ...)", before)


def test_the_diff_may_be_looked_at_twice(window: Nvim) -> None:
    window.run("vim.ui.select = function(items, _, done) done(items[1]) end")
    opened(window, "bookings four")
    for tabs in (2, 3):
        window.keys("d")
        window.wait("#vim.api.nvim_list_tabpages() == ... and vim.wo.diff and vim.fn.line('$') > 5", tabs)
        window.command("tabfirst")
    window.command("tabonly!")


def test_two_neovims_and_a_swap_file(start: Start, indexed: Sample) -> None:
    first, second = start(indexed), start(indexed)
    for child in (first, second):
        child.command("set swapfile")
        child.open(POOL)
        child.wait(LENS)
        child.run("vim.ui.select = function(items, _, done) done(items[1]) end")
        opened(child, "bookings four")
        child.keys("gf")
        child.wait("vim.fn.expand('%:t') == 'pool.py'")
        assert errors(child.messages()) == []


def test_a_split_is_closed_again(window: Nvim) -> None:
    typed(window, "bookings four")
    window.keys("<C-v>")
    window.wait(f"{SHOWN} and #vim.api.nvim_list_wins() == 2")
    window.keys("q")
    window.wait("#vim.api.nvim_list_wins() == 1 and vim.fn.expand('%:t') == 'pool.py'")


def test_a_file_with_other_line_ends(start: Start, indexed: Sample) -> None:
    """What was written stands beside the file of today without a difference in every line."""
    page = indexed.workspace / POOL
    before = page.read_bytes()
    try:
        page.write_bytes(before.replace(b"\n", b"\r\n"))
        child = start(indexed)
        typed(child, "bookings four")
        child.keys("<CR>")
        child.wait(SHOWN)
        child.run("vim.ui.select = function(items, _, done) done(items[1]) end")
        child.keys("d")
        child.wait("#vim.api.nvim_list_tabpages() == 2 and vim.wo.diff and vim.fn.line('$') > 5")
        assert not any("\r" in line for line in child.lines())
        differ = child.lua("vim.fn.map(vim.fn.range(1, vim.fn.line('$')), 'diff_hlID(v:val, 1)')")
        assert differ.count(0) > 15
    finally:
        page.write_bytes(before)


@pytest.fixture
def oddly_named(sample: Sample) -> Iterator[Path]:
    """A file with every character that means something to Neovim, written by an exchange."""
    page = sample.workspace / "web" / NAME
    page.write_text("print('harbour')\n")
    (sample.workspace / "web" / "c").write_text("not this one\n")
    appended(transcript_with(sample.home, PROMPT), "Greet zebra harbour", "Done.", edited=page)
    sample.pastwork("index", "--no-vectors")
    yield page
    page.unlink()
    (sample.workspace / "web" / "c").unlink()


def test_a_file_of_any_name(start: Start, sample: Sample, oddly_named: Path) -> None:
    here = "vim.fn.expand('%:p') == ..."
    child = start(sample, POOL)
    child.open(oddly_named)
    child.wait(f"{LENS} and #{MARKS} == 1")
    child.command("Pastwork quickfix")
    child.wait("vim.bo.buftype == 'quickfix'")
    child.keys("<CR>")
    child.wait(here, str(oddly_named))
    child.command("cclose | Pastwork file")
    child.wait(HITS)
    assert any(NAME in row for row in child.screen())
    child.keys("<C-f>")
    child.wait(here, str(oddly_named))
    opened(child, "zebra")
    child.run("vim.fn.search('^### Edit')")  # anywhere in the heading
    child.keys("gf")
    child.wait(here, str(oddly_named))
    opened(child, "zebra")
    child.keys("d")
    child.wait("#vim.api.nvim_list_tabpages() == 2 and #vim.api.nvim_tabpage_list_wins(0) == 2")
    assert child.lua("vim.api.nvim_buf_get_name(vim.fn.winbufnr(2))") == str(oddly_named)
    assert errors(child.messages()) == []


def test_a_name_with_control_characters(start: Start, sample: Sample) -> None:
    page = sample.workspace / "web" / "new\nline\x1b[31m.py"
    page.write_text("print('harbour')\n")
    try:
        child = start(sample, POOL)
        child.wait(LENS)
        child.open(page)
        child.wait("#vim.lsp.get_clients({ bufnr = 0 }) > 0")
        child.command("messages clear")
        child.command("Pastwork file")
        child.wait("vim.fn.execute('messages'):find('Past work on', 1, true)")
        (said,) = child.messages()
        assert said.startswith("pastwork: Past work on web/new line␛[31m.py: ")
    finally:
        page.unlink()


def test_wide_combining_and_right_to_left_text(start: Start, sample: Sample) -> None:
    """The picker's frame stands, whatever a prompt is written in, and the words are found."""
    prompt = (
        "zebra 図書館の予約が重複します " + "e\u0301" * 40 + " שלום עולם \U0001f469\u200d\U0001f4bb " + "long " * 3000
    )
    appended(transcript_with(sample.home, PROMPT), prompt, "Done: 重複 of zebra.")
    sample.pastwork("index", "--no-vectors")
    child = start(sample, POOL)
    child.wait(LENS)
    typed(child, "zebra 重複")
    child.wait("part('preview') and part('preview')[1]:find('zebra')")
    frame = child.run(
        """
        vim.cmd('redraw!')
        local out = {}
        for _, window in ipairs(vim.api.nvim_list_wins()) do
          local at = vim.fn.win_screenpos(window)
          local high, wide = vim.api.nvim_win_get_height(window), vim.api.nvim_win_get_width(window)
          if vim.fn.win_gettype(window) == 'popup' then
            for row = at[1] + 1, at[1] + high do
              table.insert(out, vim.fn.screenstring(row, at[2]) .. vim.fn.screenstring(row, at[2] + wide + 1))
            end
          end
        end
        return out
        """
    )
    assert len(frame) > 20
    assert set(frame) == {"││"}
    child.keys("<CR>")
    child.wait(SHOWN)
    assert "重複" in "\n".join(child.lines())


def test_a_huge_exchange(start: Start, sample: Sample) -> None:
    """5 MB of answer: the preview is cut, the drill-down is whole, typing goes on."""
    answer = "\n\n".join(f"zebra {number} " + "x" * 480 for number in range(10_000))
    appended(transcript_with(sample.home, PROMPT), "Tell all about the zebra", answer)
    sample.pastwork("index", "--no-vectors")
    child = start(sample, POOL)
    child.wait(LENS)
    typed(child, "zebra")
    child.wait("part('preview') and #part('preview') == 1000", seconds=40)
    child.keys(" 7")
    child.wait("part('prompt')[1] == 'zebra 7'")
    child.keys("<CR>")
    child.wait(f"{SHOWN} and vim.fn.line('$') > 10000", seconds=40)
    assert "zebra 9999 " in child.lines()[-2] + child.lines()[-1]
    assert errors(child.messages()) == []


def test_a_file_changed_outside(start: Start, sample: Sample) -> None:
    """The annotation goes with its lines when another program writes the file."""
    page = sample.workspace / POOL
    before = page.read_text()
    try:
        child = start(sample, POOL)
        child.wait(LENS)
        child.cursor(22)
        child.wait(f"#{MARKS} == 1")
        time.sleep(0.05)
        page.write_text("# one\n# two\n" + before)
        os.utime(page, (time.time() + 5, time.time() + 5))
        child.command("set autoread | checktime")
        child.wait("vim.fn.getline(1) == '# one'")
        child.cursor(24)
        child.wait(f"#{MARKS} == 1 and {MARKS}[1][2] == 23 and {MARKS}[1][4].virt_text[1][1]:find(..., 1, true)", FIX)
    finally:
        page.write_text(before)


def test_no_process_stays_behind(start: Start, indexed: Sample) -> None:
    child = start(indexed, POOL)
    child.wait(LENS)
    child.command("Pastwork search")
    family = psutil.Process(child.process.pid).children(recursive=True)
    assert family, "the server at least"
    child.process.kill()
    _gone, alive = psutil.wait_procs(family, timeout=15)
    assert not alive
