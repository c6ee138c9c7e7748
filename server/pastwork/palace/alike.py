"""Near-duplicates among short texts. Pure.

Two texts are alike when their sets of words overlap (Jaccard) by ``LIKENESS`` or more. Candidates come
from prefix filtering: sets that overlap so much share one of their rarest words (Chaudhuri et al.,
"A primitive operator for similarity joins", 2006), so hardly any pair is compared.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import chain

LIKENESS = 0.8
_WORD = re.compile(r"\w+|[^\w\s]{2,}")


def folded(texts: Sequence[str], likeness: float = LIKENESS) -> list[int]:
    """For each text the place of the first one it is like: its own where there is none before it."""
    same: dict[str, int] = {}
    for place, text in enumerate(texts):
        same.setdefault(text, place)
    of = _joined({place: frozenset(_WORD.findall(text.lower())) for text, place in same.items()}, likeness)
    return [of[same[text]] for text in texts]


def _joined(sets: Mapping[int, Collection[str]], likeness: float) -> dict[int, int]:
    """Words are numbered from the rarest on; one that stands alone leads to no other set."""
    common = Counter(chain.from_iterable(sets.values()))
    number = {word: rank for rank, (word, _) in enumerate(reversed(common.most_common()))}
    alone = sum(count == 1 for count in common.values())
    numbered = {place: frozenset(map(number.__getitem__, words)) for place, words in sets.items()}
    holding: dict[int, list[int]] = defaultdict(list)
    of: dict[int, int] = {}
    for place, words in numbered.items():
        prefix = sorted(words)[: len(words) - math.ceil(likeness * len(words)) + 1]
        rare = [word for word in prefix if word >= alone]
        candidates = sorted({other for word in rare for other in holding[word]})
        of[place] = next((other for other in candidates if _alike(words, numbered[other], likeness)), place)
        if of[place] == place:
            for word in rare:
                holding[word].append(place)
    return of


def _alike(one: frozenset[int], other: frozenset[int], likeness: float) -> bool:
    both = len(one & other)
    return both >= likeness * (len(one) + len(other) - both)
