"""Continue: ``~/.continue/sessions/<id>.json``, one document per session, rewritten each turn.

No message has a time: ``dateCreated`` of ``sessions.json`` dates the session. ``contextItems`` and
``promptLogs`` are not anybody's words.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.model import Problem, Session
from pastwork.transcripts import mended_json, openai_messages, roots, times, uris
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.folders import FolderReader, mtime
from pastwork.transcripts.openai_messages import ROLES, Message

AGENT = "continue"
_FAILED = ("canceled", "cancelled", "errored", "rejected")


class CallState(Struct):
    status: str | None = None


class Step(Struct):
    message: Message | None = None
    states: list[CallState] = field(name="toolCallStates", default=[])
    state: CallState | None = field(name="toolCallState", default=None)


class Document(Struct):
    session_id: str = field(name="sessionId", default="")
    title: str | None = None
    folder: str | None = field(name="workspaceDirectory", default=None)
    history: list[Raw] = []
    model: str | None = field(name="chatModelTitle", default=None)


class Listed(Struct):
    session_id: str = field(name="sessionId", default="")
    created: str | None = field(name="dateCreated", default=None)


_DOCUMENT: Decoder[Document] = Decoder(Document)
_STEP: Decoder[Step] = Decoder(Step)
_INDEX: Decoder[list[Raw]] = Decoder(list[Raw])
_LISTED: Decoder[Listed] = Decoder(Listed)


def read(source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time) -> Iterator[Item]:
    """The session's exchanges."""
    faults = Faults(source.path, ROLES)
    document = mended_json.document(source.path, _DOCUMENT, faults)
    if isinstance(document, Problem):
        yield document
        return
    name = document.session_id or source.path.stem
    started = times.utc(_created(source.path.with_name("sessions.json"), name), clock())
    session = Session(AGENT, name, document.title or "", started_at=started)
    build = Builder.start(session, now=clock(), mtime=mtime(source.path))
    build.context(cwd=uris.path_of(document.folder) if document.folder else None, model=document.model)
    for step in mended_json.each(document.history, _STEP, faults, "message"):
        faults.knows(step.message.role if step.message else None)
        if step.message is not None:
            yield from openai_messages.tell_message(build, step.message, ok=_outcome(step))
    yield from faults.taken()
    yield from build.finish()


def _outcome(step: Step) -> bool | None:
    """How a message's calls went, as far as their states say."""
    states = [state.status for state in (*step.states, *((step.state,) if step.state else ()))]
    if any(status in _FAILED for status in states):
        return False
    return True if states and all(status == "done" for status in states) else None


def _created(index: Path, name: str) -> float | None:
    """Milliseconds since 1970, which the index keeps as text."""
    if not index.is_file():
        return None
    found = mended_json.document(index, _INDEX)
    listed = [] if isinstance(found, Problem) else mended_json.each(found, _LISTED)
    created = next((each.created for each in listed if each.session_id == name), None)
    return float(created) if created and created.replace(".", "", 1).isdecimal() else None


def _places(env: Env) -> tuple[Path, ...]:
    return (roots.named(env, "CONTINUE_GLOBAL_DIR", ".continue") / "sessions",)


class Continue(FolderReader):
    """Leaves out the index, which lies among the sessions."""

    def below(self, folder: Path, patterns: tuple[str, ...]) -> Iterator[Source]:
        """The session documents below one folder."""
        found = FolderReader.below(self, folder, patterns)
        return (source for source in found if source.path.name != "sessions.json")


CONTINUE = Continue(AGENT, "fixture-only", _places, ("*.json",), read)
