"""Mistral Vibe: ``~/.vibe/logs/session/session_<time>_<id>/{messages.jsonl,meta.json}``.

Messages as OpenAI's interface has them, without times; the folder, branch, title and start are in
``meta.json``, which is rewritten whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.json import Decoder

from pastwork.transcripts import mended_json, openai_messages, roots
from pastwork.transcripts.base import Env, Item, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.folders import FolderReader
from pastwork.transcripts.jsonl import Row
from pastwork.transcripts.line_reader import reading
from pastwork.transcripts.openai_messages import ROLES, Message

AGENT = "mistral-vibe"


class Environment(Struct):
    working_directory: str | None = None


class Meta(Struct):
    session_id: str | None = None
    parent_session_id: str | None = None
    start_time: str | None = None
    git_branch: str | None = None
    model: str | None = None
    title: str | None = None
    environment: Environment | None = None


_META: Decoder[Meta] = Decoder(Meta)
_MESSAGES: Decoder[Message] = Decoder(Message)


def _begin(build: Builder, source: Source) -> None:
    meta = mended_json.document(source.path.with_name("meta.json"), _META)
    if isinstance(meta, Meta):
        build.describe(session_id=meta.session_id, title=meta.title, parent_id=meta.parent_session_id)
        folder = meta.environment.working_directory if meta.environment else None
        build.context(cwd=folder, branch=meta.git_branch, model=meta.model, time=meta.start_time)


def _tell(build: Builder, row: Row[Message]) -> Iterator[Item]:
    return openai_messages.tell_message(build, row.value, offset=row.offset)


def _named(path: Path) -> str:
    return path.parent.name


def _parts(path: Path) -> tuple[Path, ...]:
    meta = path.with_name("meta.json")
    return (meta,) if meta.is_file() else ()


def _places(env: Env) -> tuple[Path, ...]:
    return (roots.named(env, "VIBE_HOME", ".vibe") / "logs" / "session",)


VIBE = FolderReader(
    AGENT,
    "fixture-only",
    _places,
    ("*/messages.jsonl", "messages.jsonl"),
    reading(AGENT, _MESSAGES, _tell, named=_named, begin=_begin, kind=lambda message: message.role, known=ROLES),
    _parts,
)
