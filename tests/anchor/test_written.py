"""What an exchange wrote, put back into today's text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from pastwork.anchor.written import as_written
from pastwork.model import Edit, Hunk
from tests.anchor.histories import History, created, deleted, histories, overwritten, patched, stored

POOL = """\
import threading

class Pool:
    def __init__(self, size):
        self.free = threading.Semaphore(size)

    def take(self, timeout):
        if not self.free.acquire(timeout=timeout):
            raise PoolTimeout("no connection became free")
        return self.fresh_connection()

    def close_everything(self):
        self.connections.clear()
"""

TAKE = """
     def take(self, timeout):
-        self.free.acquire()
+        if not self.free.acquire(timeout=timeout):
+            raise PoolTimeout("no connection became free")
         return self.fresh_connection()
"""
#: The same without anything around it, as a tool's old and new text.
BARE = "\n".join(line for line in TAKE.split("\n") if line[:1] in ("+", "-"))


def check(today: str, expected: str, *edits: Edit, by_number: int = 0, left_out: int = 0) -> None:
    found = as_written(today, stored(*(("ex1", edit) for edit in edits)))
    assert found.text == expected
    assert (found.by_number, found.left_out) == (by_number, left_out)


@pytest.mark.parametrize("edit", [patched(TAKE, starts=[7]), patched(TAKE), patched(BARE, evidence="text")])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("no connection became free", "no connection became free in time"),
        ("timeout=timeout)", "timeout=timeout or 30)"),
        ("            raise", "            log.warning('starved')\n            raise"),
        ('            raise PoolTimeout("no connection became free")\n', ""),
        (
            '        if not self.free.acquire(timeout=timeout):\n            raise PoolTimeout("no connection',
            '        if not self.free.acquire(timeout=timeout):\n                raise PoolTimeout("no connection',
        ),
    ],
    ids=["nothing", "a word", "first line", "one more", "one less", "indentation"],
)
def test_what_changed_since_is_put_back(edit: Edit, old: str, new: str) -> None:
    assert old in POOL
    check(POOL.replace(old, new), POOL, edit)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import threading", "import threading\nimport logging\nimport contextlib"),
        ("self.connections.clear()", "self.connections.close()"),
        ("    def close_everything(self):\n        self.connections.clear()\n", ""),
        ("def take(self, timeout)", "def take(self, timeout=30)"),
        ("return self.fresh_connection()", "return self.connections.pop()"),
    ],
    ids=["above", "below", "removed", "beside, before", "beside, after"],
)
def test_what_it_did_not_write_stays_as_it_is_today(old: str, new: str) -> None:
    today = POOL.replace(old, new)
    check(today, today, patched(TAKE, starts=[7]))


def test_what_it_took_out_and_came_back_is_out_again() -> None:
    came_back = POOL.replace("        return self.fresh", "        self.audit_every_take()\n        return self.fresh")
    hunk = """
     def take(self, timeout):
         if not self.free.acquire(timeout=timeout):
             raise PoolTimeout("no connection became free")
-        self.audit_every_take()
         return self.fresh_connection()
"""
    check(came_back, POOL, patched(hunk, starts=[7]))


def test_edits_of_one_exchange_are_one_work() -> None:
    again = """
         if not self.free.acquire(timeout=timeout):
-            raise PoolTimeout("no connection became free")
+            raise PoolTimeout("no connection became free in time")
         return self.fresh_connection()
"""
    edits = patched(TAKE, starts=[7]), patched(again, starts=[8])
    second = POOL.replace("became free", "became free in time")
    check(POOL, second, *edits)
    check(POOL.replace("PoolTimeout(", "Starved("), second, *edits)


def test_a_whole_file_is_known_whole() -> None:
    for edit in (created(POOL), overwritten(POOL)):
        check("something else entirely\n", POOL, edit)
        check("", POOL, edit)
        check(POOL.replace("\n", "\r\n"), POOL.replace("\n", "\r\n"), edit)
        check("no line end", POOL.removesuffix("\n"), edit)


def test_what_moved_is_where_it_was() -> None:
    close = "\n    def close_everything(self):\n        self.connections.clear()\n"
    hunk = """
         return self.fresh_connection()
+
+    def close_everything(self):
+        self.connections.clear()
"""
    moved = POOL.replace(close, "").replace("\n    def take", f"{close}\n    def take")
    assert moved != POOL
    check(moved, POOL, patched(hunk, starts=[10]))


def test_what_left_no_trace_is_put_where_it_was_made() -> None:
    rewritten = POOL.split("    def take")[0] + "    pass\n"
    lines = rewritten.splitlines()
    written = [
        "        if not self.free.acquire(timeout=timeout):",
        '            raise PoolTimeout("no connection became free")',
    ]
    expected = "\n".join([*lines[:7], *written, *lines[7:]]) + "\n"
    check(rewritten, expected, patched(TAKE, starts=[7]), by_number=1)
    check("", "\n".join(written) + "\n", patched(TAKE, starts=[7]), by_number=1)


def test_what_has_no_place_is_told() -> None:
    other = "class Ledger:\n    balance = 0\n"
    check(other, other, patched(BARE, evidence="text"), left_out=1)
    check(other, other, Edit("/work/app/src/main.py", "edited"))


def test_a_deleted_file() -> None:
    found = as_written(POOL, stored(("ex1", patched(TAKE, starts=[7])), ("ex1", deleted())))
    assert found.deleted
    assert found.text == ""


@settings(max_examples=120, deadline=None)
@given(histories(known=False))
def test_nothing_differs_right_after_the_last_exchange(history: History) -> None:
    """The property that makes every shown difference a later one."""
    if not history.edits:
        return
    last = history.edits[-1].exchange_id
    today = "".join(f"{line}\n" for line in history.texts)
    found = as_written(today, [edit for edit in history.edits if edit.exchange_id == last])
    assert found.text == today


@settings(max_examples=120, deadline=None)
@given(histories(known=False))
def test_every_line_it_added_last_is_there(history: History) -> None:
    """Whatever came after it."""
    if not history.edits:
        return
    today = "".join(f"{line}\n" for line in history.texts)
    first = history.edits[0]
    found = as_written(today, [first])
    lines = [line for hunk in first.edit.hunks for line in hunk.lines]
    new = {line[1:] for line in lines if line[0] == "+"} - {line[1:] for line in lines if line[0] != "+"}
    assert found.left_out or new <= set(found.text.splitlines())


def test_a_hunk_of_nothing_is_nothing() -> None:
    check(POOL, POOL, Edit("/work/app/src/main.py", "edited", (Hunk(()),), "patch"))
