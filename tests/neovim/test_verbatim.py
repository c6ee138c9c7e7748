"""The drill-down: the transcript's own words, folds, keys, and what was written beside the file today."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from markdown_it import MarkdownIt

from tests.lsp.conftest import Sample
from tests.lsp.transcript import appended, pieces, prompts, records, transcript_with
from tests.neovim.conftest import POOL, TOLD, Start
from tests.neovim.nvim import Nvim

PROMPT = "Bookings hang for ever when more than four people book"
SHOWN = "vim.api.nvim_buf_get_name(0):find('^pastwork://exchange/') and vim.fn.line('$') > 5 and vim.fn.expand('%:t:r')"


def id_of(child: Nvim, query: str) -> str:
    """Of the exchange found first."""
    return str(child.lua("found(...).id", query))


def opened(child: Nvim, query: str) -> str:
    """Opens the drill-down of what is found first; its id."""
    exchange = id_of(child, query)
    child.command(f"edit pastwork://exchange/{exchange}.md")
    assert child.wait(SHOWN) == exchange
    return exchange


@pytest.fixture
def exchange(window: Nvim) -> str:
    """The one that fixed the pool, on the screen."""
    return opened(window, "bookings four")


def said(markdown: str) -> Iterator[tuple[str, str]]:
    """(kind, text) of the document's pieces below its head, by a Markdown parser that knows nothing of us.

    Kinds: ``user``, ``assistant``, ``tool`` (its name), ``fence`` (a code block's text).
    """
    tokens = iter(MarkdownIt().parse(markdown))
    speaker = None
    for token in tokens:
        if token.type == "heading_open":
            title = next(tokens)
            words = "".join(child.content for child in title.children or [])
            if token.tag == "h2":
                speaker = {"You": "user", "Agent": "assistant"}[words.split(" · ")[0]]
            elif token.tag == "h3":
                yield "tool", words.split(" ")[0]
        elif token.type == "fence":
            yield "fence", token.content.removesuffix("\n")
        elif token.type == "inline" and speaker:
            yield speaker, "".join(child.content or "\n" for child in token.children or [])


def flat(text: str) -> str:
    """Without the marks of code spans, and with blanks as one."""
    return " ".join(text.replace("`", "").split())


def test_the_text_is_the_transcripts(window: Nvim, exchange: str, indexed: Sample) -> None:
    transcript = transcript_with(indexed.home, PROMPT)
    prompt = next(text for text in prompts(transcript) if PROMPT in text)
    shown = list(said("\n".join(window.lines())))
    told = list(pieces(transcript, prompt))
    assert [name for kind, name in shown if kind == "tool"] == [name for kind, name in told if kind == "tool"]
    for who in ("user", "assistant"):
        ours = " ".join(flat(text) for kind, text in shown if kind == who and text != "Output:")
        assert ours == " ".join(flat(text) for kind, text in told if kind == who)
    fences = [text for kind, text in shown if kind == "fence"]
    for kind, output in told:
        if kind == "output" and output.strip():
            assert output in fences
    assert any("+class PoolTimeout(Exception):" in text for text in fences)  # an edit's own lines, as a diff


def test_the_buffer_is_read_only_markdown(window: Nvim, exchange: str) -> None:
    assert window.lua("{ vim.bo.buftype, vim.bo.filetype, vim.bo.modifiable, vim.bo.modified, vim.bo.buflisted }") == [
        "nowrite",
        "markdown",
        False,
        False,
        False,
    ]
    assert window.lua("vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil")


def test_tool_calls_are_folded(window: Nvim, exchange: str) -> None:
    lines = window.lines()
    heads = [number for number, line in enumerate(lines, 1) if line.startswith("### ")]
    closed = window.run(
        "local out = {}; for line = 1, vim.fn.line('$') do out[line] = vim.fn.foldclosed(line) end; return out"
    )
    assert {start for start in closed if start > 0} == set(heads)
    for number, line in enumerate(lines, 1):
        inside = max((head for head in heads if head <= number), default=0)
        if line.startswith(("# ", "## ")) or not inside:
            assert closed[number - 1] == -1
    window.cursor(heads[-1])
    window.keys("zo")
    window.wait("vim.fn.foldclosed('.') == -1")
    assert sum("### " in row for row in window.screen()) <= len(heads)


@pytest.mark.parametrize(
    ("lines", "levels"),
    [
        (["# t", "", "## You", "x", "### Run", "```sh", "### no heading", "```", "## Agent"], "000=>1===0"),
        (["### A", "### B"], ">1>1"),
        (["### A", "````diff", "```", "## no", "````", "text", "## yes"], ">1=====0"),
        (["```", "`` `", "### no", "```", "#### four", "### yes"], "=====>1"),
        (["### A", "```text", "```` ", "### no", "```  ", "### no", "```", "### yes"], ">1======>1"),
    ],
)
def test_headings_in_code_fold_nothing(window: Nvim, lines: list[str], levels: str) -> None:
    assert "".join(window.lua("(require('pastwork.verbatim').folds(...))", lines)) == levels


def test_diffs_are_coloured(window: Nvim, exchange: str) -> None:
    """Also without a parser for diffs; a line of other code that begins with a sign is none."""
    lines = ["+ a", "```diff", "--- a", " b", "+c", "```", "- d", "```sh", "+e", "```"]
    coloured = window.run(
        "local out = {}; for line, group in pairs(select(2, require('pastwork.verbatim').folds(...))) do out[tostring(line)] = group end; return out",
        lines,
    )
    assert coloured == {"3": "Removed", "5": "Added"}
    marks = window.lua(
        "vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('pastwork.diff'), 0, -1, { details = true })"
    )
    text = window.lines()
    assert {text[mark[1]][:1] for mark in marks if mark[3]["line_hl_group"] == "Added"} == {"+"}
    assert any("class PoolTimeout" in text[mark[1]] for mark in marks)


def test_next_and_previous(window: Nvim, exchange: str) -> None:
    window.keys("]x")
    following = window.wait(f"{SHOWN} ~= ... and {SHOWN}", exchange)
    assert window.lines()[0] == "# " + TOLD["Why 5 seconds"][0]
    window.keys("]x")
    window.wait("vim.fn.execute('messages'):find('This is the last exchange of its session.', 1, true)")
    assert window.lua(SHOWN) == following
    window.keys("[x")
    assert window.wait(f"{SHOWN} ~= ... and {SHOWN}", following) == exchange
    window.keys("[x")
    window.wait("vim.fn.execute('messages'):find('This is the first exchange of its session.', 1, true)")
    assert window.lua("vim.fn.foldclosed(vim.fn.search('^### ', 'n')) > 0")  # folds stand when one comes back


def test_q_goes_back_to_where_one_came_from(window: Nvim, exchange: str) -> None:
    window.command(f"edit {POOL}")
    window.run("require('pastwork.verbatim').open(...)", exchange)
    window.wait(SHOWN)
    window.keys("]x")
    window.wait(f"{SHOWN} ~= ...", exchange)
    window.keys("q")
    window.wait("vim.fn.expand('%:t') == 'pool.py'")
    window.run("require('pastwork.verbatim').open(..., 'split')", exchange)
    window.wait(SHOWN)
    window.keys("q")
    window.wait("vim.fn.expand('%:t') == 'pool.py'")


def test_gf_opens_the_file_of_today(window: Nvim, exchange: str, indexed: Sample) -> None:
    window.run("vim.fn.search('ferryline/tickets.py')")
    window.keys("gf")
    window.wait("vim.fn.expand('%:p') == ...", str(indexed.workspace / "ferryline/tickets.py"))


def test_gf_on_a_link_opens_the_exchange(window: Nvim, exchange: str) -> None:
    window.run("vim.fn.search('pastwork://exchange')")
    window.keys("gf")
    window.wait(f"{SHOWN} and {SHOWN} ~= ...", exchange)


def test_gf_elsewhere_asks_for_a_file(window: Nvim, exchange: str) -> None:
    window.run(
        "vim.ui.select = function(items, options, done) _G.offered = vim.tbl_map(options.format_item, items); done(nil) end"
    )
    window.cursor(1)
    window.keys("gf")
    window.wait("offered")
    assert window.lua("offered") == ["ferryline/pool.py", "ferryline/tickets.py"]
    assert window.lua(SHOWN) == exchange


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../../../../../../etc/passwd",
        "ferryline/../../../../../../etc/passwd",
        "ferryline/gone.py",
        "ferryline",
    ],
)
def test_what_leads_out_of_the_workspace_is_not_opened(window: Nvim, exchange: str, path: str) -> None:
    window.run(
        """
        local hit = { workspace = vim.uv.cwd(), object = { files_touched = { { path = ..., action = 'edited' } } } }
        require('pastwork.verbatim').open_file(hit)
        """,
        path,
    )
    assert window.messages() == ["pastwork: None of the files of this exchange exists in this workspace today."]
    assert window.lua(SHOWN) == exchange


def test_r_shows_the_resume_command(window: Nvim, exchange: str) -> None:
    window.keys("r")
    window.wait("vim.fn.execute('messages'):find('Copied: claude --resume', 1, true)")
    assert re.fullmatch(r"claude --resume [0-9a-f-]{36}", window.lua("vim.fn.getreg('\"')"))


def test_r_where_nothing_resumes(window: Nvim) -> None:
    opened(window, "cache Redis")
    window.keys("r")
    window.wait("vim.fn.execute('messages'):find('This agent has no command that resumes the session.', 1, true)")


def test_d_opens_the_diff(window: Nvim, exchange: str, indexed: Sample) -> None:
    """The file was changed since: what this exchange wrote stands on the left, today's file on the right."""
    window.run("vim.ui.select = function(items, _, done) done(items[1]) end")
    window.keys("d")
    window.wait("#vim.api.nvim_list_tabpages() == 2 and #vim.api.nvim_tabpage_list_wins(0) == 2")
    left, right = window.run(
        "return vim.tbl_map(function(window) return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false) end, vim.api.nvim_tabpage_list_wins(0))"
    )
    assert right == (indexed.workspace / POOL).read_text().splitlines()
    assert "class PoolTimeout(Exception):" in left
    assert window.lua(
        "vim.iter(vim.api.nvim_tabpage_list_wins(0)):all(function(window) return vim.wo[window].diff end)"
    )
    assert window.lua("{ vim.bo.modifiable, vim.bo.buftype, vim.fn.expand('%:t') }") == [False, "nofile", "pool.py"]
    window.keys("q")
    window.wait("#vim.api.nvim_list_tabpages() == 1")


def test_context_of_the_exchange_and_of_a_file(window: Nvim, exchange: str) -> None:
    window.command("Pastwork context")
    window.wait("vim.fn.execute('messages'):find('Copied as context for an agent', 1, true)")
    given = window.lua("vim.fn.getreg('\"')")
    assert TOLD["Bookings hang for ever"][0] in given
    assert TOLD["Use the pool size"][0] not in given
    for name, expected in ((POOL, "Copied as context for an agent"), ("ferryline/__init__.py", "Nothing to copy")):
        window.command(f"edit {name}")
        window.command("messages clear")
        window.command("Pastwork context")
        window.wait("vim.fn.execute('messages'):find(..., 1, true)", expected)
        given = window.lua("vim.fn.getreg('\"')")  # stays as it was where there is nothing
        assert TOLD["Use the pool size"][0] in given
        assert TOLD["Child tickets show"][0] not in given
    window.command("enew")
    window.command("messages clear")
    window.command("Pastwork context")
    assert window.messages() == ["pastwork: Open a file of the workspace first."]


def test_an_unknown_exchange_says_so(window: Nvim) -> None:
    window.command("silent! edit pastwork://exchange/0000000000000000.md")
    window.wait("vim.fn.execute('messages'):find('0000000000000000', 1, true)")
    assert window.lines() == [""]
    window.command("messages clear")


def test_a_drill_down_by_itself(start: Start, indexed: Sample, window: Nvim) -> None:
    """From a session file or the command line: no file is open, no server is running."""
    child = start(indexed, f"pastwork://exchange/{id_of(window, 'bookings four')}.md")
    child.wait(SHOWN)
    assert child.lines()[0] == "# " + TOLD["Bookings hang for ever"][0]
    child.keys("q")
    child.wait("vim.api.nvim_buf_get_name(0) == ''")


def test_forgetting(start: Start, sample: Sample) -> None:
    child = start(sample, POOL)
    child.wait("#vim.lsp.codelens.get(0) > 0")
    gone = opened(child, "bookings four")
    child.run("vim.fn.confirm = function(...) _G.asked = { ... }; return answer or asked[3] end")
    child.command("Pastwork forget")
    prompt, choices, _ = child.wait("asked")
    assert prompt.startswith(f"Forget this exchange?\n{TOLD['Bookings hang for ever'][0]}\nclaude-code · 1 month ago. ")
    assert prompt.endswith("the agent's own transcript is not touched.")
    assert choices == "&Forget\n&Keep"
    assert child.lua(SHOWN) == gone  # by default it is kept
    child.run("_G.answer = 1")
    child.command(f"Pastwork forget {gone}")
    child.wait("vim.fn.execute('messages'):find('Forgotten', 1, true)")
    assert child.lua("vim.fn.bufexists(...)", f"pastwork://exchange/{gone}.md") == 0
    child.open(POOL)
    child.wait("vim.lsp.codelens.get(0)[1] and vim.lsp.codelens.get(0)[1].command.title:find('^1 past exchange ')")


def test_a_running_exchange_is_read_again(start: Start, sample: Sample) -> None:
    child = start(sample, POOL)
    child.wait("#vim.lsp.codelens.get(0) > 0")
    transcript = transcript_with(sample.home, PROMPT)
    appended(transcript, "And where is the harbour map?", "In `web/harbour.svg`.")
    child.wait("found(...) and found(...).prompt:find('harbour map', 1, true)", "harbour map")
    opened(child, "harbour map")
    more = records(transcript)[-1]
    more |= {"parentUuid": more["uuid"], "uuid": str(uuid4())}
    more["message"] |= {"id": "msg_more", "content": [{"type": "text", "text": "No: in `web/map.svg`."}]}
    with transcript.open("a", encoding="utf-8") as file:
        file.write(json.dumps(more) + "\n")
    deadline = time.monotonic() + 20
    while "No: in `web/map.svg`." not in child.lines():
        assert time.monotonic() < deadline, child.report()
        child.command("edit")
        time.sleep(0.3)


def test_the_agents_files_stay_as_they_are(window: Nvim, exchange: str, indexed: Sample) -> None:
    transcript: Path = transcript_with(indexed.home, PROMPT)
    before = transcript.read_bytes()
    window.keys("]x[x")
    assert transcript.read_bytes() == before
