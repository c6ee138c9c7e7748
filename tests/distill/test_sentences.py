"""Markdown and chat text cut into sentences."""

from __future__ import annotations

import pytest

from pastwork.distill.sentences import sentences, split, unmarked
from tests.growth import LINEAR, text_growth


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One thing. Another thing! A third? Yes.", ["One thing.", "Another thing!", "A third?", "Yes."]),
        ("See e.g. The docs, i.e. README. Done.", ["See e.g. The docs, i.e. README.", "Done."]),
        ("v1.2.3 works with a.py and b.go", ["v1.2.3 works with a.py and b.go"]),
        ("first; Second part", ["first", "Second part"]),
        ("It failed — Because of x", ["It failed", "Because of x"]),
        ("", []),
    ],
)
def test_a_line(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- **Bold** item", "Bold item"),
        ("1. `code` stays", "code stays"),
        ("### Heading", "Heading"),
        ("> - [x] nested", "nested"),
        ("[label](https://x.org/a_(b)) and ![p](q.png)", "label) and p"),
        ("a <b>tag</b> and a < b", "a tag and a < b"),
        ("in ~/.x/<project-dir>/ of <id>", "in ~/.x/<project-dir>/ of <id>"),
        ("<system-reminder>be kind</system-reminder>", "be kind"),
        ("the *real* cause, 2 * 3 * 4, src/*.py and *.md", "the real cause, 2 * 3 * 4, src/*.py and *.md"),
        ("plain  with   gaps", "plain with gaps"),
    ],
)
def test_markup_is_taken_off(line: str, expected: str) -> None:
    assert unmarked(line) == expected


def test_blocks() -> None:
    text = (
        "# Title\nOne sentence\nover two lines. Next.\n\n- item one\n- item two\n\n```\ncode here\n```\n| a | b |\nEnd."
    )
    found = sentences(text)
    assert [sentence.text for sentence in found] == [
        "Title",
        "One sentence over two lines.",
        "Next.",
        "item one",
        "item two",
        "End.",
    ]
    assert [sentence.heading for sentence in found] == [True] + [False] * 5
    assert [sentence.item for sentence in found] == [True, False, False, True, True, False]
    assert found[1].block == found[2].block < found[3].block


@pytest.mark.parametrize(
    "line",
    [
        "2026-01-02 03:04:05 started",
        "[12:00] x",
        "    at run (main.js:1:2)",
        '  File "a.py", line 1',
        "$ make all",
        "=== RUN x",
        "| a | b |",
        "ERROR something",
        "});",
    ],
)
def test_logs_are_no_sentences(line: str) -> None:
    assert sentences(line) == []


def test_bounds() -> None:
    assert len(sentences("word. Word. " * 5_000, 30)) == 30
    assert sentences("x" * 50_000) == []
    assert len(sentences("one long word after the other " * 1_000)) == 1


@pytest.mark.parametrize("unit", ["- ", "# ", "**", "[x](", "<a ", "`", "> ", "a. A", "((", "1. "])
def test_hostile_lines_take_linear_time(unit: str) -> None:
    assert text_growth(sentences, unit * 20_000) < LINEAR
    assert text_growth(sentences, (unit * 300 + "\n") * 16) < LINEAR
