"""Transactions of a bounded length: what was put becomes visible, and safe, every half second or so."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from pastwork.index.base import Fields
from pastwork.index.okapi import OkapiLane
from pastwork.store.records import Put
from pastwork.store.writer import StoreWriter

#: A transaction older than this (seconds) is committed at the next chance.
LONGEST = 0.5


class Stopped(Exception):
    """Somebody else wants the store, or the process is to end; everything put is committed."""


class Batch:
    """One transaction after the other, each with the keyword lane's share.

    As a context it commits at a good end and rolls back what is open at a bad one. ``stop`` is asked
    after every commit.
    """

    def __init__(self, writer: StoreWriter, lane: OkapiLane, stop: Callable[[], bool] = lambda: False) -> None:
        self._writer = writer
        self._lane = lane
        self._stop = stop
        self._open = ExitStack()
        self._begun: float | None = None
        self._fields: list[tuple[int, Fields]] = []
        self._removed: list[int] = []

    def begin(self) -> None:
        """Opens a transaction unless one is open."""
        if self._begun is None:
            self._open.enter_context(self._writer.transaction())
            self._begun = time.monotonic()

    def index(self, put: Put, fields: Fields) -> None:
        """Has the keyword lane see a row that was put, at the commit."""
        self._fields.append((put.row, fields))
        self._removed += put.removed

    @property
    def due(self) -> bool:
        """Whether the open transaction has lasted long enough."""
        return self._begun is not None and time.monotonic() - self._begun > LONGEST

    def commit(self) -> None:
        """Commits what is open.

        Raises:
            Stopped: after the commit, when ``stop`` says so.
        """
        if self._begun is not None:
            self._flush()
            self._begun = None
            self._open.close()
        if self._stop():
            raise Stopped

    def commit_if_due(self) -> None:
        """Between two transcripts or exchanges, however small they are and however many.

        Raises:
            Stopped: after a commit, when ``stop`` says so.
        """
        if self.due:
            self.commit()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.commit()
            return
        self._fields, self._removed, self._begun = [], [], None
        self._open.__exit__(kind, value, at)

    def _flush(self) -> None:
        fields, removed = dict(self._fields), set(self._removed)
        self._fields, self._removed = [], []
        self._lane.remove(removed)
        added = [(row, each) for row, each in fields.items() if row not in removed]
        self._lane.add(added)
        self._writer.put_fields(added)
