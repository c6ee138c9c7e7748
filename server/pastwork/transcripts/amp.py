"""Amp's local threads (until March 2026): ``~/.local/share/amp/threads/T-*.json``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.model import Problem, Session
from pastwork.transcripts import blocks, mended_json, not_prompts, roots, times, uris
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.folders import FolderReader, mtime

AGENT = "amp"
_HEADS = "refs/heads/"


class Sent(Struct):
    sent: float | None = field(name="sentAt", default=None)


class Usage(Struct):
    model: str | None = None
    timestamp: str | None = None


class Message(Struct):
    role: str | None = None
    content: str | list[Raw] | None = None
    meta: Sent | None = None
    usage: Usage | None = None


class Repository(Struct):
    ref: str | None = None


class Root(Struct):
    uri: str | None = None
    repository: Repository | None = None


class Initial(Struct):
    trees: list[Root] = []


class Environment(Struct):
    initial: Initial | None = None


class Thread(Struct):
    id: str = ""
    created: float | None = None
    title: str | None = None
    messages: list[Raw] = []
    env: Environment | None = None


_THREAD: Decoder[Thread] = Decoder(Thread)
_MESSAGE: Decoder[Message] = Decoder(Message)


def read(source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time) -> Iterator[Item]:
    """The thread's exchanges."""
    faults = Faults(source.path, blocks.ROLES)
    thread = mended_json.document(source.path, _THREAD, faults)
    if isinstance(thread, Problem):
        yield thread
        return
    started = times.utc(thread.created, clock())
    session = Session(AGENT, thread.id or source.path.stem, thread.title or "", started_at=started)
    build = Builder.start(session, now=clock(), mtime=mtime(source.path))
    trees = thread.env.initial.trees if thread.env and thread.env.initial else []
    if trees:
        ref = (trees[0].repository.ref if trees[0].repository else None) or ""
        branch = ref.removeprefix(_HEADS) if ref.startswith(_HEADS) else None
        build.context(cwd=uris.path_of(trees[0].uri or "") or None, branch=branch)
    for message in mended_json.each(thread.messages, _MESSAGE, faults, "message"):
        faults.knows(message.role)
        usage = message.usage or Usage()
        build.context(model=usage.model)
        moment = (message.meta.sent if message.meta else None) or usage.timestamp
        told = blocks.Message(message.role, message.content)
        yield from blocks.tell_message(build, told, not_prompts.typed, time=moment, faults=faults)
    yield from faults.taken()
    yield from build.finish()


def _places(env: Env) -> tuple[Path, ...]:
    return tuple(place / "threads" for place in roots.data(env, "amp"))


AMP = FolderReader(AGENT, "fixture-only", _places, ("T-*.json",), read)
