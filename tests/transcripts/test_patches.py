"""Edits from diffs, patch texts, old and new text, whole contents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.model import Edit, Hunk
from pastwork.transcripts import patches

GIT = """diff --git a/src/pear.py b/src/pear.py
index 111..222 100644
--- a/src/pear.py
+++ b/src/pear.py
@@ -1,3 +1,4 @@ def pear():
 one
-two
+TWO
+and a half
 three
@@ -9 +10 @@
-nine
+NINE
\\ No newline at end of file
diff --git a/old.txt b/new.txt
--- a/old.txt
+++ b/new.txt
@@ -1 +1 @@
-a
+b
--- /dev/null
+++ b/fresh.md
@@ -0,0 +1,2 @@
+# Fresh
+
--- a/gone.md
+++ /dev/null
@@ -1 +0,0 @@
-bye
"""


def test_the_files_of_a_diff() -> None:
    edits = [each.edit() for each in patches.diffs(GIT)]
    assert [(each.path, each.action, each.previous_path) for each in edits] == [
        ("src/pear.py", "edited", None),
        ("new.txt", "edited", "old.txt"),
        ("fresh.md", "created", None),
        ("gone.md", "deleted", None),
    ]
    assert edits[0].hunks == (
        Hunk((" one", "-two", "+TWO", "+and a half", " three"), 1, 1),
        Hunk(("-nine", "+NINE"), 9, 10),
    )
    assert edits[2].hunks == (Hunk(("+# Fresh", "+"), 0, 1),)


@pytest.mark.parametrize(
    ("text", "hunks"),
    [
        ("", ()),
        ("just words\n", ()),
        ("@@ -3,2 +3,2 @@\n-a\n+b\n c", (Hunk(("-a", "+b", " c"), 3, 3),)),
        pytest.param("@@ -1,2 +1,2 @@\r\n-a\r\n+b\r\n c\r\n", (Hunk(("-a", "+b", " c"), 1, 1),), id="crlf"),
        pytest.param("@@\n-a\n+b\n", (Hunk(("-a", "+b")),), id="bare"),
        pytest.param("@@ def f():\n-a\n+b\n@@ def g():\n-c\n", (Hunk(("-a", "+b")), Hunk(("-c",))), id="named"),
        pytest.param("@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", (Hunk((" a", " ", "-b", "+c"), 1, 1),), id="stripped blank"),
        pytest.param(
            "@@ -1,2 +1,2 @@\n--- x\n+++ y\n z\n", (Hunk(("--- x", "+++ y", " z"), 1, 1),), id="counted, not headers"
        ),
        pytest.param("@@ -1 +1 @@\n-a\n+b\nand then prose\n", (Hunk(("-a", "+b"), 1, 1),), id="prose after"),
    ],
)
def test_unified(text: str, hunks: tuple[Hunk, ...]) -> None:
    assert patches.unified(text) == hunks


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", (" a", "-b", "+B", " c")),
        ("a", "a\nb", (" a", "+b")),
        ("", "a\nb\n", ("+a", "+b")),
        ("a\n", "", ("-a",)),
        ("1\n2\n3\n4\n5\nx\n", "1\n2\n3\n4\n5\ny\n", (" 3", " 4", " 5", "-x", "+y")),
        ("a\nb\nc\nd\n", "a\nX\nc\nY\n", (" a", "-b", "+X", " c", "-d", "+Y")),
    ],
)
def test_between(old: str, new: str, lines: tuple[str, ...]) -> None:
    assert patches.between(old, new) == (Hunk(lines),)


def test_between_equal_texts_is_nothing() -> None:
    assert patches.between("a\r\nb", "a\nb\n") == ()


def test_between_moves_the_starts_past_the_context_it_drops() -> None:
    (hunk,) = patches.between("1\n2\n3\n4\n5\nx\n", "1\n2\n3\n4\n5\ny\n", 11, 12)
    assert (hunk.old_start, hunk.new_start) == (13, 14)


def side(hunk: Hunk, mark: str) -> list[str]:
    return [line[1:] for line in hunk.lines if line[0] in f" {mark}"]


LINES = st.lists(st.sampled_from(["", "a", "b", "c", "  d", "-e", "+f"]), max_size=12)


@given(LINES, LINES)
def test_between_turns_one_text_into_the_other(old: list[str], new: list[str]) -> None:
    """What the hunk says was there is a run of the old lines, and replaced by its new side gives the new."""
    hunks = patches.between("".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new))
    if not hunks:
        assert old == new
        return
    before, after = side(hunks[0], "-"), side(hunks[0], "+")
    places = [at for at in range(len(old) + 1) if old[at : at + len(before)] == before]
    assert any([*old[:at], *after, *old[at + len(before) :]] == new for at in places)


def test_large_changes_are_replaced_whole_and_fast() -> None:
    old, new = "\n".join(f"o{n}" for n in range(5000)), "\n".join(f"n{n}" for n in range(5000))
    (hunk,) = patches.between(old, new)
    assert len(hunk.lines) == 10_000


def test_whole_files() -> None:
    assert patches.content("a\n\nb") == (Hunk(("+a", "+", "+b"), None, 1),)
    assert patches.removed("a\n") == (Hunk(("-a",), 1, None),)
    assert patches.content("") == ()


PATCH = """*** Begin Patch
*** Update File: src/pear.py
@@ class Pear:
 one
-two
+TWO
@@
-three
*** End of File
*** Add File: docs/new.md
+# New
+
*** Update File: a.txt
*** Move to: b.txt
@@
-x
+y
*** Delete File: gone.txt
*** End Patch
"""


@pytest.mark.parametrize(
    "text",
    [PATCH, f"apply_patch <<'EOF'\n{PATCH}EOF\n", PATCH.replace("\n", "\r\n"), PATCH.replace("*** End Patch\n", "")],
)
def test_apply_patch(text: str) -> None:
    assert patches.apply_patch(text) == (
        Edit("src/pear.py", "edited", (Hunk((" one", "-two", "+TWO")), Hunk(("-three",))), "text"),
        Edit("docs/new.md", "created", (Hunk(("+# New", "+"), None, 1),), "content"),
        Edit("b.txt", "edited", (Hunk(("-x", "+y")),), "text", "a.txt"),
        Edit("gone.txt", "deleted"),
    )


def test_two_patches_in_one_text() -> None:
    one = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"
    assert [edit.path for edit in patches.apply_patch(one + "then\n" + one.replace(": a", ": b"))] == ["a", "b"]


def test_text_without_a_patch() -> None:
    assert patches.apply_patch("no patch here") == ()
    assert patches.diffs("--- one\nnot two\n") == ()


def test_shown_edits_read_back_as_the_same_hunks() -> None:
    edits = tuple(each.edit() for each in patches.diffs(GIT))
    again = tuple(each.edit() for each in patches.diffs(patches.shown(edits)))
    assert again == edits


def test_shown_without_hunks_is_empty() -> None:
    assert patches.shown((Edit("a", "deleted"),)) == ""


@given(st.text(alphabet="@*+- \nabFileUpdate:0123,/\r", max_size=200))
def test_any_text_is_taken(text: str) -> None:
    patches.unified(text)
    patches.diffs(text)
    patches.apply_patch("*** Begin Patch\n" + text)


def test_numbers_of_very_many_digits_are_none() -> None:
    (found,) = patches.diffs(f"--- a/a.py\n+++ b/a.py\n@@ -{'1' * 5000},1 +1,1 @@\n-a\n+b\n")
    assert [hunk.old_start for hunk in found.hunks] == [None]
