"""One run of an aider history as stretches of who wrote what; text in, ``Stretch``es out. Pure.

aider ends each line that it writes itself (what was typed, what it said) with two blanks. Where a
run has them, a line without is the answer's; histories that lost them go by the line's beginning and
by what stands before it. Inside a fence of the answer every line is the answer's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

_OWN = "  "
_OWN_LINE = re.compile(r"^(?:####|>) [^\n]*  $", re.MULTILINE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$")
#: A report of several lines, of which only the last has the two blanks.
_MISMATCH = re.compile(r"> # \d+ SEARCH/REPLACE blocks? failed to match")
_ANSWER_ENDS = "> Tokens: "

Kind = Literal["typed", "said", "answer"]


class Stretch(Struct, frozen=True):
    """Lines of one kind in a row, without their marks."""

    kind: Kind
    text: str


def stretches(text: str) -> Iterator[Stretch]:
    """A run's stretches in order; blank lines part what was typed from what was typed next."""
    lines = _Lines(marked=_OWN_LINE.search(text) is not None)
    kind: Kind | None = None
    held: list[str] = []
    for line in text.split("\n"):
        found = lines.kind_of(line)
        if found != kind or (kind == "typed" and not line.strip()):
            if kind and (stretch := _stretch(kind, held)):
                yield stretch
            kind, held = found, []
        if found:
            held.append(line)
    if kind and (stretch := _stretch(kind, held)):
        yield stretch


class _Lines:
    """Tells lines apart, by what came before."""

    def __init__(self, *, marked: bool) -> None:
        self._marked = marked
        self._fence = ""
        self._last: Kind | None = None
        self._report = False

    def kind_of(self, line: str) -> Kind | None:
        """The line's kind; None for a blank line after what was typed or said."""
        if self._fence:
            return self._fenced(line)
        if self._report:
            self._report = not (line.endswith(_OWN) or line.startswith("> "))
            return "said"
        if not line.strip():
            return "answer" if self._last == "answer" else None
        self._report = _MISMATCH.match(line) is not None
        self._last = "said" if self._report else self._kind(line)
        if self._last == "answer" and (opened := _FENCE.match(line)):
            self._fence = opened[1]
        return self._last

    def _fenced(self, line: str) -> Kind:
        closing = line.strip()
        if line.startswith(_ANSWER_ENDS):
            self._fence, self._last = "", "said"
            return "said"
        if closing and set(closing) == {self._fence[0]} and len(closing) >= len(self._fence):
            self._fence = ""
        return "answer"

    def _kind(self, line: str) -> Kind:
        own = line.endswith(_OWN) or not self._marked
        if line.startswith(">") and own:
            return "said"
        if line.startswith("####") and own and (self._marked or self._last != "answer"):
            return "typed"
        return "answer"


def _stretch(kind: Kind, lines: list[str]) -> Stretch | None:
    if kind == "typed":
        lines = [line.removesuffix(_OWN)[5:] for line in lines]
    elif kind == "said":
        lines = [line.removesuffix(_OWN).removeprefix("> ") for line in lines]
    text = "\n".join(lines).strip("\n")
    return Stretch(kind, text) if text.strip() or kind == "typed" else None
