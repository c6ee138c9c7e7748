"""Cursor's ``state.vscdb``: chat tabs and composers of a workspace (2023-24) and the global store.

A workspace's ``ItemTable`` holds whole conversations; the global ``cursorDiskKV`` one row per
composer and one per bubble, whose order only the composer's headers tell. Conversations are read
oldest change first, and a position carries how far changes were seen: a later read takes up the
composers changed since. Rows that are NULL or missing are passed over, garbled ones counted once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Raw, structs

from pastwork.model import Edit, Problem, Session
from pastwork.transcripts import cursor_rows, mended_json, patches, sqlite, tell, times, uris, watermark
from pastwork.transcripts.base import Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.cursor_bubbles import Bubble, CodeBlock, Tool, Uri, said
from pastwork.transcripts.cursor_rows import Composer, Composers, Tabs
from pastwork.transcripts.faults import Faults

AGENT = "cursor"
_ITEMS, _GLOBAL = "ItemTable", "cursorDiskKV"
_TABS = "workbench.panel.aichat.view.aichat.chatdata"
_COMPOSERS = "composer.composerData"
_TOOLS = 15
_PARTIAL = "... existing code"


class State:
    """One pass over one database."""

    def __init__(self, source: Source, since: Position | None, now: float) -> None:
        self.path = source.path
        self.now = now
        self.until = watermark.mark(since, 0.0)
        self.folder = source.workspace
        self.faults = Faults(source.path)

    def items(self) -> Iterator[Item]:
        """Every conversation that changed since."""
        try:
            with sqlite.reading(self.path) as connection:
                present = sqlite.holds(connection, self.faults, _ITEMS, _GLOBAL)
                if _ITEMS in present:
                    yield from self._workspace(connection)
                if _GLOBAL in present:
                    yield from self._global(connection)
        except sqlite3.Error as error:
            self.faults.add(f"cannot be read: {error}")
        yield from self.faults.taken()

    def _workspace(self, connection: sqlite3.Connection) -> Iterator[Item]:
        data = sqlite.value(connection, _ITEMS, _TABS)
        tabs = mended_json.value(data, cursor_rows.TAB_LIST, self.faults, _TABS) or Tabs()
        found = [
            Composer(tab.tab_id, tab.title, tab.sent, tab.sent, conversation=tab.bubbles)
            for tab in mended_json.each(tabs.tabs, cursor_rows.TAB, self.faults, "tab")
        ]
        data = sqlite.value(connection, _ITEMS, _COMPOSERS)
        held = mended_json.value(data, cursor_rows.COMPOSER_LIST, self.faults, _COMPOSERS) or Composers()
        listed = mended_json.each(held.all, cursor_rows.COMPOSER, self.faults, "composer")
        found += [each for each in listed if each.conversation]
        for composer in sorted(found, key=_changed):
            if self._new(_changed(composer)):
                bubbles = _inline(composer, self.faults)
                yield from self._conversation(composer, bubbles, self.folder)

    def _global(self, connection: sqlite3.Connection) -> Iterator[Item]:
        waiting: list[tuple[float, str]] = []
        for key in sqlite.keys(connection, _GLOBAL, "composerData:"):
            data = sqlite.value(connection, _GLOBAL, key)
            found = mended_json.value(data, cursor_rows.TIMES, self.faults, f"row {key}")
            if found is not None and self._new(found.changed):
                waiting.append((found.changed, key))
        folders = folders_of(self.path) if waiting else {}
        for _, key in sorted(waiting):
            data = sqlite.value(connection, _GLOBAL, key)
            composer = mended_json.value(data, cursor_rows.COMPOSER, self.faults, f"row {key}")
            if composer is not None:
                name = key.partition(":")[2]
                composer = structs.replace(composer, composer_id=composer.composer_id or name)
                bubbles = _in_order(connection, composer, name, self.faults)
                yield from self._conversation(composer, bubbles, _folder(composer) or folders.get(name))

    def _new(self, changed: float) -> bool:
        return changed == 0 or changed >= self.until

    def _conversation(self, composer: Composer, bubbles: Iterable[Bubble], folder: str | None) -> Iterator[Item]:
        started = times.utc(composer.created, self.now)
        session = Session(AGENT, composer.composer_id, composer.name or "", folder, started_at=started)
        build = Builder.start(session, now=self.now)
        build.context(cwd=folder, model=_model(composer))
        accepted = _accepted(composer)
        yield from watermark.marked(_told(build, bubbles, accepted), _changed(composer) or self.until)


def _told(build: Builder, bubbles: Iterable[Bubble], accepted: Mapping[tuple[str, int | None], Edit]) -> Iterator[Item]:
    for bubble in bubbles:
        yield from said(build, bubble)
        _edited(build, bubble, accepted)
    yield from build.finish()


def _changed(composer: Composer) -> float:
    return composer.updated or composer.created or 0


def _model(composer: Composer) -> str | None:
    found = mended_json.value(composer.model, cursor_rows.MODEL)
    return found.name if found and found.name not in ("default", "") else None


def _inline(composer: Composer, faults: Faults) -> Iterable[Bubble]:
    """The bubbles that stand in the composer itself."""
    return mended_json.each(composer.conversation, cursor_rows.BUBBLE, faults, f"{composer.composer_id}, bubble")


def _in_order(connection: sqlite3.Connection, composer: Composer, name: str, faults: Faults) -> Iterator[Bubble]:
    """The bubbles in the order of the headers; those that no header names are not part of the conversation."""
    tools = _tools(composer)
    found = _inline(composer, faults) if composer.conversation else _named(connection, composer, name, faults)
    for bubble in found:
        own = bubble.bubble_id or ""
        yield structs.replace(bubble, tool=tools[own]) if bubble.tool is None and own in tools else bubble


def _named(connection: sqlite3.Connection, composer: Composer, name: str, faults: Faults) -> Iterator[Bubble]:
    by_id: dict[str, Bubble] = {}
    prefix = f"bubbleId:{name}:"
    for key, data in sqlite.under(connection, _GLOBAL, prefix):
        bubble = mended_json.value(sqlite.as_bytes(data), cursor_rows.BUBBLE, faults, f"row {key}")
        if bubble is not None:
            own = key.removeprefix(prefix) if bubble.bubble_id is None else bubble.bubble_id
            by_id[own] = structs.replace(bubble, bubble_id=own)
    for header in composer.headers:
        if header.bubble_id in by_id:
            yield by_id[header.bubble_id]


def _tools(composer: Composer) -> Mapping[str, Tool]:
    """Tool calls of early composers, which stand apart from the bubbles."""
    found = mended_json.each(composer.capabilities, cursor_rows.CAPABILITY)
    texts = [each.data.bubbles for each in found if each.type == _TOOLS and each.data and each.data.bubbles]
    maps = (mended_json.value(text.encode("utf-8", "replace"), cursor_rows.TOOL_MAP) or {} for text in texts)
    return {own: tool for each in maps for own, tool in each.items()}


def _accepted(composer: Composer) -> Mapping[tuple[str, int | None], Edit]:
    """The code blocks that the user accepted, by file and version."""
    created = {_path(uri) for each in composer.created_files if (uri := mended_json.value(each, cursor_rows.URI))}
    found: dict[tuple[str, int | None], Edit] = {}
    for uri, data in composer.code.items():
        path = uris.path_of(uri)
        for block in _blocks(data):
            if block.status == "accepted":
                found[path, block.version] = _edit(path, block.content or "", path in created)
    return found


def _blocks(data: Raw) -> Iterable[CodeBlock]:
    if bytes(data).lstrip().startswith(b"["):
        return mended_json.value(data, cursor_rows.BLOCKS) or ()
    return (mended_json.value(data, cursor_rows.BLOCK_MAP) or {}).values()


def _edit(path: str, text: str, created: bool) -> Edit:
    """Code that leaves out what exists shows no whole file: only its name is sure."""
    action = "created" if created else "edited"
    hunks = () if not text or _PARTIAL in text else patches.content(text)
    return Edit(path, action, hunks, "content" if hunks else "named")  # type: ignore[arg-type]


def _edited(build: Builder, bubble: Bubble, accepted: Mapping[tuple[str, int | None], Edit]) -> None:
    for block in bubble.code_blocks:
        edit = accepted.get((_path(block.uri), block.version)) if block.uri else None
        if edit is not None:
            tell.changed(build, edit, name="composer edit")


def _path(uri: str | Uri) -> str:
    if isinstance(uri, str):
        return uris.path_of(uri)
    return uris.path_of(uri.external) if uri.external else uri.path or uri.fs_path or ""


def _folder(composer: Composer) -> str | None:
    uri = composer.workspace.uri if composer.workspace else None
    return (_path(uri) or None) if uri else None


def folder_of(path: Path) -> str | None:
    """The folder that a workspace's storage belongs to, from ``workspace.json`` beside its database."""
    found = mended_json.document(path.with_name("workspace.json"), cursor_rows.FOLDER)
    if isinstance(found, Problem):
        return None
    named = found.folder or found.workspace or found.configuration
    if not named:
        return None
    folder = uris.path_of(named)
    return folder.rpartition("/")[0] if folder.endswith(".code-workspace") else folder


def folders_of(path: Path) -> Mapping[str, str]:
    """Composer id -> folder, from the databases of all workspaces beside the global one."""
    found: dict[str, str] = {}
    for database in sorted(path.parent.parent.glob("workspaceStorage/*/state.vscdb")):
        folder = folder_of(database)
        if folder is not None:
            found.update(dict.fromkeys(_listed(database), folder))
    return found


def _listed(database: Path) -> Iterator[str]:
    """The composers that a workspace's database lists."""
    try:
        with sqlite.reading(database) as connection:
            data = sqlite.value(connection, _ITEMS, _COMPOSERS)
    except sqlite3.Error:
        return
    held = mended_json.value(data, cursor_rows.COMPOSER_LIST) or Composers()
    yield from held.selected
    yield from (each.composer_id for each in mended_json.each(held.all, cursor_rows.COMPOSER))
