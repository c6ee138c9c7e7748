"""Hover texts: short, in order, and inert."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from pastwork.glance import Glance
from pastwork.lsp import hover
from pastwork.lsp.hover import Style, Told, joined, of_file, of_line, plain
from pastwork.palace.lines import Author

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MARKDOWN = Style(hover.document_link)
IDS = ["0123456789abcde" + digit for digit in "012345"]


def work(number: int = 0, core: str = "Give the pool a timeout", context: str = "30 s", **more: bool) -> Glance:
    return Glance(IDS[number], core, context, "claude-code", f"2026-02-{8 - number:02d}T11:00:00Z", **more)


def test_a_line() -> None:
    told = of_line(Author(work(fix=True), ((3, 9),), 7, 12), MARKDOWN, NOW)
    assert told == Told(
        "**Give the pool a timeout**  \n30 s  \n"
        f"claude-code · 3 weeks ago · a fix · 7 of 12 lines stand · [verbatim](<pastwork://exchange/{IDS[0]}.md>)",
        (IDS[0],),
    )


def test_a_line_of_an_edit_without_informative_lines_says_nothing_of_them() -> None:
    assert "stand" not in of_line(Author(work(), ((3, 3),), 0, 0), MARKDOWN, NOW).text


def test_a_file_shows_three_and_counts_the_rest() -> None:
    told = of_file([work(number, f"core {number}") for number in range(5)], MARKDOWN, NOW)
    assert told.text.startswith("**5 past exchanges**\n\n**core 0**  \n")
    assert told.text.endswith("*2 more in the file's history*")
    assert [f"core {number}" in told.text for number in range(5)] == [True, True, True, False, False]
    assert told.ids == tuple(IDS[:3])


def test_another_file_is_named() -> None:
    assert of_file([work()], MARKDOWN, NOW, "src/`a`.py").text.startswith("**1 past exchange** on ``src/`a`.py``\n\n")


def test_empty_parts_leave_no_gap() -> None:
    text = of_file([Glance(IDS[0], "core", "", "pi", None, open=True)], MARKDOWN, NOW).text
    assert text.splitlines()[2:] == ["**core**  ", f"pi · still at work · {hover.document_link(IDS[0])}"]


def test_plain_text_has_no_marks_at_all() -> None:
    told = joined([of_file([work(0, "a *b* [c](d)", "`e`\n<f>")], plain(), NOW)], plain())
    assert told is not None
    assert told.text == f"1 past exchange\n\na *b* [c](d)\n`e` <f>\nclaude-code · 3 weeks ago · {IDS[0]}"


def test_several_parts_are_one_hover() -> None:
    told = joined([Told("a", ("1", "2")), Told("b", ("2", "3"))], MARKDOWN)
    assert told == Told("a\n\n---\n\nb", ("1", "2", "3"))
    assert joined([], MARKDOWN) is None


def test_links() -> None:
    assert hover.command_link(IDS[0]) == f"[verbatim](command:pastwork.openExchange?%5B%22{IDS[0]}%22%5D)"
    assert hover.file_link(Path("/d/a b.md")) == "[verbatim](<file:///d/a%20b.md>)"


HOSTILE = (
    "[run](command:workbench.action.terminal.new)",
    "![x](https://evil.example/x.png)",
    "<img src=x onerror=alert(1)>",
    "<https://evil.example>",
    "https://evil.example/a www.evil.example user@evil.example",
    "[x]: https://evil.example",
    "** **[a](b)",
    "```\n[a](command:b)",
    "`` [a](b) ` [c](d)",
    "# heading\n> quote\n| a | b |\n|---|---|",
    "\\[a\\](b) \\",
    "&lt;b&gt; &#60;b>",
    "1. a\n- [x](y)",
    "[a\n](b)",
    "$\\href{command:x}{y}$",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_transcript_becomes_active(text: str) -> None:
    told = of_file([Glance(IDS[0], text, text, text, None)], MARKDOWN, NOW)
    tokens = MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(told.text)
    inline = [child for token in tokens for child in token.children or []]
    links = [child.attrs["href"] for child in inline if child.type == "link_open"]
    assert links == [f"pastwork://exchange/{IDS[0]}.md"]
    assert not {token.type for token in [*tokens, *inline]} & {
        *("image", "html_inline", "html_block", "heading_open", "blockquote_open", "table_open", "fence", "code_block")
    }
