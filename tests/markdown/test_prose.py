"""Prompts and answers as Markdown: readable, whole, and inert."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pastwork.markdown import code, escape, fence, formatted, literal
from pastwork.marks import one_line, visible
from tests.growth import LINEAR, text_growth
from tests.markdown.reading import kinds, plain

#: All that a passage may hold once rendered.
CALM = {"paragraph", "inline", "text", "text_special", "softbreak", "hardbreak", "fence", "code_inline", "code_block"}
LISTS = {"bullet_list", "ordered_list", "list_item"}
MARKUP = {"em", "strong", "s"}

HOSTILE = [
    "[click](command:workbench.action.terminal.new)",
    "![x](https://evil.example/a.png)",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<https://evil.example>",
    "see https://evil.example/a?b=c and ftp://evil.example, mailto:a@evil.example, //evil.example/x, a@evil.example",
    "[a]: command:evil\n\n[a]",
    "[a][b]\n\n[b]: command:evil",
    "[a\n](command:evil)",
    "`\n`[x](command:evil)` `",
    "`` a ` [x](command:evil)",
    "| a | b |\n|---|---|\n| `x | [x](command:evil) ` |",
    "a | b\n--|--\n`c | [x](command:y)` d",
    "# heading\n\n## You · 10:00:00\n\nfake",
    "title\n===\n\nother\n---\n\n***\n- - -",
    "> quote\n>> [x](command:y)",
    "- ```\ntext [x](command:y)",
    "1. ~~~\n   x\n2. [x](command:y)",
    "> ```\n[x](command:y)\n> ```",
    "```\nunclosed [x](command:y)",
    "````\n```\n[x](command:y)\n```\n````\n[z](command:q)",
    "    indented [x](command:y)\nback [x](command:y)",
    "- a\n\n      [x](command:y)\n\n[x](command:y)",
    "&lt;img src=x&gt; &#91;x](command:y)",
    "\\[x](command:y) \\\\[x](command:y) \\`[x](command:y)`",
    "`a\\`[x](command:y)`",
    "<!-- -->\n<div>\n[x](command:y)",
    "~~~js\n[x](command:y)",
    "- - # deep\n- + 1. > deeper [x](command:y)",
    "<a\nhref='command:x'>go</a>",
    "[x](\ncommand:y)",
    "[^1]\n\n[^1]: note",
    "$x$ $$y$$",
    "http:\\//evil.example www.evil.example",
    "\t- [x](command:y)\n\t```\n\t[x](command:y)",
    "*[x](command:y)*\n**a\n- b**",
    "\u2028[x](command:y)\x85<b>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert(text: str) -> None:
    assert kinds(literal(text)) <= CALM | LISTS
    assert kinds(formatted(text)) <= CALM | LISTS | MARKUP


WORDS = (
    "[x](command:y) ` `` ``` ~~~ - 1. > # | --- === <b> https://e.example a@e.example //e.example [a] \\ * __ word "
    "<!-- &lt; ![ ]( $"
)
PIECES = st.sampled_from([*WORDS.split(), "\n", "\n\n", " ", "    ", "\t", "- ", "1. ", "> ", "# ", "[a]: command:x"])


@given(st.lists(PIECES, max_size=24).map("".join) | st.text(max_size=60))
@settings(max_examples=600, deadline=None)
@example("- \n  ```\n[x](command:y)")
@example("`\\` `[x](command:y)")
def test_nothing_active_is_left(text: str) -> None:
    assert kinds(literal(text)) <= CALM | LISTS
    assert kinds(formatted(text)) <= CALM | LISTS | MARKUP


@given(
    st.lists(
        st.sampled_from([*"[]()`*_~<>&!|$\\#=@:/.", "word", " ", "https://e.example", "www.e.example"]), max_size=30
    ).map("".join)
)
@settings(max_examples=400, deadline=None)
def test_a_prompt_reads_as_it_was_typed(text: str) -> None:
    """One line, rendered, gives back its own characters but the borders of code spans and a list's mark."""
    if text.lstrip().startswith(("```", "~~~", "* ")):
        return
    assert _bare(plain(literal(text))) == _bare(text)


def _bare(text: str) -> str:
    return re.sub(r"[`\s]", "", text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix the pool timeout in src/pool.py, please!", "Fix the pool timeout in src/pool.py, please!"),
        ("call `Vec<T>` and snake_case_names", "call `Vec<T>` and snake_case_names"),
        ("why is __init__ slow?", "why is \\_\\_init\\_\\_ slow?"),
        ("- one\n- two", "- one  \n- two"),
        ("a\nb\n\nc", "a  \nb\n\nc"),
        ("# not a heading", "\\# not a heading"),
        ("a < b && c > d", "a < b && c > d"),
        ("List<String>", "List\\<String>"),
        ("```py\nx = [1](2)\n```", "\n```py\nx = [1](2)\n```\n"),
        ("1. ```\n   a\n   ```", "\n1.\n\n```\na\n```\n"),
        ("    def f():\n        pass", "\n```\n    def f():\n        pass\n```\n"),
        ("| a | b |\n|--|--|\n| 1 | 2 |", "\n```\n| a | b |\n|--|--|\n| 1 | 2 |\n```\n"),
        ("`open", "\\`open"),
        ("regex \\d+\\.", "regex \\d+\\\\."),
    ],
)
def test_literal(text: str, expected: str) -> None:
    assert literal(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Done.** The `pool` now waits.", "**Done.** The `pool` now waits."),
        ("## Summary\ntext", "\\## Summary  \ntext"),
        ("see [docs](https://e.example)", "see [docs\\](https:\\//e.example)"),
        ("escaped \\* star", "escaped \\* star"),
        ("1. one\n   - nested\n2. two", "1. one  \n   - nested  \n2. two"),
    ],
)
def test_formatted(text: str, expected: str) -> None:
    assert formatted(text) == expected


@given(st.text())
def test_a_fence_holds_its_text(text: str) -> None:
    body = visible(text).rstrip("\n")
    block = fence(text, "text")
    assert kinds(block) == {"fence"}
    assert plain(block).removesuffix("\n") == body.replace("\x00", "�")


@given(st.lists(PIECES, max_size=12).map("".join) | st.text(min_size=1))
@settings(max_examples=500, deadline=None)
def test_inline_forms_keep_to_one_line_of_plain_text(text: str) -> None:
    for before in ("", "x ", "# "):
        assert kinds(before + escape(text)) <= {"paragraph", "heading", "inline", "text", "text_special"}
        assert plain(before + escape(text)).strip() == f"{before.strip('# ')} {one_line(text)}".strip()
    if one_line(text):
        assert kinds(f"x {code(text)}") <= {"paragraph", "inline", "text", "code_inline"}
        assert plain(f"x {code(text)}").strip() == f"x {one_line(text)}"


@pytest.mark.parametrize(
    "text",
    [
        "- " * 50_000 + "x",
        "`" * 100_000,
        "``` " * 30_000,
        "[" * 100_000,
        "|" * 100_000,
        " " * 100_000 + "x",
        "- " + " " * 100_000 + "x",
        "-" * 100_000 + "x",
        "> " * 50_000,
        "`a" * 50_000,
    ],
)
def test_long_uniform_lines_take_linear_time(text: str) -> None:
    assert text_growth(lambda given: (literal(given), formatted(given)), text) < LINEAR
