"""Every silence has its sentence."""

from __future__ import annotations

import pytest

from pastwork.anchor.attribution import Attribution, Run, Work
from pastwork.anchor.silence import file_silence, line_silence


def work(name: str, **more: int | bool) -> Work:
    return Work(1, name, "session", "edited", **more)  # type: ignore[arg-type]


GONE = Attribution(10, (), (work("A", added=3), work("B", added=2)))
STANDS = Attribution(10, (Run(2, 3, "A"),), (work("A", added=3, standing=2), work("B", added=1)))


@pytest.mark.parametrize(
    ("found", "touched", "expected"),
    [
        (STANDS, 2, None),
        (Attribution(10), 0, "No transcript edits auth.py."),
        (Attribution(10), 1, "No transcript edits auth.py; 1 exchange only read or names it."),
        (Attribution(10), 4, "No transcript edits auth.py; 4 exchanges only read or name it."),
        (GONE, 2, "Edited by 2 exchanges; none of their lines stand today."),
        (Attribution(10, (), (work("A", added=3, undone=True),)), 1, "Edited by 1 exchange, all of it undone."),
        (
            Attribution(10, (), (work("A"),)),
            1,
            "Edited by 1 exchange, of which the transcripts show no lines that could stand.",
        ),
        (
            Attribution(10, (), (work("A", added=1),), ((4, 4),)),
            1,
            "Edited by 1 exchange, but git says that the lines which read like theirs are not theirs.",
        ),
    ],
)
def test_files(found: Attribution, touched: int, expected: str | None) -> None:
    assert file_silence("auth.py", found, touched) == expected


@pytest.mark.parametrize(
    ("found", "line", "text", "expected"),
    [
        (STANDS, 2, "anything", None),
        (STANDS, 11, "", "auth.py has 10 lines; there is no line 11."),
        (Attribution(1), 2, "", "auth.py has 1 line; there is no line 2."),
        (Attribution(10), 2, "token = read_token()", "No transcript edits auth.py."),
        (STANDS, 5, "}", "Line 5 says too little to tell who wrote it."),
        (
            STANDS,
            5,
            "token = read_token()",
            "No known exchange wrote line 5; 2 exchanges edited auth.py, elsewhere.",
        ),
        (GONE, 5, "token = read_token()", "No known exchange wrote line 5; 2 exchanges edited auth.py."),
        (
            Attribution(10, (), (work("A", added=1),), ((4, 6),)),
            5,
            "token = read_token()",
            "An exchange wrote the same as line 5, but git says that this line is not from it.",
        ),
    ],
)
def test_lines(found: Attribution, line: int, text: str, expected: str | None) -> None:
    assert line_silence("auth.py", found, line, text) == expected
