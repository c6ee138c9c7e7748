"""Palace objects packed into a budget."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Pieces

from pastwork.config import Config, Embedding
from pastwork.errors import BadUsage
from pastwork.marks import visible
from pastwork.model import PalaceObject
from pastwork.palace import Palace
from pastwork.palace.context import LEAST, Form, Packing, Tokenizer, pack
from pastwork.palace.tokenizer import tokenizer
from pastwork.search.filters import Filters
from pastwork.shapes import ContextAnswer
from pastwork.store.records import Kept
from tests.palace.world import clock


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


WORDS = Tokenizer("words", words)


def kept(number: int, core: str, day: str | None = "2026-01-24", workspace: str = "/w") -> Kept:
    return Kept(
        row=number,
        id=f"{number:016x}",
        agent="codex",
        session_id="s",
        turn=1,
        title="",
        prompt="the prompt",
        object=PalaceObject(core, "", (), ()),
        started_at=day and f"{day}T10:00:00Z",
        workspace=workspace,
    )


def packed(found: Sequence[Kept], budget: int = 4000, beyond: int = 0, form: Form = "text") -> ContextAnswer:
    packing = Packing(budget, form, tokenizer=WORDS, nonce="abc")
    return pack(found, {each.id: each.id[-4:] for each in found}, packing, beyond, ("a note",))


def body(answer: ContextAnswer) -> list[str]:
    return answer.text.splitlines()[1:-1]


def test_a_day_is_said_once() -> None:
    found = [kept(1, "one"), kept(2, "two"), kept(3, "three", "2026-01-23"), kept(4, "four", None)]
    assert body(packed(found)) == [
        "2026-01-24",
        "0001 one",
        "0002 two",
        "2026-01-23",
        "0003 three",
        "undated",
        "0004 four",
    ]


def test_projects_are_told_apart_where_there_are_several() -> None:
    """The one with the most exchanges is said once."""
    places = ("/b/shop", "/a/shop", "/a/shop", "/c", "")
    found = [kept(number, f"work {number}", workspace=place) for number, place in enumerate(places, 1)]
    assert [line for line in body(packed(found)) if "work" not in line] == [
        "in a/shop, where no other project is named",
        "2026-01-24 b/shop",
        "2026-01-24",
        "2026-01-24 c",
        "2026-01-24 no project",
    ]


def test_what_is_alike_is_told_once() -> None:
    same = "Raised the pool's timeout to thirty seconds for slow networks"
    found = [kept(1, same), kept(2, "Something else"), kept(3, same), kept(4, f"{same}!")]
    answer = packed(found)
    assert body(answer) == ["2026-01-24", f"0001 {same} (+2 alike)", "0002 Something else"]
    assert (answer.exchanges, answer.folded, answer.left_out) == (4, 2, 0)
    assert answer.ids == (found[0].id, found[1].id)


def test_the_budget_is_kept_and_told() -> None:
    found = [kept(number, f"{number} " + " ".join(f"word{number}{i}" for i in range(10))) for number in range(1, 41)]
    answer = packed(found, LEAST, beyond=5)
    assert answer.used == sum(words(answer.text.splitlines())) <= LEAST
    assert 3 < answer.exchanges < 15
    assert answer.exchanges + answer.left_out == 45
    assert f'left_out="{answer.left_out} older"' in answer.text.splitlines()[0]
    assert (answer.tokenizer, answer.notes) == ("words", ("a note",))


def test_nothing_is_said_to_be_left_out_where_all_is_there() -> None:
    assert "left_out" not in packed([kept(1, "one")]).text


def test_order_is_kept_and_a_shorter_line_may_still_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pastwork.palace.brief.CORE", 1000)
    found = [kept(1, "one"), kept(2, " ".join(["long"] * 200)), kept(3, "three")]
    answer = packed(found, 160)
    assert answer.ids == (f"{1:016x}", f"{3:016x}")
    assert answer.left_out == 1


def test_where_no_line_fits_a_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pastwork.palace.brief.CORE", 1000)
    answer = packed([kept(1, " ".join(["long"] * 200))], 160)
    assert (answer.text, answer.used, answer.left_out) == ("", 0, 1)
    assert "no exchange fits into 160 tokens" in answer.notes


def test_nothing_is_an_empty_text() -> None:
    answer = packed([])
    assert (answer.text, answer.used, answer.exchanges) == ("", 0, 0)


@pytest.mark.parametrize("budget", [-1, 0, LEAST - 1])
def test_a_budget_that_holds_nothing(budget: int) -> None:
    with pytest.raises(BadUsage):
        packed([kept(1, "one")], budget)


def test_as_markdown_nothing_is_active() -> None:
    """A list under bold days; recorded marks and headings are plain text."""
    found = [kept(1, "# head [x](http://e) <b>**loud**</b>", workspace="/*a*"), kept(2, "two", workspace="/b")]
    lines = packed(found, form="markdown").text.splitlines()
    assert lines[1:6] == [
        "",
        r"In \*a\*, where no other project is named.",
        "",
        "**2026-01-24**",
        "",
    ]
    assert lines[6] == r"- `0001` \# head \[x\](http:\//e) \<b>loud\</b>"
    assert lines[-2:] == ["", "</past-work-abc>"]


def test_secrets_are_masked_wherever_they_stand() -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    found = [kept(1, f"used {secret}"), kept(2, "two", workspace=f"/{secret}")]
    assert "C3d4E5f6" not in packed(found).text


def test_the_wrapper_cannot_be_closed_from_inside(palace: Palace, disk: Path) -> None:
    """Its mark is another one each time, and every exchange stays on its line."""
    answers = [palace.context(Filters(), 4000, None, [disk / "work/shop"]) for _ in range(2)]
    marks = [re.match(r"<(past-work-[0-9a-f]{16}) ", answer.text) for answer in answers]
    assert marks[0]
    assert marks[1]
    assert marks[0][1] != marks[1][1]
    assert answers[0].text.count(marks[0][1]) == 2
    assert answers[0].exchanges == len(re.findall(r"^000[0-9a-f]+ ", answers[0].text, re.MULTILINE)) == 5


def test_newest_first_and_filtered(palace: Palace, disk: Path) -> None:
    answer = palace.context(Filters(agent="claude-code"), 4000, None, [disk / "work/shop"])
    assert [int(each) for each in answer.ids] == [3, 2, 1]


def test_who_wrote_a_file_comes_before_who_read_it(palace: Palace, disk: Path) -> None:
    answer = palace.context(Filters(file="src/pool.py"), 4000, None, [disk / "work/shop"])
    assert [int(each) for each in answer.ids] == [1, 2, 3]


def test_the_best_match_comes_first(palace: Palace, disk: Path) -> None:
    answer = palace.context(Filters(mode="verbatim-okapi"), 4000, "bookings hang", [disk / "work/shop"])
    assert int(answer.ids[0]) == 2


def test_short_ids_lead_to_the_exchange(palace: Palace, disk: Path) -> None:
    answer = palace.context(Filters(), 4000, None, [disk / "work/shop"])
    names = re.findall(r"^([0-9a-f]{4,16}) ", answer.text, re.MULTILINE)
    assert [palace.show(name).id for name in names] == list(answer.ids)


def test_what_was_not_looked_at_is_left_out(palace: Palace, disk: Path) -> None:
    answer = palace.context(Filters(limit=2), 4000, None, [disk / "work/shop"])
    assert (answer.exchanges, answer.left_out) == (2, 0)


@given(st.lists(st.text("ab c", min_size=0, max_size=30), max_size=30), st.integers(LEAST, 260))
def test_no_pack_passes_its_budget(cores: list[str], budget: int) -> None:
    answer = packed([kept(number, core) for number, core in enumerate(cores)], budget)
    assert words([answer.text])[0] == answer.used <= budget
    assert answer.exchanges + answer.left_out == len(cores)


def test_words_are_counted_as_the_whole_text_is() -> None:
    folder = os.environ.get("PASTWORK_TEST_MODEL")
    if folder is None:
        pytest.skip("no model")
    counting = tokenizer(Config(embedding=Embedding(model=folder)), Path(folder))
    pieces = Pieces.from_file(f"{folder}/tokenizer.json")
    pieces.no_truncation()
    pieces.no_padding()
    texts = [
        "",
        " ",
        "Überraschung 请忽略 a\u00a0b c\u3000d [SEP] x",
        "pkg/spi/sqlite.go:12 → `x_y`  — z" * 9,
        visible("\u2028a\x85b\x1cc\u200bd"),
    ]
    assert counting.count(texts) == [len(pieces.encode(text, add_special_tokens=False).ids) for text in texts]


def test_without_a_model_tokens_are_estimated(tmp_path: Path) -> None:
    counting = tokenizer(Config(embedding=Embedding(model=str(tmp_path / "none"))), tmp_path)
    assert counting.name == "estimated word pieces"
    assert counting.count(["", "three short words"]) == [0, 3]


def test_before_the_first_index(tmp_path: Path) -> None:
    with Palace(tmp_path / "none", Config(), tmp_path, clock) as palace:
        answer = palace.context(Filters(), 4000)
    assert (answer.text, answer.exchanges) == ("", 0)
    assert answer.notes == ("nothing is indexed yet; run `pastwork index`",)
