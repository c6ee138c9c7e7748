"""The plain server in a real Emacs with eglot, without any client of ours. ``PASTWORK_EMACS=1`` makes its absence a failure."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import Sample, indexed, sample  # noqa: F401 - fixtures
from tests.lsp.transcript import prompts, transcript_with

SCRIPT = Path(__file__).parent / "eglot.el"
PROMPT = "Bookings hang for ever when more than four people book"


def emacs(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = ["emacs", "-q", "--no-site-file", "--batch", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=150, check=False, **more)


@pytest.fixture(scope="module")
def usable() -> None:
    """An Emacs with eglot: built in since 29, Debian's elpa-eglot before."""
    absent = "install emacs-nox and, for Emacs before 29, elpa-eglot"
    found = (
        shutil.which("emacs")
        and "yes"
        in emacs("--eval", '(progn (package-initialize) (when (locate-library "eglot") (princ \'yes)))').stdout
    )
    if not found and os.environ.get("PASTWORK_EMACS"):
        pytest.fail(f"no Emacs with eglot: {absent}")
    if not found:
        pytest.skip(f"no Emacs with eglot: {absent}")


@pytest.mark.usefixtures("usable")
def test_hover_symbols_and_commands(sample: Sample, tmp_path: Path) -> None:  # noqa: F811
    answers = tmp_path / "answers.json"
    file = sample.workspace / "ferryline" / "pool.py"
    server = [sys.executable, "-P", "-m", "pastwork", "lsp"]
    done = emacs("-l", str(SCRIPT), str(answers), str(file), *server, env=sample.variables(), cwd=sample.workspace)
    assert done.returncode == 0, done.stderr
    got = json.loads(answers.read_text())
    assert got["server"] == "pastwork"
    assert "claude-code · 1 month ago" in got["on_line"]
    assert got["on_first_line"].startswith("2 past exchanges")
    names = [name for name, _ in got["symbols"]]
    assert any(PROMPT[:20] in name for name in names), names
    # A symbol's place is a real file for an editor that knows no documents of ours.
    shown = Path(next(group for name, group in got["symbols"] if PROMPT[:20] in name))
    assert PROMPT in shown.read_text()
    (prompt,) = [text for text in prompts(transcript_with(sample.home, PROMPT)) if PROMPT in text]
    assert prompt.startswith(got["search"]["hits"][0]["prompt"])
    assert [match["tier"] for match in got["history"]["matches"]] == ["line", "line"]
    assert got["status"]["agents"]["claude-code"]["exchanges"] == 4
    assert "rror" not in done.stderr.replace("errors", ""), done.stderr
