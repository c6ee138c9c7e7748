"""What people read, for every kind of answer and its empty states."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from pastwork import shapes
from pastwork.cli import tables
from pastwork.cli.people import notes, text
from pastwork.cli.progress import Bar
from pastwork.cli.status_table import status_table
from pastwork.cli.verbatim import print_verbatim
from tests.markdown.test_exchange import answer, entry, tool

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def printed(show: Callable[[Console], None], width: int = 100) -> str:
    """Lines without the blanks at their ends."""
    out = StringIO()
    show(Console(file=out, width=width, highlight=False, markup=False, emoji=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def hit(**more: Any) -> shapes.Hit:
    return replace(answer().hit, **more)


def found(*hits: shapes.Hit, **more: Any) -> shapes.SearchAnswer:
    fields = {"query": "pool", "mode": "cross", "scope": "workspace", "took_ms": 4.2, "total": len(hits), "notes": ()}
    return shapes.SearchAnswer(**(fields | more), hits=hits)


SNIPPET = shapes.Snippet("the 😀 pool timeout", ((7, 11),))


@pytest.mark.parametrize(
    ("shown", "parts"),
    [
        (found(), ["No past exchange matches. `--scope all` looks in every project."]),
        (found(scope="all"), ["No past exchange matches. `pastwork status`"]),
        (
            found(hit()),
            ["9f2c0a1b44d07e35  1 month ago  claude-code  Raised the timeout · src/pool.py", "1 exchange in this"],
        ),
        (found(hit(fix=True, open=True)), ["Raised the timeout fix running · src/pool.py"]),
        (found(hit(snippet=SNIPPET)), ["the 😀 pool timeout"]),
        (found(hit(), hit(session_note="↳ same session")), ["src/pool.py\n", "src/pool.py · ↳ same session"]),
        (found(hit(), total=37, scope="all"), ["1 of 37 exchanges in all projects · 4 ms"]),
        (found(hit(started_at=None)), ["9f2c0a1b44d07e35"]),
        (found(notes=("vectors: 1 of 2 exchanges ready",)), ["note: vectors: 1 of 2 exchanges ready"]),
    ],
)
def test_search(shown: shapes.SearchAnswer, parts: list[str]) -> None:
    page = printed(lambda out: tables.search_table(out, shown, NOW))
    for part in parts:
        assert part in page


def test_marks_are_placed_by_utf16_units() -> None:
    shown = tables.snippet_text(SNIPPET)
    assert shown.plain == "the 😀 pool timeout"
    assert [shown.plain[span.start : span.end] for span in shown.spans if "bold" in str(span.style)] == ["pool"]


@pytest.mark.parametrize("marks", [((0, 99),), ((5, 3),), ((40, 50),)])
def test_marks_that_make_no_sense_lose_nothing(marks: tuple[tuple[int, int], ...]) -> None:
    assert "pool" in tables.snippet_text(shapes.Snippet("the pool", marks)).plain


ROOM = shapes.RoomCount("concept", "connection_pool", "connection pool", 7, "2026-02-01T00:00:00Z")


def test_rooms() -> None:
    page = printed(lambda out: tables.rooms_table(out, shapes.RoomsAnswer((ROOM,)), NOW), 60)
    assert page.splitlines()[1].split() == ["concept:connection_pool", "7", "4", "weeks", "ago"]
    assert "No rooms here yet" in printed(lambda out: tables.rooms_table(out, shapes.RoomsAnswer(()), NOW))


def test_one_room() -> None:
    page = printed(lambda out: tables.room_table(out, shapes.RoomAnswer(ROOM, (hit(),)), NOW))
    assert page.startswith("concept:connection_pool · 7 exchanges\n")
    assert "9f2c0a1b44d07e35" in page


@pytest.mark.parametrize(
    ("match", "stands"),
    [
        (shapes.Match("line", hit(), ((1, 3),), 0.75), "75%"),
        (shapes.Match("file", hit(), (), 0.0, replaced_by="1111111111111111"), "replaced by"),
        (shapes.Match("file", hit(), (), 0.0, undone=True), "undone"),
        (shapes.Match("file", hit(), action="read"), "read"),
    ],
)
def test_history(match: shapes.Match, stands: str) -> None:
    shown = shapes.HistoryAnswer("/w/a.py", None, (match,))
    page = printed(lambda out: tables.history_table(out, shown, NOW), 140)
    assert stands in page
    assert match.tier in page


def test_silence_is_said_before_what_else_is_known() -> None:
    shown = shapes.HistoryAnswer(
        "/w/a.py", 3, (shapes.Match("file", hit()),), "No known exchange wrote line 3.", ("x",)
    )
    lines = printed(lambda out: tables.history_table(out, shown, NOW)).splitlines()
    assert lines[0] == "No known exchange wrote line 3."
    assert lines[-1] == "note: x"


def test_blame() -> None:
    lines = tuple(shapes.BlameLine(number, "9f2c0a1b44d07e35", "s") for number in (1, 2))
    shown = shapes.BlameAnswer("/w/a.py", lines)
    page = printed(lambda out: tables.blame_table(out, shown, "one\ntwo\nthree"))
    assert page.splitlines() == ["9f2c0a1b44d07e35 1 one", "  ┆              2 two", "                 3 three"]
    silent = shapes.BlameAnswer("/w/a.py", (), "No transcript edits a.py.")
    assert printed(lambda out: tables.blame_table(out, silent, "one")) == "No transcript edits a.py."


def test_unknown_types_and_unproven_readers_are_told() -> None:
    agent = shapes.AgentStatus((), 1, 1, 0, None, 0, 0, (), "fixture-only", {"pear": 2, "plum": 1})
    page = printed(lambda out: status_table(out, status(agents={"zed": agent}), NOW), 140)
    assert "zed (fixture-only)" in page
    assert "unknown types of records (zed): pear (in 2 files), plum (in 1 file)" in page


def status(**more: Any) -> shapes.StatusAnswer:
    skipped = tuple(shapes.Skipped("/t/a.jsonl", number, "the line is cut") for number in range(7))
    agent = shapes.AgentStatus(("/t",), 13, 140, 512, "2026-02-22T00:00:00Z", 0, 2, skipped)
    fields: dict[str, Any] = {
        "agents": {"claude-code": agent, "codex": shapes.AgentStatus((), 0, 0, 0, None, 0, 0, ())},
        "vectors": shapes.VectorStatus(8, 2),
        "index": shapes.IndexStatus("idle", 5, 5, "2026-02-28T23:00:00Z"),
        "store": shapes.StoreStatus("/d/palace.db", 2_500_000, 1),
        "writer": shapes.WriterStatus(0, False),
    }
    return shapes.StatusAnswer(**(fields | more))


@pytest.mark.parametrize(
    ("shown", "parts", "absent"),
    [
        (
            status(),
            ["claude-code", "140", "1 week ago", "8 ready, 2 pending", "2.5 MB", "1 hour ago", "and 2 more"],
            ["codex"],
        ),
        (status(index=shapes.IndexStatus("running", 3, 9)), ["indexing: 3 of 9"], ["last indexed"]),
        (status(writer=shapes.WriterStatus(77, False)), ["process 77"], []),
        (status(agents={}, notes=("nothing is indexed yet",)), ["note: nothing is indexed yet"], ["sessions"]),
    ],
)
def test_status(shown: shapes.StatusAnswer, parts: list[str], absent: list[str]) -> None:
    page = printed(lambda out: status_table(out, shown, NOW), 120)
    assert all(part in page for part in parts), page
    assert not any(part in page for part in absent), page


def test_the_verbatim() -> None:
    shown = answer(
        entry("user", "Why?\nReally?"),
        entry("assistant", "Because."),
        entry("tool", shown=tool("Edit", "a.py", {}, diff="-old\n+new")),
        entry("tool", shown=tool("Bash", "make", {"command": "make all"}, output="1 failed\n2 passed", ok=False)),
        previous="1111111111111111",
        resume="claude --resume s-1",
        source=shapes.Source("/t/s-1.jsonl", False),
    )
    page = printed(lambda out: print_verbatim(out, shown, NOW))
    for part in [
        "Raised the timeout\n9f2c0a1b44d07e35 · claude-code · 1 month ago, 2026-01-24 10:11 UTC · /home/dev/shop · ",
        "The transcript has been deleted; this is the kept copy.",
        "You 10:11 ──",
        "Agent 10:11 ──",
        "Why?\nReally?\n",
        "▸ Edit a.py\n  -old\n  +new\n",
        "▸ Bash make failed\n  make all\n  1 failed\n  2 passed\n",
        "resume   claude --resume s-1\nprevious pastwork show 1111111111111111\nfrom     /t/s-1.jsonl",
    ]:
        assert part in page, part


def test_nothing_of_a_transcript_is_markup() -> None:
    assert printed(lambda out: notes(out, ["[bold]x[/bold] :smile:"])) == "note: [bold]x[/bold] :smile:"
    assert text("a\x1b[31m\nb").plain == "a␛[31m b"


def test_a_bar_draws_nothing_off_a_terminal_or_before_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    for wanted in (True, False):
        with Bar(wanted) as bar:
            for done in range(100):
                bar.tell("reading", done, 100)
    caught = capsys.readouterr()
    assert (caught.out, caught.err) == ("", "")
