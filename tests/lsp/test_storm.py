"""Never in the way: cancelled requests do no work, and answers from memory stay quick whatever else goes on."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import pytest

from pastwork.config import Config
from pastwork.errors import NotFound, PastworkError, Unavailable
from pastwork.lsp import worker_child
from pastwork.lsp.worker_child import Worker
from pastwork.worker.questions import Search, Show
from tests import SLACK
from tests.lsp.conftest import Sample
from tests.lsp.raw import RawClient, framed, raw_client

CANCELLED = -32800


def hover(number: int, uri: str) -> dict[str, object]:
    params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    return {"jsonrpc": "2.0", "id": number, "method": "textDocument/hover", "params": params}


def cancel(number: int) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}}


def test_cancelled_hovers_never_run_and_the_next_is_quick(client: RawClient, sample: Sample) -> None:
    pool = sample.workspace / "ferryline" / "pool.py"
    uri = client.open(pool, pool.read_text())
    assert client.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
    numbers = range(1000, 1100)
    for number in (*numbers, 2000):
        client.expect(number)
    storm = b"".join(framed(hover(number, uri)) + framed(cancel(number)) for number in numbers)
    begun = time.perf_counter()
    client.write_bytes(storm + framed(hover(2000, uri)))
    last = client.wait(2000)
    assert last["_at"] - begun < 0.1 * SLACK
    assert last["result"]["contents"]["value"]
    assert {client.wait(number)["error"]["code"] for number in numbers} == {CANCELLED}


def test_a_storm_of_searches_is_over_at_once(client: RawClient) -> None:
    client.result("pastwork/search", {"query": "pool"})
    begun = time.perf_counter()
    numbers = [client.send("pastwork/search", {"query": f"pool {n}"}) for n in range(1000)]
    for number in numbers[:-10]:
        client.tell("$/cancelRequest", {"id": number})
    answers = [client.wait(number) for number in numbers]
    assert all("result" in answer for answer in answers[-10:])
    cancelled = sum("error" in answer and answer["error"]["code"] == CANCELLED for answer in answers[:-10])
    assert cancelled + sum("result" in answer for answer in answers[:-10]) == 990
    assert cancelled >= 900
    assert time.perf_counter() - begun < 5
    assert client.result("pastwork/search", {"query": "pool"})["hits"]


def test_fifty_documents_a_second_leave_nothing_behind(client: RawClient, sample: Sample) -> None:
    pool = sample.workspace / "ferryline" / "pool.py"
    text = pool.read_text()
    for _ in range(100):
        uri = client.open(pool, text)
        client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    begun = time.perf_counter()
    assert client.result("textDocument/hover", hover(1, uri)["params"]) is None
    # Generous, since machines are busy: a hundred documents still waited for would take far longer.
    assert time.perf_counter() - begun < 5
    assert client.result("textDocument/codeLens", {"textDocument": {"uri": uri}})


#: A worker that writes down what it is asked and answers when it is told to go on.
SLOW = """
import json, sys, time
from pathlib import Path
log, gate = Path(sys.argv[1]), Path(sys.argv[2])
waiting = {}
print(json.dumps({"number": 0, "result": "up"}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    with log.open("a") as file: file.write(line)
    if "question" in asked and asked["question"]["type"] == "show":
        if asked["question"]["id"] == "die": sys.exit(1)
        error = {"code": "not_found", "message": "no such", "remedy": ""}
        print(json.dumps({"number": asked["number"], "error": error}), flush=True)
    elif "question" in asked and asked["question"]["query"] == "answer":
        print(json.dumps({"number": asked["number"], "result": {"n": asked["number"]}}), flush=True)
"""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "slow.py").write_text(SLOW)
    log = tmp_path / "log"
    log.touch()
    command = [sys.executable, str(tmp_path / "slow.py"), str(log), str(tmp_path / "gate")]
    monkeypatch.setattr(worker_child, "module", lambda _: command)
    return log


def asked(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


async def test_settings_come_first_and_answers_find_their_questions(log: Path) -> None:
    worker = Worker(Config)
    answers = await asyncio.gather(*(worker.ask(Search(query="answer")) for _ in range(50)))
    assert [json.loads(bytes(answer))["n"] for answer in answers] == list(range(1, 51))
    with pytest.raises(PastworkError, match="no such") as raised:
        await worker.ask(Show("x"))
    assert raised.value.code == "not_found"
    await worker.stop()
    assert "config" in asked(log)[0]
    assert not isinstance(raised.value, NotFound)


async def test_what_is_taken_back_before_the_start_is_never_sent(log: Path) -> None:
    worker = Worker(Config)
    early = [asyncio.ensure_future(worker.ask(Search(query="never"))) for _ in range(20)]
    await asyncio.sleep(0)
    for task in early:
        task.cancel()
    await asyncio.wait(early)
    await worker.ask(Search(query="answer"))
    await worker.stop()
    assert [one["question"] for one in asked(log) if "question" in one] == [{"type": "search", "query": "answer"}]


async def test_what_is_taken_back_later_is_cancelled_by_number(log: Path) -> None:
    worker = Worker(Config)
    await worker.ask(Search(query="answer"))
    task = asyncio.ensure_future(worker.ask(Search(query="hang")))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    await worker.ask(Search(query="answer"))
    await worker.stop()
    assert [one.get("cancel") for one in asked(log)][-2:] == [2, None]


async def test_all_who_wait_hear_of_a_crash_and_later_ones_do_not(log: Path) -> None:
    worker = Worker(Config)
    await worker.ask(Search(query="answer"))
    waiting = [asyncio.ensure_future(worker.ask(question)) for question in (Search(query="hang"), Show("die"))]
    done, _ = await asyncio.wait(waiting, timeout=5)
    assert [type(task.exception()) for task in done] == [Unavailable, Unavailable]
    assert await worker.ask(Search(query="answer"))
    await worker.stop()


async def test_one_that_crashes_again_and_again_is_left_alone_for_a_while(log: Path) -> None:
    worker = Worker(Config)
    messages = []
    for _ in range(4):
        with pytest.raises(Unavailable) as raised:
            await worker.ask(Show("die"))
        messages.append(raised.value.message)
    begun = time.monotonic()
    with pytest.raises(Unavailable, match="keeps ending"):
        await worker.ask(Search(query="answer"))
    assert time.monotonic() - begun < 0.1 * SLACK
    await worker.stop()
    with pytest.raises(Unavailable):
        await asyncio.wait_for(worker.ask(Search(query="answer")), 1)


async def test_after_crashes_the_next_one_is_told_to_be_careful(log: Path) -> None:
    worker = Worker(Config)
    for _ in range(3):
        with pytest.raises(Unavailable):
            await worker.ask(Show("die"))
    await worker.stop()
    assert [one.get("careful", False) for one in asked(log) if "config" in one] == [False, False, True]


def test_hover_while_everything_is_indexed_anew(sample: Sample) -> None:
    """A small home; the figure for a large one is the benchmark's."""
    pool = sample.workspace / "ferryline" / "pool.py"
    with raw_client(sample.variables()) as client:
        client.initialize(sample.workspace)
        uri = client.open(pool, pool.read_text())
        assert client.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
        number = client.send("workspace/executeCommand", {"command": "pastwork.server.reindex", "arguments": [True]})
        took = []
        for _ in range(300):
            begun = time.perf_counter()
            assert client.result("textDocument/hover", hover(1, uri)["params"])
            took.append(time.perf_counter() - begun)
        assert sorted(took)[int(len(took) * 0.95)] < 0.05
        answer = client.wait(number, 60)["result"]
        assert answer["exchanges"]["updated"] + answer["exchanges"]["known"] > 0
