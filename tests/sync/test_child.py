"""The sync child as a language server runs it: live, taking over, handing over, and gone with its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pastwork.errors import StoreUnusable
from pastwork.store import lock
from pastwork.store.forget import Forgetting
from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from pastwork.sync import handover
from pastwork.sync.forget import forget
from tests import SLACK
from tests.store.rights import RIGHTS
from tests.sync.jotter import Home, ask, line
from tests.sync.processes import CHILD, Child, environment, eventually, processor_seconds


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def child(home: Home, data: Path) -> Iterator[Child]:
    home.write("a.jot", ask("tides", 1))
    with Child(home.folder, data, "--jotter") as running:
        running.expect(event="status", state="idle")
        yield running


def prompts(data: Path) -> list[str]:
    try:
        with StoreReader.open(data) as reader:
            return [prompt for (prompt,) in reader.connection.execute("SELECT prompt FROM exchange ORDER BY 1")]
    except StoreUnusable:
        return []


def test_what_an_agent_writes_is_kept_within_two_seconds(home: Home, data: Path, child: Child) -> None:
    assert prompts(data) == ["tides"]
    home.append("a.jot", ask("ferries", 2))
    assert eventually(lambda: prompts(data) == ["ferries", "tides"]) < 2.0
    home.write("new/b.jot", ask("harbours", 3))
    assert eventually(lambda: "harbours" in prompts(data)) < 2.0 * SLACK
    home.append("new/b.jot", ask("lighthouses", 4))
    assert eventually(lambda: "lighthouses" in prompts(data)) < 2.0 * SLACK
    child.expect(event="changed")


def test_an_agent_that_appends_all_the_time(home: Home, data: Path, child: Child) -> None:
    for number in range(2, 42):
        home.append("a.jot", ask(f"topic {number}", number))
        time.sleep(0.05)
    assert eventually(lambda: len(prompts(data)) == 41) < 2.0
    with StoreReader.open(data) as reader:
        assert verify(reader).faults == ()


def test_an_exchange_that_is_being_written_grows_in_place(home: Home, data: Path, child: Child) -> None:
    home.append("a.jot", line(ask="ferries", id="prompt-2"))
    eventually(lambda: prompts(data) == ["ferries", "tides"])
    with StoreReader.open(data) as reader:
        row = next(row for row, kept in reader.kept([1, 2]).items() if kept.prompt == "ferries")
        assert reader.kept([row])[row].open
        home.append("a.jot", line(answer="They run at noon."))
        eventually(lambda: not reader.kept([row])[row].open)
        assert reader.verbatim(row).entries[-1].text == "They run at noon."


def test_an_agent_whose_folder_was_not_there(tmp_path: Path, data: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    with Child(folder, data, "--jotter") as child:
        child.expect(event="status", state="idle")
        home = Home(folder)
        home.write("a.jot", ask("tides", 1))
        assert eventually(lambda: prompts(data) == ["tides"]) < 5.0


def test_a_deleted_transcript_is_gone_and_kept(home: Home, data: Path, child: Child) -> None:
    home.path("a.jot").unlink()
    with StoreReader.open(data) as reader:
        eventually(lambda: reader.source_of(1) == (str(home.path("a.jot")), False))
        assert reader.verbatim(1).prompt == "tides"


def test_it_ends_with_its_stdin(child: Child) -> None:
    assert child.end() < 1.0 * SLACK
    assert child.process.returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's own tie is Linux's")
def test_it_ends_without_a_word_when_nobody_listens(home: Home, data: Path) -> None:
    home.write("a.jot", ask("tides", 1))
    command = [sys.executable, "-c", CHILD, "--watch", "--data", str(data), "--jotter"]
    pipe, variables = subprocess.PIPE, environment(home.folder)
    with subprocess.Popen(["head", "-n", "1"], stdin=pipe, stdout=subprocess.DEVNULL) as listener:
        child = subprocess.Popen(command, stdin=pipe, stdout=listener.stdin, stderr=pipe, env=variables)
    with child:
        assert child.stderr is not None
        home.append("a.jot", ask("ferries", 2))
        assert child.wait(10 * SLACK) == 0
        assert child.stderr.read() == b""


def test_it_ends_with_a_parent_that_is_killed_though_stdin_stays_open(tmp_path: Path, data: Path) -> None:
    """Somebody else holds the other end of its stdin."""
    reading, writing = os.pipe()
    starter = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {CHILD!r}, '--watch', '--data', {str(data)!r}],"
        " stdin=int(sys.argv[1]), stdout=subprocess.DEVNULL)\n"
        "print(child.pid, flush=True)\ntime.sleep(60)\n"
    )
    command = [sys.executable, "-c", starter, str(reading)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, pass_fds=(reading,), env=environment(tmp_path)) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        eventually(lambda: lock.holder(data) is not None)
        parent.kill()
    eventually(lambda: lock.start_time(pid) is None or zombie(pid), timeout=3.0)
    os.close(reading)
    os.close(writing)


def zombie(pid: int) -> bool:
    return " Z " in Path(f"/proc/{pid}/stat").read_text()


def test_one_writes_and_the_next_takes_over_when_it_is_killed(home: Home, data: Path, child: Child) -> None:
    with Child(home.folder, data, "--jotter") as second:
        second.expect(event="status", state="standby", writer=child.process.pid)
        home.append("a.jot", ask("ferries", 2))
        eventually(lambda: "ferries" in prompts(data))
        second.expect(event="changed")
        child.kill()
        begun = time.monotonic()
        second.expect(event="status", state="idle", writer=second.process.pid)
        assert time.monotonic() - begun < 2.0 * SLACK
        home.append("a.jot", ask("harbours", 3))
        assert eventually(lambda: "harbours" in prompts(data)) < 2.0 * SLACK


def test_many_at_once_and_their_writer_killed(home: Home, data: Path) -> None:
    home.write("a.jot", *(ask(f"topic {number}", number) for number in range(1, 60)))
    children = [Child(home.folder, data, "--jotter") for _ in range(4)]
    try:
        for left in (4, 3, 2):
            eventually(lambda: writers(children) == 1, timeout=15)
            children.pop(next(i for i, c in enumerate(children) if c.process.pid == holder(data))).kill()
            assert len(children) == left - 1
        eventually(lambda: writers(children) == 1 and len(prompts(data)) == 59)
    finally:
        for child in children:
            child.end()
    with StoreReader.open(data) as reader:
        assert verify(reader).faults == ()


def holder(data: Path) -> int:
    found = lock.holder(data)
    return found.pid if found else 0


def writers(children: list[Child]) -> int:
    """How many of them say they are at work now."""
    last = [[e["state"] for e in child.events if e["event"] == "status"][-1:] for child in children]
    return sum(state in (["idle"], ["indexing"]) for state in last)


def test_a_command_borrows_the_store_and_gives_it_back(home: Home, data: Path, child: Child) -> None:
    begun = time.monotonic()
    with handover.borrow(data) as writer:
        assert time.monotonic() - begun < 2.0 * SLACK
        assert handover.wanted(data) is False
        assert writer.row_of("0" * 16) is None
        child.expect(event="status", state="standby", writer=os.getpid())
        child.forget_events()
    child.expect(event="status", state="idle", writer=child.process.pid)
    home.append("a.jot", ask("ferries", 2))
    assert eventually(lambda: "ferries" in prompts(data)) < 2.0 * SLACK


def test_forgetting_while_a_child_writes(home: Home, data: Path, child: Child) -> None:
    with StoreReader.open(data) as reader:
        (kept,) = reader.kept([1]).values()
    assert forget(data, Forgetting(exchange_id=kept.id)).forgotten == 1
    home.append("a.jot", ask("ferries", 2))
    eventually(lambda: prompts(data) == ["ferries"])


def test_a_note_of_a_dead_process_keeps_nobody_waiting(home: Home, data: Path, child: Child) -> None:
    folder = data / "requests"
    folder.mkdir()
    (folder / "999999999").write_text("123")
    (folder / "not a pid").write_text("")
    home.append("a.jot", ask("ferries", 2))
    assert eventually(lambda: "ferries" in prompts(data)) < 2.0 * SLACK
    assert not (folder / "999999999").exists()


def test_commands_on_stdin(home: Home, data: Path, child: Child) -> None:
    child.tell(do="settings", settings={"sources": {"exclude": ["*/private/*"]}})
    child.tell(do="nothing that is known", x=1)
    home.write("private/b.jot", ask("ferries", 2))
    home.write("c.jot", ask("harbours", 3))
    eventually(lambda: prompts(data) == ["harbours", "tides"])
    child.tell(do="settings", settings={})
    eventually(lambda: prompts(data) == ["ferries", "harbours", "tides"])
    child.tell(do="projects", paths=[str(home.folder / "code")])
    child.tell(do="reindex", full=True)
    time.sleep(0.5)
    eventually(lambda: prompts(data) == ["ferries", "harbours", "tides"])
    assert child.process.poll() is None


@RIGHTS
def test_a_folder_that_cannot_be_written_is_one_notice(home: Home, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o500)
    with Child(home.folder, data, "--jotter") as child:
        child.expect(event="status", state="paused")
        time.sleep(2.5)
        assert sum(event.get("state") == "paused" for event in child.events) == 1
        data.chmod(0o700)
        child.expect(event="status", state="idle")


def test_a_damaged_store_is_a_notice_and_no_end(home: Home, data: Path) -> None:
    data.mkdir()
    (data / "palace.db").write_bytes(b"no database at all " * 300)
    with Child(home.folder, data, "--jotter") as child:
        said = child.expect(event="status", state="paused")
        assert "damaged" in str(said["note"])
        home.write("a.jot", ask("tides", 1))
        (data / "palace.db").unlink()
        child.expect(event="status", state="idle")
        assert prompts(data) == ["tides"]


@pytest.mark.skipif(sys.platform != "linux", reason="processor time is read from /proc")
def test_an_idle_child_costs_next_to_nothing(child: Child) -> None:
    time.sleep(2.0)
    begun, before = time.monotonic(), processor_seconds(child.process.pid)
    time.sleep(4.0)
    share = (processor_seconds(child.process.pid) - before) / (time.monotonic() - begun)
    assert share < 0.02 * SLACK, "0.5 % is the aim; a tick of the clock is a quarter of that here"


def test_interrupted_from_the_keyboard_of_its_terminal(child: Child) -> None:
    child.process.send_signal(signal.SIGINT)
    child.process.wait(5)
