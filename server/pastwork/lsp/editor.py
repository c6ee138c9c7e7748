"""What the server says to the client of its own accord, each thing only where the client can take it.

Nothing here is awaited by an answer: a client that never replies holds nobody up.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from pastwork.lsp.settings import Abilities
from pastwork.shapes import StatusAnswer

if TYPE_CHECKING:
    from pastwork.lsp.server import PastworkServer

log = logging.getLogger("pastwork.lsp")

#: Seconds that a client has to answer us.
_PATIENCE = 5.0


class Editor:
    """``abilities`` are set when the client has said what it can do."""

    def __init__(self, server: PastworkServer) -> None:
        self._server = server
        self._tasks: set[asyncio.Task[None]] = set()
        self._told: set[str] = set()
        self._tokens = (f"pastwork-{number}" for number in itertools.count(1))
        self.abilities = Abilities()

    def tell_once(self, sentence: str, kind: lsp.MessageType = lsp.MessageType.Warning) -> None:
        """A message to the user, the first time only."""
        if sentence and sentence not in self._told:
            self._told.add(sentence)
            self._server.window_show_message(lsp.ShowMessageParams(kind, f"pastwork: {sentence}"))

    def status_changed(self, status: StatusAnswer) -> None:
        self._server.protocol.notify("pastwork/statusChanged", msgspec.to_builtins(status))

    def refresh_lenses(self) -> None:
        if self.abilities.refreshes_lenses:
            self._later(self._server.workspace_code_lens_refresh_async(None))

    def show_document(self, path: Path) -> None:
        if self.abilities.shows_documents:
            self._later(self._server.window_show_document_async(lsp.ShowDocumentParams(path.as_uri(), take_focus=True)))

    async def settings(self) -> object:
        """The client's ``pastwork`` section, where it lets itself be asked; None where not."""
        if not self.abilities.pulls_settings:
            return None
        asked = lsp.ConfigurationParams([lsp.ConfigurationItem(section="pastwork")])
        try:
            found = await asyncio.wait_for(self._server.workspace_configuration_async(asked), _PATIENCE)
        except (JsonRpcException, TimeoutError):
            return None
        return found[0] if found else None

    async def begin_progress(self, title: str) -> str | None:
        """A token for a progress bar, where the client draws such."""
        if not self.abilities.shows_progress:
            return None
        token = next(self._tokens)
        asked = self._server.window_work_done_progress_create_async(lsp.WorkDoneProgressCreateParams(token))
        try:
            await asyncio.wait_for(asked, _PATIENCE)
        except (JsonRpcException, TimeoutError):
            return None
        self._progress(token, lsp.WorkDoneProgressBegin(title, percentage=0))
        return token

    def report_progress(self, token: str, done: int, total: int) -> None:
        percentage = min(100, 100 * done // total) if total else 0
        self._progress(token, lsp.WorkDoneProgressReport(message=f"{done} of {total}", percentage=percentage))

    def end_progress(self, token: str) -> None:
        self._progress(token, lsp.WorkDoneProgressEnd())

    def _progress(self, token: str, value: object) -> None:
        self._server.protocol.notify(lsp.PROGRESS, lsp.ProgressParams(token, value))

    def _later(self, request: Awaitable[object]) -> None:
        task = asyncio.ensure_future(_quietly(request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _quietly(request: Awaitable[object]) -> None:
    try:
        await request
    except JsonRpcException as error:
        log.info("the client refused a request of ours: code %s", error.code)
