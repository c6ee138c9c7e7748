"""The words of a text, their stems, and how specific each is.

In: plain text. Out: words as written; a stem under which forms of one word meet; a specificity in
0..1 from general English and code usage alone (a table shipped with the package), never from the
user's history, so that what is distilled of an exchange depends on the exchange alone.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from pastwork.distill.background import BANDS, CHATTER

#: A flag, a word or name with what joins its parts (``a-b``, ``a.b``, ``a/b``, ``it's``), a call, or a number.
#: The letters are named, so that few are looked up in Unicode's tables; nothing is tried twice.
WORD = re.compile(r"(?:[a-zA-Z0-9_\w]++|--?[a-zA-Z0-9_\w]++)(?:[-./:'’][a-zA-Z0-9_\w]++)*+(?:\(\))?+")
_PART = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_ENDINGS = ("ing", "ies", "ed", "es", "ly", "er", "s")
_LONG_PLURALS = ("sses", "shes", "tches", "nches", "rches", "xes", "zzes")
#: A stem keeps at least so many letters.
_LEAST = 3


def listed(text: str) -> frozenset[str]:
    """The words of a list that is written as one text."""
    return frozenset(text.split())


def words(text: str) -> list[str]:
    return WORD.findall(text)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Lower case without a common ending; names of code only lose their case and call brackets."""
    lowered = word.lower().removesuffix("()")
    if not lowered.isalpha() or is_identifier(word):
        return lowered
    for ending in _ENDINGS:
        if lowered.endswith(ending) and len(lowered) - len(ending) >= _LEAST:
            return lowered[: -len(ending)]
    return lowered.removesuffix("e") if len(lowered) > _LEAST else lowered


@lru_cache(maxsize=16_384)
def singular(word: str) -> str:
    """Lower case without the ending of a plural."""
    lowered = word.lower()
    if len(lowered) <= _LEAST or not lowered.endswith("s") or lowered.endswith(("ss", "us", "is", "os")):
        return lowered
    if lowered.endswith("ies") and len(lowered) > _LEAST + 2:
        return f"{lowered[:-3]}y"
    return lowered[:-2] if lowered.endswith(_LONG_PLURALS) else lowered[:-1]


@lru_cache(maxsize=65_536)
def specificity(word: str) -> float:
    """0 for words of everyday speech, 1 for what general text does not have (names, identifiers)."""
    lowered = word.lower().replace("’", "'")
    table = _table()
    for form in (lowered, lowered.removesuffix("s"), lowered.removesuffix("'s")):
        if form in table:
            return table[form]
    for ending in ("ing", "ed", "es", "ly", "er", "d"):
        if lowered.endswith(ending):
            bare = lowered.removesuffix(ending)
            found = table.get(bare, table.get(bare + "e", table.get(bare[:-1] if bare[-2:-1] == bare[-1:] else bare)))
            if found is not None:
                return found
    return 1.0 if len(lowered) > 1 else 0.0


@lru_cache(maxsize=65_536)
def is_identifier(word: str) -> bool:
    """Whether a word is a name of code: camelCase, snake_case, dotted, a path, a call, a flag, letters with digits."""
    inner = word[1:]
    return (
        "_" in word.strip("_")
        or "/" in word
        or word.endswith("()")
        or word.startswith("-")
        or (not inner.islower() and any(map(str.isupper, inner)) and any(map(str.islower, word)))
        or ("." in inner and any(map(str.isalpha, word)))
        or (any(map(str.isdigit, word)) and any(map(str.isalpha, word)))
    )


def parts(word: str) -> list[str]:
    """The lower-case parts of a name: ``getUserName`` -> get user name."""
    return [part.lower() for part in _PART.findall(word)]


@cache
def _table() -> dict[str, float]:
    table = {word: band for band, listed in BANDS.items() for word in listed.split()}
    return table | dict.fromkeys(CHATTER.split(), 0.0)
