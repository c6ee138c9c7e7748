"""What is seen of past work in an open file: lens, hover, annotations, lists, statusline."""

from __future__ import annotations

import re
import time

import pytest

from tests.lsp.conftest import Sample
from tests.neovim.conftest import POOL, Start, options
from tests.neovim.nvim import Nvim, errors
from tests.neovim.test_picker import HITS

FIX = "Bookings no longer hang: the pool gives up after 5 s"
SIZE = "The pool's default size comes from the settings"
MARKS = "vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('pastwork'), 0, -1, { details = true })"


def line_of(child: Nvim, words: str) -> int:
    """From 1."""
    return next(number for number, line in enumerate(child.lines(), 1) if words in line)


def annotated(child: Nvim) -> dict[int, str]:
    """Line -> its annotation."""
    return {mark[1] + 1: mark[3]["virt_text"][0][0].strip() for mark in child.lua(MARKS)}


def test_the_lens_at_the_top(window: Nvim) -> None:
    (lens,) = window.wait("#vim.lsp.codelens.get(0) > 0 and vim.lsp.codelens.get(0)")
    assert re.fullmatch(rf"2 past exchanges(, \d fix(es)?)? · last: {SIZE} · 1 week ago", lens["command"]["title"])
    assert lens["command"]["title"][:60] in window.screen()[0]


def test_the_lens_opens_the_files_history(window: Nvim) -> None:
    window.wait("#vim.lsp.codelens.get(0) > 0")
    window.command("lua vim.lsp.codelens.run()")
    window.wait("#vim.api.nvim_list_wins() > 1")
    assert f" Past work on {POOL} " in window.screen()[1]
    rows = window.wait("part('list') and #part('list') > 1 and part('list')")
    assert rows[0].startswith(f"  {SIZE}")
    assert rows[1].startswith("    claude-code · 1 week ago · wrote lines 4-5, 13 · 100 % stands · ")


def test_only_our_lenses_are_asked_for(window: Nvim) -> None:
    """A user who wants no lenses of another server gets none through us."""
    window.run(
        """
        local function fake(dispatchers)
          local asked = {}
          return {
            request = function(method, _, callback)
              table.insert(asked, method)
              _G.asked = asked
              vim.schedule(function()
                callback(nil, method == 'initialize' and { capabilities = { codeLensProvider = { resolveProvider = true } } } or nil)
              end)
              return true, #asked
            end,
            notify = function() return true end,
            is_closing = function() return false end,
            terminate = function() dispatchers.on_exit(0, 0) end,
          }
        end
        _G.other = vim.lsp.start({ name = 'other', cmd = fake, root_dir = vim.uv.cwd() })
        """
    )
    window.wait("#vim.lsp.get_clients({ name = 'other' }) > 0")
    window.command("doautocmd BufWritePost")
    time.sleep(0.2)
    assert window.lua("asked") == ["initialize"]
    window.run("vim.lsp.get_client_by_id(other):stop(true)")


def test_the_interface_of_neovim_0_12(start: Start, indexed: Sample) -> None:
    """Imitated: lenses are switched on for our client alone, its own refresh is used."""
    child = start(indexed)
    child.run(
        """
        _G.enabled, _G.refreshed = {}, 0
        vim.lsp.codelens.enable = function(on, filter) table.insert(enabled, { on, filter }) end
        vim.lsp.codelens.on_codelens = nil
        vim.lsp.handlers['workspace/codeLens/refresh'] = function(_, _, context)
          _G.refreshed = context.client_id
          return vim.NIL
        end
        """
    )
    child.open(POOL)
    number = child.wait("(vim.lsp.get_clients({ bufnr = 0 })[1] or {}).id")
    child.wait("#enabled > 0")
    child.wait("refreshed == ...", number)  # the server asks for it once it knows who wrote what
    child.keys("Ox<Esc>u")
    child.command("doautocmd BufWritePost")
    child.open("ferryline/tickets.py")
    child.wait("#vim.lsp.get_clients({ bufnr = 0 }) > 0 and #enabled > 1")
    child.run("vim.wait(100)")
    # Once for each buffer, as it is attached: what the user switches off later stays off.
    assert child.lua("enabled") == [[True, {"client_id": number}]] * 2
    assert errors(child.messages()) == []


def test_the_hover_names_the_exchange_that_wrote_the_line(window: Nvim) -> None:
    window.cursor(line_of(window, "raise PoolTimeout"), 12)
    deadline = time.monotonic() + 20
    while window.lua("#vim.api.nvim_list_wins()") == 1:  # who wrote what is known a moment after the first lens
        assert time.monotonic() < deadline
        window.keys("K")
        time.sleep(0.1)
    text = "\n".join(window.screen())
    assert FIX in text
    assert "claude-code · 1 month ago" in text


def test_no_hover_where_nothing_is_known(window: Nvim) -> None:
    window.cursor(line_of(window, "self._connect = connect"), 12)
    (answer,) = window.lua(
        "vim.tbl_values(vim.lsp.buf_request_sync(0, 'textDocument/hover', vim.lsp.util.make_position_params(0, 'utf-16'), 5000))"
    )
    assert "result" not in answer


def test_the_current_line_is_annotated(window: Nvim) -> None:
    line = line_of(window, "raise PoolTimeout")
    window.cursor(line)
    window.wait(f"#{MARKS} > 0")
    assert annotated(window) == {line: annotated(window)[line]}
    assert annotated(window)[line].startswith(FIX)
    assert len(annotated(window)[line]) <= 120
    window.cursor(line_of(window, "self._connect = connect"))
    window.wait(f"#{MARKS} == 0")


def test_an_annotation_shifts_no_text(window: Nvim) -> None:
    before = [row[:40] for row in window.screen()[:24]]
    line = line_of(window, "class PoolTimeout")
    window.cursor(line)
    window.wait(f"#{MARKS} > 0")
    rows = window.screen()
    assert FIX in rows[line - 1]
    assert [row[:20] for row in rows[:24]] == [row[:20] for row in before]


def test_all_lines_are_annotated_once_a_run(window: Nvim) -> None:
    window.command("Pastwork toggle all")
    window.wait(f"#{MARKS} > 1")
    starts = {4: SIZE, 6: FIX, 13: SIZE, 19: FIX}
    found = annotated(window)
    assert set(found) == set(starts)
    assert all(found[line].startswith(label) for line, label in starts.items())


def test_toggling_goes_round(window: Nvim) -> None:
    window.cursor(line_of(window, "raise PoolTimeout"))
    window.wait(f"#{MARKS} == 1")
    for mode in ("all", "off", "line"):
        window.command("Pastwork toggle")
        assert window.messages()[-1] == f"pastwork: annotations: {mode}"
        window.wait({"all": f"#{MARKS} > 1", "off": f"#{MARKS} == 0", "line": f"#{MARKS} == 1"}[mode])


def test_annotations_follow_unsaved_text(window: Nvim) -> None:
    line = line_of(window, "raise PoolTimeout")
    window.cursor(1)
    window.keys("O# a new first line<Esc>")
    window.wait("vim.fn.mode() == 'n' and vim.fn.line('$') > 24")
    window.cursor(line + 1)
    window.wait(f"#{MARKS} > 0")
    assert annotated(window)[line + 1].startswith(FIX)
    # Neovim takes the lens off an edited line; it is asked for again.
    window.wait("vim.iter(vim.lsp.codelens.get(0)):any(function(lens) return lens.range.start.line == 0 end)")
    window.command("undo")


def test_nothing_is_drawn_while_typing(window: Nvim) -> None:
    window.cursor(line_of(window, "raise PoolTimeout"))
    window.wait(f"#{MARKS} == 1")
    window.keys("i")
    window.wait(f"vim.fn.mode() == 'i' and #{MARKS} == 0")
    time.sleep(0.2)
    assert annotated(window) == {}
    window.keys("<Esc>")
    window.wait(f"#{MARKS} == 1")


@pytest.mark.parametrize(
    ("deed", "items"),
    [
        ("quickfix", "vim.fn.getqflist({ items = 1, title = 1 })"),
        ("loclist", "vim.fn.getloclist(0, { items = 1, title = 1 })"),
    ],
)
def test_lists(window: Nvim, deed: str, items: str) -> None:
    window.command(f"Pastwork {deed}")
    window.wait("vim.bo.buftype == 'quickfix'")
    found = window.lua(items)
    assert found["title"] == f"Past work on {POOL}"
    runs = [(item["lnum"], item["end_lnum"]) for item in found["items"]]
    assert runs == [(4, 5), (13, 13), (6, 9), (19, 23)]
    assert found["items"][2]["text"].startswith(FIX)
    assert re.search(r"\(claude-code · 1 month ago\)$", found["items"][2]["text"])
    assert re.fullmatch(r"[0-9a-f]{16}", found["items"][2]["user_data"])
    window.cursor(3)
    window.keys("<CR>")
    window.wait("vim.bo.buftype == '' and vim.fn.line('.') == 6")


def test_a_file_without_past_work_says_so(window: Nvim, indexed: Sample) -> None:
    window.open("ferryline/__init__.py")
    window.wait("#vim.lsp.get_clients({ bufnr = 0 }) > 0")
    for deed in ("file", "quickfix"):
        window.command("messages clear")
        window.command(f"Pastwork {deed}")
        window.wait("vim.fn.execute('messages'):find('Past work on', 1, true)")
        (said,) = window.messages()
        assert said.startswith("pastwork: Past work on ferryline/__init__.py: ")
    assert window.lua("vim.lsp.codelens.get(0)") == []


@pytest.mark.parametrize("deed", ["file", "line", "quickfix", "loclist"])
def test_what_is_no_file_is_told(window: Nvim, deed: str) -> None:
    window.command("enew")
    window.command(f"Pastwork {deed}")
    assert window.messages() == ["pastwork: Open a file of the workspace first."]


def test_the_statusline(window: Nvim) -> None:
    window.wait("require('pastwork').statusline():find('^pastwork: 9 past exchanges')")
    window.command("set statusline=%{v:lua.require'pastwork'.statusline()}")
    assert window.screen()[-2].startswith("pastwork: 9 past exchanges")
    window.command("set statusline&")


def test_the_statusline_follows_during_a_search(window: Nvim) -> None:
    """The cursor is in another window than the line it belongs to; nothing else has Neovim draw it."""
    window.command("let g:beat = 'one' | set laststatus=2 statusline=%{g:beat} | Pastwork search")
    window.wait(HITS)
    beat = "table.concat(vim.fn.map(vim.fn.range(1, 3), ('screenstring(%d, v:val)'):format(vim.o.lines - 1)))"
    window.wait(f"{beat} == 'one'")
    window.command("let g:beat = 'two'")
    time.sleep(0.3)
    assert window.lua(beat) == "one"
    window.run(
        """
        local client = vim.lsp.get_clients({ name = 'pastwork' })[1]
        vim.schedule(function() client.handlers['pastwork/statusChanged'](nil, require('pastwork.client').status, {}) end)
        """
    )
    window.wait(f"{beat} == 'two'", seconds=5)
    window.keys("<Esc>")
    window.command("set statusline&")


def test_status(window: Nvim) -> None:
    window.command("Pastwork status")
    window.wait("vim.fn.execute('messages'):find('exchanges')")
    said = window.messages()
    assert said[0].startswith("pastwork: ")
    assert "claude-code: 4 exchanges, 2 sessions, 0 records skipped, 1 transcripts expiring soon" in said
    assert not any("amp" in line for line in said)


def test_without_lenses_and_annotations(start: Start, indexed: Sample) -> None:
    child = start(indexed, POOL, options=options(lens=False, annotations="off"))
    child.wait("#vim.lsp.get_clients({ bufnr = 0 }) > 0")
    child.cursor(line_of(child, "raise PoolTimeout"))
    time.sleep(0.5)
    assert (child.lua("vim.lsp.codelens.get(0)"), annotated(child)) == ([], {})


def test_server_settings_reach_the_server(start: Start, indexed: Sample) -> None:
    child = start(indexed, POOL, options=options(settings={"lens.symbols": True, "embedding": {"model": "none"}}))
    child.wait("#vim.lsp.codelens.get(0) > 1")
