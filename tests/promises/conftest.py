"""A fresh invented home for everything, and the environment of its processes."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from demo.build import build

from tests.lsp.conftest import Sample


def configured(home: Path, workspace: Path, data: Path, model: Path | None) -> Sample:
    if model is not None:
        (home / "config.toml").write_text(f"[embedding]\nmodel = {str(model)!r}\n")
    return Sample(home, workspace, data)


@pytest.fixture(scope="session")
def model() -> Path | None:
    """The embedding model, where there is one: everything is proven with it if possible, and without it else."""
    named = os.environ.get("PASTWORK_TEST_MODEL")
    return Path(named) if named and Path(named).is_dir() else None


@pytest.fixture
def fresh(tmp_path: Path, model: Path | None) -> Sample:
    """Before the first index; nothing of pastwork's is there."""
    home, workspace = build(tmp_path, datetime.now(UTC).date())
    return configured(home, workspace, tmp_path / "data", model)
