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
#: (The set in front is what all but the last can begin with: most characters are passed over by it.)
_CUT = re.compile(
    r"(?=[*|.!?;:,\s])(?:\*\*|\s\|\s?|^\||\|$|[.!?;:]\s|,\s|\s[—–]\s|\s->\s|\s→\s|\s-\s"
    r"|^\s*(?:[-*+•>]|\d{1,3}[.)]|#{1,6})\s|\s(?=\()|(?<=\))\s|\t)"
    r"|^(?:[-+•>]|\d{1,3}[.)]|#{1,6})\s"
)
#: Clauses are not joined across these.
_ENDS = frozenset([".", "!", "?", "|", "**"])
_FAILS = re.compile(
    r"\b(?:\w*error|panic|exception|failed|fatal|denied|refused|not found|undefined|cannot|timed? ?out|exit code)\b",
    re.IGNORECASE,
)
_MARKED = re.compile(r"`[^`]+`|\"[^\"]{3,}\"|'[^']{3,}'")
#: What ties a clause to the one before it.
_TIE = re.compile(r"^(?:(?:and|but|so|or|also)[\s,]+)+(?=\S)", re.IGNORECASE)
_VALUE = re.compile(r"\d")
#: What a name of code, a value or a quotation has.
_NAMES = re.compile(r"[`\"_/\d]|[a-z][A-Z]|\w\.\w|\(\)|--\w|[Ee]rror")


def detail(messages: list[str], failed: Sequence[str], terms: KeyTerms, said: frozenset[str]) -> str:
    """The best piece of ``messages``, else a line of a failed output; empty where nothing is specific."""
    top = Piece("", LEAST)
    for text in messages:
        for line in text[:LOOKED_AT].split("\n"):
            if _NAMES.search(line) is not None and not line.lstrip().startswith("```"):
                top = _best_piece(line, _clauses(line, terms, said), top)
    if top.text:
        return top.text
    told = (line.strip() for output in failed for line in output.split("\n"))
    return next((line[:CHARS] for line in told if 8 < len(line) < 200 and _FAILS.search(line)), "")


class Clause(Struct, frozen=True, gc=False):
    """A clause of a line: its words, the new key terms in it; ``ends``: with it ends a sentence or a table's cell."""

    start: int
    end: int
    ends: bool
    words: list[str]
    mass: float


class Piece(Struct, frozen=True, gc=False):
    text: str
    worth: float


def _clauses(line: str, terms: KeyTerms, said: frozenset[str]) -> list[Clause]:
    clauses: list[Clause] = []
    at = 0
    for match in _CUT.finditer(line):
        if match.start() > at:
            clauses.append(_clause(line, at, match.start(), match.group().strip() in _ENDS, terms, said))
        at = match.end()
    if at < len(line):
        clauses.append(_clause(line, at, len(line), True, terms, said))
    return clauses


def _clause(line: str, start: int, end: int, ends: bool, terms: KeyTerms, said: frozenset[str]) -> Clause:
    found = words(line[start:end])
    mass = 0.0
    for key in {stem(word) for word in found}:
        score = terms.scores.get(key)
        if score:
            mass += score * SAID if key in said else score
    return Clause(start, end, ends, found, mass)


def _best_piece(line: str, clauses: list[Clause], top: Piece) -> Piece:
    """The best run of up to two clauses of a line, if it beats ``top``."""
    for first, clause in enumerate(clauses):
        top = _better(line, clause, clause, clause.words, clause.mass, top)
        if not clause.ends and first + 1 < len(clauses):
            following = clauses[first + 1]
            top = _better(line, clause, following, clause.words + following.words, clause.mass + following.mass, top)
    return top


def _better(line: str, first: Clause, last: Clause, found: list[str], mass: float, top: Piece) -> Piece:
    """The piece from ``first`` to ``last`` if it is worth more: new key terms, in all and per word."""
    worth = mass * (1 / (len(found) + 5) + BULK)
    if worth * MOST <= top.worth or len(found) > WORDS or last.end - first.start > CHARS + 8:
        return top
    if not any(map(is_identifier, found)):
        worth *= PLAIN
    text = _trimmed(line[first.start : last.end])
    worth *= _telling(text)
    return Piece(text, worth) if worth > top.worth and _whole(text) else top


def _trimmed(piece: str) -> str:
    """Without what joins it to its neighbours: blanks, marks, a conjunction, brackets around it all."""
    piece = _TIE.sub("", piece.strip().rstrip(".,;:"))
    around = piece.startswith("(") and piece.endswith(")") and piece.count("(") == piece.count(")") == 1
    return piece[1:-1].strip() if around else piece


def _whole(piece: str) -> bool:
    """Long enough, and no quote, code span, bracket or emphasis cut in two."""
    if not 4 <= len(piece) <= CHARS or "**" in piece or piece.count("`") % 2 or piece.count('"') % 2:
        return False
    return all(piece.count(opening) == piece.count(closing) for opening, closing in ("()", "[]", "{}"))


def _telling(piece: str) -> float:
    """More for code and quotes, values, faults; ``MOST`` at the most."""
    factor = 1.25 if _MARKED.search(piece) else 1.0
    return factor + 0.15 * bool(_VALUE.search(piece)) + 0.25 * bool(_FAILS.search(piece))
