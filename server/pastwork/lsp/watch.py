"""Follows the store: the file map is made anew when what it shows has changed.

The store's counters are looked at a few times a second, and at once when the sync child says that
something changed; all of it in the one thread that owns the reader. Making a map never takes more
than a part of a core, however often the store changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from pastwork.lsp.mapper import Interest, Look, Mapper

T = TypeVar("T")

#: Seconds between two looks.
PAUSE = 0.6
#: After a map that took a second to make, nothing is looked at for so many.
_SHARE = 3
#: Seconds between two looks at a store that can't be read.
_TROUBLED = 2.0


class StoreWatch:
    """``changed`` gets every look that found something; ``interest`` says what to look for."""

    def __init__(self, mapper: Mapper, interest: Callable[[], Interest], changed: Callable[[Look], None]) -> None:
        self._mapper = mapper
        self._interest = interest
        self._changed = changed
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pastwork-store")
        self._wake = asyncio.Event()
        self._trouble = ""
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.ensure_future(self._follow())

    def nudge(self) -> None:
        """Looks now rather than at the next turn."""
        self._wake.set()

    async def run(self, deed: Callable[[Mapper], T]) -> T:
        """Something else that needs the store, in its thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, deed, self._mapper)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _follow(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            self._wake.clear()
            begun = clock()
            found = await self.run(partial(Mapper.look, interest=self._interest()))
            if found.map is not None or found.trouble != self._trouble:
                self._trouble = found.trouble
                self._changed(found)
            took = clock() - begun
            await self._pause(_TROUBLED if found.trouble else _SHARE * took if found.map is not None else 0.0)

    async def _pause(self, rest: float) -> None:
        """At least ``rest`` seconds, and then until the next look is due or something is known to have changed."""
        await asyncio.sleep(rest)
        try:
            await asyncio.wait_for(self._wake.wait(), max(0.02, PAUSE - rest))
        except TimeoutError:
            return
