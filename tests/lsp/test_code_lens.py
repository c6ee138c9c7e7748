"""Titles of lenses, and what is behind them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from pastwork.glance import Glance
from pastwork.lsp.code_lens import OPEN_HISTORY, SERVER_HISTORY, file_title, lens, symbol_title

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def work(core: str = "fix the pool", started_at: str | None = "2026-02-08T11:00:00Z", fix: bool = False) -> Glance:
    return Glance("0" * 16, core, "", "codex", started_at, fix)


@pytest.mark.parametrize(
    ("works", "expected"),
    [
        ([work()], "1 past exchange · last: fix the pool · 3 weeks ago"),
        ([work(fix=True)], "1 past exchange, 1 fix · last: fix the pool · 3 weeks ago"),
        (
            [work(), work(fix=True), work(fix=True), work()],
            "4 past exchanges, 2 fixes · last: fix the pool · 3 weeks ago",
        ),
        (
            [work("older", "2026-01-01T00:00:00Z"), work("newer", "2026-03-01T11:59:50Z")],
            "2 past exchanges · last: newer · just now",
        ),
        ([work("dated"), work("undated", None)], "2 past exchanges · last: dated · 3 weeks ago"),
        ([work(started_at=None)], "1 past exchange · last: fix the pool"),
        (
            [work("two\nlines \u202e and\x1b[31m more")],
            "1 past exchange · last: two lines ⟨U+202E⟩ and␛[31m more · 3 weeks ago",
        ),
        ([work("run $(rm -rf ~)")], "1 past exchange · last: run $ (rm -rf ~) · 3 weeks ago"),
        ([work("w" * 70)], f"1 past exchange · last: {'w' * 59}… · 3 weeks ago"),
    ],
)
def test_file_title(works: Sequence[Glance], expected: str) -> None:
    assert file_title(works, NOW) == expected


def test_symbol_title() -> None:
    assert symbol_title([work(fix=True), work()], NOW) == "2 past exchanges, 1 fix · fix the pool · 3 weeks ago"


@pytest.mark.parametrize(
    ("line", "opens", "command", "arguments", "shown_at"),
    [
        (None, True, OPEN_HISTORY, ["file:///a.py"], 0),
        (12, True, OPEN_HISTORY, ["file:///a.py", 12], 11),
        (None, False, SERVER_HISTORY, ["file:///a.py"], 0),
        (1, False, SERVER_HISTORY, ["file:///a.py", 1], 0),
    ],
)
def test_lens(line: int | None, opens: bool, command: str, arguments: list[object], shown_at: int) -> None:
    made = lens("title", "file:///a.py", line, opens)
    assert made.command is not None
    assert (made.command.title, made.command.command, made.command.arguments) == ("title", command, arguments)
    assert made.range.start.line == made.range.end.line == shown_at
    assert made.data == {"uri": "file:///a.py", "line": line}
