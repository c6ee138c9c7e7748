"""The one code-aware token rule, for documents and queries alike.

A word is cut at white space, slashes, colons and other punctuation. A name with inner dots, hyphens,
underscores or capitals counts whole and in its parts: ``retry-timeout.py`` gives ``retry-timeout.py``,
``retri``, ``timeout``, ``py``; ``parseHTTPReply`` gives ``parsehttpreply``, ``pars``, ``http``, ``repli``.
Plain words and parts are stemmed; whole names never are. Scripts written without spaces give
overlapping pairs of characters. Any text is good: lone surrogates, controls and emoji are separators
or words, never errors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from pastwork.index.stem import stem

#: Longer words are data (base64, hashes of hashes), not vocabulary; their beginning is kept.
LONGEST = 64
#: Parts of one compound that are kept; a minified line is one "word" with thousands.
MOST_PARTS = 24

_WORD = re.compile(r"[^\W_]\w*(?:[-.]+\w+)*|_+\w+(?:[-.]+\w+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LETTERS = re.compile(r"[^\W\d_]+|\d+")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f]+"
)


def tokens(text: str) -> list[str]:
    """The text's tokens in order, with repetitions; a compound's whole stands before its parts."""
    out: list[str] = []
    for word in words(text):
        out += split(word)
    return out


def words(text: str) -> Iterator[str]:
    """The words as written, compounds whole."""
    return (match.group() for match in _WORD.finditer(text))


def located(text: str) -> Iterator[tuple[int, str]]:
    """The words as written and where they begin."""
    return ((match.start(), match.group()) for match in _WORD.finditer(text))


@lru_cache(maxsize=1 << 15)
def split(word: str) -> tuple[str, ...]:
    """One word's tokens: itself when it is a compound, then its stemmed parts."""
    word = _plain(word)
    if _UNSPACED.search(word):
        return tuple(_unspaced(word))
    rule = _PART if word.isascii() else _LETTERS
    parts = [part.lower() for part in rule.findall(word)[:MOST_PARTS]]
    stems = [stem(part[:LONGEST]) for part in parts]
    if len(parts) <= 1 and "_" not in word.strip("_"):
        return tuple(stems) or (word.lower()[:LONGEST],)
    return (word.lower()[:LONGEST], *stems)


def _plain(word: str) -> str:
    """Compatibility forms folded (full width, ligatures, accents composed); ASCII is left as it is."""
    return word if word.isascii() else unicodedata.normalize("NFKC", word)


def _unspaced(word: str) -> Iterator[str]:
    """Pairs of characters of unspaced scripts; what lies between them by the usual rule."""
    at = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > at:
            yield from split(word[at : run.start()])
        text = run.group()
        yield from (text[i : i + 2] for i in range(max(1, len(text) - 1)))
        at = run.end()
    if at < len(word):
        yield from split(word[at:])
