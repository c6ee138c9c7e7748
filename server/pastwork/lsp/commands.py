"""``workspace/executeCommand``: the same answers for clients that know nothing of us.

A client that implements no list or document of its own is shown what it asked for, as a Markdown file
of ours, beside the answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Raw

from pastwork.errors import PastworkError
from pastwork.lsp import params, requests
from pastwork.lsp.connection import Connection
from pastwork.worker.questions import Documents, Forget, History, Page, Put, Reindex, Show

Arguments = Sequence[object]


async def search(connection: Connection, given: Arguments) -> Raw:
    asked = params.arguments(given, params.QueryArgument)
    return await requests.search(connection, {"query": asked.query})


async def history(connection: Connection, given: Arguments) -> Raw:
    asked = params.arguments(given, params.FileArgument)
    answer = await requests.history_of(connection, asked.uri, asked.line)
    question = requests.history_question(connection, asked.uri, asked.line)
    if question is not None and not connection.session.abilities.opens_history:
        await _show_page(connection, question)
    return answer


async def show(connection: Connection, given: Arguments) -> Raw:
    asked = params.arguments(given, params.IdArgument)
    answer = await connection.worker.ask(Show(asked.id))
    if not connection.session.abilities.opens_history:
        await _show_file(connection, Documents((asked.id,)))
    return answer


async def reindex(connection: Connection, given: Arguments) -> Raw:
    asked = params.arguments(given, params.FullArgument)
    return await connection.deputy(Reindex(asked.full, requests.folders(connection)))


async def status(connection: Connection, given: Arguments) -> Raw:
    params.arguments(given, params.NoArgument)
    return await requests.status(connection, None)


async def forget(connection: Connection, given: Arguments) -> Raw:
    asked = params.arguments(given, params.IdArgument)
    answer = await connection.worker.ask(Forget(asked.id))
    connection.watch.nudge()
    return answer


async def _show_page(connection: Connection, question: History) -> None:
    await _show_file(connection, Page(question))


async def _show_file(connection: Connection, question: Documents | Page) -> None:
    """Shows what was written last; the answer stands even where nothing could be written."""
    if not connection.session.abilities.shows_documents:
        return
    try:
        put = msgspec.json.decode(await connection.worker.ask(question), type=Put)
    except PastworkError as error:
        connection.editor.tell_once(error.message)
        return
    if put.files:
        connection.editor.show_document(Path(list(put.files.values())[-1]))


COMMANDS: dict[str, Callable[[Connection, Arguments], Awaitable[Raw]]] = {
    "search": search,
    "history": history,
    "show": show,
    "reindex": reindex,
    "status": status,
    "forget": forget,
}
