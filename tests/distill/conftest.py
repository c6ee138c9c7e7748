"""The corpus' exchanges, read once."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.quality.corpus import exchanges

from pastwork.model import Exchange


@pytest.fixture(scope="session")
def corpus_exchanges(corpus_home: Path) -> dict[str, Exchange]:
    return {exchange.id: exchange for exchange in exchanges(corpus_home)}
