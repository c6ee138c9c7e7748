"""Recorded hunks as changes of lines."""

from __future__ import annotations

import pytest

from pastwork.anchor.hunks import Change, change
from pastwork.anchor.lines import Codes
from pastwork.model import Hunk

CASES: dict[str, tuple[tuple[str, ...], list[str], list[int]]] = {
    "context is kept": ((" before_it()", "-old_call()", "+new_call()", " after_it()"), ["new_call()"], [0, -1, 2]),
    "old and new text without a diff": (
        ("-first_line()", "-second_line()", "+first_line()", "+inserted_line()", "+second_line()"),
        ["inserted_line()"],
        [0, -1, 1],
    ),
    "re-indented": (("-call_it()", "+    call_it()"), [], [0]),
    "an empty line without its mark is context": (("", "+new_line_here()"), ["new_line_here()"], [0, -1]),
    "brackets in the middle are not kept": (
        ("-one_call() {", "-}", "-two_call()", "+six_call() {", "+}", "+ten_call()"),
        ["six_call() {", "}", "ten_call()"],
        [-1, -1, -1],
    ),
    "remarks are no lines": (("-old_call()", "\\ No newline at end of file", "+new_call()"), ["new_call()"], [-1]),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_new(name: str) -> None:
    lines, new, kept = CASES[name]
    codes = Codes()
    found = change(Hunk(lines, 1, 1), codes)
    assert list(found.kept) == kept
    assert codes.known(new) == "".join(code for code, place in zip(found.new, found.kept, strict=True) if place < 0)


@pytest.mark.parametrize(
    ("hunk", "start"),
    [
        (Hunk((" a", "+b"), 10, 10), 9),
        (Hunk(("+b",), 0, 1), 0),  # a diff of an empty file
        (Hunk(("+b",), 4, 5), 4),  # behind line 4
        (Hunk((" a", "+b"), None, 7), 6),
        (Hunk((" a", "+b")), None),
    ],
)
def test_start(hunk: Hunk, start: int | None) -> None:
    assert change(hunk, Codes()).start == start


@pytest.mark.parametrize(
    ("lines", "ends"),
    [((" a", "+b"), True), ((" a", "+b", " c"), False), (("+b",), False), (("-a", "+b"), False), ((), False)],
)
def test_a_hunk_with_context_only_before_it_ends_the_file(lines: tuple[str, ...], ends: bool) -> None:
    assert change(Hunk(lines, 1, 1), Codes()).ends is ends


def test_an_empty_hunk_is_no_change() -> None:
    assert change(Hunk(()), Codes()) == Change("", "", (), None)
