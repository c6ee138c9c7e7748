"""Palace objects packed into a budget."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pastwork.config import Config, Embedding
from pastwork.errors import BadUsage
from pastwork.model import FileTouch, PalaceObject
from pastwork.palace import Palace
from pastwork.palace.context import Tokenizer, line, pack
from pastwork.palace.tokenizer import tokenizer
from pastwork.search.filters import Filters
from pastwork.store.records import Kept
from tests.palace.world import clock


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


WORDS = Tokenizer("words", words)


def kept(number: int, core: str, context: str = "", touched: Sequence[FileTouch] = (), workspace: str = "/w") -> Kept:
    return Kept(
        row=number,
        id=f"{number:016x}",
        agent="codex",
        session_id="s",
        turn=1,
        title="",
        prompt="the prompt",
        object=PalaceObject(core, context, (), tuple(touched)),
        started_at="2026-01-24T10:00:00Z",
        workspace=workspace,
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (kept(1, "Raised the timeout"), "2026-01-24 0000000000000001 Raised the timeout"),
        (kept(1, "A", "to 30 s"), "2026-01-24 0000000000000001 A; to 30 s"),
        (kept(1, "", ""), "2026-01-24 0000000000000001 the prompt"),
        (kept(1, "A\nB\x1b[2J"), "2026-01-24 0000000000000001 A B␛[2J"),
        (
            kept(
                1,
                "A",
                "",
                [FileTouch("/w/a.py", "edited"), FileTouch("/w/b.py", "read"), FileTouch("/x/c.py", "created")],
            ),
            "2026-01-24 0000000000000001 A [a.py, /x/c.py]",
        ),
        (
            kept(1, "A", "", [FileTouch(f"/w/{name}.py", "edited") for name in "abcdef"]),
            "2026-01-24 0000000000000001 A [a.py, b.py, c.py, d.py +2]",
        ),
    ],
)
def test_line(found: Kept, expected: str) -> None:
    assert line(found) == expected


def test_the_budget_is_kept_and_told() -> None:
    found = [kept(number, " ".join(["word"] * 10)) for number in range(1, 41)]
    answer = pack(found, 120, WORDS, "abc", ("a note",))
    assert answer.used == sum(words(answer.text.splitlines())) <= 120
    assert (answer.exchanges, answer.left_out) == (9, 31)
    assert (answer.tokenizer, answer.notes) == ("words", ("a note",))


def test_order_is_kept_and_a_shorter_line_may_still_fit() -> None:
    found = [kept(1, "one"), kept(2, " ".join(["long"] * 200)), kept(3, "three")]
    answer = pack(found, 100, WORDS, "abc", ())
    assert re.findall(r"\b0{15}\d\b", answer.text) == [f"{1:016x}", f"{3:016x}"]
    assert answer.left_out == 1


def test_nothing_is_an_empty_text() -> None:
    answer = pack([], 4000, WORDS, "abc", ())
    assert (answer.text, answer.used, answer.exchanges) == ("", 0, 0)


@pytest.mark.parametrize("budget", [-1, 0, 99])
def test_a_budget_that_holds_nothing(budget: int) -> None:
    with pytest.raises(BadUsage):
        pack([kept(1, "one")], budget, WORDS, "abc", ())


def test_the_wrapper_cannot_be_closed_from_inside(palace: Palace, disk: Path) -> None:
    """Its mark is another one each time, and every exchange stays on its line."""
    answers = [palace.context(Filters(), 4000, None, [disk / "work/shop"]) for _ in range(2)]
    marks = [re.match(r"<(past-work-[0-9a-f]{16}) ", answer.text) for answer in answers]
    assert marks[0]
    assert marks[1]
    assert marks[0][1] != marks[1][1]
    assert answers[0].text.count(marks[0][1]) == 2
    assert answers[0].text.count("\n") == answers[0].exchanges + 1 == 6


def test_newest_first_and_filtered(palace: Palace, disk: Path) -> None:
    answer = palace.context(Filters(agent="claude-code"), 4000, None, [disk / "work/shop"])
    assert re.findall(r"\b0{15}(\d)\b", answer.text) == ["3", "2", "1"]


def test_without_a_model_tokens_are_estimated(tmp_path: Path) -> None:
    counting = tokenizer(Config(embedding=Embedding(model=str(tmp_path / "none"))), tmp_path)
    assert counting.name == "estimated word pieces"
    assert counting.count(["", "three short words"]) == [0, 3]


def test_before_the_first_index(tmp_path: Path) -> None:
    with Palace(tmp_path / "none", Config(), tmp_path, clock) as palace:
        answer = palace.context(Filters(), 4000)
    assert (answer.text, answer.exchanges) == ("", 0)
    assert answer.notes == ("nothing is indexed yet; run `pastwork index`",)
