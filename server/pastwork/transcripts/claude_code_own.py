"""What the Claude Code reader carries between exchanges: the queue of prompts and the title's worth; pure."""

from __future__ import annotations

import re

import msgspec
from msgspec import Struct

from pastwork.transcripts.claude_code_prompts import queued
from pastwork.transcripts.claude_code_rows import Line, text

_COMMAND = re.compile(r"/[\w:-]+(?:\s|\Z)")
_ABSORBED = (None, "absorbed_mid_turn")


class Waiting(Struct):
    """Prompts typed while the agent works that it has not seen yet, and how good the title so far is."""

    queue: list[str] = []
    title: int = 0

    def tell(self, line: Line) -> str | None:
        """A queue-operation row; the prompt that the running exchange absorbs by it.

        One taken out by ``dequeue`` becomes a prompt's row of its own, ``popAll`` gives all back to
        the person. Without text of its own, an operation takes the oldest.
        """
        words = text(line.content)
        if line.operation == "enqueue":
            self.queue.append(words)
        elif line.operation == "popAll":
            self.queue.clear()
        elif line.operation in {"dequeue", "remove"}:
            words = self._taken(words)
            typed = queued(words) if line.operation == "remove" and line.reason in _ABSORBED else None
            return None if typed is None or _COMMAND.match(typed) else typed
        return None

    def _taken(self, words: str) -> str:
        if words in self.queue:
            self.queue.remove(words)
        elif self.queue:
            oldest = self.queue.pop(0)
            words = words or oldest
        return words

    def packed(self) -> str:
        """As text, to be carried."""
        return msgspec.json.encode(self).decode()


def unpacked(text: str) -> Waiting:
    """The inverse of ``packed``; an empty one for empty text."""
    return msgspec.json.decode(text, type=Waiting) if text else Waiting()
