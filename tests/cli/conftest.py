"""The command line run as a person runs it: a process of its own, on an invented home."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from demo.build import build
from msgspec import Struct

ROOT = Path(__file__).resolve().parents[2]
TODAY = date(2026, 3, 1)
#: Variables that would lead an agent's reader out of the invented home.
AGENTS = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")


class Terminal(Struct, frozen=True):
    """A folder to stand in and an environment; calling it runs ``pastwork``."""

    home: Path
    workspace: Path
    data: Path

    def environment(self, **more: str) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if name not in AGENTS and not name.startswith("PASTWORK")
        }
        own = {
            "HOME": str(self.home),
            "PASTWORK_HOME": str(self.data),
            "PASTWORK_CONFIG": str(self.home / "config.toml"),
        }
        return {**kept, **own, "PYTHONPATH": str(ROOT / "server"), **more}

    def __call__(self, *words: str, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", "pastwork", *words],
            cwd=cwd or self.workspace,
            env=self.environment(**more),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture(scope="session")
def pastwork(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """The invented home, indexed."""
    base = tmp_path_factory.mktemp("cli")
    home, workspace = build(base, TODAY)
    terminal = Terminal(home, workspace, base / "data")
    done = terminal("index", "--scan", str(workspace), "--no-vectors")
    assert done.returncode == 0, done.stderr
    return terminal


@pytest.fixture
def fresh(tmp_path: Path) -> Terminal:
    """The same home before its first index, for what changes things."""
    home, workspace = build(tmp_path, TODAY)
    return Terminal(home, workspace, tmp_path / "data")
