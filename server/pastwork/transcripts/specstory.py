"""SpecStory's Markdown histories, whatever agent was recorded: ``.specstory/history/*.md`` in projects.

Versions 0 to 2.1. A session id comes from the header comment; files of the oldest versions have none
and get one from title, time and first prompt. Renamed and doubled files of one session are one
source, the longest first. A history is rewritten whole, so ``since`` is ignored. Where a title's time
has no zone, the file name's counts, which is UTC; without one it is taken to be this machine's.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from msgspec import structs

from pastwork.model import Edit, Problem, Session
from pastwork.transcripts import calls, fences, identity, not_prompts, projects, recorded_paths, times
from pastwork.transcripts.base import Env, Item, Position, Proof, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.jsonl import opened
from pastwork.transcripts.plain_text import decoded
from pastwork.transcripts.specstory_document import Document, Head, Said, head, parse
from pastwork.transcripts.specstory_tools import used

_HISTORY = Path(".specstory", "history")
_HEAD_BYTES = 2048
#: A history longer than this is no transcript worth holding in memory.
_CAP = 256 * 1024 * 1024
_ANCESTORS = 4
#: ``2026-03-04_05-00Z-slug.md``, with or without seconds and ``Z``.
_NAMED = re.compile(r"(\d{4}-\d\d-\d\d)_(\d\d)-(\d\d)(?:-(\d\d))?Z?-")
_NO_MODEL = re.compile(r"<|default$")
_RULE = re.compile(r"(?:\A|\n)---[ \t]*(?=\n|\Z)")


class SpecStory:
    """Looks for ``.specstory/history`` in projects."""

    agent = "specstory"
    proof: Proof = "real"

    def roots(self, env: Env) -> tuple[Path, ...]:
        """The history folders of the projects looked at."""
        return tuple(folder / _HISTORY for folder in projects.holding(env, str(_HISTORY)))

    def locate(self, env: Env) -> Iterator[Source]:
        """One source per session; reads the first lines of each file to unite doubles."""
        yield from self._united(path for folder in self.roots(env) for path in sorted(folder.glob("*.md")))

    def within(self, folder: Path) -> Iterator[Source]:
        """The histories of one folder: a project, a history folder, or one file."""
        places = (folder / _HISTORY, folder) if folder.is_dir() else ()
        files = [folder] if folder.is_file() else [path for each in places for path in sorted(each.glob("*.md"))]
        yield from self._united(files)

    def _united(self, paths: Iterable[Path]) -> Iterator[Source]:
        sessions: dict[str, list[Path]] = {}
        for path in paths:
            sessions.setdefault(_session_of(path) or str(path), []).append(path)
        for doubles in sessions.values():
            first, *others = sorted(doubles, key=_longest_first)
            yield Source(self.agent, first, tuple(others), _workspace(first))

    def read(self, source: Source, since: Position | None = None) -> Iterator[Item]:
        """The exchanges of the longest file, then those that only a shorter one still has."""
        known: set[str] = set()
        for path in (source.path, *source.parts):
            for item in _items(path, source.workspace):
                if isinstance(item, Problem) or (isinstance(item, Session) and path == source.path):
                    yield item
                elif not isinstance(item, Session) and item.exchange.id not in known:
                    known.add(item.exchange.id)
                    yield item


def _session_of(path: Path) -> str | None:
    try:
        with opened(path) as stream:
            return head(stream.read(_HEAD_BYTES).decode("utf-8", "replace")).session_id
    except OSError:
        return None


def _longest_first(path: Path) -> tuple[int, Path]:
    try:
        return -path.stat().st_size, path
    except OSError:
        return 0, path


def _project(path: Path) -> Path:
    """The folder that holds ``.specstory``, else the file's own."""
    return path.parents[2] if path.parts[-3:-1] == _HISTORY.parts else path.parent


def _workspace(path: Path) -> str:
    folder = _project(path)
    return str(projects.git_root(folder) or folder)


def _bases(folder: Path) -> tuple[str, ...]:
    """Folders that recorded paths may belong to: the project's, and those above it up to the outermost with
    histories or ``.git`` of its own."""
    above = folder.parents[:_ANCESTORS]
    marked = [at for at, each in enumerate(above) if (each / _HISTORY).exists() or (each / ".git").exists()]
    return tuple(str(each) for each in (folder, *above[: marked[-1] + 1 if marked else 0]))


def _items(path: Path, workspace: str | None) -> Iterator[Item]:
    """One file's exchanges, in order."""
    try:
        with opened(path) as stream:
            data = stream.read(_CAP + 1)
        mtime = path.stat().st_mtime
    except OSError as error:
        yield Problem(str(path), 0, f"cannot be read: {error.strerror or error}")
        return
    if len(data) > _CAP:
        yield Problem(str(path), 0, f"longer than {_CAP} bytes, skipped")
        return
    faults = Faults(path)
    document = parse(decoded(data, faults))
    yield from faults.taken()
    if not document.turns:
        if data.strip():
            yield Problem(str(path), 0, "no turns of a SpecStory history")
        return
    document = _settled(document, data)
    folder = _project(path)
    build = Builder.start(_session(document, path, workspace), now=time.time(), mtime=mtime)
    build.context(cwd=str(folder), root=workspace)
    bases = _bases(folder)
    for said in document.turns:
        yield from _tell(build, said, bases, older=document.head.version < 2)
    yield from build.finish()


def _settled(document: Document, data: bytes) -> Document:
    """Without a prompt at the very end that is still being written."""
    pending = document.turns and document.turns[-1].role == "user" and not data.endswith(b"\n")
    return structs.replace(document, turns=document.turns[:-1]) if pending else document


def _session(document: Document, path: Path, workspace: str | None) -> Session:
    first = document.head
    return Session(
        "specstory",
        first.session_id or _invented(document),
        first.title,
        workspace,
        started_at=times.utc(_zoned(first, path), time.time()),
    )


def _invented(document: Document) -> str:
    """An id for a history without one: the same for a renamed or grown copy."""
    first = next((said.text for said in document.turns if said.role == "user"), "")
    return "history-" + identity.exchange_id("specstory", session_id=document.head.time or "", prompt=first)


def _zoned(first: Head, path: Path) -> str | None:
    """The session's time in UTC or with its zone."""
    if first.zoned:
        return first.time
    if named := _NAMED.match(path.name):
        return f"{named[1]}T{named[2]}:{named[3]}:{named[4] or '00'}Z"
    if first.time is None:
        return None
    try:
        return datetime.fromisoformat(first.time).astimezone().isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def _tell(build: Builder, said: Said, bases: tuple[str, ...], *, older: bool) -> Iterator[Item]:
    if said.role == "user":
        text = not_prompts.typed(said.text, not_prompts.SPECSTORY)
        if text and not said.sidechain and not not_prompts.machine_made(text):
            yield from build.prompt(text, offset=0, time=said.time)
        return
    if said.model and not _NO_MODEL.match(said.model) and not said.sidechain:
        build.context(model=said.model)
    for part in said.parts:
        if part.kind == "tool":
            _use(build, part.text, said.time, bases)
        elif part.kind == "text" and said.sidechain:
            build.call("sub-agent", summary=calls.line(part.text), output=part.text, ok=True, time=said.time)
        elif part.kind == "text":
            for text in _bubbles(part.text) if older else (part.text,):
                if not (older and _use(build, text, said.time, bases)):
                    build.answer(text, time=said.time)


def _bubbles(text: str) -> Iterator[str]:
    """The pieces of an older answer, which rules part from each other."""
    start = 0
    blocks = list(fences.fences(text))
    starts = [block.start for block in blocks]
    for rule in _RULE.finditer(text):
        before = bisect_right(starts, rule.start())
        if not before or rule.start() >= blocks[before - 1].end:
            yield text[start : rule.start()].strip()
            start = rule.end()
    yield text[start:].strip()


def _use(build: Builder, text: str, moment: str | None, bases: tuple[str, ...]) -> bool:
    """Tells a tool call; False where the text shows none."""
    call = used(text)
    if call is None:
        return False
    build.call(
        call.name,
        arguments=call.arguments,
        summary=calls.line(call.summary),
        output=call.output,
        ok=call.ok,
        edits=[_moved(edit, bases) for edit in call.edits],
        reads=[recorded_paths.today(path, bases) for path in call.reads],
        time=moment,
    )
    return True


def _moved(edit: Edit, bases: tuple[str, ...]) -> Edit:
    return structs.replace(edit, path=recorded_paths.today(edit.path, bases))


SPECSTORY = SpecStory()
