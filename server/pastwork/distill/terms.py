"""The words of a text and how specific each is, by general English and code usage alone.

In: plain text. Out: terms with a weight in 0..1 that says how much a term tells about what a text is
about. The weights come from a table shipped with the package, never from the user's history, so that
what is distilled of an exchange depends on the exchange alone.
"""

from __future__ import annotations

import re
from functools import cache

from pastwork.distill.background import BANDS, CHATTER

#: A word, an identifier with its separators, or a number with a unit.
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[-./:][A-Za-z0-9_]+)*(?:\(\))?|\d+(?:\.\d+)*[A-Za-z%]*")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@cache
def _table() -> dict[str, float]:
    table = {word: float(band) for band, words in BANDS.items() for word in words.split()}
    return table | dict.fromkeys(CHATTER.split(), 0.0)


def specificity(word: str) -> float:
    """0 for words of everyday speech, 1 for what general text does not have (names, identifiers)."""
    lowered = word.lower()
    table = _table()
    found = table.get(lowered)
    if found is None and lowered.endswith("s"):
        found = table.get(lowered[:-1])
    if found is not None:
        return found
    for ending in ("ing", "ed", "es", "ly", "er"):
        if lowered.endswith(ending):
            stem = lowered[: -len(ending)]
            found = table.get(stem, table.get(stem + "e"))
            if found is not None:
                return found
    return 1.0 if len(lowered) > 1 else 0.0


def is_identifier(word: str) -> bool:
    """Whether a word is a name of code: camelCase, snake_case, dotted, a path, a call, upper-case with digits."""
    inner = word[1:]
    return (
        "_" in word.strip("_")
        or "/" in word
        or word.endswith("()")
        or (any(c.isupper() for c in inner) and any(c.islower() for c in word))
        or ("." in inner and any(c.isalpha() for c in word))
        or (any(c.isdigit() for c in word) and any(c.isalpha() for c in word))
    )


def parts(word: str) -> list[str]:
    """The lower-case parts of a name: ``getUserName`` -> get user name."""
    return [part.lower() for part in _PART.findall(word)]


def words(text: str) -> list[str]:
    return WORD.findall(text)
