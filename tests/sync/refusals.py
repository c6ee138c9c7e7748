"""A server that forks a sync child for each refusal asked for: ``python -m tests.sync.refusals HOME DATA``.

Lines in: ``{"n": 12, "error": 28, "ever": true}``; one line out for each: what happened. It runs with ``refuse.c``
preloaded and everything imported once, so that thousands of refusals take minutes.
"""

from __future__ import annotations

import ctypes
import io
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pastwork.config import Config
from pastwork.distill.redact import redact
from pastwork.errors import PastworkError
from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from pastwork.store.writer import StoreWriter
from pastwork.sync import batch, child, handover, term
from pastwork.sync.child import Child, World
from pastwork.sync.wire import Ended, Inbox, Wire
from pastwork.transcripts.base import Env
from tests.sync.jotter import JOTTER, NOW, ask

Told = dict[str, Any]
#: Seconds after which a child that did not recover is given up: a busy machine is no fault of its own.
PATIENCE = 60.0


def calls() -> int:
    return int(ctypes.CDLL(None).refuse_calls())


def arm(n: int, error: int = 0, ever: bool = False) -> None:
    ctypes.CDLL(None).refuse_arm(ctypes.c_long(n), error, int(ever))


class Out(io.RawIOBase):
    """What the child says, as it says it."""

    def __init__(self) -> None:
        self.events: list[Told] = []

    def write(self, line: Any) -> int:
        self.events.append(json.loads(bytes(line)))
        return len(line)

    def states(self) -> list[str]:
        return [event["state"] for event in self.events if event["event"] == "status"]


def world(home: Path, data: Path) -> World:
    return World(
        data=data,
        env=Env(home, {}),
        readers=[JOTTER],
        clock=lambda: NOW,
        configure=lambda _: Config(),
        embedder=lambda _: None,  # type: ignore[arg-type,return-value]
    )


def until(true: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def until_told(out: Out, true: Callable[[], bool]) -> bool:
    """The same for what costs to ask: looked at whenever the child said something."""
    looked_at = -1

    def news() -> bool:
        nonlocal looked_at
        known, looked_at = looked_at, len(out.events)
        return looked_at != known and true()

    return until(news) or true()


def prompts(data: Path) -> set[str]:
    try:
        with StoreReader.open(data) as reader:
            return {prompt for (prompt,) in reader.connection.execute("SELECT prompt FROM exchange")}
    except (PastworkError, OSError):
        return set()


def checked(data: Path) -> list[str]:
    """What ``verify`` finds."""
    try:
        with StoreReader.open(data) as reader:
            return [fault.what for fault in verify(reader).faults]
    except PastworkError as error:
        return [error.message]


def witnessed(home: Path, data: Path, asked: Told) -> Told:
    """One child: refused, let go, told of one exchange more, ended."""
    out, inbox = Out(), Inbox()
    arm(asked["n"], asked["error"], asked["ever"])
    running = threading.Thread(target=Child(world(home, data), inbox, Wire(out)).run)  # type: ignore[arg-type]
    running.start()
    steady = until(lambda: "paused" in out.states() or out.states()[-1:] == ["idle"])
    made = calls()
    if asked["ever"]:
        time.sleep(0.05)
    arm(0)
    with (home / ".jotter" / "late.jot").open("ab") as file:
        file.write(ask("after the refusal", 9_999))
    recovered = until_told(out, lambda: "after the refusal" in prompts(data))
    wanted = asked.get("wanted")
    whole = until_told(out, lambda: out.states()[-1:] == ["idle"] and (wanted is None or prompts(data) == set(wanted)))
    alive = running.is_alive()
    inbox.put(Ended())
    running.join(PATIENCE)
    faults = checked(data)
    return {
        "calls": made,
        "steady": steady,
        "recovered": recovered and whole,
        "alive": alive,
        "paused": out.states().count("paused"),
        "faults": faults,
        "kept": sorted(prompts(data)),
    }


def switched_off(home: Path, data: Path, asked: Told) -> None:
    """A pass that ends at the n-th call, as by a power switch (the system's caches survive)."""
    arm(asked["n"], -1)
    with StoreWriter.open(data) as writer:
        from tests.sync.jotter import Home

        Home(home, writer).sync().run_once(vectors=False)
    os._exit(0)


def forked(deed: Callable[[], Told | None]) -> tuple[Told, int]:
    """The deed in a process of its own: what it tells, and how that ended."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reading)
        os.write(writing, json.dumps(deed()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        said = file.read()
    return json.loads(said or b"null") or {}, os.waitpid(pid, 0)[1]


def answer(home: Path, base: Path, asked: Told) -> Told:
    """One refusal on a data folder of its own, and copies of the transcripts."""
    data, own = base / "data", base.parent / "home"
    for folder in (data, own):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(home, own)
    if asked["error"] >= 0:
        told, code = forked(lambda: witnessed(own, data, asked))
        return {**told, "code": code}
    _, code = forked(lambda: switched_off(own, data, asked))
    told, _ = forked(lambda: witnessed(own, data, {**asked, "n": 0, "error": 0, "ever": False}))
    return {**told, "code": code, "calls": asked["n"] if code else 0}


def main() -> None:
    home, base = Path(sys.argv[1]), Path(sys.argv[2])
    redact("imports what masking needs")
    child.PAUSES = (0.02,)
    child.STANDBY = 0.02
    term.QUIET = term.NAP = term.ROOTS = 0.01
    term.LOOK = term.LOOK_BLIND = 0.05
    term.RARELY = term.SOON = 1.0
    batch.LONGEST = 0.003
    assert not handover.wanted(base)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(home, base, json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
