"""Which telling of a message is a new one, where several carriers tell the same; pure.

Within a turn, the k-th telling of a text by one carrier is the same message as the k-th by any other;
a telling repeated with its own time is a copied record. Turns are told apart by the agent's own ids.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from msgspec import Struct

from pastwork.transcripts.builder import Time
from pastwork.transcripts.identity import short

#: Response item, event, completed item, the closing event's copy of the last answer.
Carrier = Literal["response", "event", "item", "close"]
#: Carriers agree on letters and digits even where one of them is damaged.
_LETTERS = re.compile(r"[\W_]+")
Role = Literal["user", "agent"]


class Turns(Struct):
    """The running turn and what was told in it; all of it is carried to where reading resumes.

    ``signs``: the transcript marks the beginnings and ends of turns. ``asked`` outlives the turn.
    """

    turn: str | None = None
    prompts: int = 0
    signs: bool = False
    counts: dict[str, int] = {}
    told: dict[str, int] = {}
    copies: list[str] = []
    asked: list[str] = []

    def enter(self, turn: str | None) -> None:
        """What follows belongs to this turn; None changes nothing."""
        if turn and turn != self.turn:
            self.turn = turn
            self.prompts = 0
            self.counts.clear()
            self.told.clear()
            self.copies.clear()

    def new(self, role: Role, carrier: Carrier, text: str, time: Time) -> bool:
        """Whether no carrier told this message before."""
        message = short(f"{role}:{_LETTERS.sub('', text.casefold())}")
        if time is not None and self._copied(role, short(f"{carrier}:{message}:{time}")):
            return False
        key = f"{carrier[0]}{message}"
        self.counts[key] = self.counts.get(key, 0) + 1
        if self.counts[key] <= self.told.get(message, 0):
            return False
        self.told[message] = self.counts[key]
        return True

    def _copied(self, role: Role, telling: str) -> bool:
        """Whether this very record was told before: a prompt ever, an answer in this turn."""
        known = self.asked if role == "user" else self.copies
        if telling in known:
            return True
        known.append(telling)
        return False

    def prompt_id(self) -> str | None:
        """The id of one more prompt of the turn; None where turns have no ids."""
        self.prompts += 1
        if self.turn is None:
            return None
        return self.turn if self.prompts == 1 else f"{self.turn}/{self.prompts}"

    def packed(self) -> str:
        """As text, to be carried."""
        return msgspec.json.encode(self).decode()


def unpacked(text: str) -> Turns:
    """The inverse of ``packed``; a fresh one for empty text."""
    return msgspec.json.decode(text, type=Turns) if text else Turns()
