"""``pastwork lsp``: the language server on stdio.

This module is what stands before ``initialize`` is answered: it may import pygls, lsprotocol, msgspec
and the standard library only. Everything else comes with ``connection.py``, right after the answer.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from pastwork import __version__
from pastwork.lifeline import alive
from pastwork.lsp.documents import Document, path_of
from pastwork.lsp.faults import log_loop_fault
from pastwork.lsp.protocol import Protocol
from pastwork.lsp.settings import abilities, settings_tree
from pastwork.lsp.wire import Frame, Input, Output

if TYPE_CHECKING:
    from pastwork.lsp.connection import Connection

#: Our own requests, see ``requests.py``.
REQUEST_NAMES = ("search", "history", "blame", "exchange", "rooms", "status", "written", "touched", "context")
#: What ``executeCommand`` understands, see ``commands.py``.
COMMAND_NAMES = ("search", "history", "show", "reindex", "status", "forget")

#: Seconds between two looks whether the editor still lives.
_PARENT_PAUSE = 1.0


class PastworkServer(LanguageServer):
    """Handlers on top of ``Protocol``; the connection is made when it is first needed."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__(
            "pastwork",
            __version__,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Full,
            protocol_cls=Protocol,
        )
        self._connection: Connection | None = None
        self._params: lsp.InitializeParams | None = None
        self._parent: asyncio.Task[None] | None = None

    @property
    def connection(self) -> Connection:
        """All parts of this connection, background work begun."""
        if self._connection is None:
            self._connection = self._connected()
        return self._connection

    def report_server_error(self, error: Exception, source: object) -> None:
        """Nothing: faults are logged and answered where they happen, and never shown to the user as they are."""

    def introduced(self, params: lsp.InitializeParams) -> None:
        """The client has said who it is; the connection is made once this is answered."""
        self._params = params
        loop = asyncio.get_running_loop()
        loop.call_soon(lambda: self.connection)
        if params.process_id is not None and alive(params.process_id):
            # A number that nobody has is another machine's or container's: there the end of stdin tells.
            self._parent = loop.create_task(self._until_orphaned(params.process_id))

    async def _until_orphaned(self, editor: int) -> None:
        while alive(editor):  # noqa: ASYNC110 - another process's end is no event of ours
            await asyncio.sleep(_PARENT_PAUSE)
        self.protocol.ended.set()

    async def close(self) -> None:
        """Ends background work and children."""
        if self._connection is not None:
            await self._connection.stop()

    def _connected(self) -> Connection:
        from pastwork.lsp.connection import Connection, Places
        from pastwork.lsp.editor import Editor

        assert self._params is not None  # noqa: S101 - the protocol lets no request through before initialize
        options = self._params.initialization_options
        connection = Connection(Editor(self), Places.of_process())
        connection.session.codec = self.workspace.position_codec
        connection.start(abilities(self._params.capabilities, options), settings_tree(options), _folders(self._params))
        return connection


def build() -> PastworkServer:
    """The server with all its handlers, not yet connected to anything."""
    server = PastworkServer()
    for method, handler, options in FEATURES:
        server.feature(method, options)(handler)
    for name in REQUEST_NAMES:
        server.feature(f"pastwork/{name}")(_request(name))
    for name in COMMAND_NAMES:
        server.command(f"pastwork.server.{name}")(_command(name))
    return server


def initialize(ls: PastworkServer, params: lsp.InitializeParams) -> None:
    ls.introduced(params)


async def changed_settings(ls: PastworkServer, params: lsp.DidChangeConfigurationParams) -> None:
    connection = ls.connection
    connection.configure(settings_tree(params.settings or await connection.editor.settings()))


async def changed_folders(ls: PastworkServer, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
    ls.connection.refold(_paths(params.event.added), _paths(params.event.removed))


async def opened(ls: PastworkServer, params: lsp.DidOpenTextDocumentParams) -> None:
    item = params.text_document
    ls.connection.opened(Document(item.uri, item.version, item.text))


async def changed(ls: PastworkServer, params: lsp.DidChangeTextDocumentParams) -> None:
    """A change of a document that was never opened is nothing."""
    session = ls.connection.session
    document = session.documents.get(params.text_document.uri)
    if document is not None:
        for change in params.content_changes:
            document = document.changed(change, params.text_document.version, session.codec)
        ls.connection.opened(document)


async def closed(ls: PastworkServer, params: lsp.DidCloseTextDocumentParams) -> None:
    ls.connection.closed(params.text_document.uri)


async def code_lens(ls: PastworkServer, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    await ls.connection.first_map()
    return ls.connection.session.lenses(params.text_document.uri)


async def resolve_lens(ls: PastworkServer, lens: lsp.CodeLens) -> lsp.CodeLens:
    return ls.connection.session.resolved(lens)


async def hover(ls: PastworkServer, params: lsp.HoverParams) -> lsp.Hover | None:
    return ls.connection.hover(params.text_document.uri, params.position)


async def symbols(ls: PastworkServer, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
    await ls.connection.first_map()
    return await ls.connection.symbols(params.query)


#: Method, handler, advertised options.
FEATURES: tuple[tuple[str, Callable[..., object], object], ...] = (
    (lsp.INITIALIZE, initialize, None),
    (lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, changed_settings, None),
    (lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, changed_folders, None),
    (lsp.TEXT_DOCUMENT_DID_OPEN, opened, None),
    (lsp.TEXT_DOCUMENT_DID_CHANGE, changed, None),
    (lsp.TEXT_DOCUMENT_DID_CLOSE, closed, None),
    (lsp.TEXT_DOCUMENT_CODE_LENS, code_lens, lsp.CodeLensOptions(resolve_provider=True)),
    (lsp.CODE_LENS_RESOLVE, resolve_lens, None),
    (lsp.TEXT_DOCUMENT_HOVER, hover, None),
    (lsp.WORKSPACE_SYMBOL, symbols, None),
)


def _request(name: str) -> Callable[..., object]:
    async def request(ls: PastworkServer, params: object) -> object:
        from pastwork.lsp.requests import REQUESTS

        return await REQUESTS[name](ls.connection, params)

    return request


def _command(name: str) -> Callable[..., object]:
    async def command(ls: PastworkServer, *arguments: object) -> object:
        from pastwork.lsp.commands import COMMANDS

        return await COMMANDS[name](ls.connection, arguments)

    return command


def _folders(params: lsp.InitializeParams) -> list[Path]:
    """The client's folders; the older ways to name one count where the newer is not used."""
    if params.workspace_folders:
        return _paths(params.workspace_folders)
    if params.root_uri:
        path = path_of(params.root_uri)
        return [path] if path else []
    return [Path(params.root_path)] if params.root_path else []


def _paths(folders: Iterable[lsp.WorkspaceFolder]) -> list[Path]:
    return [path for folder in folders if (path := path_of(folder.uri))]


async def serve(server: PastworkServer, source: int, target: int) -> int:
    """Speaks on two descriptors until either side ends; the process's exit code."""
    loop, protocol = asyncio.get_running_loop(), server.protocol
    loop.set_exception_handler(log_loop_fault)
    protocol.set_writer(Output(target, protocol.ended.set))

    def deliver(frames: Sequence[Frame] | None) -> None:
        loop.call_soon_threadsafe(protocol.receive, frames)

    Input(source, deliver).start()
    await protocol.ended.wait()
    await server.close()
    return protocol.exit_code


def main() -> None:
    """Command line entry: ends the process.

    Nothing but the protocol can reach stdout, and nothing but it is read from stdin: what else is
    printed or read by any library goes to stderr or finds nothing.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s %(levelname)s: %(message)s")
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)  # it logs whole messages
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # it warns of a child that was reaped as it was killed
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    try:
        code = asyncio.run(serve(build(), source, target))
    except KeyboardInterrupt:
        code = 130
    sys.stderr.flush()
    os._exit(code)  # a thread that waits for a disk must not hold the end up
