"""Gemini CLI: ``~/.gemini/tmp/<project>/chats/session-*.json`` and, since 2026, ``.jsonl``.

A JSON document is rewritten each turn. A JSON-lines file is a log to be replayed: a message with a
known id replaces it, ``$set.messages`` replaces all, ``$rewindTo`` drops a message and what follows;
so both are read whole. The folder is not in the file: it comes from ``.project_root``,
``projects.json`` or the hash of a known folder.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Raw, Struct, field, structs
from msgspec.json import Decoder

from pastwork.model import Problem, Session
from pastwork.transcripts import mended_json, not_prompts, roots, tell, times
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults, of_known_kind
from pastwork.transcripts.folders import FolderReader, mtime
from pastwork.transcripts.jsonl import opened, rows

AGENT = "gemini-cli"
_UNIQUE = 16
_PATH_BYTES = 4096
_CHANGE = "(change)"
_KINDS = frozenset({_CHANGE, "user", "gemini", "assistant", "model", "info", "error", "warning"})


class Part(Struct):
    text: str | None = None
    thought: bool | None = None


class Display(Struct):
    diff: str | None = field(name="fileDiff", default=None)


class Response(Struct):
    output: str | None = None
    error: str | None = None
    content: str | None = None


class FunctionResponse(Struct):
    response: Response | None = None


class Result(Struct):
    function: FunctionResponse | None = field(name="functionResponse", default=None)


class Call(Struct):
    id: str | None = None
    name: str | None = None
    args: Raw = Raw(b"{}")
    status: str | None = None
    timestamp: str | None = None
    result: list[Result] | None = None
    display: str | Display | None = field(name="resultDisplay", default=None)


class Message(Struct):
    """A message of any type; in a log also a header, a change or a rewind."""

    id: str | None = None
    type: str | None = None
    timestamp: str | None = None
    content: str | Part | list[str | Part] | None = None
    shown: str | Part | list[str | Part] | None = field(name="displayContent", default=None)
    model: str | None = None
    calls: list[Raw] = field(name="toolCalls", default=[])
    session_id: str | None = field(name="sessionId", default=None)
    started: str | None = field(name="startTime", default=None)
    summary: str | None = None
    set: Raw = field(name="$set", default=Raw())
    rewind: str | None = field(name="$rewindTo", default=None)


class Chat(Struct):
    """A whole session, as a document or replayed."""

    session_id: str = field(name="sessionId", default="")
    started: str | None = field(name="startTime", default=None)
    summary: str | None = None
    messages: list[Raw] | None = None


_MESSAGE: Decoder[Message] = Decoder(Message)
_CHAT: Decoder[Chat] = Decoder(Chat)
_CALL: Decoder[Call] = Decoder(Call)


def read(source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time) -> Iterator[Item]:
    """The session's exchanges as it stands now."""
    chat, messages = Chat(), dict[str, Message]()
    faults = Faults(source.path, _KINDS)
    for found in _messages(source.path, faults):
        if isinstance(found, Problem):
            yield found
        elif isinstance(found, Chat):
            chat = structs.replace(
                chat,
                session_id=found.session_id or chat.session_id,
                started=found.started or chat.started,
                summary=found.summary or chat.summary,
            )
        else:
            messages = found
    yield from faults.taken()
    if not messages:
        return
    started = times.utc(chat.started, clock())
    session = Session(AGENT, chat.session_id or source.path.stem, chat.summary or "", started_at=started)
    build = Builder.start(session, now=clock(), mtime=mtime(source.path))
    build.context(cwd=source.workspace)
    helpers = [call for part in source.parts for call in _calls_of(part)]
    for message in messages.values():
        helpers = _helped(build, helpers, message.timestamp or "")
        yield from _tell(build, message, faults)
    yield from faults.taken()
    _helped(build, helpers, None)
    yield from build.finish()


def _messages(path: Path, faults: Faults) -> Iterator[Problem | Chat | dict[str, Message]]:
    if path.suffix == ".json":
        chat = mended_json.document(path, _CHAT, faults)
        yield chat
        if isinstance(chat, Chat):
            yield _keyed(chat.messages, faults)
        return
    log = dict[str, Message]()
    for row in of_known_kind(rows(path, _MESSAGE), faults, _kind):
        if isinstance(row, Problem):
            yield row
        elif row.value.session_id or bytes(row.value.set):
            chat = mended_json.value(row.value.set, _CHAT) or Chat(row.value.session_id or "", row.value.started)
            yield chat
            log = log if chat.messages is None else _keyed(chat.messages, faults)
        elif row.value.rewind is not None:
            log = _rewound(log, row.value.rewind)
        elif row.value.type:
            log[row.value.id or f"@{row.offset}"] = row.value
    yield log


def _kind(message: Message) -> str | None:
    change = message.session_id or bytes(message.set) or message.rewind is not None
    return _CHANGE if change else message.type


def _keyed(messages: list[Raw] | None, faults: Faults) -> dict[str, Message]:
    found = mended_json.each(messages, _MESSAGE, faults, "message")
    for message in found:
        faults.knows(_kind(message))
    return {message.id or f"#{at}": message for at, message in enumerate(found)}


def _rewound(log: dict[str, Message], to: str) -> dict[str, Message]:
    """What stands before the message; nothing where it is not known."""
    names = list(log)
    kept = names[: names.index(to)] if to in log else []
    return {name: log[name] for name in kept}


def _tell(build: Builder, message: Message, faults: Faults) -> Iterator[Item]:
    if message.type == "user":
        text = not_prompts.typed(_text(message.shown) or _text(message.content), not_prompts.GEMINI)
        if text is not None:
            own = message.id or ""
            prompt_id = own if len(own) >= _UNIQUE else None
            yield from build.prompt(text, offset=0, prompt_id=prompt_id, time=message.timestamp)
    elif message.type in ("gemini", "assistant", "model"):
        build.context(model=message.model)
        build.answer(_text(message.content), time=message.timestamp)
        for call in mended_json.each(message.calls, _CALL, faults, f"message {message.id}, call"):
            _called(build, call, message.timestamp)


def _called(build: Builder, call: Call, moment: str | None, *, below: bool = False) -> None:
    known = None if call.status in (None, "executing", "scheduled", "awaiting_approval") else call.status == "success"
    when = call.timestamp or moment
    tell.call(build, call.name, call.args, ref=call.id, time=when, below=below)
    if known is not None:
        diff = call.display.diff if isinstance(call.display, Display) else None
        tell.result(build, call.id, _output(call), ok=known, diff=diff, time=when, below=below)


def _output(call: Call) -> str:
    if isinstance(call.display, str) and call.display:
        return call.display
    responses = (each.function.response for each in call.result or () if each.function and each.function.response)
    return "\n".join(each.output or each.error or each.content or "" for each in responses).strip()


def _calls_of(path: Path) -> list[Call]:
    """A sub-agent's tool calls, each with a time."""
    log = dict[str, Message]()
    for found in _messages(path, Faults(path)):
        if isinstance(found, dict):
            log = found
    return [
        structs.replace(call, timestamp=call.timestamp or message.timestamp)
        for message in log.values()
        for call in mended_json.each(message.calls, _CALL)
    ]


def _helped(build: Builder, helpers: list[Call], until: str | None) -> list[Call]:
    """Tells sub-agents' calls up to a time; those that are left."""
    left = [call for call in helpers if until is not None and (call.timestamp or "") >= until]
    for call in helpers:
        if call not in left:
            _called(build, call, None, below=True)
    return left


def _text(content: str | Part | list[str | Part] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    return "".join(part if isinstance(part, str) else "" if part.thought else part.text or "" for part in parts)


class Projects(Struct):
    projects: dict[str, str] = {}


_PROJECTS: Decoder[Projects] = Decoder(Projects)


class Gemini(FolderReader):
    """Adds the folder of each session, which only other files tell."""

    def locate(self, env: Env) -> Iterator[Source]:
        """The sessions present, with their folder where it is known."""
        for root in self.roots(env):
            listed = mended_json.document(root.parent / "projects.json", _PROJECTS)
            folders = listed.projects if isinstance(listed, Projects) else {}
            known = {name: folder for folder, name in folders.items()}
            for folder in (*folders, *(str(each) for each in (*env.projects, *env.scans))):
                known.setdefault(hashlib.sha256(folder.encode()).hexdigest(), folder)
            for source in self.below(root, self.patterns):
                yield structs.replace(source, workspace=_folder(source.path.parent.parent, known))


def _folder(project: Path, known: Mapping[str, str]) -> str | None:
    try:
        with opened(project / ".project_root") as stream:
            return stream.read(_PATH_BYTES).decode("utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        return known.get(project.name)


def _parts(path: Path) -> tuple[Path, ...]:
    """The sub-agents' sessions, in a folder whose name begins with the end of the session's."""
    prefix = path.stem.rpartition("-")[2]
    return tuple(sorted(path.parent.glob(f"{prefix}*/*.jsonl"))) if len(prefix) == 8 else ()


def _places(env: Env) -> tuple[Path, ...]:
    return (roots.named(env, "GEMINI_CLI_HOME", ".") / ".gemini" / "tmp",)


GEMINI = Gemini(
    agent=AGENT,
    proof="fixture-only",
    places=_places,
    patterns=("*/chats/session-*.jsonl", "*/chats/session-*.json"),
    reading=read,
    parts=_parts,
    loose=("*.jsonl", "*.json"),
)
