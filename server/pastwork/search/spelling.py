"""From typed words to weighted tokens: what is searched, and what is said about it.

Pure but for the vocabulary, which a keyword lane answers. A word that nobody wrote is completed while
it is being typed, else replaced by the nearest word that somebody wrote, and a note says so; stop words
and words of one or two letters are left out in silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Protocol

from msgspec import Struct

from pastwork.index.stop_words import STOP_WORDS
from pastwork.index.tokens import split, tokens, words
from pastwork.search.filters import shown

#: Distinct tokens of a query that are searched, the rarest first: a pasted log has thousands.
MOST_TERMS = 64
#: Distinct tokens of a query that are looked up at all.
MOST_LOOKED_UP = 512
#: Completions of an unfinished word, from how many they are chosen, and what one counts against a typed word:
#: where nobody wrote the word as it stands, and where somebody did (bench/quality/results).
COMPLETIONS, CHOSEN_FROM, COMPLETED, HINTED = 6, 48, 0.7, 0.05
#: Letters from which on a known word is completed as well.
LEAST_HINTED = 3
#: What a corrected word counts, in how many words of a query corrections are looked for, and of what length.
CORRECTED, MOST_CORRECTED, LEAST, MOST = 0.8, 4, 4, 32
#: Letters of a word that is too short to be missed: one is still typing, or it tells as little as a stop word.
SHORT = 2
#: From this length on two wrong letters are believed.
LONG = 7
#: Characters of a query in which names are looked for.
MOST_NAMED = 2_000
_APOSTROPHES = {ord(mark): None for mark in "'’`\""}
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


class Vocabulary(Protocol):
    """What a keyword lane knows of its words."""

    def holding(self, terms: Collection[str]) -> dict[str, int]:
        """How many exchanges hold each; unknown ones left out."""
        ...

    def known(self, terms: Collection[str]) -> set[str]: ...

    def beginning(self, prefix: str, limit: int) -> list[str]: ...


class Understood(Struct, frozen=True):
    """``weights`` are the tokens to search; ``typed`` gives each its word as typed; ``notes`` what was changed.

    ``exact``: the query names something by a name that somebody wrote.
    """

    weights: dict[str, float]
    typed: dict[str, str]
    notes: tuple[str, ...] = ()
    exact: bool = False


def understand(text: str, unfinished: bool, vocabulary: Vocabulary, written: Vocabulary | None = None) -> Understood:
    """The query's tokens; the last word completed while it is unfinished, other unknown words corrected.

    ``written`` knows every word of the verbatim, where ``vocabulary`` is of shorter texts: a word that
    somebody wrote is no mistake.
    """
    asked = list(dict.fromkeys(word for word, _ in zip(words(text), range(MOST_LOOKED_UP), strict=False)))
    typed: dict[str, str] = {}
    for word in asked:
        for token in split(word):
            typed.setdefault(token, word)
    known = vocabulary.holding(list(typed)[:MOST_LOOKED_UP])
    weights = dict.fromkeys(sorted(known, key=known.__getitem__)[:MOST_TERMS], 1.0)
    unknown = [word for word in asked if not any(token in known for token in split(word))]
    if written is not None and unknown:
        elsewhere = written.known([token for word in unknown for token in split(word)])
        unknown = [word for word in unknown if elsewhere.isdisjoint(split(word))]
    notes: list[str] = []
    for word in unknown[:MOST_CORRECTED]:
        last = unfinished and word == asked[-1]
        found = _completed(word, vocabulary, COMPLETED) if last else []
        for token, weight in found or _corrected(word, vocabulary, notes):
            weights.setdefault(token, weight)
            typed.setdefault(token, word)
    if unfinished and asked and asked[-1] not in unknown and len(asked[-1]) >= LEAST_HINTED:
        for token, weight in _completed(asked[-1], vocabulary, HINTED):
            weights.setdefault(token, weight)
            typed.setdefault(token, asked[-1])
    return Understood(weights, typed, tuple(notes), _names(text, known))


def _names(text: str, known: Collection[str]) -> bool:
    """Whether a piece of the query is a name of several parts (``a_b``, ``a.b``, ``aB``, ``a/b``), all known."""
    for piece in text[:MOST_NAMED].translate(_APOSTROPHES).split():
        parts = tokens(piece)
        if len(parts) > 1 and all(part in known for part in parts):
            return True
    return False


def _completed(word: str, vocabulary: Vocabulary, weight: float) -> list[tuple[str, float]]:
    """The most used of the known tokens that begin as the word does."""
    if len(word) < 2:
        return []
    counts = vocabulary.holding(vocabulary.beginning(word.lower(), CHOSEN_FROM))
    return [(token, weight) for token in sorted(counts, key=lambda t: (-counts[t], t))[:COMPLETIONS]]


def _corrected(word: str, vocabulary: Vocabulary, notes: list[str]) -> list[tuple[str, float]]:
    """The nearest known token to the word's last one, and a note that names it; nothing where nobody misses it."""
    if (word.isascii() and len(word) <= SHORT) or word.lower() in STOP_WORDS:
        return []
    token = split(word)[-1] if split(word) else ""
    found = nearest(token, vocabulary)
    if found is None:
        notes.append(f"no exchange holds {shown(word)}")
        return []
    notes.append(f"no exchange holds {shown(word)}; searched for {found!r}")
    return [(found, CORRECTED)]


def nearest(token: str, vocabulary: Vocabulary) -> str | None:
    """The known token at the fewest edits (one, or two in a long token) that most exchanges hold.

    An edit is a wrong, missing, added or swapped letter: F. J. Damerau, "A technique for computer
    detection and correction of spelling errors" (1964). The first letter is taken for right.
    """
    if not LEAST <= len(token) <= MOST or not token.isascii() or token.isdigit():
        return None
    near = vocabulary.known(edits(token))
    if not near and len(token) >= LONG:
        near = {t for t in vocabulary.beginning(token[:2], 5000) if _alike(t, token) and distance(t, token) <= 2}
    counts = vocabulary.holding(near) if near else {}
    return max(counts, key=lambda t: (counts[t], t), default=None)


def edits(word: str) -> set[str]:
    """Every string one edit away that begins with the same letter."""
    return set(_edited(word)) - {word}


def _edited(word: str) -> Iterator[str]:
    for i in range(1, len(word) + 1):
        left, right = word[:i], word[i:]
        if right:
            yield left + right[1:]
        if len(right) > 1:
            yield left + right[1] + right[0] + right[2:]
        for letter in LETTERS:
            if right:
                yield left + letter + right[1:]
            yield left + letter + right


def _alike(a: str, b: str) -> bool:
    """Whether two edits could do, judged by length and letters alone."""
    return (
        abs(len(a) - len(b)) <= 2
        and sum(((ca := Counter(a)) - (cb := Counter(b))).values()) <= 2
        and sum((cb - ca).values()) <= 2
    )


def distance(a: str, b: str) -> int:
    """Edits between two words, a swap of neighbours being one (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, last, row = row, before, [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], last[j - 2] + 1)
    return row[-1]
