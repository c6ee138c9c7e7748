"""One object that gives every answer about past work.

Cheap to make: the store is opened at the first question and the search lanes and the model at the
first search. Thread-confined like the store's reader; one per process or worker is right. Answers
are structs of ``shapes.py``; what the user did wrong or what is missing is raised from
``errors.py``; what only weakens an answer is a sentence in its ``notes``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pastwork import shapes
from pastwork.config import Config

if TYPE_CHECKING:
    from pastwork.search.filters import Filters

Clock = Callable[[], datetime]


class Palace:
    """``data`` is the data folder, ``home`` the user's home folder, ``clock`` gives UTC."""

    def __init__(self, data: Path, config: Config, home: Path, clock: Clock) -> None:
        self.data = data
        self.config = config
        self.home = home
        self.clock = clock

    def search(self, query: str, filters: Filters, folders: Sequence[Path] = ()) -> shapes.SearchAnswer:
        """Ranked exchanges. ``folders`` are the client's (or the current git root); used in scope ``workspace``."""
        raise NotImplementedError

    def history(
        self, file: Path, line: int | None = None, text: str | None = None, folders: Sequence[Path] = ()
    ) -> shapes.HistoryAnswer:
        """Past work on a file or a line. ``text`` is the unsaved buffer; None reads the file."""
        raise NotImplementedError

    def blame(self, file: Path, text: str | None = None, folders: Sequence[Path] = ()) -> shapes.BlameAnswer:
        """Line -> exchange, only where the tier is ``line``."""
        raise NotImplementedError

    def show(self, exchange_id: str) -> shapes.ShowAnswer:
        """The verbatim. Raises NotFound."""
        raise NotImplementedError

    def rooms(self, filters: Filters, folders: Sequence[Path] = ()) -> shapes.RoomsAnswer:
        """Rooms with counts, fullest first."""
        raise NotImplementedError

    def room(self, name: str, filters: Filters, folders: Sequence[Path] = ()) -> shapes.RoomAnswer:
        """The exchanges of ``type:key`` (or of a bare key), newest first. Raises NotFound."""
        raise NotImplementedError

    def status(self) -> shapes.StatusAnswer:
        """What is indexed, what was skipped, what is pending."""
        raise NotImplementedError

    def close(self) -> None:
        """Closes the store and drops the model; the next question opens them again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
