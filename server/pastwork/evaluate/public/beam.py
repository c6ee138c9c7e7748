"""BEAM: long chats with an assistant, probing questions with the ids of the messages they are about.

Tavakoli et al., "Beyond a Million Tokens" (2025). In: ``chat.json`` and ``probing_questions.json`` of one
chat (or the folder that holds them). A message is a turn, a stretch of messages a session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from pastwork.errors import BadUsage
from pastwork.evaluate.labels import read_file
from pastwork.evaluate.public.talk import Question, Said, Sitting, Talk

#: Ids as a list, or lists by what they are for.
Ids = list[int] | dict[str, list[int]]


class _Message(Struct, frozen=True):
    content: str
    id: int


class _Batch(Struct, frozen=True):
    turns: tuple[tuple[_Message, ...], ...]


class _Probe(Struct, frozen=True):
    question: str
    source_chat_ids: Ids = msgspec.field(default_factory=list)


def folders(root: Path) -> list[Path]:
    """The chats below ``root`` (itself one, or a folder of them), by name. Raises ``BadUsage`` where there is none."""
    found = sorted(path.parent for path in root.rglob("chat.json"))
    if not found:
        raise BadUsage(f"{root} holds no chat.json", "Give the folder of one BEAM chat or of several.")
    return found


def load(name: str, chat: bytes, probes: bytes) -> Talk:
    """One chat. Raises ``BadUsage`` where the files are not of the set's shape."""
    try:
        batches = msgspec.json.decode(chat, type=list[_Batch])
        questions = msgspec.json.decode(probes, type=dict[str, list[_Probe]])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadUsage(f"{name} is not a BEAM chat: {error}", "Give the files as downloaded.") from error
    stretches = [stretch for batch in batches for stretch in batch.turns]
    # Some chats number two messages alike; nothing tells which of them a question means.
    counts = Counter(message.id for stretch in stretches for message in stretch)
    sessions = [_session(number, stretch, counts) for number, stretch in enumerate(stretches, 1)]
    return Talk(name, tuple(sessions), tuple(_questions(questions, counts)))


def read(folder: Path) -> Talk:
    """The chat in a folder, by the set's own layout. Raises ``BadUsage``."""
    probes = folder / "probing_questions" / "probing_questions.json"
    name = "-".join(folder.resolve().parts[-2:])
    return load(name, read_file(folder / "chat.json"), read_file(probes))


def _session(number: int, stretch: tuple[_Message, ...], counts: Counter[int]) -> Sitting:
    turns = [
        Said(str(message.id) if counts[message.id] == 1 else f"{message.id} in {number}.{place}", message.content)
        for place, message in enumerate(stretch, 1)
    ]
    return Sitting(f"stretch-{number}", tuple(turns))


def _questions(by_ability: dict[str, list[_Probe]], counts: Counter[int]) -> Iterator[Question]:
    for ability, probes in by_ability.items():
        for probe in probes:
            ids = probe.source_chat_ids
            flat = ids if isinstance(ids, list) else [one for part in ids.values() for one in part]
            clear = all(counts[one] <= 1 for one in flat)
            yield Question(probe.question, ability, tuple(dict.fromkeys(map(str, flat))) if clear else ())
