"""The passage of a text that answers a query best, with the query's words marked.

Pure. In: masked text and the query's tokens with weights (rare words weigh more). Out: a ``Snippet``
on one line's worth of text whose marks count UTF-16 units, as editors do.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pastwork.index import tokens as rule
from pastwork.shapes import Snippet

#: Characters of a passage, roughly: two lines of a palette.
WIDTH = 200
#: Characters of a text that are looked at: the beginning of a pasted log is enough.
LOOKED_AT = 30_000
#: How far a passage's start may move back to a word's or line's beginning.
RUN_UP = 40

_GAP = re.compile(r"\s+")
#: What can be part of a word.
_AFTER = re.compile(r"[\w.-]*")
_BEYOND_ASCII = re.compile(r"[^\W\x00-\x7f]+")

#: Start and end of a word in the text, and what its tokens weigh.
Found = tuple[int, int, float, frozenset[str]]


def snippet(
    text: str,
    weights: Mapping[str, float],
    phrases: Sequence[str] = (),
    analyse: Callable[[str], Sequence[str]] = rule.split,
    width: int = WIDTH,
) -> Snippet:
    """The passage of about ``width`` characters that holds the most weight of distinct words.

    A quoted phrase that stands in the text word for word decides where the passage lies.
    """
    text = text[:LOOKED_AT]
    words = list(_matches(text, weights, analyse))
    whole = _phrase(text, phrases)
    if whole is not None:
        start = whole[0]
        words = [w for w in words if not whole[0] <= w[0] < whole[1]] + [(*whole, 0.0, frozenset())]
        words.sort()
    else:
        start = _best_start(words, width)
    return _cut(text, start, words, width)


def _matches(text: str, weights: Mapping[str, float], analyse: Callable[[str], Sequence[str]]) -> Iterator[Found]:
    """The text's words that share a token with the query; each distinct word is looked at once."""
    known: dict[str, tuple[float, frozenset[str]]] = {}
    for start, word in likely(text, weights):
        if word not in known:
            shared = frozenset(weights.keys() & set(analyse(word)))
            known[word] = sum(weights[token] for token in shared), shared
        weight, shared = known[word]
        if shared:
            yield start, start + len(word), weight, shared


def likely(text: str, tokens: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The words that may hold one of the tokens, and where they begin, without looking at all the others.

    A token is a whole word or a part of one but for the last letter, which stemming may have changed
    (``retri`` of ``retry``); words beyond ASCII may be folded into it, so they are all named.
    """
    lowered = text.lower()
    if len(lowered) != len(text):
        yield from rule.located(text)
        return
    places = [found.start() for found in _BEYOND_ASCII.finditer(text)]
    for token in tokens:
        places += _places(lowered, token[:-1] if len(token) > 2 else token)
    end = 0
    known: dict[str, tuple[tuple[int, str], ...]] = {}
    for place in sorted(places):
        if place < end:
            continue
        start = place
        while start > end and (text[start - 1].isalnum() or text[start - 1] in "_.-"):
            start -= 1
        after = _AFTER.match(text, place)
        end = after.end() if after else place
        stretch = text[start:end]
        if stretch not in known:
            known[stretch] = tuple(rule.located(stretch))
        for at, word in known[stretch]:
            yield start + at, word


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _phrase(text: str, phrases: Sequence[str]) -> tuple[int, int] | None:
    """Where the first phrase stands, white space and case aside."""
    for phrase in phrases:
        pattern = r"\s+".join(re.escape(word) for word in phrase.split())
        match = re.search(pattern, text, re.IGNORECASE) if pattern else None
        if match:
            return match.span()
    return None


def _best_start(words: Sequence[Found], width: int) -> int:
    """The first word of the window with the most weight; a token counts once, a repetition a little."""
    best, start = -1.0, 0
    ends = [word[1] for word in words]
    for first, word in enumerate(words):
        inside = words[first : bisect_left(ends, word[0] + width + 1)] or words[first : first + 1]
        tokens: dict[str, float] = {}
        for _, _, weight, shared in inside:
            for token in shared:
                tokens[token] = max(tokens.get(token, 0.0), weight)
        value = sum(tokens.values()) + 0.01 * len(inside)
        if value > best:
            best, start = value, word[0]
    return start


def _cut(text: str, first: int, words: Sequence[Found], width: int) -> Snippet:
    """The passage around ``first``, white space runs shown as one space."""
    start = _beginning(text, first, width)
    end = _ending(text, start + width)
    out, marks, at = "", [], start
    for left, right, _, _ in words:
        if left < start or left >= end:
            continue
        out += _GAP.sub(" ", text[at:left])
        shown = _GAP.sub(" ", text[left : min(right, end)])
        marks.append((units(out), units(out) + units(shown)))
        out, at = out + shown, min(right, end)
    out += _GAP.sub(" ", text[at:end])
    body = out.lstrip()
    lead = "… " if start > 0 and body else ""
    shift = units(lead) - (units(out) - units(body))
    tail = " …" if end < len(text.rstrip()) else ""
    return Snippet(lead + body.rstrip() + tail, tuple((a + shift, b + shift) for a, b in marks))


def _beginning(text: str, first: int, width: int) -> int:
    """Back to the line's beginning where that is near, else to a word's."""
    earliest = max(0, first - RUN_UP)
    if len(text) <= width:
        return 0
    if earliest == 0:
        return 0 if first <= width // 2 else first
    line = text.rfind("\n", earliest, first)
    if line >= 0:
        return line + 1
    space = text.find(" ", earliest, first)
    return space + 1 if space >= 0 else first


def _ending(text: str, end: int) -> int:
    """Back to the end of a word that would be cut, where one ends near."""
    if end >= len(text):
        return len(text)
    space = max(text.rfind(" ", end - RUN_UP, end), text.rfind("\n", end - RUN_UP, end))
    if space > 0:
        return space
    return end


def units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)
