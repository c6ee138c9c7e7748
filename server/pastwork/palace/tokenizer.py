"""What counts tokens for a context pack: the model's own word pieces where the model is on disk."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pastwork.config import Config
from pastwork.distill.digest import count_tokens
from pastwork.errors import ModelMissing
from pastwork.palace.context import Tokenizer as Counting

if TYPE_CHECKING:
    from tokenizers import Tokenizer as WordPieces

#: Words whose counts are kept, and words that are encoded at once: an encoding takes a kilobyte.
KNOWN, AT_ONCE = 100_000, 250


def tokenizer(config: Config, data: Path) -> Counting:
    """Loads the tokenizer alone, not the model; without it tokens are estimated, and the name says so."""
    from pastwork.index import weights

    try:
        folder = weights.find(config, data)
    except ModelMissing:
        return Counting("estimated word pieces", lambda texts: [count_tokens(text) for text in texts])
    from tokenizers import Tokenizer

    pieces = Tokenizer.from_file(str(folder / "tokenizer.json"))
    pieces.no_truncation()
    pieces.no_padding()
    return Counting("all-MiniLM-L6-v2 word pieces", Counter(pieces).count)


class Counter:
    """Counts by words: no word piece crosses white space, and most words come again."""

    def __init__(self, pieces: WordPieces) -> None:
        self._pieces = pieces
        self._known: dict[str, int] = {}

    def count(self, texts: Sequence[str]) -> list[int]:
        """Word pieces of each text."""
        split = [text.split() for text in texts]
        try:
            return self._sums(split)
        except KeyError:
            self._learn(set(chain.from_iterable(split)))
            return self._sums(split)

    def _sums(self, split: Sequence[Sequence[str]]) -> list[int]:
        """Raises KeyError for a word that is new."""
        return [sum(map(self._known.__getitem__, each)) for each in split]

    def _learn(self, words: set[str]) -> None:
        if len(self._known) + len(words) > KNOWN:
            self._known = {}
        new = list(words - self._known.keys())
        for start in range(0, len(new), AT_ONCE):
            part = new[start : start + AT_ONCE]
            counts = self._pieces.encode_batch_fast(part, add_special_tokens=False)
            self._known.update(zip(part, map(len, counts), strict=True))
