"""What counts tokens for a context pack: the model's own word pieces where the model is on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pastwork.config import Config
from pastwork.distill.digest import count_tokens
from pastwork.errors import ModelMissing
from pastwork.palace.context import Tokenizer


def tokenizer(config: Config, data: Path) -> Tokenizer:
    """Loads the tokenizer alone, not the model; without it tokens are estimated, and the name says so."""
    from pastwork.index import weights

    try:
        folder = weights.find(config, data)
    except ModelMissing:
        return Tokenizer("estimated word pieces", lambda texts: [count_tokens(text) for text in texts])
    from tokenizers import Tokenizer as WordPieces

    pieces = WordPieces.from_file(str(folder / "tokenizer.json"))
    pieces.no_truncation()
    pieces.no_padding()

    def count(texts: Sequence[str]) -> list[int]:
        return [len(found.ids) for found in pieces.encode_batch(list(texts), add_special_tokens=False)]

    return Tokenizer("all-MiniLM-L6-v2 word pieces", count)
