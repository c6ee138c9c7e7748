"""LoCoMo (``locomo10.json``): ten long conversations of two people, questions with evidence by turn.

Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents" (2024). A document is
``speaker: text`` and, where a picture was shared, its caption.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Struct

from pastwork.errors import BadUsage
from pastwork.evaluate.public.talk import Question, Said, Sitting, Talk

#: The set's categories by number.
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_SESSION = re.compile(r"session_(\d{1,9})")
#: Some evidence lists several turns in one string, or has stray marks around them.
_TURN = re.compile(r"D\d+:\d+")


class _Turn(Struct, frozen=True):
    speaker: str
    dia_id: str
    text: str
    blip_caption: str | None = None


class _Asked(Struct, frozen=True):
    question: str
    category: int
    evidence: tuple[str, ...] = ()


class _Sample(Struct, frozen=True):
    conversation: dict[str, Any]
    qa: tuple[_Asked, ...]
    sample_id: str = ""


def load(data: bytes) -> list[Talk]:
    """The conversations. Raises ``BadUsage`` where ``data`` is not of the set's shape."""
    try:
        samples = msgspec.json.decode(data, type=list[_Sample])
        return [_talk(sample, number) for number, sample in enumerate(samples, 1)]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadUsage(f"this is not a LoCoMo file: {error}", "Give locomo10.json as downloaded.") from error


def _talk(sample: _Sample, number: int) -> Talk:
    numbers = sorted(int(found[1]) for name in sample.conversation if (found := _SESSION.fullmatch(name)))
    sessions = [_session(sample, session) for session in numbers]
    held = {turn.id for session in sessions for turn in session.turns}
    return Talk(sample.sample_id or f"sample-{number}", tuple(sessions), tuple(_question(a, held) for a in sample.qa))


def _session(sample: _Sample, number: int) -> Sitting:
    turns = msgspec.convert(sample.conversation[f"session_{number}"], list[_Turn])
    return Sitting(f"session_{number}", tuple(Said(turn.dia_id, _text(turn)) for turn in turns))


def _text(turn: _Turn) -> str:
    shown = f" [shares {turn.blip_caption}]" if turn.blip_caption else ""
    return f"{turn.speaker}: {turn.text}{shown}"


def _question(asked: _Asked, held: set[str]) -> Question:
    """A few evidence marks of the published file point beyond their session; those alone are dropped."""
    turns = dict.fromkeys(turn for text in asked.evidence for turn in _TURN.findall(text) if turn in held)
    return Question(asked.question, CATEGORIES.get(asked.category, str(asked.category)), tuple(turns))
