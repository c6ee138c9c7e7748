"""Tells the client how the indexing goes: ``pastwork/statusChanged``, and a progress bar for what takes long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pastwork.lsp.editor import Editor
from pastwork.shapes import IndexStatus, StatusAnswer

#: Seconds between two notifications.
PAUSE = 0.5
#: Indexing that is over sooner (seconds) gets no progress bar.
_LONG = 1.0


class News:
    """``status`` asks for the present state; it is asked only when something has stirred."""

    def __init__(self, editor: Editor, status: Callable[[], Awaitable[StatusAnswer]]) -> None:
        self._editor = editor
        self._status = status
        self._stirred = self._stopped = False
        self._task: asyncio.Task[None] | None = None
        self._last: StatusAnswer | None = None
        self._running_since: float | None = None
        self._token: str | None = None

    def stir(self) -> None:
        """Something may have changed; the client hears of it soon, and not too often."""
        if self._stopped:
            return
        self._stirred = True
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._tell())

    def stop(self) -> None:
        self._stopped = True
        if self._task is not None:
            self._task.cancel()

    async def _tell(self) -> None:
        while self._stirred:
            self._stirred = False
            status = await self._status()
            if status != self._last:
                self._last = status
                self._editor.status_changed(status)
            await self._show_progress(status.index)
            await asyncio.sleep(PAUSE)

    async def _show_progress(self, index: IndexStatus) -> None:
        now = asyncio.get_running_loop().time()
        if index.state != "running":
            self._running_since = None
            if self._token is not None:
                self._editor.end_progress(self._token)
                self._token = None
            return
        self._running_since = now if self._running_since is None else self._running_since
        if self._token is None and now - self._running_since >= _LONG:
            self._token = await self._editor.begin_progress("Indexing past work")
        if self._token is not None:
            self._editor.report_progress(self._token, index.done, index.total)
