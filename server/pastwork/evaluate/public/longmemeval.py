"""LongMemEval (``longmemeval_s.json`` and its kin): each question with a history of its own.

Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory" (2025). Turns with
``has_answer`` are the gold at turn level, ``answer_session_ids`` at session level; abstention questions
(``_abs``) have none.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from pastwork.errors import BadUsage
from pastwork.evaluate.public.talk import Question, Said, Sitting, Talk


class _Turn(Struct, frozen=True):
    role: str
    content: str
    has_answer: bool = False


class _Instance(Struct, frozen=True):
    question_id: str
    question_type: str
    question: str
    haystack_session_ids: tuple[str, ...]
    haystack_sessions: tuple[tuple[_Turn, ...], ...]
    answer_session_ids: tuple[str, ...] = ()


def load(data: bytes) -> list[Talk]:
    """One talk a question. Raises ``BadUsage`` where ``data`` is not of the set's shape."""
    try:
        return [_talk(instance) for instance in msgspec.json.decode(data, type=list[_Instance])]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadUsage(f"this is not a LongMemEval file: {error}", "Give the JSON file as downloaded.") from error


def _talk(instance: _Instance) -> Talk:
    if len(instance.haystack_session_ids) != len(instance.haystack_sessions):
        raise BadUsage(f"{instance.question_id}: sessions and their ids differ in number", "Check that it is whole.")
    sessions: dict[str, Sitting] = {}
    gold: list[str] = []
    for name, turns in zip(instance.haystack_session_ids, instance.haystack_sessions, strict=True):
        if name in sessions:  # a few histories hold a session twice
            continue
        sessions[name] = Sitting(name, tuple(Said(f"{name}_{n}", t.content) for n, t in enumerate(turns, 1)))
        gold += [f"{name}_{n}" for n, turn in enumerate(turns, 1) if turn.has_answer]
    absent = instance.question_id.endswith("_abs")
    answers = () if absent else instance.answer_session_ids
    question = Question(instance.question, instance.question_type, () if absent else tuple(gold), answers)
    return Talk(instance.question_id, tuple(sessions.values()), (question,))
