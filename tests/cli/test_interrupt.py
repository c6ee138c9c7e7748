"""Ctrl-C: the command ends at once with 130, and what was committed is whole."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pastwork.cli.interrupt import asked_to_stop
from tests import SLACK
from tests.cli.conftest import Terminal

INTERRUPTED = 130


def long_history(home: Path, sessions: int, turns: int) -> None:
    """Claude Code transcripts that take many seconds to index."""
    folder = home / ".claude" / "projects" / "-home-dev-long"
    folder.mkdir(parents=True)
    filler = " ".join(f"word{number}" for number in range(400))
    for session in range(sessions):
        rows = []
        for turn in range(turns):
            shared = {
                "sessionId": f"s{session}",
                "cwd": "/home/dev/long",
                "timestamp": f"2026-01-01T10:{turn % 60:02d}:00Z",
            }
            asked = {"role": "user", "content": f"Explain part {turn} of {session}"}
            told = {"role": "assistant", "content": [{"type": "text", "text": f"{filler} {turn}"}]}
            rows.append(shared | {"type": "user", "uuid": f"u{session}-{turn}", "message": asked})
            rows.append(shared | {"type": "assistant", "uuid": f"a{session}-{turn}", "message": told})
        (folder / f"s{session}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
def test_ctrl_c_while_indexing(fresh: Terminal) -> None:
    long_history(fresh.home, sessions=80, turns=60)
    command = [sys.executable, "-m", "pastwork", "index", "--no-vectors"]
    with subprocess.Popen(
        command, cwd=fresh.workspace, env=fresh.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        _until_something_is_kept(fresh)
        process.send_signal(signal.SIGINT)
        stopped = time.monotonic()
        _, errors = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED, errors
    assert time.monotonic() - stopped < 5 * SLACK
    assert "Traceback" not in errors
    assert fresh("verify", "--json").returncode == 0
    kept = json.loads(fresh("status", "--json").stdout)["agents"]["claude-code"]["exchanges"]
    assert 0 < kept < 80 * 60


def _until_something_is_kept(terminal: Terminal) -> None:
    for _ in range(300):
        time.sleep(0.1)
        told = terminal("status", "--json")
        agents = json.loads(told.stdout).get("agents", {}) if told.returncode == 0 else {}
        if agents.get("claude-code", {}).get("exchanges", 0):
            return
    pytest.fail("nothing was indexed within 30 seconds")


def test_the_first_asks_and_the_second_breaks_off() -> None:
    with asked_to_stop() as stop:
        assert not stop()
        signal.raise_signal(signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_the_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with asked_to_stop():
        pass
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
