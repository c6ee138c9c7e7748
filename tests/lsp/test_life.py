"""Processes: children that crash are replaced, and nothing outlives the editor."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.lsp.conftest import Sample
from tests.lsp.raw import RICH, RawClient, raw_client

FAILED = -32803

#: Makes every process that runs a module of this name count itself in a file and end as by a native fault.
CRASHING = """
import os, sys
if {module!r} in sys.orig_argv:
    with open({count!r}, "a") as file: file.write("x")
    os.kill(os.getpid(), 11)
"""


def child(client: RawClient, module: str) -> psutil.Process | None:
    try:
        processes = psutil.Process(client.process.pid).children(recursive=True)
        return next((one for one in processes if module in one.cmdline()), None)
    except psutil.Error:
        return None


def until(true: Callable[[], object], seconds: float) -> float:
    """How long it took."""
    begun = time.monotonic()
    while not true():
        assert time.monotonic() - begun < seconds, "it did not happen in time"
        time.sleep(0.02)
    return time.monotonic() - begun


def running(client: RawClient, module: str) -> psutil.Process:
    until(lambda: child(client, module), 10)
    found = child(client, module)
    assert found is not None
    return found


def family(client: RawClient) -> list[psutil.Process]:
    """The server and both its children, all up."""
    client.result("pastwork/search", {"query": "pool"})
    return [psutil.Process(client.process.pid), running(client, "pastwork.worker"), running(client, "pastwork.sync")]


def test_a_worker_killed_between_questions_is_not_noticed(client: RawClient) -> None:
    client.result("pastwork/search", {"query": "pool"})
    worker = running(client, "pastwork.worker")
    worker.kill()
    until(lambda: not worker.is_running(), 3)
    until(lambda: child(client, "pastwork.worker"), 3)
    assert client.result("pastwork/search", {"query": "pool"})["hits"]


def test_a_worker_killed_over_a_question_fails_that_question_only(client: RawClient) -> None:
    client.result("pastwork/search", {"query": "pool"})
    worker = running(client, "pastwork.worker")
    worker.send_signal(signal.SIGSTOP)
    number = client.send("pastwork/search", {"query": "pool"})
    uri = "file:///nowhere.py"
    assert (
        client.result("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}})
        is None
    )
    worker.kill()
    error = client.wait(number)["error"]
    assert (error["code"], error["data"]["code"]) == (FAILED, "unavailable")
    assert client.result("pastwork/search", {"query": "pool"})["hits"]


def test_a_killed_sync_child_is_replaced(client: RawClient) -> None:
    first = running(client, "pastwork.sync")
    first.kill()
    until(lambda: not first.is_running(), 3)
    assert running(client, "pastwork.sync").pid != first.pid
    until(lambda: client.result("pastwork/status")["writer"]["mine"], 10)


@pytest.mark.parametrize("module", ["pastwork.worker", "pastwork.sync"])
def test_a_child_that_always_crashes_is_no_crash_loop(sample: Sample, tmp_path: Path, module: str) -> None:
    count = tmp_path / "count"
    (tmp_path / "sitecustomize.py").write_text(CRASHING.format(module=module, count=str(count)))
    variables = sample.variables()
    variables["PYTHONPATH"] = f"{tmp_path}:{variables['PYTHONPATH']}"
    with raw_client(variables) as client:
        client.initialize(sample.workspace, capabilities=RICH)
        deadline = time.monotonic() + 4
        while time.monotonic() < deadline:
            answer = client.ask("pastwork/search", {"query": "pool"})
            assert ("error" in answer) == (module == "pastwork.worker")
            time.sleep(0.1)
        pool = sample.workspace / "ferryline" / "pool.py"
        uri = client.open(pool, pool.read_text())
        assert client.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
        assert client.shut_down() == 0
    assert 2 <= len(count.read_text()) <= 5


@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM", "stdin", "exit"])
def test_nothing_outlives_the_server(client: RawClient, end: str) -> None:
    processes = family(client)
    if end == "stdin":
        assert client.process.stdin is not None
        client.process.stdin.close()
    elif end == "exit":
        client.tell("exit", None)
    else:
        client.process.send_signal(signal.Signals[end])
    client.process.wait(3)
    _, left = psutil.wait_procs(processes[1:], timeout=3)
    assert not [one for one in left if one.status() != psutil.STATUS_ZOMBIE]


def test_a_busy_worker_does_not_outlive_the_server_either(client: RawClient) -> None:
    processes = family(client)
    processes[1].send_signal(signal.SIGSTOP)
    client.send("pastwork/search", {"query": "pool"})
    client.process.kill()
    client.process.wait(3)
    gone, _ = psutil.wait_procs([processes[1]], timeout=3)
    assert gone


@pytest.fixture
def editor() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def test_the_server_ends_with_its_editor(sample: Sample, editor: subprocess.Popen[bytes]) -> None:
    with raw_client(sample.variables()) as client:
        client.initialize(sample.workspace, processId=editor.pid)
        client.result("pastwork/status")
        editor.kill()
        editor.wait(5)
        assert client.process.wait(3) == 1


def test_a_number_that_is_no_process_here_is_another_machines(sample: Sample) -> None:
    nobody = next(pid for pid in range(4_000_000, 2, -1) if not psutil.pid_exists(pid))
    with raw_client(sample.variables()) as client:
        client.initialize(sample.workspace, processId=nobody)
        time.sleep(1.5)
        assert client.result("pastwork/status")
        assert client.shut_down() == 0


def test_a_project_can_not_smuggle_in_modules(sample: Sample, tmp_path: Path) -> None:
    """The editor starts the server in the project's folder; its files are no code of ours."""
    project = tmp_path / "project"
    (project / "pastwork").mkdir(parents=True)
    for name in ("pastwork/__init__.py", "pastwork/worker.py", "json.py", "msgspec.py", "sqlite3.py"):
        (project / name).write_text(f"open({str(tmp_path / 'caught')!r}, 'w')\n")
    before = Path.cwd()
    os.chdir(project)
    try:
        with raw_client(sample.variables()) as client:
            client.initialize(project)
            assert client.result("pastwork/search", {"query": "pool", "scope": "all"})["hits"]
            assert client.shut_down() == 0
    finally:
        os.chdir(before)
    assert not (tmp_path / "caught").exists()
