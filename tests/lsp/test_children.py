"""Child processes: lines of any length, restarts that never become a storm, an end with the server."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable

import pytest

from pastwork.lifeline import alive
from pastwork.lsp import children
from pastwork.lsp.children import PAUSES, SOUND_AFTER, Backoff, Child
from tests import SLACK

ECHO = "import sys\nfor line in sys.stdin: print(line.strip() * 2, flush=True)"
DEAF = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up', flush=True)\ntime.sleep(60)"


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


async def until(true: Callable[[], object], seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("lives", "expected"),
    [
        ([0, 0, 0, 0, 0, 0, 0, 0], [*PAUSES, PAUSES[-1], PAUSES[-1]]),
        ([1, 1, SOUND_AFTER, 1], [PAUSES[0], PAUSES[1], PAUSES[0], PAUSES[1]]),
        ([SOUND_AFTER * 9], [0.0]),
    ],
)
def test_backoff(lives: list[float], expected: list[float]) -> None:
    backoff = Backoff()
    assert [backoff.after(lived) for lived in lives] == expected


async def test_lines_go_both_ways_whatever_their_length() -> None:
    heard: list[bytes] = []
    child = Child(python(ECHO), heard.append)
    child.start()
    child.start()
    assert not child.write(b"too early")
    await until(lambda: child.pid)
    assert child.write(b"ab")
    assert child.write(b"x" * 3_000_000)
    await until(lambda: len(heard) == 2)
    assert heard == [b"abab", b"x" * 6_000_000]
    await child.stop()
    assert child.pid is None
    assert not child.write(b"too late")


async def test_a_child_that_ends_is_started_again_and_told_so() -> None:
    starts: list[float] = []
    lost: list[float] = []
    child = Child(
        python("import sys; sys.exit(3)"), print, lambda: starts.append(time.monotonic()), lambda: lost.append(0)
    )
    child.start()
    await until(lambda: len(starts) == 3)
    assert starts[2] - starts[1] >= PAUSES[1]
    assert len(lost) >= 2
    assert child.failures >= 2
    await child.stop()
    count = len(starts)
    await asyncio.sleep(0.1)
    assert len(starts) == count


async def test_what_can_not_be_started_is_tried_again_later() -> None:
    lost: list[int] = []
    child = Child(["/nowhere/python"], print, lost=lambda: lost.append(1))
    child.start()
    await until(lambda: len(lost) == 2)
    assert child.pid is None
    await child.stop()


async def test_a_deaf_child_is_killed_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "_GRACE", 0.2)
    heard: list[bytes] = []
    child = Child(python(DEAF), heard.append)
    child.start()
    await until(lambda: heard)
    pid = child.pid
    assert pid is not None
    begun = time.monotonic()
    await child.stop()
    assert time.monotonic() - begun < 1.0 * SLACK
    assert not alive(pid)


async def test_a_fault_of_the_listener_is_logged_and_the_next_line_heard(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[bytes] = []

    def listen(line: bytes) -> None:
        heard.append(line)
        raise ValueError("secret of a transcript")

    child = Child(python(ECHO), listen)
    child.start()
    await until(lambda: child.pid)
    child.write(b"a")
    child.write(b"b")
    await until(lambda: len(heard) == 2)
    await child.stop()
    assert "ValueError at" in caplog.text
    assert "secret" not in caplog.text
