"""A progress bar on stderr for work that takes over a second, on a terminal only."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

#: Seconds of work before a bar appears.
PATIENCE = 1.0


class Bar:
    """Told how far a phase is; draws nothing before its time, and leaves nothing behind."""

    def __init__(self, wanted: bool) -> None:
        """``wanted`` False draws nothing ever."""
        self._wanted = wanted
        self._started = time.monotonic()
        self._drawn: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def tell(self, phase: str, done: int, total: int) -> None:
        """``done`` of ``total`` (0 where unknown) of this phase."""
        if not self._wanted or (self._drawn is None and time.monotonic() - self._started < PATIENCE):
            return
        drawn = self._drawn or self._draw()
        if phase not in self._tasks:
            self._tasks[phase] = drawn.add_task(phase, total=None)
        drawn.update(self._tasks[phase], completed=done, total=total or None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._drawn is not None:
            self._drawn.stop()

    def _draw(self) -> Progress:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        from pastwork.cli.people import console

        out = console(error=True)
        columns = TextColumn("{task.description:>10}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        self._drawn = Progress(*columns, console=out, transient=True, disable=not out.is_terminal)
        self._drawn.start()
        return self._drawn
