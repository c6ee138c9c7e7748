"""Lines that are known while somebody types."""

from __future__ import annotations

import pytest

from pastwork.glance import Glance
from pastwork.lsp.authors import Placed, line_then
from pastwork.palace.lines import Author, Authors

THEN = ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (THEN, [1, 2, 3, 4, 5]),
        (["a", "b", "X", "d", "e"], [1, 2, None, 4, 5]),
        (["a", "b", "new", "c", "d", "e"], [1, 2, None, 3, 4, 5]),
        (["a", "d", "e"], [1, 4, 5]),
        (["new", *THEN], [None, 1, 2, 3, 4, 5]),
        ([*THEN, "new"], [1, 2, 3, 4, 5, None]),
        (["x"], [None]),
        ([], []),
    ],
)
def test_line_then(now: list[str], expected: list[int | None]) -> None:
    assert [line_then(line, THEN, now) for line in range(1, len(now) + 1)] == expected


@pytest.mark.parametrize("line", [0, -1, 6, 2**31])
def test_lines_that_are_none(line: int) -> None:
    assert line_then(line, THEN, THEN) is None


def test_authors_by_line_and_works_by_id() -> None:
    first, second = (Glance(name, name, "", "codex") for name in ("1", "2"))
    authors = Authors((Author(first, ((1, 2), (5, 5)), 3, 3), Author(second, ((3, 3),), 1, 1)))
    placed = Placed(THEN, authors)
    found = [placed.author(line, ["new", *THEN]) for line in range(1, 7)]
    assert [each and each.glance.id for each in found] == [None, "1", "1", "2", None, "1"]
    assert placed.works(["2", "unknown", "1"]) == [second, first]
    assert placed.line_now(3, ["new", *THEN]) == 4
