"""The reference itself, on cases small enough to see."""

from __future__ import annotations

import random

import pytest
from bench.quality.anchoring.alterations import KINDS, Alter, altered, copy, delete, indent, insert, move, rename
from bench.quality.anchoring.score import score
from bench.quality.anchoring.truth import Line, MismatchError, Page

from pastwork.anchor.attribution import Attribution, Run
from pastwork.model import Edit
from tests.anchor.histories import created, deleted, overwritten, patched, stored


def replay(*edits: tuple[str, Edit], base: str = "") -> list[tuple[str, str | None]]:
    page = Page()
    page.outside(base)
    for author, edit in edits:
        page.apply(edit, author)
    return [(line.text, line.author) for line in page.lines]


def test_a_patch_at_its_number() -> None:
    edit = patched(" one\n-two\n+new_line_two\n three", starts=[2])
    assert replay(("A", edit), base="one\none\ntwo\nthree\n") == [
        ("one", None),
        ("one", None),
        ("new_line_two", "A"),
        ("three", None),
    ]


def test_later_hunks_count_from_the_file_before_the_edit() -> None:
    edit = patched("-one\n+1\n+1.5", " four\n+five", starts=[1, 4])
    assert [text for text, _ in replay(("A", edit), base="one\ntwo\nthree\nfour\n")] == [
        "1",
        "1.5",
        "two",
        "three",
        "four",
        "five",
    ]


@pytest.mark.parametrize(
    ("edit", "base"),
    [
        (patched("-two\n+2", starts=[1]), "one\ntwo\n"),
        (patched("-two\n+2"), "two\ntwo\n"),
        (patched("-two\n+2"), "one\n"),
    ],
)
def test_what_does_not_fit_is_refused(edit: Edit, base: str) -> None:
    with pytest.raises(MismatchError):
        replay(("A", edit), base=base)


def test_moved_lines_stay_their_writers_in_either_order() -> None:
    base = "first_helper()\nsecond_helper()\n"
    out_first = [patched("-first_helper()", starts=[1]), patched(" second_helper()\n+first_helper()", starts=[1])]
    in_first = [patched(" second_helper()\n+first_helper()", starts=[2]), patched("-first_helper()", starts=[1])]
    for edits in (out_first, in_first):
        assert replay(("A", created(base)), *(("B", edit) for edit in edits)) == [
            ("second_helper()", "A"),
            ("first_helper()", "A"),
        ]


def test_another_exchange_that_puts_it_back_wrote_it() -> None:
    found = replay(
        ("A", created("first_helper()\nsecond_helper()\n")),
        ("B", patched("-first_helper()", starts=[1])),
        ("C", patched(" second_helper()\n+first_helper()", starts=[1])),
    )
    assert found == [("second_helper()", "A"), ("first_helper()", "C")]


def test_overwriting_keeps_what_is_the_same() -> None:
    found = replay(("A", created("kept_line = 1\nold_line = 2\n")), ("B", overwritten("kept_line = 1\nnew_line = 3\n")))
    assert found == [("kept_line = 1", "A"), ("new_line = 3", "B")]


def test_deleting_leaves_nothing() -> None:
    assert replay(("A", created("kept_line = 1\n")), ("B", deleted())) == []


def test_what_others_change_is_nobodys() -> None:
    page = Page()
    page.apply(created("first_line = 1\nsecond_line = 2\n"), "A")
    page.outside("first_line = 1\nby_hand = 5\n")
    assert [line.author for line in page.lines] == ["A", None]


LINES = [Line(f"some_value_{number} = compute({number % 7})", "A" if number % 3 else None) for number in range(40)]


@pytest.mark.parametrize("kind", [*KINDS, copy], ids=lambda kind: kind.__name__)
def test_alterations_keep_the_authors_true(kind: Alter) -> None:
    writer = {line.text.strip(): line.author for line in LINES}
    for seed in range(30):
        changed = altered(LINES, 5, random.Random(seed), (kind,))
        claimed = [line for line in changed if line.author]
        assert all(writer[line.text.strip()] == line.author for line in claimed)
        assert len({line.text.strip() for line in claimed}) == len(claimed)


@pytest.mark.parametrize(
    ("kind", "grows", "authors"),
    [
        (insert, True, "same"),
        (delete, False, "fewer"),
        (move, None, "same"),
        (indent, None, "same"),
        (copy, True, "same"),
    ],
)
def test_what_each_alteration_does(kind: Alter, grows: bool | None, authors: str) -> None:
    changed = kind(list(LINES), random.Random(1))
    assert changed != LINES
    assert (len(changed) > len(LINES), len(changed) < len(LINES)) == (grows is True, grows is False)
    before, after = (sum(line.author is not None for line in lines) for lines in (LINES, changed))
    assert (after == before) is (authors == "same")


def test_renaming_makes_lines_nobodys() -> None:
    changed = rename(list(LINES), random.Random(1))
    assert len(changed) == len(LINES)
    assert [line for line in changed if line not in LINES]
    assert all(line.author is None for line in changed if line not in LINES)


def test_the_score_counts_lines() -> None:
    lines = [Line("written_by_a = 1", "A"), Line("}", "A"), Line("was_there = 2"), Line("written_by_a = 2")]
    found = score(lines, Attribution(4, (Run(1, 1, "A"), Run(3, 4, "A"))), stored(("A", created("written_by_a = 2\n"))))
    assert (found.written, found.others, found.untouched) == (2, 2, 2)
    assert (found.attributed, found.right, found.unique, found.unique_right) == (3, 1, 3, 1)
    assert (found.false_others, found.false_untouched, found.alike, found.false_alike) == (2, 2, 1, 1)
    assert (found.precision, found.coverage, found.false_rate) == (1 / 3, 1 / 2, 1.0)
