"""From a transcript on disk to the verbatim in an editor, no hand-made middle: as VS Code, as Neovim, as any other."""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import pytest
import pytest_asyncio
import pytest_lsp
from lsprotocol import types as lsp
from msgspec import Struct
from pytest_lsp import ClientServerConfig, LanguageClient

from tests.lsp.conftest import Sample
from tests.lsp.transcript import pieces, prompts, transcript_with

T = TypeVar("T")

PROMPT = "Bookings hang for ever when more than four people book"
pytestmark = pytest.mark.asyncio(loop_scope="module")


class Profile(Struct, frozen=True):
    """An editor: what it declares by the protocol, and what its pastwork client declares beyond."""

    name: str
    capabilities: str
    client: dict[str, Any] | None

    @property
    def own(self) -> bool:
        """Whether it has a pastwork client at all."""
        return self.client is not None


PROFILES = (
    Profile("vscode", "visual-studio-code", {"name": "vscode", "opensHistory": True, "commandLinks": True}),
    Profile("neovim", "neovim@0.11", {"name": "neovim", "opensHistory": True}),
    Profile("plain", "neovim@0.11", None),
)


class Editor(Struct):
    client: LanguageClient
    profile: Profile
    sample: Sample
    answer: lsp.InitializeResult
    statuses: list[Any]

    def path(self, name: str) -> Path:
        return self.sample.workspace / name

    def open(self, name: str, text: str | None = None) -> lsp.TextDocumentIdentifier:
        path = self.path(name)
        item = lsp.TextDocumentItem(path.as_uri(), "python", 1, path.read_text() if text is None else text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return lsp.TextDocumentIdentifier(path.as_uri())

    async def lenses(self, document: lsp.TextDocumentIdentifier) -> list[lsp.CodeLens]:
        return list(await self.client.text_document_code_lens_async(lsp.CodeLensParams(document)) or [])

    async def hover(self, document: lsp.TextDocumentIdentifier, line: int, character: int = 0) -> str | None:
        """``line`` is 1-based."""
        found = await self.client.text_document_hover_async(
            lsp.HoverParams(document, lsp.Position(line - 1, character))
        )
        if found is None:
            return None
        assert isinstance(found.contents, lsp.MarkupContent)
        return found.contents.value

    async def ask(self, method: str, **params: object) -> Any:
        return plain(await self.client.protocol.send_request_async(method, params))

    async def run(self, command: str, *arguments: Any) -> Any:
        params = lsp.ExecuteCommandParams(f"pastwork.server.{command}", list(arguments))
        return plain(await self.client.workspace_execute_command_async(params))


def plain(value: Any) -> Any:
    """pygls makes objects of results; these are dicts and lists again."""
    if hasattr(value, "_asdict"):
        return {key: plain(each) for key, each in value._asdict().items()}
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def file_of(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))


async def until(found: Callable[[], Awaitable[T]], seconds: float = 5.0) -> T:
    deadline = time.monotonic() + seconds
    while not (answer := await found()):
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.05)
    return answer


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=PROFILES, ids=lambda profile: profile.name)
async def editor(request: pytest.FixtureRequest, indexed: Sample) -> AsyncIterator[Editor]:
    profile: Profile = request.param
    command = [sys.executable, "-P", "-m", "pastwork", "lsp", "--stdio"]
    client = await ClientServerConfig(server_command=command, server_env=indexed.variables()).start()
    assert isinstance(client, LanguageClient)
    statuses: list[Any] = []

    @client.feature("pastwork/statusChanged")
    def status_changed(params: Any) -> None:
        statuses.append(params)

    folder = lsp.WorkspaceFolder(indexed.workspace.as_uri(), "ferryline")
    options = {"client": profile.client, "settings": {"lens": {"symbols": True}}} if profile.own else None
    answer = await client.initialize_session(
        lsp.InitializeParams(
            capabilities=pytest_lsp.client_capabilities(profile.capabilities),
            workspace_folders=[folder],
            initialization_options=options,
        )
    )
    yield Editor(client, profile, indexed, answer, statuses)
    await client.shutdown_session()
    await client.stop()


async def test_what_is_advertised_is_what_is_there(editor: Editor) -> None:
    found = editor.answer.capabilities
    assert found.text_document_sync == lsp.TextDocumentSyncOptions(
        open_close=True, change=lsp.TextDocumentSyncKind.Full, save=False, will_save=False, will_save_wait_until=False
    )
    assert found.hover_provider is True
    assert found.code_lens_provider == lsp.CodeLensOptions(resolve_provider=True)
    assert found.workspace_symbol_provider is not None
    names = [f"pastwork.server.{name}" for name in ("search", "history", "show", "reindex", "status", "forget")]
    assert found.execute_command_provider is not None
    assert list(found.execute_command_provider.commands) == names
    assert found.workspace is not None
    assert found.workspace.workspace_folders is not None
    for absent in ("completion_provider", "definition_provider", "code_action_provider", "diagnostic_provider"):
        assert getattr(found, absent) is None


async def test_the_lens_at_the_top_of_a_file(editor: Editor) -> None:
    document = editor.open("ferryline/pool.py")
    top = (await editor.lenses(document))[0]
    assert top.range.start == lsp.Position(0, 0)
    assert top.command is not None
    assert re.fullmatch(r"2 past exchanges(, \d fix(es)?)? · last: .+ · 1 week ago", top.command.title)
    name = "pastwork.openHistory" if editor.profile.own else "pastwork.server.history"
    assert (top.command.command, top.command.arguments) == (name, (document.uri,))
    unresolved = lsp.CodeLens(top.range, data=top.data)
    assert (await editor.client.code_lens_resolve_async(unresolved)).command == top.command


async def test_no_lens_where_there_is_nothing_to_say(editor: Editor) -> None:
    for name in ("ferryline/__init__.py", "elsewhere.py", "../ferryline2/ferryline/pool.py"):
        document = editor.open(name, "x = 1\n")
        assert await editor.lenses(document) == []
        assert await editor.hover(document, 1) is None


async def test_lenses_on_symbols_are_a_setting(editor: Editor) -> None:
    document = editor.open("ferryline/pool.py")
    if not editor.profile.own:
        await asyncio.sleep(0.5)
        assert len(await editor.lenses(document)) == 1
        return
    await until(lambda: wanted(editor, document, 2))
    lenses = await editor.lenses(document)
    lines = editor.path("ferryline/pool.py").read_text().splitlines()
    for lens in lenses[1:]:
        assert lens.command is not None
        assert lens.command.arguments == (document.uri, lens.range.start.line + 1)
        assert re.match(r"\s*(class|def) ", lines[lens.range.start.line])


async def wanted(editor: Editor, document: lsp.TextDocumentIdentifier, count: int) -> bool:
    return len(await editor.lenses(document)) >= count


async def test_the_hover_on_line_one_is_the_files_history(editor: Editor) -> None:
    document = editor.open("ferryline/pool.py")
    text = await editor.hover(document, 1)
    assert text is not None
    assert text.startswith("**2 past exchanges")
    links = re.findall(r"\[verbatim\]\(<?([^)>]+)>?\)", text)
    assert len(links) == 2
    kind = {"vscode": "command:pastwork.openExchange?", "neovim": "pastwork://exchange/", "plain": "file:///"}
    assert all(link.startswith(kind[editor.profile.name]) for link in links)
    if editor.profile.name == "plain":
        file = file_of(links[0])
        await until(lambda: asyncio.to_thread(file.is_file))
        assert (await asyncio.to_thread(file.read_text)).startswith("# ")


async def test_the_hover_on_a_line_is_the_exchange_that_wrote_it(editor: Editor) -> None:
    document = editor.open("ferryline/pool.py")
    lines = editor.path("ferryline/pool.py").read_text().splitlines()
    written = next(number for number, line in enumerate(lines, 1) if "raise PoolTimeout" in line)
    text = await until(lambda: editor.hover(document, written, 12))
    assert PROMPT in text
    assert "claude-code · 1 month ago" in text
    assert re.search(r"\d+ of \d+ lines stand", text)
    untouched = next(number for number, line in enumerate(lines, 1) if "self._connect = connect" in line)
    assert await editor.hover(document, untouched, 12) is None


async def test_unsaved_text_counts(editor: Editor) -> None:
    document = editor.open("ferryline/pool.py")
    text = editor.path("ferryline/pool.py").read_text()
    written = next(number for number, line in enumerate(text.splitlines(), 1) if "raise PoolTimeout" in line)
    await until(lambda: editor.hover(document, written, 12))
    change = lsp.TextDocumentContentChangeWholeDocument("# a new first line\n" + text)
    version = lsp.VersionedTextDocumentIdentifier(2, document.uri)
    editor.client.text_document_did_change(lsp.DidChangeTextDocumentParams(version, [change]))
    assert PROMPT in (await editor.hover(document, written + 1, 12) or "")
    await asyncio.sleep(0.6)
    assert PROMPT in (await editor.hover(document, written + 1, 12) or "")
    history = await editor.ask(
        "pastwork/history", textDocument={"uri": document.uri}, position={"line": written, "character": 0}
    )
    assert (history["line"], history["matches"][0]["tier"]) == (written + 1, "line")
    blame = await editor.ask("pastwork/blame", textDocument={"uri": document.uri})
    assert written + 1 in [line["line"] for line in blame["lines"]]


async def test_an_import_shows_the_other_files_history(editor: Editor) -> None:
    document = editor.open(
        "ferryline/tickets.py", "from ferryline.pool import Pool\nfrom os import path\nsee ferryline/pool.py\n"
    )
    for line, character in ((1, 18), (3, 10)):
        text = await editor.hover(document, line, character)
        assert text is not None
        assert "past exchanges" in text
        assert "on `ferryline/pool.py`" in text
    assert await editor.hover(document, 2, 6) is None


async def test_from_search_to_the_transcripts_own_words(editor: Editor) -> None:
    transcript = transcript_with(editor.sample.home, PROMPT)
    prompt = next(text for text in prompts(transcript) if PROMPT in text)
    answer = await editor.ask("pastwork/search", query="bookings hang pool", limit=3)
    assert (answer["scope"], answer["query"]) == ("workspace", "bookings hang pool")
    hit = answer["hits"][0]
    assert prompt.startswith(hit["prompt"])
    assert "ferryline/pool.py" in [touched["path"] for touched in hit["object"]["files_touched"]]
    shown = await editor.ask("pastwork/exchange", id=hit["id"])
    assert shown["source"] == {"path": str(transcript), "present": True}
    said: list[tuple[str, str]] = []
    for entry in shown["verbatim"]:
        if entry["tool"] is None:
            said.append((entry["role"], entry["text"]))
        else:
            said += [("tool", entry["tool"]["name"]), ("output", entry["tool"]["output"])]
    assert said == list(pieces(transcript, prompt))
    for kind, text in said:
        if kind == "assistant":
            assert text.split(". ")[0] in shown["markdown"]
    assert await editor.run("show", hit["id"]) == shown


async def test_commands_answer_the_same_shapes(editor: Editor) -> None:
    uri = editor.path("ferryline/pool.py").as_uri()
    document = editor.open("ferryline/pool.py")
    requested = await editor.ask("pastwork/history", textDocument={"uri": document.uri})
    assert await editor.run("history", uri) == requested
    line = await editor.run("history", uri, 1)
    assert line["line"] == 1
    assert (await editor.run("search", "pool"))["hits"]
    status = await editor.run("status")
    assert status["store"] == (await editor.ask("pastwork/status"))["store"]
    rooms = (await editor.ask("pastwork/rooms"))["rooms"]
    first = rooms[0]
    room = await editor.ask("pastwork/rooms", room=f"{first['room_type']}:{first['room_key']}")
    assert len(room["hits"]) == first["exchanges"]


async def test_only_a_client_without_lists_is_shown_a_file(editor: Editor) -> None:
    before = len(editor.client.shown_documents)
    await editor.run("history", editor.path("ferryline/pool.py").as_uri())
    if editor.profile.own:
        await asyncio.sleep(0.3)
        assert len(editor.client.shown_documents) == before
        return
    await until(lambda: asyncio.sleep(0, len(editor.client.shown_documents) > before))
    shown = file_of(editor.client.shown_documents[-1].uri)
    assert shown.is_relative_to(editor.sample.data)
    text = await asyncio.to_thread(shown.read_text)
    assert text.startswith("# Past work on `")
    assert len(re.findall(r"\[verbatim\]\(<file:///", text)) >= 2


async def test_symbols_open_the_verbatim(editor: Editor) -> None:
    found = await editor.client.workspace_symbol_async(lsp.WorkspaceSymbolParams("bookings hang"))
    assert found
    symbol = found[0]
    assert PROMPT in symbol.name
    uri = urlsplit(symbol.location.uri)
    if editor.profile.own:
        assert (uri.scheme, uri.netloc) == ("pastwork", "exchange")
        assert re.fullmatch(r"/[0-9a-f]{16}\.md", uri.path)
    else:
        assert PROMPT in await asyncio.to_thread(file_of(symbol.location.uri).read_text)


async def test_the_client_hears_how_indexing_went(editor: Editor) -> None:
    await until(lambda: asyncio.sleep(0, bool(editor.statuses)))
    last = plain(editor.statuses[-1])
    assert set(last) == {"agents", "vectors", "index", "store", "writer", "notes"}
    assert last["index"]["state"] in ("idle", "running", "paused")


async def test_nothing_was_asked_of_the_client_that_it_did_not_declare(editor: Editor) -> None:
    """The other half is pytest-lsp's own: each message is checked against the declared capabilities."""
    assert not editor.client.messages
    assert editor.client.error is None
