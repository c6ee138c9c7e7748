"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from pastwork.config import Config, Embedding, data_home
from pastwork.errors import ModelMissing
from pastwork.index import weights

ROOT = Path(__file__).resolve().parent.parent

# The same examples in every CI run: what fails there fails by hand; new examples are looked for everywhere else.
settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared material (transcript corpus, cases, labelled queries), or a skip that says so."""
    path = Path(os.environ.get("PASTWORK_SHARED", ROOT.parent / "shared"))
    if not path.is_dir():
        pytest.skip(f"shared material is absent at {path}; set PASTWORK_SHARED")
    return path


@pytest.fixture(scope="session")
def corpus_home(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The transcript corpus unpacked once as a home folder (118 MiB)."""
    from bench.quality import corpus

    home = tmp_path_factory.mktemp("corpus-home")
    corpus.unpack(shared / "corpus" / "home.tar.xz", home)
    return home


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pinned embedding model (``PASTWORK_TEST_MODEL``, the user's, or pip's), or a skip that says how to get it."""
    named = os.environ.get("PASTWORK_TEST_MODEL")
    settings = Config(embedding=Embedding(model=named)) if named else Config()
    for home in (data_home(), tmp_path_factory.mktemp("no-data")):
        try:
            return weights.find(settings, home)
        except ModelMissing as error:
            reason = str(error)
    pytest.skip(f"{reason}; run `pastwork model install`")
