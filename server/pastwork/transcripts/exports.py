"""Archives that ChatGPT and Claude.ai export: ``conversations.json``, read only where a user points at them.

``locate`` finds nothing by itself; ``sources.extra`` names the folder or file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Raw, Struct
from msgspec.json import Decoder

from pastwork.model import Problem, Session
from pastwork.transcripts import mended_json, not_prompts, times
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.folders import FolderReader, mtime

_ROLES = ("user", "assistant", "system", "tool", "human")
_PATTERNS = ("conversations.json", "conversations-*.json", "*/conversations.json")


class Author(Struct):
    role: str | None = None


class Content(Struct):
    parts: list[Raw] = []
    text: str | None = None


class Metadata(Struct):
    model_slug: str | None = None
    hidden: bool | None = None


class Message(Struct):
    id: str | None = None
    author: Author | None = None
    create_time: float | None = None
    content: Content | None = None
    metadata: Metadata | None = None


class Node(Struct):
    message: Message | None = None
    parent: str | None = None


class ChatGptConversation(Struct):
    """``mapping`` is a tree of which the branch that ends in ``current_node`` counts."""

    conversation_id: str | None = None
    id: str | None = None
    title: str | None = None
    create_time: float | None = None
    current_node: str | None = None
    mapping: dict[str, Raw] = {}


class TextPart(Struct):
    type: str | None = None
    text: str | None = None


class ClaudeMessage(Struct):
    uuid: str | None = None
    sender: str | None = None
    text: str | None = None
    content: list[TextPart] = []
    created_at: str | None = None


class ClaudeConversation(Struct):
    uuid: str | None = None
    name: str | None = None
    created_at: str | None = None
    chat_messages: list[Raw] = []


_LIST: Decoder[list[Raw]] = Decoder(list[Raw])
_CHATGPT: Decoder[ChatGptConversation] = Decoder(ChatGptConversation)
_NODE: Decoder[Node] = Decoder(Node)
_PART: Decoder[str | TextPart] = Decoder(str | TextPart)
_CLAUDE: Decoder[ClaudeConversation] = Decoder(ClaudeConversation)
_CLAUDE_MESSAGE: Decoder[ClaudeMessage] = Decoder(ClaudeMessage)


def read_chatgpt(
    source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time
) -> Iterator[Item]:
    """ChatGPT's conversations; objects without a tree are another program's."""
    faults = Faults(source.path, _ROLES)
    found = mended_json.document(source.path, _LIST, faults)
    if isinstance(found, Problem):
        yield found
        return
    seen: set[str | None] = set()
    for conversation in mended_json.each(found, _CHATGPT, faults, "conversation"):
        own = conversation.conversation_id or conversation.id
        if conversation.mapping and (own is None or own not in seen):
            seen.add(own)
            yield from _chatgpt(conversation, source.path, clock(), faults)
    yield from faults.taken()


def _chatgpt(conversation: ChatGptConversation, path: Path, now: float, faults: Faults) -> Iterator[Item]:
    name = conversation.conversation_id or conversation.id or conversation.current_node or ""
    started = times.utc(conversation.create_time, now)
    build = Builder.start(
        Session("chatgpt", name, conversation.title or "", started_at=started), now=now, mtime=mtime(path)
    )
    for message in _branch(conversation, faults):
        role = message.author.role if message.author else None
        faults.knows(role)
        words = _words(message)
        if role == "user":
            text = not_prompts.typed(words)
            if text is not None:
                own = message.id if message.id and len(message.id) >= 16 else None
                yield from build.prompt(text, offset=0, prompt_id=own, time=message.create_time)
        elif role == "assistant":
            build.context(model=message.metadata.model_slug if message.metadata else None)
            build.answer(words, time=message.create_time)
    yield from build.finish(running=False)


def _branch(conversation: ChatGptConversation, faults: Faults) -> list[Message]:
    """From the root to the current node; a loop ends it."""
    found: list[Message] = []
    seen: set[str] = set()
    name = conversation.current_node
    while name and name not in seen and name in conversation.mapping:
        seen.add(name)
        node = mended_json.value(conversation.mapping[name], _NODE, faults, f"message {name}")
        if node is None:
            break
        if node.message is not None:
            found.append(node.message)
        name = node.parent
    return found[::-1]


def _words(message: Message) -> str:
    content = message.content or Content()
    parts = mended_json.each(content.parts, _PART)
    texts = (part if isinstance(part, str) else part.text or "" for part in parts)
    return "\n".join(text for text in texts if text) or content.text or ""


def read_claude(
    source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time
) -> Iterator[Item]:
    """Claude.ai's conversations."""
    faults = Faults(source.path, _ROLES)
    found = mended_json.document(source.path, _LIST, faults)
    if isinstance(found, Problem):
        yield found
        return
    seen: set[str] = set()
    for conversation in mended_json.each(found, _CLAUDE, faults, "conversation"):
        if conversation.uuid and conversation.chat_messages and conversation.uuid not in seen:
            seen.add(conversation.uuid)
            yield from _claude(conversation, source.path, clock(), faults)
    yield from faults.taken()


def _claude(conversation: ClaudeConversation, path: Path, now: float, faults: Faults) -> Iterator[Item]:
    started = times.utc(conversation.created_at, now)
    session = Session("claude-ai", conversation.uuid or "", conversation.name or "", started_at=started)
    build = Builder.start(session, now=now, mtime=mtime(path))
    what = f"conversation {conversation.uuid}, message"
    for message in mended_json.each(conversation.chat_messages, _CLAUDE_MESSAGE, faults, what):
        faults.knows(message.sender)
        words = "\n".join(part.text for part in message.content if part.type == "text" and part.text)
        words = words or message.text or ""
        if message.sender == "human":
            text = not_prompts.typed(words)
            if text is not None:
                yield from build.prompt(text, offset=0, prompt_id=message.uuid, time=message.created_at)
        elif message.sender == "assistant":
            build.answer(words, time=message.created_at)
    yield from build.finish(running=False)


def _nowhere(env: Env) -> tuple[Path, ...]:
    return ()


CHATGPT = FolderReader("chatgpt", "fixture-only", _nowhere, _PATTERNS, read_chatgpt)
CLAUDE_AI = FolderReader("claude-ai", "fixture-only", _nowhere, _PATTERNS, read_claude)
