"""Our own requests: checked params in, one question to the worker, its answer out as it came.

Each function takes the connection and what the client sent. The workspace is the client's folders; a
document that is open counts as it is in the editor, saved or not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from msgspec import Raw, structs

from pastwork.errors import NotFound
from pastwork.lsp import params
from pastwork.lsp.connection import Connection
from pastwork.lsp.documents import path_of
from pastwork.shapes import BlameAnswer, HistoryAnswer
from pastwork.worker.questions import Blame, Context, History, Narrowing, Rooms, Search, Show, Touched, Written

N = TypeVar("N", bound=Narrowing)

NO_FILE = "Only files on this disk have past work."


async def search(connection: Connection, sent: object) -> Raw:
    return await connection.worker.ask(_here(connection, params.params(sent, Search)))


async def rooms(connection: Connection, sent: object) -> Raw:
    return await connection.worker.ask(_here(connection, params.params(sent, Rooms)))


async def history(connection: Connection, sent: object) -> Raw:
    asked = params.params(sent, params.InDocument)
    line = None if asked.position is None else asked.position.line + 1
    return await history_of(connection, asked.text_document.uri, line)


async def history_of(connection: Connection, uri: str, line: int | None) -> Raw:
    """``line`` is 1-based."""
    question = history_question(connection, uri, line)
    if question is None:
        return _raw(HistoryAnswer(uri, line, (), NO_FILE))
    return await connection.worker.ask(question)


def history_question(connection: Connection, uri: str, line: int | None) -> History | None:
    """None for what is no file."""
    path, document = path_of(uri), connection.session.documents.get(uri)
    if path is None:
        return None
    return History(str(path), line, document.text if document else None, folders(connection))


async def blame(connection: Connection, sent: object) -> Raw:
    asked = params.params(sent, params.InDocument)
    question = history_question(connection, asked.text_document.uri, None)
    if question is None:
        return _raw(BlameAnswer(asked.text_document.uri, (), NO_FILE))
    return await connection.worker.ask(Blame(question.file, question.text, question.folders))


async def written(connection: Connection, sent: object) -> Raw:
    asked = params.params(sent, params.ExchangeInDocument)
    question = history_question(connection, asked.text_document.uri, None)
    if question is None:
        raise NotFound(NO_FILE)
    return await connection.worker.ask(Written(asked.id, question.file, question.text, question.folders))


async def exchange(connection: Connection, sent: object) -> Raw:
    return await connection.worker.ask(params.params(sent, Show))


async def touched(connection: Connection, sent: object) -> Raw:
    asked = params.params(sent, Touched)
    return await connection.worker.ask(structs.replace(asked, folders=folders(connection)))


async def context(connection: Connection, sent: object) -> Raw:
    return await connection.worker.ask(_here(connection, params.params(sent, Context)))


async def status(connection: Connection, sent: object) -> Raw:
    params.params(sent, params.Nothing)
    return _raw(await connection.status())


def _here(connection: Connection, asked: N) -> N:
    """In the client's folders; one that has none open asks about all work."""
    here = folders(connection)
    scope = asked.scope or connection.session.config.search.scope
    return structs.replace(asked, folders=here, scope=scope if here else "all")


def folders(connection: Connection) -> tuple[str, ...]:
    """The client's folders as the worker takes them."""
    return tuple(str(folder) for folder in connection.session.folders)


def _raw(answer: msgspec.Struct) -> Raw:
    return Raw(msgspec.json.encode(answer))


REQUESTS: dict[str, Callable[[Connection, object], Awaitable[Raw]]] = {
    "search": search,
    "history": history,
    "blame": blame,
    "exchange": exchange,
    "rooms": rooms,
    "written": written,
    "touched": touched,
    "context": context,
    "status": status,
}
