"""A sample home with transcripts of several agents, indexed once by the real command, for real servers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from demo.build import build
from msgspec import Struct

from tests.conftest import ROOT
from tests.lsp.raw import RICH, RawClient, raw_client

#: What could lead a process of ours to the developer's own transcripts.
AGENTS = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")


class Sample(Struct, frozen=True):
    """``workspace`` is the project that the transcripts below ``home`` are about."""

    home: Path
    workspace: Path
    data: Path

    def variables(self, **more: str) -> dict[str, str]:
        """The environment of a process that sees this home and no other."""
        kept = {name: value for name, value in os.environ.items() if name not in AGENTS}
        own = {
            "HOME": str(self.home),
            "PASTWORK_HOME": str(self.data),
            "PASTWORK_CONFIG": str(self.home / "config.toml"),
            "PYTHONPATH": str(ROOT / "server"),
        }
        return {**kept, **own, **more}

    def pastwork(self, *words: str) -> str:
        """Runs one command to its end."""
        command = [sys.executable, "-P", "-m", "pastwork", *words]
        done = subprocess.run(
            command, env=self.variables(), cwd=self.workspace, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """Read by many tests: nothing may change it."""
    target = tmp_path_factory.mktemp("sample")
    home, workspace = build(target, datetime.now(UTC).date())
    sample = Sample(home, workspace, target / "data")
    sample.pastwork("index", "--scan", str(workspace), "--no-vectors")
    return sample


@pytest.fixture
def sample(indexed: Sample, tmp_path: Path) -> Sample:
    """A copy of one's own, transcripts and store; the project's folder stays where it is, so that paths agree."""
    shutil.copytree(indexed.home, tmp_path / "home", ignore=shutil.ignore_patterns("code"))
    shutil.copytree(indexed.data, tmp_path / "data")
    return Sample(tmp_path / "home", indexed.workspace, tmp_path / "data")


@pytest.fixture
def client(sample: Sample) -> Iterator[RawClient]:
    """A real server that is initialized for the sample's project, and its client."""
    with raw_client(sample.variables()) as client:
        client.initialize(sample.workspace, capabilities=RICH, options={"client": {"opensHistory": True}})
        yield client
        assert b"Traceback" not in client.errors
