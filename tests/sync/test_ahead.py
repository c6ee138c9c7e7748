"""Helpers change nothing but the time, and may be lost at any moment."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pastwork.model import Session
from pastwork.store.verify import verify
from pastwork.sync import ahead, supply
from pastwork.sync.ahead import Ahead, HelperLost, receive, send
from pastwork.sync.reading import Met, Order, Refused, Seen, Told
from pastwork.transcripts.aider import AIDER
from pastwork.transcripts.base import Position, Source
from tests.store.samples import dump
from tests.sync.jotter import Home
from tests.sync.processes import environment, eventually


def history(number: int) -> str:
    """Six exchanges; aider ends a prompt's lines with two spaces."""
    asked = [f"{what} table {number}, step {step}" for step in range(3) for what in ("widen", "fix the test of")]
    turns = [f"#### {prompt}  \n\nAbout that: done in {prompt.split()[0]}.py.\n\n" for prompt in asked]
    return f"\n# aider chat started at 2025-08-{number + 1:02d} 10:00:00\n\n" + "".join(turns)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Ten projects in which aider was at work."""
    projects = [tmp_path / "code" / f"project{number}" for number in range(10)]
    for number, project in enumerate(projects):
        project.mkdir(parents=True)
        (project / ".aider.chat.history.md").write_text(history(number))
    return Home(tmp_path / "home", projects=tuple(projects))


def orders(home: Home) -> list[Order]:
    return [Order(source, None, "v1", 1000, masking=True) for source in AIDER.locate(home.env)]


@pytest.mark.parametrize("helpers", [1, 3])
def test_the_same_store_with_helpers_and_without(home: Home, monkeypatch: pytest.MonkeyPatch, helpers: int) -> None:
    home.sync(readers=[AIDER], helpers=0).run_once(vectors=False)
    expected = dump(home.writer.connection)
    monkeypatch.setattr(supply, "WORTH", 0)
    other = Home(home.folder, projects=home.env.projects)
    other.sync(readers=[AIDER], helpers=helpers).run_once(vectors=False)
    assert len(expected) > 50
    assert dump(other.writer.connection) == expected
    assert verify(other.writer).faults == ()
    eventually(lambda: not any(thread.name == "helper" for thread in threading.enumerate()))


def test_the_steps_come_in_the_orders_order_whoever_reads(home: Home) -> None:
    given = orders(home)
    with Ahead(given, 3) as running:
        for number, order in enumerate(given):
            steps = list(running.steps(number))
            assert isinstance(steps[0], Seen)
            assert steps[0].stamp.files[0].path == str(order.source.path)
            told = [step for step in steps if isinstance(step, Told)]
            assert len(told) == 6
            assert all(step.distilled and step.distilled.fields.prompt for step in told)
            assert any(isinstance(step, Met) for step in steps)


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with Ahead([Order(Source("aider", tmp_path / "absent"), None, "v1", 1000, masking=True)], 1) as running:
        assert list(running.steps(0)) == [Refused("vanished before it could be read", vanished=True)]


def test_lost_before_it_begins(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", refused)
    with Ahead(orders(home), 2) as running, pytest.raises(HelperLost):
        list(running.steps(0))


def test_lost_with_a_shape_it_does_not_know() -> None:
    given = [Order(Source("nobody's", Path("/x")), None, "v1", 1000, masking=True)]
    with Ahead(given, 1) as running, pytest.raises(HelperLost):
        list(running.steps(0))


@pytest.mark.skipif(os.name == "nt", reason="killed by signal")
def test_killed_half_way_everything_is_read_all_the_same(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supply, "WORTH", 0)
    begun: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def noted(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        begun.append(popen(*arguments, **options))  # type: ignore[call-overload]
        return begun[-1]

    monkeypatch.setattr(ahead.subprocess, "Popen", noted)

    def kill(_: object) -> None:
        for process in begun:
            process.send_signal(signal.SIGKILL)

    home.sync(readers=[AIDER], helpers=2).run_once(vectors=False, progress=kill)
    assert begun
    assert len(home.prompts()) == 60
    assert home.problems() == []


ABANDONED = """
import sys, time
from pathlib import Path
from pastwork.sync import supply
from pastwork.transcripts.aider import AIDER
from tests.sync.jotter import Home
supply.WORTH = 0
home = Home(Path(sys.argv[1]), projects=tuple(Path(sys.argv[2]).iterdir()))
def hang(told):
    print("reading", flush=True)
    time.sleep(60)
home.sync(readers=[AIDER], helpers=2).run_once(vectors=False, progress=hang)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="children are found in /proc")
def test_helpers_of_a_process_that_is_killed_end_with_it(home: Home) -> None:
    command = [sys.executable, "-c", ABANDONED, str(home.folder), str(home.folder.parent / "code")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(home.folder)) as process:
        assert process.stdout is not None
        process.stdout.readline()
        eventually(lambda: len(children(process.pid)) == 2)
        helpers = children(process.pid)
        process.kill()
    eventually(lambda: not any(b"pastwork.sync.helper" in command_of(pid) for pid in helpers), timeout=3.0)


def children(pid: int) -> list[int]:
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for each in lists for child in each.read_text().split()]


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_ended_in_the_middle_nothing_is_left(home: Home) -> None:
    with Ahead(orders(home), 2) as running:
        next(running.steps(0))
    assert not any(thread.name == "helper" for thread in threading.enumerate())


def test_a_helper_waits_when_it_is_far_ahead(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "BOUND", 10)
    given = orders(home)
    with Ahead(given, 1) as running:
        time.sleep(1.5)
        (helper,) = running._helpers
        assert len(helper._said) <= 2
        assert sum(len(list(running.steps(number))) for number in range(len(given))) > 60


def test_an_order_travels_as_it_is() -> None:
    source = Source("aider", Path("/odd/\udcff/name"), (Path("/a"),), "/w", in_place=True)
    order = Order(source, Position(7, b"\x00carry"), "v1", 9, masking=False)
    assert Order.decoded(order.encoded()) == order


@pytest.mark.parametrize("cut", [0, 1, 4, 6])
def test_a_message_that_is_cut_is_the_end(cut: int) -> None:
    whole = io.BytesIO()
    send(whole, b"steps")
    assert receive(io.BytesIO(whole.getvalue())) == b"steps"
    assert receive(io.BytesIO(whole.getvalue()[:cut])) is None


def test_steps_are_told_apart() -> None:
    import msgspec

    from pastwork.sync.reading import Step

    step = Met(Session("a", "b"))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(step), type=Step) == step
