"""Near-duplicates among short texts. Pure.

Two texts are alike when their sets of words overlap (Jaccard) by ``LIKENESS`` or more. Candidates come
from prefix filtering: sets that overlap so much share one of their rarest words (Chaudhuri et al.,
"A primitive operator for similarity joins", 2006), so hardly any pair is compared.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

LIKENESS = 0.8
_WORD = re.compile(r"\w+|[^\w\s]{2,}")


def folded(texts: Sequence[str], likeness: float = LIKENESS) -> list[int]:
    """For each text the place of the first one it is like: its own where there is none before it."""
    same = {text: place for place, text in reversed(list(enumerate(texts)))}
    sets = {place: frozenset(_WORD.findall(text.lower())) for text, place in same.items()}
    of = _joined(sets, likeness)
    return [of[same[text]] for text in texts]


def _joined(sets: dict[int, frozenset[str]], likeness: float) -> dict[int, int]:
    common = Counter(word for words in sets.values() for word in words)
    holding: dict[str, list[int]] = defaultdict(list)
    of: dict[int, int] = {}
    for place in sorted(sets):
        words = sets[place]
        rare = sorted(words, key=lambda word: (common[word], word))[: len(words) - math.ceil(likeness * len(words)) + 1]
        candidates = sorted({other for word in rare for other in holding[word]})
        of[place] = next((other for other in candidates if _alike(words, sets[other], likeness)), place)
        if of[place] == place:
            for word in rare:
                holding[word].append(place)
    return of


def _alike(one: frozenset[str], other: frozenset[str], likeness: float) -> bool:
    return len(one & other) >= likeness * len(one | other)
