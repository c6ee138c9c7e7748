"""What is remembered of a session's earlier exchanges, so that reading can go on without them; pure."""

from __future__ import annotations

from msgspec import Struct

from pastwork.model import Session
from pastwork.transcripts import places


class Carry(Struct):
    """Kept small: it is written into the position of every turn.

    ``seen`` holds the short forms of prompts' ids, ``counts`` how often each text was asked, ``own``
    what the reader itself must remember.
    """

    session: Session
    turn: int = 0
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    root: str | None = None
    roots: tuple[str, ...] = ()
    seen: list[str] = []
    counts: dict[str, int] = {}
    last: str | None = None
    own: str = ""

    def placed(self) -> None:
        """A prompt was asked where the agent stands now."""
        if self.cwd:
            self.roots = places.widened(self.roots, self.cwd)

    def occurrence(self, key: str) -> int:
        """Which one of its like a prompt is, from 1."""
        self.counts[key] = self.counts.get(key, 0) + 1
        return self.counts[key]
