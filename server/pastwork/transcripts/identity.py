"""Ids that come from content alone, so that any copy of an exchange, read in any order, gets the same.

``exchange_id`` names an exchange within its agent; ``twin`` is the same for every carrier of it,
whatever agent name it goes by (a SpecStory copy of a Claude Code session shares its session id).
"""

from __future__ import annotations

import hashlib
import re

_WORD = re.compile(r"\w+")
#: Characters of the prompt that twins compare: carriers cut, wrap and decorate what follows.
_TWIN_LENGTH = 200


def normal(text: str) -> str:
    """White space runs to one space, stripped, case folded."""
    return " ".join(text.split()).casefold()


def exchange_id(
    agent: str, prompt_id: str | None = None, *, session_id: str = "", prompt: str = "", occurrence: int = 1
) -> str:
    """16 hex digits: of the agent's own prompt id, else of session, prompt and which one it is of its like."""
    if prompt_id:
        return _digest("prompt", agent, prompt_id)
    return _digest("text", agent, session_id, normal(prompt), str(occurrence))


def twin(session_id: str, prompt: str, occurrence: int) -> str:
    """16 hex digits shared by all carriers of one exchange of one session.

    ``occurrence`` counts prompts of the session with the same ``twin_key``, from 1.
    """
    return _digest("twin", session_id.casefold(), twin_key(prompt), str(occurrence))


def twin_key(prompt: str) -> str:
    """What carriers agree on: the prompt's words without punctuation and mark-up, 200 characters of them."""
    return " ".join(_WORD.findall(prompt[: 4 * _TWIN_LENGTH].casefold()))[:_TWIN_LENGTH]


def short(text: str) -> str:
    """8 hex digits, to remember that a text was seen."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()


def _digest(*parts: str) -> str:
    whole = "\0".join(parts).encode("utf-8", "replace")
    return hashlib.blake2b(whole, digest_size=8).hexdigest()
