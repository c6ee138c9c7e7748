"""What public sets have in common: conversations, questions about them, and where the answers stand.

Pure. Out: a labelled set of the level wished for: one document a ``turn`` or one a ``session``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pastwork.errors import BadUsage
from pastwork.evaluate.documents import Document, distilled, undistilled
from pastwork.evaluate.labels import Query, named
from pastwork.model import Entry, Exchange

Level = Literal["turn", "session"]


class Said(Struct, frozen=True):
    """One turn: ``id`` as the gold names it, unique within its conversation."""

    id: str
    text: str


class Sitting(Struct, frozen=True):
    """One session of a conversation."""

    id: str
    turns: tuple[Said, ...]


class Question(Struct, frozen=True):
    """``turns`` and ``sessions`` are the ids of what holds the answer; empty where the set names none."""

    text: str
    type: str
    turns: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()


class Talk(Struct, frozen=True):
    """One history and what is asked about it."""

    id: str
    sessions: tuple[Sitting, ...]
    questions: tuple[Question, ...]


class PublicSet(Struct, frozen=True):
    """``unanswerable`` questions name nothing that holds their answer; they are left out."""

    documents: list[Document]
    queries: list[Query]
    unanswerable: int


def labelled(talks: Sequence[Talk], level: Level, distil: bool = True) -> PublicSet:
    """Documents and queries, each talk a group of its own. Raises ``BadUsage`` for gold that no talk holds.

    ``distil`` False leaves the distilled layer empty: it takes milliseconds a document, and keywords need none.
    """
    documents: list[Document] = []
    queries: list[Query] = []
    left_out = 0
    for talk in talks:
        texts = _turns(talk) if level == "turn" else _sessions(talk)
        documents += _documents(talk, texts, distil)
        for question in talk.questions:
            gold = question.turns if level == "turn" else _sessions_of(talk, question)
            missing = [name for name in gold if name not in texts]
            if missing:
                raise BadUsage(
                    f"{talk.id}: {question.text!r} names {named(missing)}, which is not in the conversation",
                    "Check that the file is whole.",
                )
            left_out += not gold
            if gold:
                relevant = {f"{talk.id}/{name}": 3 for name in gold}
                queries.append(Query(question.text, question.type, relevant, talk.id))
    if not queries:
        raise BadUsage("the set has no question whose answer stands anywhere", "Check that the file is whole.")
    return PublicSet(documents, queries, left_out)


def _turns(talk: Talk) -> dict[str, str]:
    return {turn.id: turn.text for session in talk.sessions for turn in session.turns}


def _sessions(talk: Talk) -> dict[str, str]:
    return {session.id: "\n".join(turn.text for turn in session.turns) for session in talk.sessions}


def _sessions_of(talk: Talk, question: Question) -> tuple[str, ...]:
    if question.sessions:
        return question.sessions
    held = {turn.id: session.id for session in talk.sessions for turn in session.turns}
    return tuple(dict.fromkeys(held.get(turn, turn) for turn in question.turns))


def _documents(talk: Talk, texts: Mapping[str, str], distil: bool) -> Iterable[Document]:
    spoken = [_exchange(talk.id, number, name, text) for number, (name, text) in enumerate(texts.items(), 1)]
    for name, document in zip(texts, distilled(spoken) if distil else map(undistilled, spoken), strict=True):
        yield replace(document, key=f"{talk.id}/{name}", group=talk.id)


def _exchange(talk: str, number: int, name: str, text: str) -> Exchange:
    first, _, rest = text.partition("\n")
    entries = (Entry("assistant", rest),) if rest else ()
    return Exchange(f"{talk}/{name}", "public", talk, number, first, entries)
