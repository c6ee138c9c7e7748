"""What the tests of the lanes share."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from pastwork.config import Config, data_home
from pastwork.errors import ModelMissing
from pastwork.index import weights


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pinned embedding model, or a skip that says how to get it."""
    for home in (data_home(), tmp_path_factory.mktemp("no-data")):
        try:
            return weights.find(Config(), home)
        except ModelMissing as error:
            reason = str(error)
    pytest.skip(f"{reason}; run `pastwork model install`")
