"""The passage of a text that answers a query best, with the query's words marked.

Pure. In: masked text and the query's tokens with weights (rare words weigh more). Out: a ``Snippet``
on one line's worth of text whose marks count UTF-16 units, as editors do.
"""

from __future__ import annotations

import re
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
#: The last code point of ASCII.
ASCII = 0x7F

#: Start and end of a word in the text, and the number of its kind: words that share the same tokens with the query.
Found = tuple[int, int, int]
#: What words of a kind weigh, and the tokens that they share.
Kind = tuple[float, frozenset[str]]
#: The kind of a quoted phrase.
PHRASE = -1


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
    return Seeker(weights, phrases, analyse, width).snippet(text)


class Seeker:
    """One query's passages, of any number of texts: what a word shares with the query is worked out once."""

    def __init__(
        self,
        weights: Mapping[str, float],
        phrases: Sequence[str] = (),
        analyse: Callable[[str], Sequence[str]] = rule.split,
        width: int = WIDTH,
    ) -> None:
        self._weights, self._phrases, self._analyse, self._width = weights, phrases, analyse, width
        self._beginnings = beginnings(weights)
        self._known: dict[str, tuple[Found, ...]] = {}
        self._kinds: dict[Kind, int] = {}
        self._worth = _Worth(self._kinds)

    def snippet(self, text: str) -> Snippet:
        """See the function of that name."""
        text = text[:LOOKED_AT]
        words = list(self._matches(text))
        whole = _phrase(text, self._phrases)
        if whole is not None:
            start = whole[0]
            words = [w for w in words if not whole[0] <= w[0] < whole[1]] + [(*whole, PHRASE)]
            words.sort()
        else:
            start = self._best_start(words)
        return _cut(text, start, words, self._width)

    def _matches(self, text: str) -> Iterator[Found]:
        """The text's words that share a token with the query; without a word in it no text is looked through."""
        if not self._weights:
            return
        for start, stretch in _stretches(text, self._beginnings):
            if stretch not in self._known:
                self._known[stretch] = tuple(self._shared(stretch))
            for left, right, kind in self._known[stretch]:
                yield start + left, start + right, kind

    def _shared(self, stretch: str) -> Iterator[Found]:
        for start, word in rule.located(stretch):
            shared = frozenset(self._weights.keys() & set(self._analyse(word)))
            if shared:
                kind = sum(self._weights[token] for token in shared), shared
                yield start, start + len(word), self._kinds.setdefault(kind, len(self._kinds))

    def _best_start(self, words: Sequence[Found]) -> int:
        """The first word of the window with the most weight; a token counts once, a repetition a little."""
        inside = [0] * len(self._kinds)
        best, start, present, after = -1.0, 0, 0, 0
        for first, (left, _, kind) in enumerate(words):
            while after < len(words) and (after <= first or words[after][1] <= left + self._width):
                entering = words[after][2]
                inside[entering] += 1
                present |= 1 << entering
                after += 1
            value = self._worth[present] + 0.01 * (after - first)
            if value > best:
                best, start = value, left
            inside[kind] -= 1
            if not inside[kind]:
                present ^= 1 << kind
        return start


def likely(text: str, tokens: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The words that may hold one of the tokens, and where they begin, without looking at all the others."""
    for start, stretch in _stretches(text, beginnings(tokens)):
        for at, word in rule.located(stretch):
            yield start + at, word


def beginnings(tokens: Iterable[str]) -> list[str]:
    """What the words that hold a token have in common, in small letters.

    A token is a whole word or a part of one but for the last letter, which stemming may have changed
    (``retri`` of ``retry``).
    """
    parts = dict.fromkeys(token[:-1] if len(token) > 2 else token for token in tokens)
    return [part for part in parts if part]


def _stretches(text: str, parts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Pieces of the text, each of whole words, and where they begin; what may hold a token lies in one of them.

    Words beyond ASCII may be folded into a token, so they are all named.
    """
    lowered = text.lower()
    if len(lowered) != len(text):
        yield 0, text
        return
    places = _beyond_ascii(text)
    for part in parts:
        place = lowered.find(part)
        while place >= 0:
            if not place or not _inside(text[place - 1], text[place]):
                places.append(place)
            place = lowered.find(part, place + 1)
    places.sort()
    end = 0
    for place in places:
        if place < end:
            continue
        start = place
        while start > end and (text[start - 1].isalnum() or text[start - 1] in "_.-"):
            start -= 1
        after = _AFTER.match(text, place)
        end = after.end() if after else place
        yield start, text[start:end]


def _inside(before: str, first: str) -> bool:
    """Whether no part of a word begins there: no small letter does behind a letter, and no digit behind a digit."""
    if first.islower():
        return before.isalpha() and first.isascii()
    return first.isdigit() and before.isdigit() and first.isascii()


def _beyond_ascii(text: str) -> list[int]:
    """Where words or pieces of words stand that ASCII does not spell."""
    if text.isascii():
        return []
    import numpy as np

    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return [place for place in np.flatnonzero(codes > ASCII).tolist() if text[place].isalnum()]


def _phrase(text: str, phrases: Sequence[str]) -> tuple[int, int] | None:
    """Where the first phrase stands, white space and case aside."""
    for phrase in phrases:
        pattern = r"\s+".join(re.escape(word) for word in phrase.split())
        match = re.search(pattern, text, re.IGNORECASE) if pattern else None
        if match:
            return match.span()
    return None


class _Worth(dict[int, float]):
    """What a set of kinds of words (a bit each) is worth: each token counts once, in its heaviest word."""

    def __init__(self, kinds: Mapping[Kind, int]) -> None:
        super().__init__()
        self._kinds = kinds

    def __missing__(self, present: int) -> float:
        tokens: dict[str, float] = {}
        for (weight, shared), number in self._kinds.items():
            if present >> number & 1:
                for token in shared:
                    tokens[token] = max(tokens.get(token, 0.0), weight)
        self[present] = sum(tokens.values())
        return self[present]


def _cut(text: str, first: int, words: Sequence[Found], width: int) -> Snippet:
    """The passage around ``first``, white space runs shown as one space."""
    start = _beginning(text, first, width)
    end = _ending(text, start + width)
    out, marks, at = "", [], start
    for left, right, _ in words:
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
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
