"""The remembered file: numbered fragments, changes nobody recorded, hunks without numbers.

Lines are single letters here; capital letters and digits tell a place, small ones do not.
"""

from __future__ import annotations

from string import ascii_uppercase, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.anchor.fragments import Fragment, agree, close, run
from pastwork.anchor.ledger import Claim
from pastwork.anchor.lines import GAP
from pastwork.anchor.sheet import Sheet

TELLING = set(ascii_uppercase + digits)


def sheet(*fragments: tuple[int, str], whole: bool = False) -> Sheet:
    """Fragments at their numbers; each line's claim has the line's letter."""
    made = Sheet(TELLING)
    made.fragments = [Fragment(start, text, [Claim(code, 0) for code in text]) for start, text in fragments]
    made.whole = whole
    return made


def numbered(made: Sheet) -> list[tuple[int, str]]:
    return [(fragment.start, fragment.text) for fragment in made.fragments]


def known(made: Sheet, old: str, number: int | None) -> str:
    """The old lines whose claims are known; ``-`` for the others."""
    opened = made.open(old, number)
    assert opened.fragment.text[opened.at : opened.at + len(old)] == old
    assert len(opened.fragment.text) == len(opened.fragment.claims)
    assert all(claim is None or claim.code == code for code, claim in zip(old, opened.claims, strict=True))
    return "".join("-" if claim is None else claim.code for claim in opened.claims)


class TestNumbered:
    @pytest.mark.parametrize(
        ("fragments", "old", "number", "claims", "after"),
        [
            ([], "ABC", 10, "---", [(10, "ABC")]),
            ([(10, "ABC")], "B", 11, "B", [(10, "ABC")]),
            ([(10, "ABC")], "CD", 12, "C-", [(10, "ABCD")]),
            ([(10, "ABC")], "ZA", 9, "-A", [(9, "ZABC")]),
            ([(10, "ABC"), (15, "FGH")], "CDEF", 12, "C--F", [(10, "ABCDEFGH")]),
            ([(10, "ABC"), (15, "FGH")], "DE", 13, "--", [(10, "ABCDEFGH")]),
            ([(10, "ABC"), (15, "FGH")], "X", 30, "-", [(10, "ABC"), (15, "FGH"), (30, "X")]),
            ([(10, "ABC"), (15, "FGH")], "X", 0, "-", [(0, "X"), (10, "ABC"), (15, "FGH")]),
        ],
    )
    def test_hunks_join_what_they_touch(
        self, fragments: list[tuple[int, str]], old: str, number: int, claims: str, after: list[tuple[int, str]]
    ) -> None:
        made = sheet(*fragments)
        assert known(made, old, number) == claims
        assert numbered(made) == after

    def test_lines_behind_a_change_move(self) -> None:
        made = sheet((0, "ABC"), (10, "XYZ"))
        made.splice(made.open("B", 1), 1, "1234", [None] * 4)
        assert numbered(made) == [(0, "A1234C"), (13, "XYZ")]

    def test_lines_put_in_by_nobody_we_know_shift_the_rest(self) -> None:
        made = sheet((0, "ABCDEFGH"), (20, "XYZ"), whole=True)
        assert known(made, "EFG", 7) == "EFG"
        assert numbered(made) == [(0, "ABCD"), (7, "EFGH"), (23, "XYZ")]

    def test_lines_taken_out_by_nobody_we_know_are_held_loose(self) -> None:
        made = sheet((0, "ABCDEFGH"), whole=True)
        assert known(made, "EFG", 2) == "EFG"
        assert numbered(made) == [(0, "ABEFGH")]
        assert [fragment.text for fragment in made.loose] == ["CD"]

    def test_a_line_changed_by_nobody_we_know(self) -> None:
        made = sheet((0, "ABCDE"), whole=True)
        assert known(made, "BXD", 1) == "B-D"
        assert [fragment.text for fragment in made.loose] == ["C"]

    def test_a_hunk_somewhere_else_is_believed_with_enough_to_tell(self) -> None:
        assert known(sheet((10, "ABC")), "ABC", 17) == "ABC"
        assert known(sheet((10, "ABC")), "AB", 17) == "--"
        assert known(sheet((10, "ABC")), "ABC", 17 + 1000) == "---"

    def test_the_end_of_the_file(self) -> None:
        made = sheet((0, "ABC"), (10, "XYZ"))
        made.tear(made.open("AB", 0), 2)
        assert numbered(made) == [(0, "AB")]
        assert [fragment.text for fragment in made.loose] == ["C", "XYZ"]


class TestUnnumbered:
    def test_where_the_lines_stand(self) -> None:
        assert known(sheet((0, "ABCDE"), whole=True), "CD", None) == "CD"

    def test_brackets_are_looked_for_in_whole_files_only(self) -> None:
        assert known(sheet((0, "AbC"), whole=True), "b", None) == "b"
        made = sheet((0, "AbC"))
        assert known(made, "b", None) == "-"
        assert [fragment.text for fragment in made.loose] == ["b"]

    def test_nearly_where_they_stand(self) -> None:
        made = sheet((0, "ABCDEF"), whole=True)
        assert known(made, "BXDE", None) == "B-DE"
        assert made.text == "ABXDEF"
        assert [fragment.text for fragment in made.loose] == [GAP + "C" + GAP * 2]

    def test_unknown_lines_are_held_loose_and_found_again(self) -> None:
        made = sheet()
        made.splice(made.open("AB", None), 2, "AXB", [None, Claim("X", 0), None])
        assert known(made, "XB", None) == "X-"

    def test_an_insertion_without_surroundings_has_no_place(self) -> None:
        made = sheet((0, "ABC"), whole=True)
        made.splice(made.open("", None), 0, "X", [Claim("X", 0)])
        assert (made.text, [fragment.text for fragment in made.loose]) == ("ABC", ["X"])


class TestParts:
    @pytest.mark.parametrize(("old", "number", "expected"), [("BC", 11, True), ("BX", 11, False), ("XX", 30, True)])
    def test_agree(self, old: str, number: int, expected: bool) -> None:
        assert agree([Fragment(10, "ABC", [])], old, number) is expected

    def test_run(self) -> None:
        assert run("xABCy", 2, "ABC", 1) == (1, 3)

    def test_close(self) -> None:
        assert close([(0, 10), (1, 11), (2, 90), (3, 91), (4, 92)], 8) == [(2, 90), (3, 91), (4, 92)]
        assert close([], 8) == []

    def test_cut(self) -> None:
        fragment = Fragment(10, "ABC", [None, None, None])
        rest = fragment.cut(1)
        assert (fragment.text, rest.start, rest.text, len(fragment.claims), len(rest.claims)) == ("A", 11, "BC", 1, 2)


class TestLooksNowhere:
    def test_everything_in_order_then_what_is_loose(self) -> None:
        made = sheet((0, "AB"), (9, "CD"))
        made.loose = [Fragment(0, "X", [None])]
        text, claims = made.everything
        assert text == f"AB{GAP}CD{GAP}X"
        assert len(claims) == len(text)

    def test_clear_and_replace(self) -> None:
        made = sheet((0, "AB"))
        made.replace("XY", [None, None])
        assert (made.whole, numbered(made)) == (True, [(0, "XY")])
        made.clear()
        assert (made.whole, made.everything) == (False, ("", []))


@given(
    st.lists(st.tuples(st.integers(0, 60), st.text("ABCDefg", max_size=8), st.text("ABCDefg", max_size=8)), max_size=20)
)
def test_fragments_stay_apart_and_in_order_whatever_hunks_say(hunks: list[tuple[int, str, str]]) -> None:
    made = Sheet(TELLING)
    for number, old, new in hunks:
        made.splice(made.open(old, number), len(old), new, [None] * len(new))
        for before, after in zip(made.fragments, made.fragments[1:], strict=False):
            assert before.start + len(before.text) <= after.start
        assert all(len(fragment.text) == len(fragment.claims) for fragment in [*made.fragments, *made.loose])
