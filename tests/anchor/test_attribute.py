"""Tables of small stories: edits in, today's text with the expected writer before each line."""

from __future__ import annotations

from typing import ClassVar

import pytest

from pastwork.anchor.attribute import attribute
from pastwork.anchor.attribution import Work
from pastwork.anchor.witness import Commit, Witness
from pastwork.model import Edit, Evidence, Hunk
from pastwork.store.records import StoredEdit
from tests.anchor.histories import PATH, created, deleted, overwritten, patched, stored

Story = list[tuple[str, Edit]]

LOADER = """\
import json

def load_settings(path):
    with open(path) as source:
        return json.load(source)
"""


def read_marks(marked: str) -> tuple[str, list[str | None]]:
    """``A| text`` lines as text and writers; ``-`` is nobody."""
    texts, writers = list[str](), list[str | None]()
    for line in marked.strip("\n").split("\n"):
        writer, _, text = line.partition("|")
        texts.append(text.removeprefix(" "))
        writers.append(None if writer.strip() == "-" else writer.strip())
    return "\n".join(texts) + "\n", writers


def check(story: Story, marked: str, witness: Witness | None = None) -> None:
    text, expected = read_marks(marked)
    found = attribute(text, stored(*story), witness)
    got = [run.exchange_id if (run := found.at(line)) else None for line in range(1, len(expected) + 1)]
    assert got == expected


def work(story: Story, text: str, exchange: str) -> Work:
    found = attribute(text, stored(*story)).work(exchange)
    assert found is not None
    return found


WRITERS: dict[str, tuple[Story, str]] = {
    "a whole new file": (
        [("A", created(LOADER))],
        """
A| import json
A|
A| def load_settings(path):
A|     with open(path) as source:
A|         return json.load(source)
""",
    ),
    "the latest writer wins, context is not claimed": (
        [
            ("A", created(LOADER)),
            (
                "B",
                patched(
                    """
 def load_settings(path):
-    with open(path) as source:
+    with open(path, encoding="utf-8") as source:
         return json.load(source)
""",
                    starts=[3],
                ),
            ),
        ],
        """
A| import json
A|
A| def load_settings(path):
B|     with open(path, encoding="utf-8") as source:
A|         return json.load(source)
""",
    ),
    "lines that were there before are nobody's": (
        [
            (
                "A",
                patched(
                    """
 def save_settings(path, values):
+    check_permissions(path)
     write_atomically(path, values)
""",
                    starts=[10],
                ),
            )
        ],
        """
-| def load_settings(path):
-|     return parse_everything(path)
-| def save_settings(path, values):
A|     check_permissions(path)
-|     write_atomically(path, values)
""",
    ),
    "indentation and alignment do not matter": (
        [("A", created("first_value = compute_first()\nsecond = compute_second()\n"))],
        """
A|     if ready:
A|         first_value  =  compute_first()
A|         second       =  compute_second()
""".replace("A|     if", "-|     if"),
    ),
    "re-indenting is not writing": (
        [
            ("A", created("prepare_everything()\nrun_the_migration()\n")),
            (
                "B",
                patched(
                    """
-prepare_everything()
-run_the_migration()
+if confirmed_by_user():
+    prepare_everything()
+    run_the_migration()
""",
                    starts=[1],
                ),
            ),
        ],
        """
B| if confirmed_by_user():
A|     prepare_everything()
A|     run_the_migration()
""",
    ),
    "moved by a person": (
        [("A", created("alpha_total = sum(alpha)\nbeta_total = sum(beta)\ngamma_total = sum(gamma)\n"))],
        """
A| beta_total = sum(beta)
A| gamma_total = sum(gamma)
-| by_hand = True
A| alpha_total = sum(alpha)
""",
    ),
    "moved within one exchange, taken out first": (
        [
            ("A", created("one_helper(first)\ntwo_helper(second)\nthree_helper(third)\n")),
            ("B", patched("-one_helper(first)\n two_helper(second)", starts=[1])),
            ("B", patched(" three_helper(third)\n+one_helper(first)", starts=[2])),
        ],
        """
A| two_helper(second)
A| three_helper(third)
A| one_helper(first)
""",
    ),
    "moved within one exchange, put in first": (
        [
            ("A", created("one_helper(first)\ntwo_helper(second)\nthree_helper(third)\n")),
            ("B", patched(" three_helper(third)\n+one_helper(first)", starts=[3])),
            ("B", patched("-one_helper(first)\n two_helper(second)", starts=[1])),
        ],
        """
A| two_helper(second)
A| three_helper(third)
A| one_helper(first)
""",
    ),
    "old lines moved within one exchange stay nobody's": (
        [
            ("B", patched("-one_helper(first)\n two_helper(second)", starts=[1])),
            ("B", patched(" three_helper(third)\n+one_helper(first)", starts=[2])),
        ],
        """
-| two_helper(second)
-| three_helper(third)
-| one_helper(first)
""",
    ),
    "brackets and blank lines count with what they belong to only": (
        [
            ("A", created("def walk_the_tree(root):\n    return None\n\n")),
            ("B", patched(" def walk_the_tree(root):\n+    else:\n     return None", starts=[1])),
        ],
        """
A| def walk_the_tree(root):
-|     else:
-|     return None
-|
""",
    ),
    "a text without numbers": (
        [
            ("A", created(LOADER)),
            (
                "B",
                patched(
                    """
-        return json.load(source)
+        return tomllib.load(source)
""",
                    evidence="text",
                ),
            ),
        ],
        """
A| import json
A|
A| def load_settings(path):
A|     with open(path) as source:
B|         return tomllib.load(source)
""",
    ),
    "a whole content over a known one": (
        [
            ("A", created("kept_by_both = 1\nwritten_by_a = 2\n")),
            ("B", overwritten("kept_by_both = 1\nwritten_by_b = 3\n")),
        ],
        """
A| kept_by_both = 1
B| written_by_b = 3
""",
    ),
    "a whole content over an unknown one claims nothing without a witness": (
        [("B", overwritten("perhaps_old = compute()\nperhaps_new = compute()\n"))],
        """
-| perhaps_old = compute()
-| perhaps_new = compute()
""",
    ),
    "deleted and made again": (
        [
            ("A", created("written_by_a = 1\nkept_by_name = 2\n")),
            ("B", deleted()),
            ("C", created("kept_by_name = 2\n")),
        ],
        """
C| kept_by_name = 2
""",
    ),
    "somebody's lines stand between": (
        [
            ("A", patched(" def before_it():\n+    call_the_first()\n     finish_it_all()", starts=[40])),
            (
                "B",
                patched(
                    " def before_it():\n     call_the_first()\n+    call_the_second()\n     finish_it_all()",
                    starts=[47],
                ),
            ),
        ],
        """
-| nobody_knows_this = 1
-| def before_it():
A|     call_the_first()
B|     call_the_second()
-|     finish_it_all()
""",
    ),
    "the same change made again after it was taken back unrecorded": (
        [
            ("A", patched(" def before_it():\n+    call_the_first()\n+    call_the_second()", starts=[40])),
            ("B", patched(" def before_it():\n+    call_the_first()\n+    call_the_second()", starts=[40])),
        ],
        """
-| def before_it():
B|     call_the_first()
B|     call_the_second()
""",
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_writers(name: str) -> None:
    check(*WRITERS[name])


def test_the_order_edits_come_in_does_not_matter() -> None:
    story, marked = WRITERS["the latest writer wins, context is not claimed"]
    text, _ = read_marks(marked)
    edits = stored(*story)
    assert attribute(text, edits[::-1]) == attribute(text, edits)


@pytest.mark.parametrize("evidence", ["patch", "text", "diff"])
def test_every_kind_of_hunk_is_followed(evidence: Evidence) -> None:
    hunk = "     with open(path) as source:\n-        return json.load(source)\n+        return tomllib.load(source)"
    edit = patched(hunk, starts=[4] if evidence != "text" else [], evidence=evidence)
    check(
        [("A", created(LOADER)), ("B", edit)],
        LOADER_MARKS,
    )


LOADER_MARKS = """
A| import json
A|
A| def load_settings(path):
A|     with open(path) as source:
B|         return tomllib.load(source)
"""


def test_an_edit_that_only_names_the_file_is_told_without_lines() -> None:
    found = attribute("anything_at_all = 1\n", stored(("A", Edit(PATH, "edited"))))
    assert found.runs == ()
    assert found.works == (Work(1, "A", "session", "edited"),)


def test_no_edits_no_answer() -> None:
    found = attribute("anything_at_all = 1\n", [])
    assert (found.line_count, found.runs, found.works) == (1, (), ())


def test_a_remark_about_the_missing_newline_is_no_line() -> None:
    edit = Edit(
        PATH, "edited", (Hunk(("-old_last_line()", "\\ No newline at end of file", "+new_last_line()"), 1, 1),), "patch"
    )
    check([("A", edit)], "A| new_last_line()")


class TestSurvival:
    def test_lines_that_stand_of_lines_added(self) -> None:
        found = work(
            [("A", created("first_line = 1\nsecond_line = 2\n}\nthird_line = 3\n"))], "first_line = 1\n}\n", "A"
        )
        assert (found.added, found.standing, found.survival) == (3, 1, 1 / 3)

    def test_second_thoughts_within_the_exchange_do_not_count(self) -> None:
        story = [("A", created("first_line = 1\n")), ("A", patched("-first_line = 1\n+better_line = 1", starts=[1]))]
        found = work(story, "better_line = 1\n", "A")
        assert (found.added, found.standing) == (1, 1)

    def test_an_exchange_that_only_deletes_has_none(self) -> None:
        story = [
            ("A", created("first_line = 1\nsecond_line = 2\n")),
            ("B", patched("-first_line = 1\n second_line = 2", starts=[1])),
        ]
        assert work(story, "second_line = 2\n", "B").survival is None


class TestReplacedAndUndone:
    NEW = patched("-slow_version()\n+fast_version()", starts=[1])

    def test_replaced_by_a_later_exchange(self) -> None:
        found = work([("A", created("slow_version()\n")), ("B", self.NEW)], "fast_version()\n", "A")
        assert (found.replaced_by, found.undone) == ("B", False)

    def test_standing_lines_are_not_replaced(self) -> None:
        assert work([("A", created("slow_version()\n")), ("B", self.NEW)], "fast_version()\n", "B").replaced_by is None

    def test_undone_by_a_person(self) -> None:
        story = [("A", created("slow_version()\n")), ("B", self.NEW)]
        assert work(story, "slow_version()\n", "B").undone

    def test_undone_by_an_exchange(self) -> None:
        story = [
            ("A", created("slow_version()\n")),
            ("B", self.NEW),
            ("C", patched("-fast_version()\n+slow_version()", starts=[1])),
        ]
        found = work(story, "slow_version()\n", "B")
        assert (found.undone, found.replaced_by) == (True, "C")

    def test_an_addition_is_undone_when_nothing_took_its_place(self) -> None:
        story = [
            ("A", created("only_line_before()\n")),
            ("B", patched(" only_line_before()\n+added_line_here()", starts=[1])),
            ("C", patched(" only_line_before()\n-added_line_here()", starts=[1])),
        ]
        assert work(story, "only_line_before()\n", "B").undone

    def test_rewritten_is_not_undone(self) -> None:
        found = work([("A", created("slow_version()\n")), ("B", self.NEW)], "third_version()\n", "B")
        assert not found.undone


class TestWitness:
    EDITED = "2026-03-01T12:00:00Z"
    AT = 1772366400.0
    DAY = 86400.0
    STORY: ClassVar[Story] = [("A", created("written_then = compute()\n", time=EDITED))]

    @pytest.mark.parametrize(
        ("authored", "committed", "ours", "stands"),
        [
            (AT + 600, AT + 600, True, True),
            (AT - 30, AT - 30, True, True),  # clocks differ a little
            (AT - DAY, AT - DAY, True, False),  # the line is older than the edit
            (AT - DAY, AT + 60, True, True),  # an amended commit keeps its first date
            (AT - 30 * DAY, AT + 60, True, False),  # an old commit rebased
            (AT + 600, AT + 600, False, True),  # a colleague committed it at once
            (AT + 30 * DAY, AT + 30 * DAY, False, False),  # a colleague wrote the same a month later
            (AT + 30 * DAY, AT + 30 * DAY, True, True),  # committed late
        ],
    )
    def test_verdicts(self, authored: float, committed: float, ours: bool, stands: bool) -> None:
        witness = Witness("head", ("written_then = compute()",), (0,), (Commit(authored, committed, ours),))
        check(self.STORY, f"{'A' if stands else '-'}| written_then = compute()", witness)

    def test_what_is_denied_is_said(self) -> None:
        old = Witness("head", ("written_then = compute()",), (0,), (Commit(0, 0, True),))
        found = attribute("\nwritten_then = compute()\n", stored(*self.STORY), old)
        assert (found.runs, found.denied) == ((), ((2, 2),))

    def test_lines_that_are_not_committed_have_no_witness(self) -> None:
        elsewhere = Witness("head", ("another_line = here()",), (0,), (Commit(0, 0, True),))
        check(self.STORY, "A| written_then = compute()", elsewhere)

    def test_a_blind_overwrite_is_confirmed_by_its_commit(self) -> None:
        story = [("A", overwritten("was_it_there = maybe()\nnew_for_sure = True\n", time=self.EDITED))]
        witness = Witness(
            "head",
            ("was_it_there = maybe()", "new_for_sure = True"),
            (0, 1),
            (Commit(0, 0, True), Commit(self.AT + 60, self.AT + 60, True)),
        )
        check(story, "-| was_it_there = maybe()\nA| new_for_sure = True", witness)

    def test_an_edit_without_a_time_is_not_judged(self) -> None:
        old = Witness("head", ("written_then = compute()",), (0,), (Commit(0, 0, True),))
        check([("A", created("written_then = compute()\n"))], "A| written_then = compute()", old)


def test_line_ends_of_all_systems_are_numbered_alike() -> None:
    edits = stored(("A", created("first_line = 1\nsecond_line = 2\n")))
    expected = attribute("first_line = 1\nsecond_line = 2\n", edits)
    assert attribute("first_line = 1\r\nsecond_line = 2\r\n", edits) == expected
    assert attribute("first_line = 1\rsecond_line = 2", edits) == expected


def test_a_copy_elsewhere_does_not_take_the_place_of_the_original() -> None:
    edits = stored(("A", created("open_the_file()\nread_the_header()\ncheck_the_header()\nclose_the_file()\n")))
    text = (
        "open_the_file()\nread_the_header()\ncheck_the_header()\nclose_the_file()\nby_hand_one()\nread_the_header()\n"
    )
    assert [(run.first, run.last) for run in attribute(text, edits).runs] == [(1, 4)]


def test_edits_of_two_sessions_are_ordered_by_time_not_by_session() -> None:
    early, late = (
        StoredEdit(1, "late", "s2", 7, None, created("written_late = 2\n")),
        StoredEdit(2, "early", "s1", 3, None, created("written_early = 1\n")),
    )
    found = attribute("written_late = 2\n", [early, late])
    assert [work.exchange_id for work in found.works] == ["late", "early"]
    assert found.at(1) == found.runs[0]
    assert found.runs[0].exchange_id == "late"
