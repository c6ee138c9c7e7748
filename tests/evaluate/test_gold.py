"""Which exchange a key means."""

from __future__ import annotations

import pytest

from pastwork.errors import NotFound
from pastwork.evaluate.documents import Document
from pastwork.evaluate.gold import beginning, distance, with_keys
from pastwork.evaluate.labels import Keyed
from pastwork.index.base import Fields

LONG = "word " * 60


def document(
    prompt: str, agent: str = "codex", session: str = "s", time: str | None = "2026-01-01T00:00:00Z"
) -> Document:
    return Document("id", agent, session, time, prompt, Fields(), {})


def keyed(prompt: str, time: str | None = "2026-01-01T00:00:00Z", key: str = "k", session: str = "s") -> Keyed:
    return Keyed(key, "codex", session, time, prompt)


def test_white_space_and_case_do_not_count() -> None:
    assert with_keys([document(" Fix\tthe\n BUILD ")], [keyed("fix the build")])[0].key == "k"


def test_only_the_beginning_counts() -> None:
    assert with_keys([document(LONG + "this")], [keyed(LONG + "that")])[0].key == "k"
    assert len(beginning(LONG)) == 200


@pytest.mark.parametrize(
    "other",
    [document("other"), document("p", agent="claude-code"), document("p", session="t")],
    ids=["prompt", "agent", "session"],
)
def test_another_exchange_is_none(other: Document) -> None:
    with pytest.raises(NotFound, match="1 of 1 labelled exchanges are not among the transcripts: k") as raised:
        with_keys([other], [keyed("p")])
    assert "--scan" in raised.value.remedy


def test_nearest_in_time_of_several() -> None:
    times = ("2026-01-01T00:00:00Z", "2026-01-01T09:00:00Z", "2026-01-02T00:00:00Z", None)
    found = with_keys([document("yes", time=time) for time in times], [keyed("yes", "2026-01-01T10:00:00+01:00")])
    assert [d.key for d in found] == [None, "k", None, None]


def test_two_keys_never_share_an_exchange() -> None:
    found = with_keys([document("yes"), document("yes")], [keyed("yes", key="a"), keyed("yes", key="b")])
    assert sorted(str(d.key) for d in found) == ["a", "b"]
    with pytest.raises(NotFound, match="1 of 2"):
        with_keys([document("yes")], [keyed("yes", key="a"), keyed("yes", key="b")])


@pytest.mark.parametrize(
    ("a", "b", "want"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z", 60.0),
        ("2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00Z", 0.0),
        (None, "2026-01-01T00:00:00Z", float("inf")),
        ("yesterday", "2026-01-01T00:00:00Z", float("inf")),
    ],
)
def test_distance(a: str | None, b: str | None, want: float) -> None:
    assert distance(a, b) == want


def test_every_line_is_known_again() -> None:
    """The matching never confuses two lines of one set: documents made of the lines get the same keys back."""
    lines = [keyed(f"prompt {n % 7}", f"2026-01-01T{n:02d}:00:00Z", f"k{n}", f"s{n % 3}") for n in range(21)]
    made = [document(line.prompt, line.agent, line.session_id, line.started_at) for line in lines]
    assert [d.key for d in with_keys(made, lines)] == [line.key for line in lines]
