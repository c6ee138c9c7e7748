"""What a person types, taken apart."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.errors import BadUsage
from pastwork.search.filters import Filters, Query, checked_moment, moment, named, narrowed, parse_query, sound

NOW = datetime(2026, 3, 5, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Query("")),
        ("   ", Query("")),
        ("pool timeout", Query("pool timeout", unfinished=True)),
        ("pool timeout ", Query("pool timeout")),
        ('the "connection pool" timed', Query("the connection pool timed", ("connection pool",), unfinished=True)),
        ('"unbalanced pool', Query('"unbalanced pool', unfinished=True)),
        ('a" b "c', Query('a" b "c', unfinished=True)),
        ('""', Query('""')),
        ("“curly quotes” too", Query("curly quotes too", ("curly quotes",), unfinished=True)),
        ("file:src/a.py retry ", Query("retry", (), (("file", "src/a.py"),))),
        ('file:"my file.py" x', Query("x", (), (("file", "my file.py"),), True)),
        ("FILE:a.py agent:codex", Query("", (), (("file", "a.py"), ("agent", "codex")))),
        ("room:concept:retry_timeout x", Query("x", (), (("room", "concept:retry_timeout"),), True)),
        (
            "since:3d until:2026-01 branch:main x",
            Query("x", (), (("since", "3d"), ("until", "2026-01"), ("branch", "main")), True),
        ),
        ("file: foo", Query("file: foo", unfinished=True)),
        ("error:foo http://x.y/z", Query("error:foo http://x.y/z", unfinished=True)),
        ("profile:x", Query("profile:x", unfinished=True)),
        ("--only-stats", Query("--only-stats", unfinished=True)),
        ('file:"" x', Query("x", (), (), True)),
        ('file:" x', Query("x", (), (), True)),
        ('"a b" "a  b" "c"', Query("a b a b c", ("a b", "c"))),
    ],
)
def test_parse_query(text: str, expected: Query) -> None:
    assert parse_query(text) == expected


@pytest.mark.parametrize(
    ("text", "strange"),
    [
        ("path:src/a.py pool", ["path"]),
        ("lang:py Scope:all x", ["lang", "scope"]),
        ("files:a.py", ["files"]),
        ("node:fs std::io http://x.y TypeError:foo localhost:3000 is: path: from:/x", []),
        ("filepath:a", []),
    ],
)
def test_what_looks_like_a_filter_is_named_and_stays_text(text: str, strange: list[str]) -> None:
    query = parse_query(text)
    assert list(query.strange) == strange
    assert query.words == text
    _, notes = narrowed(Filters(), query, NOW)
    assert len(notes) == (1 if strange else 0)
    assert all(f"{name}:" in note for name in strange for note in notes)


def test_long_words_are_repeated_in_part() -> None:
    _, notes = narrowed(Filters(), parse_query("since:" + "x" * 9_000), NOW)
    assert len(notes[0]) < 120


def test_lone_surrogates_are_replaced() -> None:
    assert sound("a\ud800b \U0001f600") == "a\ufffdb \U0001f600"


def test_what_narrows_is_named() -> None:
    assert named(Filters(file="a.py", fixes=True, limit=3)) == "file: 'a.py', fixes"
    assert named(Filters(scope="all", mode="cross")) == ""


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    query = parse_query(text)
    filters, _ = narrowed(Filters(), query, NOW)
    assert filters.limit is None
    assert query.words == " ".join(query.words.split())


def test_the_querys_prefixes_win_and_senseless_dates_are_noted() -> None:
    filters, notes = narrowed(
        Filters(agent="codex", file="x.py"), parse_query("agent:aider since:soon until:2026"), NOW
    )
    assert filters == Filters(agent="aider", file="x.py", until="2026")
    assert notes == ["since: 'soon' is no date; it was ignored"]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-01-24", "2026-01-24T00:00:00Z", "2026-01-24T23:59:59Z"),
        ("2026-02", "2026-02-01T00:00:00Z", "2026-02-28T23:59:59Z"),
        ("2025-12", "2025-12-01T00:00:00Z", "2025-12-31T23:59:59Z"),
        ("2025", "2025-01-01T00:00:00Z", "2025-12-31T23:59:59Z"),
        ("today", "2026-03-05T00:00:00Z", "2026-03-05T23:59:59Z"),
        ("Yesterday", "2026-03-04T00:00:00Z", "2026-03-04T23:59:59Z"),
        ("3d", "2026-03-02T12:30:00Z", "2026-03-02T12:30:00Z"),
        ("2 weeks ago", "2026-02-19T12:30:00Z", "2026-02-19T12:30:00Z"),
        ("5h", "2026-03-05T07:30:00Z", "2026-03-05T07:30:00Z"),
        ("2026-01-24T10:00:00+02:00", "2026-01-24T08:00:00Z", "2026-01-24T08:00:00Z"),
        ("2026-01-24T10:00", "2026-01-24T10:00:00Z", "2026-01-24T10:00:00Z"),
        ("9999y", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("9999", "9999-01-01T00:00:00Z", None),
    ],
)
def test_moment(text: str, first: str, last: str | None) -> None:
    assert moment(text, NOW) == first
    assert moment(text, NOW, end=True) == last


@pytest.mark.parametrize("text", ["", "soon", "2026-13", "2026-02-30", "0000", "3x", "-3d", "12345-01-01", "١d\x00"])
def test_what_is_no_date(text: str) -> None:
    assert moment(text, NOW) is None
    with pytest.raises(BadUsage, match="since"):
        checked_moment("since", text, NOW)


@given(st.text(max_size=40))
def test_any_text_is_a_date_or_none(text: str) -> None:
    assert moment(text, NOW) is None or len(moment(text, NOW) or "") == 20
