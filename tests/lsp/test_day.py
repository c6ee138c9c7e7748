"""A day in minutes: half a million requests, an agent that writes until evening, and nothing that grows but the history.

The sizes are those of tests/sizes.py: a whole day's work in two hours at most, a share of it in two minutes.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import Struct

from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from tests import SLACK
from tests.lsp.agents import ours, until
from tests.lsp.conftest import Sample
from tests.lsp.raw import RICH, RawClient, raw_client
from tests.sizes import figure, size
from tests.transcripts import made

pytestmark = [
    pytest.mark.promise,
    pytest.mark.timeout(14_400),
    pytest.mark.skipif(sys.platform != "linux", reason="NOT TESTED: descriptors are counted as on Linux"),
]

#: Records of one exchange, exchanges of one transcript.
RECORDS, EXCHANGES = 50, 20
#: The share of the day that is for warming up, the share at its end in which agents write nothing more, and the
#: number of looks at the processes.
WARM, EVENING, LOOKS = 0.25, 0.2, 80
#: KiB that each new exchange may take in all three processes together: its vector, its glance, its places in the
#: keyword index, and the store's pages in SQLite's cache (which ends at 16 MB).
KEPT = 24
MIB = 1 << 20


class Look(Struct, frozen=True):
    """The processes at one moment: seconds since the beginning; memory, descriptors and threads of all.

    ``exchanges`` is how many agents had written by then.
    """

    at: float
    bytes: int
    descriptors: int
    threads: int
    exchanges: int


def looked(data: Path, begun: float, exchanges: int) -> Look:
    processes = ours(data)
    assert len(processes) == 3, "the server, its worker, its sync child"
    return Look(
        time.monotonic() - begun,
        sum(process.memory_info().rss for process in processes),
        sum(process.num_fds() for process in processes),
        sum(process.num_threads() for process in processes),
        exchanges,
    )


def busy_seconds(data: Path) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in ours(data))


class Writing:
    """An agent's records, one at a time; each exchange is a prompt and what follows it."""

    def __init__(self, sample: Sample) -> None:
        self._folder = sample.home / ".claude/projects/day"
        self._folder.mkdir(parents=True)
        self._cwd = str(sample.workspace)
        self.exchanges = self.records = 0

    def write(self) -> None:
        number, self.records = self.records, self.records + 1
        session = f"5e551012-0000-4000-8000-{number // (RECORDS * EXCHANGES):012d}"
        if number % RECORDS == 0:
            self.exchanges += 1
            row = made.asks(number, f"Why does timetable {self.exchanges} wait for the pool?", sessionId=session)
        else:
            row = made.answers(number, f"Step {number % RECORDS}: the pool of ferries.", sessionId=session)
        with (self._folder / f"{session}.jsonl").open("ab") as file:
            file.write(made.text_of(row | {"cwd": self._cwd}))


def requests(uri: str) -> Iterator[tuple[str, Any]]:
    """What an editor asks, over and over: hovers and lenses mostly, a search now and then."""
    document = {"textDocument": {"uri": uri}}
    for number in itertools.count():
        kind = number % 20
        if kind < 13:
            yield "textDocument/hover", {**document, "position": {"line": number % 40, "character": 0}}
        elif kind < 17:
            yield "textDocument/codeLens", document
        elif kind == 17:
            yield "workspace/symbol", {"query": "pool"}
        elif kind == 18:
            yield "pastwork/search", {"query": f"pool {number % 97}", "limit": 5}
        else:
            yield "pastwork/history", document


def opened(client: RawClient, path: Path) -> None:
    """A document that is opened, changed and closed."""
    uri = client.open(path.with_name(f"{path.stem}_{time.monotonic_ns()}.py"), path.read_text())
    change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "import queue\n"}]}
    client.tell("textDocument/didChange", change)
    client.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})


def due(done: int, of: int, share: float) -> bool:
    """Whether so many of a day's deeds have to be done by now."""
    return done < of * share


def test_a_day(sample: Sample, model_folder: Path) -> None:
    (sample.home / "config.toml").write_text(f"[embedding]\nmodel = {str(model_folder)!r}\n")
    seconds, asked, documents = size("DAY_SECONDS"), 0, 0
    pool, writing, looks = sample.workspace / "ferryline" / "pool.py", Writing(sample), list[Look]()
    with raw_client(sample.variables()) as client:
        client.initialize(sample.workspace, capabilities=RICH)
        asking = requests(client.open(pool, pool.read_text()))
        client.result("pastwork/search", {"query": "pool"})
        until(lambda: len(ours(sample.data)) == 3, 20)
        begun = time.monotonic()
        while (share := (time.monotonic() - begun) / seconds) < 1 or asked < size("DAY_REQUESTS"):
            if due(writing.records, size("DAY_RECORDS"), min(1.0, share / (1 - EVENING))):
                writing.write()
            elif due(documents, size("DAY_DOCUMENTS"), share):
                documents += 1
                opened(client, pool)
            elif due(len(looks), LOOKS, share):
                looks.append(looked(sample.data, begun, writing.exchanges))
            elif due(asked, size("DAY_REQUESTS"), share):  # last: a slow machine has the rest in time
                asked += 1
                assert "result" in client.ask(*next(asking))
            else:
                time.sleep(0.002)
        took = time.monotonic() - begun
        until(lambda: kept(sample.data) >= writing.exchanges, 20)
        idle = idle_share(sample.data)
        assert client.shut_down() == 0
    with StoreReader.open(sample.data) as reader:
        assert verify(reader).faults == ()
        assert kept(sample.data) == writing.exchanges
    found = {**growth(looks), "idle_percent": round(100 * idle, 3)}
    figure("a day", seconds=round(took), requests=asked, records=writing.records, documents=documents, **found)
    assert found["descriptors"] == 0, found
    assert found["threads"] == 0, found
    assert found["final"] <= 1.1, found
    assert took < 3600 or found["evening_mib_per_hour"] < 1.0, found
    assert took < 3600 or found["mib_per_hour"] < 1.0 + found["exchanges_per_hour"] * KEPT / 1024, found
    assert idle < 0.005 * SLACK, found


def kept(data: Path) -> int:
    with StoreReader.open(data) as reader:
        query = "SELECT count(*) FROM exchange WHERE session_id LIKE '5e551012%'"
        return int(reader.connection.execute(query).fetchone()[0])


def idle_share(data: Path) -> float:
    """Of one core, by all processes, a while after the last request."""
    time.sleep(5.0)
    seconds = max(20.0, size("DAY_SECONDS") / 60)
    before = busy_seconds(data)
    time.sleep(seconds)
    return (busy_seconds(data) - before) / seconds


def growth(looks: list[Look]) -> dict[str, float]:
    """After warming up: MiB an hour while agents write and in the evening, the day's last memory by its first, and
    what descriptors and threads grew by.

    The evening counts from its second quarter on: with nothing to embed the model is released (about 90 MiB).
    """
    warm, dusk, dark = (int(len(looks) * share) for share in (WARM, 1 - EVENING, 1 - 0.75 * EVENING))
    steady, day, evening = looks[warm:], looks[warm:dusk], looks[dark:]
    memory = [look.bytes / MIB for look in day]
    half = len(steady) // 2
    return {
        "mib": round(memory[-1], 1),
        "mib_per_hour": round(an_hour(day, memory), 2),
        "exchanges_per_hour": round(an_hour(day, [look.exchanges for look in day])),
        "evening_mib_per_hour": round(an_hour(evening, [look.bytes / MIB for look in evening]), 2),
        "final": round(float(np.median(memory[-5:]) / np.median(memory[:5])), 3),
        "descriptors": min(look.descriptors for look in steady[half:])
        - min(look.descriptors for look in steady[:half]),
        "threads": min(look.threads for look in steady[half:]) - min(look.threads for look in steady[:half]),
    }


def an_hour(looks: list[Look], values: Sequence[float]) -> float:
    """The slope of a straight line through the values."""
    return float(np.polyfit([look.at / 3600 for look in looks], values, 1)[0])


def test_growth_is_seen() -> None:
    """The measure itself: a leak of 2 MiB an hour, of one descriptor; 60 exchanges an hour until evening."""
    model = [90 * MIB] * 67 + [0] * 13
    looks = [Look(60.0 * n, 300 * MIB + n * MIB // 30 + model[n], 40 + n // 50, 9, min(n, 64)) for n in range(80)]
    found = growth(looks)
    assert found["final"] > 1.0
    assert found["mib_per_hour"] == pytest.approx(2.0, abs=0.01)
    assert found["evening_mib_per_hour"] == pytest.approx(2.0, abs=0.01)
    assert found["exchanges_per_hour"] == 60
    assert found["descriptors"] == 1
