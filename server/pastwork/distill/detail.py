"""Finds the decisive detail: one piece of the exchange, copied exactly.

In: the messages and failed outputs of an exchange, its key terms, what the core already says. Out: a
substring of one message: the clause that tells most new key terms per word, with a preference for
code, values and errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pastwork.distill.keyterms import KeyTerms
from pastwork.distill.terms import is_identifier, stem, words

#: Longest detail, in characters and words.
CHARS, WORDS = 96, 14
#: Characters of each message that are looked at.
LOOKED_AT = 8_000
#: What a term counts that the core has already, what a term counts beside its share of the words, least worth.
SAID, BULK, LEAST = 0.2, 0.05, 0.12
#: Where clauses end; code spans stay whole.
_CUT = re.compile(
    r"\*\*|\s\|\s?|^\||\|$|[.!?;:]\s|,\s|\s[—–]\s|\s->\s|\s→\s|\s-\s|^\s*(?:[-*+•>]|\d{1,3}[.)]|#{1,6})\s|\s(?=\()|(?<=\))\s|\t"
)
_FAILS = re.compile(
    r"\b(?:\w*error|panic|exception|failed|fatal|denied|refused|not found|undefined|cannot|timed? ?out|exit code)\b",
    re.IGNORECASE,
)
_MARKED = re.compile(r"`[^`]+`|\"[^\"]{3,}\"|'[^']{3,}'")
_VALUE = re.compile(r"\d")


def detail(messages: list[str], failed: Sequence[str], terms: KeyTerms, said: frozenset[str]) -> str:
    """The best piece of ``messages`` (the first of equals), else of a failed output; empty where nothing is specific."""
    top, most = "", LEAST
    for text in messages:
        for piece in _pieces(text[:LOOKED_AT]):
            worth = _worth(piece, terms, said)
            if worth > most:
                top, most = piece, worth
    if top:
        return top
    lines = (line.strip() for output in failed for line in output.split("\n"))
    return next((line[:CHARS] for line in lines if 8 < len(line) < 200 and _FAILS.search(line)), "")


def _pieces(text: str) -> Iterator[str]:
    """Runs of clauses of one line, as they stand there."""
    for line in text.split("\n"):
        if not line.strip() or line.lstrip().startswith("```"):
            continue
        starts, ends = _bounds(line)
        for position, start in enumerate(starts):
            for end in ends[position : position + 3]:
                piece = line[start:end].strip().rstrip(".,;:")
                if len(piece) > CHARS:
                    break
                if len(piece) >= 4 and "**" not in piece and not any(piece.count(mark) % 2 for mark in '`"'):
                    yield piece


def _bounds(line: str) -> tuple[list[int], list[int]]:
    """Where the clauses of a line start, and where they end."""
    starts, ends, at = [], [], 0
    for match in _CUT.finditer(line):
        if match.start() > at:
            starts.append(at)
            ends.append(match.start())
        at = match.end()
    if at < len(line):
        starts.append(at)
        ends.append(len(line))
    return starts, ends


def _worth(piece: str, terms: KeyTerms, said: frozenset[str]) -> float:
    found = words(piece)
    if not found or len(found) > WORDS:
        return 0.0
    stems = set(map(stem, found))
    mass = sum(terms.scores.get(key, 0.0) * (SAID if key in said else 1.0) for key in stems)
    worth = mass * (1 / (len(found) + 5) + BULK)
    worth *= (
        1.0 + 0.25 * bool(_MARKED.search(piece)) + 0.15 * bool(_VALUE.search(piece)) + 0.25 * bool(_FAILS.search(piece))
    )
    return worth * (1.0 if any(map(is_identifier, found)) or "`" in piece else 0.6)
