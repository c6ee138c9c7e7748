"""An agent that writes while editors run, and the processes that serve them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from tests.transcripts import made


def until(true: Callable[[], Any], seconds: float) -> float:
    """How long it took."""
    begun = time.monotonic()
    while not true():
        assert time.monotonic() - begun < seconds, "it did not happen in time"
        time.sleep(0.02)
    return time.monotonic() - begun


def ours(data: Path) -> list[psutil.Process]:
    """Every process that works on this data folder, whoever started it."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("PASTWORK_HOME") == str(data) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


class Agent:
    """Somebody's agent, which writes an exchange now and then."""

    def __init__(self, home: Path) -> None:
        self.path = home / ".claude/projects/-home-dev-orchard" / f"{made.SESSION}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.number = 0

    def write(self) -> str:
        self.number += 1
        mark = f"MARK{self.number}X"
        rows = made.asks(10 * self.number, f"{mark} please"), made.answers(10 * self.number + 1, f"{mark} is done")
        with self.path.open("ab") as file:
            file.write(made.text_of(*rows))
        return mark
