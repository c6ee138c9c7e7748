"""Many editors on one data folder: one writes, the next takes over when its editor is killed, and nothing is left over."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest

from pastwork.store import lock
from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from tests import SLACK
from tests.lsp.agents import Agent, ours, until
from tests.lsp.conftest import Sample
from tests.lsp.raw import RawClient, raw_client
from tests.sizes import figure, size

pytestmark = [pytest.mark.promise, pytest.mark.timeout(14_400)]

#: Editors killed in each round before the rest is.
KILLED = 3


def writer(data: Path) -> int:
    """The process that holds the lock; 0 for none."""
    found = lock.holder(data)
    return found.pid if found else 0


def prompts(data: Path) -> list[str]:
    with StoreReader.open(data) as reader:
        return [prompt for (prompt,) in reader.connection.execute("SELECT prompt FROM exchange")]


def child_of(client: RawClient, pid: int) -> bool:
    try:
        return psutil.Process(pid).ppid() == client.process.pid
    except psutil.Error:
        return False


def test_killed_owners_round_after_round(sample: Sample) -> None:
    agent, chance = Agent(sample.home), random.Random(8)
    waits: list[float] = []
    ends: list[float] = []
    for _ in range(size("ROUNDS")):
        with ExitStack() as opened:
            clients = list(started(opened, sample, size("EDITORS")))
            has_writer(clients, sample, 30)
            assert told_by(clients) == {writer(sample.data)}
            waits += [taken_over(clients, sample, agent) for _ in range(KILLED)]
            for client in clients:
                client.process.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM]))
            ends.append(until(lambda: not ours(sample.data), 3.0 * SLACK))
        with StoreReader.open(sample.data) as reader:
            assert verify(reader).faults == ()
    found = [prompt for prompt in prompts(sample.data) if prompt.startswith("MARK")]
    assert sorted(found) == sorted({f"MARK{n}X please" for n in range(1, agent.number + 1)})
    waits.sort()
    figure("editors at once", rounds=size("ROUNDS"), editors=size("EDITORS"), kills=len(waits), worst=waits[-1],
           p95=waits[int(len(waits) * 0.95)], longest_end=max(ends))  # fmt: skip
    assert waits[-1] <= 2.0 * SLACK


def started(opened: ExitStack, sample: Sample, count: int) -> Iterator[RawClient]:
    """Servers that start at the same moment."""
    clients = [opened.enter_context(raw_client(sample.variables())) for _ in range(count)]
    for client in clients:
        client.write(initialize(sample))
    for client in clients:
        client.expect("first")
    for client in clients:
        assert "result" in client.wait("first", 60)
        client.tell("initialized", {})
    yield from clients


def initialize(sample: Sample) -> dict[str, Any]:
    folders = [{"uri": sample.workspace.as_uri(), "name": "x"}]
    params = {"processId": None, "capabilities": {}, "rootUri": None, "workspaceFolders": folders}
    return {"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": params}


def child_of_any(clients: list[RawClient], sample: Sample) -> bool:
    pid = writer(sample.data)
    return any(child_of(client, pid) for client in clients)


def has_writer(clients: list[RawClient], sample: Sample, seconds: float) -> None:
    """Waits until one of them writes."""
    until(lambda: child_of_any(clients, sample), seconds)


def told_by(clients: list[RawClient]) -> set[int]:
    """Whom each editor takes for the writer, once all have looked."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        found = {client.result("pastwork/status")["writer"]["pid"] for client in clients}
        if len(found) == 1 and found != {0}:
            return found
        time.sleep(0.1)
    return found


def taken_over(clients: list[RawClient], sample: Sample, agent: Agent) -> float:
    """Kills the editor that owns the writer; seconds until another one writes."""
    pid = writer(sample.data)
    owner = next(client for client in clients if child_of(client, pid))
    clients.remove(owner)
    owner.process.kill()
    took = until(lambda: writer(sample.data) not in (0, pid), 20)
    assert child_of_any(clients, sample), "an editor that lives"
    mark = agent.write()
    until(lambda: any(mark in prompt for prompt in prompts(sample.data)), 20)
    answer = clients[0].result("pastwork/search", {"query": "pool", "limit": 1})
    assert answer["hits"], json.dumps(answer)
    return took


def test_restarts_leave_nobody_behind(sample: Sample) -> None:
    """Editors that come and go by every kind of end; the next start is not held up by any."""
    chance = random.Random(11)
    for _ in range(size("RESTARTS")):
        with raw_client(sample.variables()) as client:
            client.initialize(sample.workspace)
            client.result("pastwork/search", {"query": "pool"})
            has_writer([client], sample, 10)
            assert len(ours(sample.data)) <= 3, "the server, its worker, its sync child"
            how = chance.choice(["kill", "terminate", "stdin", "exit"])
            if how == "stdin":
                assert client.process.stdin is not None
                client.process.stdin.close()
            elif how == "exit":
                client.tell("exit", None)
            else:
                getattr(client.process, how)()
            client.process.wait(5)
            until(lambda: not ours(sample.data), 3.0 * SLACK)
