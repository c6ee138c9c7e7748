"""Counting by words, against encoding each text whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from pastwork.config import Config, Embedding
from pastwork.palace import tokenizer as module
from pastwork.palace.tokenizer import tokenizer

TEXTS = [
    "",
    " two  words\n",
    "Überlänge naïve 日本語 한국어 🎉🎉 e\u0301 \u202e\x00",
    "getUserName(retry_timeout=30)",
    *(f"word{number} again{number % 7}" for number in range(3 * module.AT_ONCE)),
]


@pytest.mark.parametrize("known", [module.KNOWN, 10])
def test_as_encoding_each_text(known: int, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tokenizers import Tokenizer

    monkeypatch.setattr(module, "KNOWN", known)
    whole = Tokenizer.from_file(str(model_folder / "tokenizer.json"))
    whole.no_truncation()
    whole.no_padding()
    expected = [len(whole.encode(text, add_special_tokens=False)) for text in TEXTS]
    counting = tokenizer(Config(embedding=Embedding(model=str(model_folder))), tmp_path)
    assert counting.name == "all-MiniLM-L6-v2 word pieces"
    for _ in range(2):
        assert counting.count(TEXTS) == expected
    assert counting.count(["again1 new", *TEXTS[:2]]) == [3, *expected[:2]]
