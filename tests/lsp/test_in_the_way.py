"""Ten thousand hovers and lenses while everything is indexed anew."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest

from tests import SLACK
from tests.lsp.conftest import Sample
from tests.lsp.raw import RawClient, raw_client
from tests.sizes import figure, size
from tests.transcripts import made

pytestmark = [pytest.mark.promise, pytest.mark.timeout(900)]

TRANSCRIPTS, EACH = 20, 100
#: Milliseconds.
PROMISED = 50


def busy_home(sample: Sample) -> None:
    """2,000 exchanges more, about the files that are hovered over."""
    folder = sample.home / ".claude/projects/busy"
    folder.mkdir(parents=True)
    pool = str(sample.workspace / "ferryline" / "pool.py")
    for name in range(TRANSCRIPTS):
        session = f"5e551011-0000-4000-8000-{name:012d}"
        rows = []
        for number in range(EACH):
            first = name * 10_000 + 10 * number
            change = {"file_path": pool, "old_string": f"was {first}", "new_string": f"is {first}"}
            rows += [
                made.asks(first, f"Change the pool for case {first} of the ferry timetable", sessionId=session),
                made.calls(first + 1, "Edit", change, sessionId=session),
                made.results(first + 2, f"toolu_{first + 1}", "updated", sessionId=session),
                made.answers(first + 3, f"The pool waits for case {first}. " * 20, sessionId=session),
            ]
        made.write(folder / f"{session}.jsonl", *(row | {"cwd": str(sample.workspace)} for row in rows))


def documents(client: RawClient, sample: Sample) -> list[str]:
    paths = sorted((sample.workspace / "ferryline").glob("*.py"))
    return [client.open(path, path.read_text()) for path in paths]


def test_ten_thousand_hovers_and_lenses_during_full_indexes(sample: Sample) -> None:
    busy_home(sample)
    took: list[float] = []
    with raw_client(sample.variables()) as client:
        client.initialize(sample.workspace)
        uris = documents(client, sample)
        pending, passes = reindex(client), 0
        for number, uri in zip(itertools.count(), itertools.cycle(uris)):
            if client.answered(pending):
                passes += 1
                if len(took) >= size("HOVERS"):
                    break
                pending = reindex(client)
            took.append(timed(client, number, uri))
        said = client.wait(pending)["result"]
        assert sum(said["exchanges"].values()) >= TRANSCRIPTS * EACH
        assert client.shut_down() == 0
    took.sort()
    found = {"p50": took[len(took) // 2], "p95": took[int(len(took) * 0.95)], "worst": took[-1]}
    figure("hovers and lenses while indexing", count=len(took), passes=passes, **found)
    assert found["p95"] <= PROMISED * SLACK, found


def reindex(client: RawClient) -> int:
    return client.send("workspace/executeCommand", {"command": "pastwork.server.reindex", "arguments": [True]})


def timed(client: RawClient, number: int, uri: str) -> float:
    """Milliseconds of one round trip: a hover over one line after the other, or the lenses."""
    params: dict[str, Any] = {"textDocument": {"uri": uri}}
    begun = time.perf_counter()
    if number % 2:
        client.result("textDocument/codeLens", params)
    else:
        client.result("textDocument/hover", {**params, "position": {"line": number // 2 % 40, "character": 0}})
    return (time.perf_counter() - begun) * 1000
