"""Near-duplicates among short texts. Pure.

Two texts are alike when their sets of words overlap (Jaccard) by ``LIKENESS`` or more. Candidates come
from prefix filtering: sets that overlap so much share one of their rarest words (Chaudhuri et al.,
"A primitive operator for similarity joins", 2006), so hardly any pair is compared.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

LIKENESS = 0.8
#: UTF-8 with blanks for ASCII's marks. As bytes, because a table takes them faster than a pattern does letters.
_UNMARKED = bytes(byte if byte >= 0x80 or chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(256))


def folded(texts: Sequence[str], likeness: float = LIKENESS) -> list[int]:
    """For each text the place of the first one it is like: its own where there is none before it."""
    same: dict[str, int] = {}
    for place, text in enumerate(texts):
        same.setdefault(text, place)
    of = _joined({place: _words(text) for text, place in same.items()}, likeness)
    return [of.get(at, at) for at in map(same.__getitem__, texts)]


def _words(text: str) -> set[bytes]:
    return set(text.lower().encode("utf-8", "surrogatepass").translate(_UNMARKED).split())


def _joined(sets: Mapping[int, set[bytes]], likeness: float) -> dict[int, int]:
    """The sets that lead to another. Words are numbered from the rarest on; one that stands alone leads nowhere."""
    common = Counter(chain.from_iterable(sets.values()))
    number = {word: rank for rank, word in enumerate(sorted(common, key=common.__getitem__))}
    alone = sum(count == 1 for count in common.values())
    holding: dict[int, list[int]] = defaultdict(list)
    of: dict[int, int] = {}
    for place, words in sets.items():
        prefix = sorted(map(number.__getitem__, words))[: len(words) - math.ceil(likeness * len(words)) + 1]
        rare = [word for word in prefix if word >= alone]
        candidates = {other for word in rare if word in holding for other in holding[word]}
        found = [other for other in candidates if _alike(words, sets[other], likeness)]
        if found:
            of[place] = min(found)
        else:
            for word in rare:
                holding[word].append(place)
    return of


def _alike(one: set[bytes], other: set[bytes], likeness: float) -> bool:
    both = min(len(one), len(other))
    whole = len(one) + len(other)
    if both < likeness * (whole - both):  # sizes alone rule it out
        return False
    both = len(one & other)
    return both >= likeness * (whole - both)
