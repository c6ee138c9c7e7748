"""Search as one types, its preview and keys; the same picker over files, lines and rooms."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lsp.conftest import Sample
from tests.neovim.conftest import POOL, Start
from tests.neovim.nvim import Nvim

FIX = "Bookings no longer hang: the pool gives up after 5 s"
HITS = "part('list') and #part('list') > 1 and part('list')"


def typed(child: Nvim, query: str, seconds: float = 20.0) -> list[str]:
    """Opens the search, types, and waits for hits."""
    child.command("Pastwork search")
    child.keys(query)
    child.wait("part('prompt')[1] == ...", query)
    child.wait(HITS, seconds=seconds)
    return list(child.lua("part('list')"))


@pytest.fixture
def searched(window: Nvim) -> Nvim:
    """The picker with what is found for two words of one prompt."""
    typed(window, "bookings four")
    window.wait("part('list')[1]:find(..., 1, true)", FIX)
    return window


def title(child: Nvim, part: str = "prompt", what: str = "title") -> str:
    found = child.run(
        """
        for _, window in ipairs(vim.api.nvim_list_wins()) do
          if vim.bo[vim.api.nvim_win_get_buf(window)].filetype == 'pastwork-' .. ... then
            local config = vim.api.nvim_win_get_config(window)
            return { title = config.title, footer = config.footer }
          end
        end
        """,
        part,
    )
    return "".join(chunk[0] for chunk in found.get(what, [])).strip()


def test_search_answers_as_one_types(searched: Nvim) -> None:
    rows = searched.lua("part('list')")
    assert rows[:2] == [
        f"  {FIX}",
        "    claude-code · 1 month ago · `book` releases its connection — ferryline/pool.py, ferryline/tickets.py",
    ]
    assert (title(searched), title(searched, "list", "footer")[-5:]) == ("Past work in this workspace", "found")
    searched.keys("<C-u><C-u>")  # scrolls the preview; what was typed stays
    assert searched.lua("part('prompt')") == ["bookings four"]
    searched.keys("<BS>" * 13 + "invalid_grant")
    searched.wait("part('list')[1]:find('Only one caller refreshes', 1, true)")


def test_hits_of_one_session_say_so_where_they_are_ranked(window: Nvim) -> None:
    rows = typed(window, "pool")
    hits = window.lua("ask('pastwork/search', { query = 'pool', limit = 20 }).hits")
    assert [row[2:] for row in rows[::2]] == [hit["object"]["exchange_core"] for hit in hits]
    told = [(row, hit["session_note"]) for row, hit in zip(rows[1::2], hits, strict=True) if hit["session_note"]]
    assert told
    assert all(f" · {note}" in row for row, note in told)


def test_an_empty_query_shows_what_was_last(window: Nvim) -> None:
    window.command("Pastwork search")
    window.wait(HITS)
    assert "gemini-cli" in window.lua("part('list')")[1]
    assert len(window.lua("part('list')")) == 18


def test_a_query_may_stand_on_the_command_line(window: Nvim) -> None:
    window.command('Pastwork search "connection pool"  agent:claude-code ')
    window.wait(HITS)
    assert window.lua("part('prompt')") == ['"connection pool"  agent:claude-code']
    assert all("claude-code" in row for row in window.lua("part('list')")[1::2])


def test_nothing_found_says_what_to_do(window: Nvim) -> None:
    window.command("Pastwork search zqxjkv")
    window.wait("part('list')[1]:find('Nothing found')")
    rows = window.lua("part('list')")
    assert rows[:4] == [
        "  Nothing found",
        "  Try all work (Ctrl-A), or other words",
        "  ",
        "  pastwork: 9 past exchanges",
    ]
    assert "  no exchange holds 'zqxjkv'" in rows  # what the answer notes
    assert title(window, "list", "footer") == "0 found"
    window.keys("<C-a>")
    window.wait("part('list')[2]:find('Pastwork status')")
    assert title(window) == "Past work anywhere"
    window.keys("<CR>")  # nothing to open: stays
    assert window.lua("part('prompt')") == ["zqxjkv"]
    window.keys("<Esc>")
    window.wait("#vim.api.nvim_list_wins() == 1 and vim.fn.mode() == 'n'")
    assert window.lua("vim.fn.expand('%:t')") == "pool.py"


def test_the_preview_is_the_exchange_at_the_words_looked_for(window: Nvim) -> None:
    typed(window, "proxy_read_timeout")
    window.wait("part('preview') and part('preview')[1]:find('The proxy ends', 1, true)")
    shown = window.lua("part('preview')")
    answer = window.lua("ask('pastwork/exchange', { id = found(...).id })", "proxy_read_timeout")
    assert shown == answer["markdown"].split("\n")
    # The text is scrolled to the first of the words, which is highlighted.
    assert any("proxy_read_timeout" in row for row in window.screen())
    assert (
        window.run(
            """
        for _, window in ipairs(vim.api.nvim_list_wins()) do
          if vim.bo[vim.api.nvim_win_get_buf(window)].filetype == 'pastwork-preview' then return #vim.fn.getmatches(window) end
        end
        """
        )
        == 1
    )


def test_moving_through_the_list(window: Nvim) -> None:
    window.command("Pastwork search")
    window.wait(HITS)
    window.wait("part('preview')[1]:find('^# ')")
    first = window.lua("part('preview')")
    window.keys("<C-n>")
    window.wait("not vim.deep_equal(part('preview'), ...)", first)
    window.keys("<Up>")
    window.wait("vim.deep_equal(part('preview'), ...)", first)
    window.keys("<Up><Up>")  # the first stays
    window.keys("<Down>" * 30)  # the last stays
    window.wait("part('preview')[1]:find('Bookings no longer hang', 1, true)")


@pytest.mark.parametrize(
    ("key", "windows", "tabs"), [("<CR>", 1, 1), ("<C-s>", 2, 1), ("<C-v>", 2, 1), ("<C-t>", 1, 2)]
)
def test_opening_the_verbatim(searched: Nvim, key: str, windows: int, tabs: int) -> None:
    searched.keys(key)
    searched.wait("vim.api.nvim_buf_get_name(0):find('^pastwork://exchange/') and vim.fn.line('$') > 5")
    assert searched.lua("{ #vim.api.nvim_tabpage_list_wins(0), #vim.api.nvim_list_tabpages(), vim.fn.mode() }") == [
        windows,
        tabs,
        "n",
    ]
    assert searched.lines()[0].startswith(f"# {FIX}")


def test_opening_the_file(searched: Nvim, indexed: Sample) -> None:
    searched.run(
        "vim.ui.select = function(items, options, done) _G.offered = { options.prompt, vim.tbl_map(options.format_item, items) }; done(items[2]) end"
    )
    searched.keys("<C-f>")
    searched.wait("vim.fn.expand('%:t') == 'tickets.py'")
    assert searched.lua("offered") == ["Which file?", ["ferryline/pool.py", "ferryline/tickets.py"]]


def test_copying_what_an_agent_may_be_given(searched: Nvim) -> None:
    searched.keys("<C-y>")
    searched.wait("vim.fn.execute('messages'):find('Copied as context for an agent', 1, true)")
    assert FIX in searched.lua("vim.fn.getreg('\"')")


def test_leaving_closes(window: Nvim) -> None:
    for leave in ("<Esc>", "<C-c>", "<C-\\><C-n><C-w>p"):
        window.command("Pastwork search")
        window.wait("part('prompt')")
        window.keys(leave)
        window.wait("#vim.api.nvim_list_wins() == 1 and vim.fn.mode() == 'n'")


def test_only_the_newest_answer_is_shown(window: Nvim) -> None:
    """The older answer comes late, as from a slow server."""
    asked = window.run(
        """
        local answers, asked = {}, {}
        require('pastwork.picker').open(function(query, _, show)
          table.insert(asked, query)
          answers[query] = show
          return function() answers[query] = nil end
        end, 'a')
        vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'ab' })
        vim.api.nvim_exec_autocmds('TextChangedI', { buffer = 0 })
        for _, query in ipairs({ 'ab', 'a' }) do
          if answers[query] then answers[query]({ { head = query, detail = '' } }, 'T', '', {}) end
        end
        return asked
        """
    )
    assert asked == ["a", "ab"]
    assert window.lua("part('list')")[0] == "ab"


def test_more_is_asked_for_by_who_looks_for_more(window: Nvim) -> None:
    asked = window.run(
        """
        local asked = {}
        local picker = require('pastwork.picker').open(function(query, filters, show)
          table.insert(asked, { query, filters.limit })
          local entries = {}
          for number = 1, math.min(filters.limit, 130) do entries[number] = { head = tostring(number), detail = '' } end
          show(entries, 'T', '', {})
        end)
        for index = 2, 140 do picker:select(index) end
        _G.at = picker.index
        vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'x' })
        vim.api.nvim_exec_autocmds('TextChangedI', { buffer = 0 })
        _G.typed = picker.index
        return asked
        """
    )
    assert asked == [["", 20], ["", 120], ["", 220], ["x", 20]]
    assert window.lua("{ at, typed }") == [130, 1]


def test_a_small_terminal_has_no_preview(window: Nvim) -> None:
    window.command("set columns=80 lines=12")
    typed(window, "bookings four")
    assert window.lua("part('preview')") == [""]  # and nothing is asked for it
    assert all(len(row) <= 80 and "^F file" not in row for row in window.screen())
    window.keys("<C-d>")  # no preview to scroll, and nothing goes wrong
    window.keys("<Esc>")
    window.wait("#vim.api.nvim_list_wins() == 1")


def test_resizing_keeps_what_is_typed(window: Nvim) -> None:
    typed(window, "bookings four")
    window.keys("<C-a>")
    window.wait("vim.api.nvim_win_get_config(0).title[1][1] == ' Past work anywhere '")
    window.command("set columns=90")
    window.command("doautocmd VimResized")
    window.wait("part('prompt')[1] == 'bookings four' and #part('list') > 1")
    assert title(window) == "Past work anywhere"
    assert not any("^F file" in row for row in window.screen())  # there is no room for a preview
    window.command("set columns=120")
    window.wait("part('preview')[1]:find(..., 1, true)", FIX)
    assert any("^F file" in row for row in window.screen())
    assert window.lua("vim.fn.mode()") == "i"


@pytest.mark.parametrize(
    ("deed", "line", "expected", "rows"),
    [
        ("file", 1, f"Past work on {POOL}", 4),
        ("line", 22, f"Past work on {POOL}, line 22", 4),
    ],
)
def test_past_work_on_a_file_or_line(window: Nvim, deed: str, line: int, expected: str, rows: int) -> None:
    window.cursor(line)
    window.command(f"Pastwork {deed}")
    window.wait(HITS)
    assert (title(window), len(window.lua("part('list')"))) == (expected, rows)
    window.keys("5 s  HANG")
    window.wait("part('prompt')[1] == '5 s  HANG' and #part('list') == 2")
    assert FIX in window.lua("part('list')")[0]
    window.keys("x")
    window.wait("part('list')[1] == '  No match'")


def test_rooms(window: Nvim) -> None:
    window.command("Pastwork rooms")
    window.wait(HITS)
    assert title(window) == "Rooms of this workspace"
    window.keys("pool.py")
    window.wait("#part('list') == 2")
    assert window.lua("part('list')") == ["  pool.py", "    2 · file"]
    window.keys("<CR>")
    window.wait("part('list') and #part('list') == 4")
    assert title(window) == "Room: pool.py"
    window.keys("<CR>")
    window.wait("vim.api.nvim_buf_get_name(0):find('^pastwork://exchange/')")


def test_a_room_by_its_name(window: Nvim) -> None:
    window.command("Pastwork rooms file:ferryline/pool.py")
    window.wait(HITS)
    assert title(window) == "Room: pool.py"


def test_a_source_for_other_pickers(window: Nvim) -> None:
    window.run(
        """
        _G.got = {}
        require('pastwork').search('bookings four', function(hits, answer) got = { hits = hits, total = answer.total } end, { limit = 1 })
        """
    )
    got: dict[str, Any] = window.wait("got.total and got")
    assert len(got["hits"]) == 1
    assert got["hits"][0]["object"]["exchange_core"] == FIX
    window.run("_G.got = nil; require('pastwork').search('bookings', function() got = true end)()")
    window.run("vim.wait(500)")
    assert window.lua("got == nil")


@pytest.mark.parametrize("name", ["search", "file", "line", "rooms"])
def test_plug_mappings(window: Nvim, name: str) -> None:
    window.command(f"nmap ,x <Plug>(pastwork-{name})")
    window.cursor(22)
    window.keys(",x")
    window.wait(HITS)


def test_a_search_needs_no_open_file(start: Start, indexed: Sample) -> None:
    child = start(indexed)
    assert child.lua("#vim.lsp.get_clients()") == 0
    rows = typed(child, "bookings four")
    assert FIX in rows[0]
    child.keys("<Esc>")
    child.open(POOL)
    child.wait("#vim.lsp.codelens.get(0) > 0")
    assert child.lua("#vim.lsp.get_clients()") == 1  # the very server
