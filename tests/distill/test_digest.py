"""Everything of one exchange in one go, masked, fast, and within what it promises over the corpus."""

from __future__ import annotations

import statistics

import pytest

from pastwork.distill.digest import PROMPT_CHARS, count_tokens, digest
from pastwork.distill.extractive import distil
from pastwork.distill.fixes import is_fix
from pastwork.distill.redact import masked
from pastwork.distill.text import texts
from pastwork.model import Exchange
from tests.distill.samples import ALL, POOL, exchange
from tests.distill.test_extractive import check_own


@pytest.mark.parametrize("sample", ALL)
def test_it_is_what_its_parts_say(sample: Exchange) -> None:
    found, seen = digest(sample), masked(sample)
    assert found.object == distil(seen)
    assert found.fix == is_fix(seen)
    assert found.texts == texts(seen)
    assert found.prompt == seen.prompt[:PROMPT_CHARS]
    assert {room.room_type for room in found.candidates} <= {"file", "concept", "workflow"}


def test_secrets_stay_out_unless_masking_is_off() -> None:
    secret = "hunter2" + "-not-real"
    told = exchange(
        f"use password='{secret}' for the pool", f"Set `password='{secret}'` in the pool of src/db/pool.py."
    )
    assert secret not in repr(digest(told))
    assert secret in repr(digest(told, mask=False))


def test_a_long_prompt_is_cut() -> None:
    assert len(digest(exchange("p" * 5_000)).prompt) == PROMPT_CHARS


def test_tokens_are_counted() -> None:
    found = digest(POOL)
    assert found.tokens_distilled == count_tokens(f"{found.object.exchange_core}\n{found.object.specific_context}")
    assert found.tokens_verbatim > found.tokens_distilled
    assert count_tokens("") == 0
    assert count_tokens("the pool_size, is 5.") == 8
    assert count_tokens("internationalization") == 4


@pytest.mark.shared
def test_the_corpus(corpus_exchanges: dict[str, Exchange]) -> None:
    """Own words, no empty core where anything was said, and sizes."""
    told = list(corpus_exchanges.values())
    found = [digest(exchange) for exchange in told]
    sizes = [each.tokens_distilled for each in found]
    assert statistics.mean(sizes) <= 54
    assert max(sizes) <= 260
    assert all(each.object.exchange_core for each, of in zip(found, told, strict=True) if of.prompt.strip())
    assert all(1 <= len(each.object.room_assignments) <= 3 for each in found)
    for exchange_ in told[::3]:
        check_own(masked(exchange_))
