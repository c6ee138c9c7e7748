"""Whose turn it is, and that what is cancelled never has one."""

from __future__ import annotations

import threading

import pytest

from pastwork.worker.questions import Asked, Documents, Lines, Question, Rooms, Search, Show
from pastwork.worker.queue import Queue

SEARCH, SHOW, ROOMS = Search(query="x"), Show("x"), Rooms()
LINES, DOCUMENTS = Lines("/a", ""), Documents(("x",))


def drained(queue: Queue) -> list[int]:
    return [asked.number for _ in range(len(queue)) if (asked := queue.take(0))]


def filled(*questions: Question) -> Queue:
    queue = Queue()
    for number, question in enumerate(questions, 1):
        queue.put(Asked(number, question))
    return queue


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        ((SHOW, ROOMS, SHOW), [1, 2, 3]),
        ((SEARCH, SEARCH, SEARCH), [3, 2, 1]),
        ((LINES, SEARCH, SHOW, SEARCH, DOCUMENTS, SHOW), [3, 6, 4, 2, 1, 5]),
    ],
)
def test_turns(questions: tuple[Question, ...], expected: list[int]) -> None:
    assert drained(filled(*questions)) == expected


@pytest.mark.parametrize(
    ("cancelled", "expected"), [([2], [1, 3]), ([1, 2, 3], []), ([9], [1, 2, 3]), ([2, 2], [1, 3]), ([0], [1, 2, 3])]
)
def test_cancelled_ones_have_no_turn(cancelled: list[int], expected: list[int]) -> None:
    queue = filled(SHOW, SHOW, SHOW)
    for number in cancelled:
        queue.put(Asked(cancel=number))
    assert drained(queue) == expected


def test_every_kind_can_be_cancelled() -> None:
    queue = filled(SHOW, SEARCH, LINES)
    for number in (1, 2, 3):
        queue.put(Asked(cancel=number))
    assert len(queue) == 0
    assert queue.take(0) is None
    assert not queue.closed


def test_the_end_is_the_end_even_with_questions_left() -> None:
    queue = filled(SHOW, SHOW)
    queue.close()
    assert queue.take() is None
    assert queue.closed


def test_take_waits_for_what_comes_from_another_thread() -> None:
    queue = Queue()
    threading.Timer(0.05, lambda: queue.put(Asked(7, SHOW))).start()
    asked = queue.take(5)
    assert asked is not None
    assert asked.number == 7
