"""The questions that wait for their turn."""

from __future__ import annotations

import threading
from collections import deque

from pastwork.worker.questions import Asked, Documents, Lines, Search


class Queue:
    """Questions that wait. Answers in order, but of searches the newest first, as one types; upkeep comes last.

    One thread puts, another takes.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._plain: deque[Asked] = deque()
        self._searches: deque[Asked] = deque()
        self._upkeep: deque[Asked] = deque()
        self._closed = False

    def put(self, asked: Asked) -> None:
        with self._changed:
            if asked.cancel is not None:
                self._drop(asked.cancel)
            else:
                self._queue_of(asked).append(asked)
                self._changed.notify()

    def close(self) -> None:
        """Nothing more will come; what waits is no longer wanted."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def take(self, timeout: float | None = None) -> Asked | None:
        """The next one; None at the end or after ``timeout`` seconds without one (see ``closed``)."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self), timeout)
            if self._closed or not len(self):
                return None
            if self._plain:
                return self._plain.popleft()
            return self._searches.pop() if self._searches else self._upkeep.popleft()

    @property
    def closed(self) -> bool:
        return self._closed

    def __len__(self) -> int:
        return len(self._plain) + len(self._searches) + len(self._upkeep)

    def _queue_of(self, asked: Asked) -> deque[Asked]:
        if isinstance(asked.question, Search):
            return self._searches
        return self._upkeep if isinstance(asked.question, (Lines, Documents)) else self._plain

    def _drop(self, number: int) -> None:
        for waiting in (self._plain, self._searches, self._upkeep):
            for asked in waiting:
                if asked.number == number and asked.question is not None:
                    waiting.remove(asked)
                    return
