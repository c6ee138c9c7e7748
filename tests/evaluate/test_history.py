"""A home's exchanges from its transcripts."""

from __future__ import annotations

import shutil
from pathlib import Path

from pastwork.config import Sources
from pastwork.evaluate.history import exchanges
from pastwork.transcripts.base import Env

DATA = Path(__file__).resolve().parents[1] / "data"


def test_exchanges_once_each(tmp_path: Path) -> None:
    """The same transcript found twice (named by the home and by a scan) is read once."""
    steps: list[tuple[int, int]] = []
    sessions = tmp_path / ".codex" / "sessions" / "2026" / "03" / "04"
    sessions.mkdir(parents=True)
    for transcript in (DATA / "codex").glob("rollout-*.jsonl"):
        shutil.copy(transcript, sessions)
    found = exchanges(Env(tmp_path, {}), Sources(), (tmp_path,), lambda done, total: steps.append((done, total)))
    assert found
    assert len({exchange.id for exchange in found}) == len(found)
    assert steps[0][0] == 0


def test_home_without_transcripts(tmp_path: Path) -> None:
    assert exchanges(Env(tmp_path, {}), Sources(), (), lambda done, total: None) == []
