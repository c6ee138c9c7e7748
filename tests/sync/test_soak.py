"""Beside an agent that never pauses: everything kept once and soon, at a bounded cost.

``PASTWORK_SOAK_SECONDS`` says how long (600 by default); ``make soak`` runs it.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from tests.sync.jotter import Home, line
from tests.sync.processes import Child, processor_seconds
from tests.transcripts import made

SECONDS = float(os.environ.get("PASTWORK_SOAK_SECONDS", "600"))
#: Seconds between two records; every fifth is the last of an exchange.
PACE = 0.1
SESSIONS = 4


def resident(pid: int) -> int:
    """Bytes of memory in use."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Jotter:
    """The invented agent of these tests."""

    arguments = ("--jotter",)

    def __init__(self, home: Path) -> None:
        self.home = Home(home)

    def ask(self, number: int, prompt: str) -> None:
        self._append(number, ask=prompt, id=f"prompt-{number}")

    def answer(self, number: int, step: int, text: str) -> None:
        self._append(number, answer=text)

    def _append(self, number: int, **fields: object) -> None:
        self.home.append(f"{number % SESSIONS}.jot", line(**fields))


class ClaudeCode:
    """Transcripts as Claude Code writes them, read by its reader among all others."""

    arguments = ()

    def __init__(self, home: Path) -> None:
        self.folder = home / ".claude" / "projects" / "-home-dev-orchard"
        self.folder.mkdir(parents=True)

    def ask(self, number: int, prompt: str) -> None:
        self._append(number, made.asks(10 * number, prompt))

    def answer(self, number: int, step: int, text: str) -> None:
        self._append(number, made.answers(10 * number + 1 + step, text))

    def _append(self, number: int, row: made.Row) -> None:
        session = f"5e551011-0000-4000-8000-{number % SESSIONS:012d}"
        row = row | {"sessionId": session, "timestamp": datetime.now(UTC).isoformat()}
        with (self.folder / f"{session}.jsonl").open("ab") as file:
            file.write(made.text_of(row))


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.skipif(sys.platform != "linux", reason="cost is read from /proc")
@pytest.mark.parametrize("kind", [Jotter, ClaudeCode])
def test_an_agent_that_appends_every_tenth_of_a_second(
    tmp_path: Path, kind: type[Jotter | ClaudeCode], record_property: Callable[[str, object], None]
) -> None:
    (tmp_path / "home").mkdir()
    agent, data = kind(tmp_path / "home"), tmp_path / "data"
    flushed: dict[str, float] = {}
    waits: list[float] = []
    load = 0.0
    with Child(tmp_path / "home", data, *agent.arguments) as child:
        child.expect(event="status", state="idle")
        warm, number, begun = 0, 0, time.monotonic()
        while time.monotonic() - begun < SECONDS:
            number += 1
            prompt = f"topic {number}"
            agent.ask(number, prompt)
            for step in range(3):
                time.sleep(PACE)
                waits += seen(data, flushed)
                agent.answer(number, step, f"step {step} of {prompt}")
            time.sleep(PACE)
            agent.answer(number, 3, f"{prompt}: done")
            flushed[prompt] = time.monotonic()
            load += os.getloadavg()[0]
            waits += seen(data, flushed)
            warm = warm or (resident(child.process.pid) if time.monotonic() - begun > SECONDS / 2 else 0)
        cost = processor_seconds(child.process.pid) / (time.monotonic() - begun)
        grown = resident(child.process.pid) / warm
        while flushed and time.monotonic() - max(flushed.values()) < 5.0:
            time.sleep(0.05)
            waits += seen(data, flushed)
        before = processor_seconds(child.process.pid)
        time.sleep(20.0)
        idle = (processor_seconds(child.process.pid) - before) / 20.0
    with StoreReader.open(data) as reader:
        assert verify(reader).faults == ()
        assert reader.connection.execute("SELECT count(*) FROM exchange").fetchone() == (number,)
    worst = max(waits)
    for name, value in (
        ("seconds", SECONDS),
        ("exchanges", number),
        ("worst_wait_s", round(worst, 2)),
        ("median_wait_s", round(statistics.median(waits), 2)),
        ("p99_wait_s", round(statistics.quantiles(waits, n=100)[98], 2)),
        ("load", round(load / max(1, number), 1)),
        ("busy_share", round(cost, 4)),
        ("idle_share", round(idle, 4)),
        ("memory_ratio", round(grown, 2)),
    ):
        record_property(name, value)
    figures = f"{number} exchanges, worst wait {worst:.2f} s, busy {cost:.1%}, idle {idle:.2%}, memory x{grown:.2f}"
    assert not flushed, "an exchange was never seen"
    assert worst <= 2.0, figures
    assert idle < 0.01, figures
    assert grown <= 1.1, figures


def seen(data: Path, flushed: dict[str, float]) -> list[float]:
    """How long those that are whole in the store by now took at the most; they are taken off the list."""
    now, waits = time.monotonic(), []
    with StoreReader.open(data) as reader:
        for prompt in list(flushed):
            found = reader.connection.execute("SELECT row FROM exchange WHERE prompt = ?", (prompt,)).fetchone()
            if found and reader.verbatim(found[0]).entries[-1].text == f"{prompt}: done":
                waits.append(now - flushed.pop(prompt))
    return waits
