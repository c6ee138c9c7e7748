"""Finds the decisive detail: one piece of the exchange, copied exactly.

In: the messages and failed outputs of an exchange, its key terms, what the core already says. Out: a
substring of one message: the clause that tells most new key terms per word, with a preference for
code, values and errors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from pastwork.distill.keyterms import KeyTerms
from pastwork.distill.terms import is_identifier, stem, words

#: Longest detail, in characters and words.
CHARS, WORDS = 88, 11
#: Characters of each message that are looked at.
LOOKED_AT = 4_000
#: What a term counts that the core has already, what a term counts beside its share of the words, least worth.
SAID, BULK, LEAST = 0.1, 0.05, 0.1
#: Share left of a piece without any name of code; the greatest factor of ``_telling``.
PLAIN, MOST = 0.6, 1.65
#: Where clauses end; code spans stay whole.
_CUT = re.compile(
    r"\*\*|\s\|\s?|^\||\|$|[.!?;:]\s|,\s|\s[—–]\s|\s->\s|\s→\s|\s-\s|^\s*(?:[-*+•>]|\d{1,3}[.)]|#{1,6})\s|\s(?=\()|(?<=\))\s|\t"
)
#: Clauses are not joined across these.
_ENDS = frozenset([".", "!", "?", "|", "**"])
_FAILS = re.compile(
    r"\b(?:\w*error|panic|exception|failed|fatal|denied|refused|not found|undefined|cannot|timed? ?out|exit code)\b",
    re.IGNORECASE,
)
_MARKED = re.compile(r"`[^`]+`|\"[^\"]{3,}\"|'[^']{3,}'")
_VALUE = re.compile(r"\d")


def detail(messages: list[str], failed: Sequence[str], terms: KeyTerms, said: frozenset[str]) -> str:
    """The best piece of ``messages``, else a line of a failed output; empty where nothing is specific."""
    top, most = "", LEAST
    for text in messages:
        for line in text[:LOOKED_AT].split("\n"):
            bound = _mass(words(line), terms, said) * (1 / 6 + BULK) * MOST
            if bound > most and not line.lstrip().startswith("```"):
                top, most = _best_piece(line, terms, said, top, most)
    if top:
        return top
    lines = (line.strip() for output in failed for line in output.split("\n"))
    return next((line[:CHARS] for line in lines if 8 < len(line) < 200 and _FAILS.search(line)), "")


def _best_piece(line: str, terms: KeyTerms, said: frozenset[str], top: str, most: float) -> tuple[str, float]:
    """The best run of clauses of a line and its worth, if it beats ``most``; else ``top`` and ``most``."""
    clauses = _clauses(line)
    for first, clause in enumerate(clauses):
        found: list[str] = []
        for following in clauses[first : first + 3]:
            found = found + following.words
            if len(found) > WORDS or following.end - clause.start > CHARS + 8:
                break
            worth = _worth(found, terms, said)
            if worth * MOST > most:
                piece = line[clause.start : following.end].strip().rstrip(".,;:")
                if _whole(piece) and worth * _telling(piece) > most:
                    top, most = piece, worth * _telling(piece)
            if following.ends:
                break
    return top, most


class Clause(Struct, frozen=True):
    """A clause of a line; ``ends``: with it ends a sentence or a table's cell."""

    start: int
    end: int
    ends: bool
    words: list[str]


def _clauses(line: str) -> list[Clause]:
    clauses: list[Clause] = []
    at = 0
    for match in _CUT.finditer(line):
        if match.start() > at:
            ends = match.group().strip() in _ENDS
            clauses.append(Clause(at, match.start(), ends, words(line[at : match.start()])))
        at = match.end()
    if at < len(line):
        clauses.append(Clause(at, len(line), True, words(line[at:])))
    return clauses


def _worth(found: list[str], terms: KeyTerms, said: frozenset[str]) -> float:
    """The new key terms, in all and per word."""
    worth = _mass(found, terms, said) * (1 / (len(found) + 5) + BULK)
    return worth if any(map(is_identifier, found)) else worth * PLAIN


def _mass(found: list[str], terms: KeyTerms, said: frozenset[str]) -> float:
    scores = terms.scores
    return sum(scores.get(key, 0.0) * (SAID if key in said else 1.0) for key in {stem(word) for word in found})


def _whole(piece: str) -> bool:
    """Long enough, and no quote, code span, bracket or emphasis cut in two."""
    if not 4 <= len(piece) <= CHARS or "**" in piece or piece.count("`") % 2 or piece.count('"') % 2:
        return False
    return all(piece.count(opening) == piece.count(closing) for opening, closing in ("()", "[]", "{}"))


def _telling(piece: str) -> float:
    """More for code and quotes, values, faults; ``MOST`` at the most."""
    return (
        1.0 + 0.25 * bool(_MARKED.search(piece)) + 0.15 * bool(_VALUE.search(piece)) + 0.25 * bool(_FAILS.search(piece))
    )
