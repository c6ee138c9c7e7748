"""What is watched, and what happens where the system tells nothing."""

from __future__ import annotations

import io
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pastwork.store.writer import StoreWriter
from pastwork.sync import watcher as watching
from pastwork.sync.run import Sync
from pastwork.sync.term import Term
from pastwork.sync.watcher import Folders, Watcher, folders
from pastwork.sync.wire import Command, Ended, Inbox, Projects, Reindex, Settings, Touched, Watching, Wire, listen
from tests import SLACK
from tests.sync.jotter import Home, ask
from tests.sync.processes import eventually


def test_agents_folders_deep_and_folders_of_transcripts_flat(tmp_path: Path) -> None:
    deep, history, project, chat = (tmp_path / name for name in ("sessions", "history", "project", "chat"))
    for folder in (deep / "slug", history, project, chat):
        folder.mkdir(parents=True)
    files = [deep / "slug" / "a.jsonl", history / "b.md", chat / "c.md"]
    found = folders([deep, history, tmp_path / "absent"], files, [project, tmp_path / "gone"])
    assert found == Folders(frozenset({deep}), frozenset({history, project, chat}))


def test_a_folder_below_a_watched_one_is_not_watched_twice(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    found = folders([tmp_path / "a", tmp_path / "a" / "b"], [], [tmp_path / "a" / "b"])
    assert found == Folders(frozenset({tmp_path / "a"}))


def test_folders_on_a_network_are_looked_at_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "on_network", lambda path: path.name == "nfs")
    for name in ("nfs", "local"):
        (tmp_path / name / "slug").mkdir(parents=True)
    found = folders([tmp_path / "nfs", tmp_path / "local"], [], [])
    assert found == Folders(deep=frozenset({tmp_path / "local"}), silent=frozenset({tmp_path / "nfs"}))
    watcher = Watcher(Inbox())
    watcher.watch(found)
    assert watcher.blind
    watcher.stop()


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


def test_changes_are_told_once_the_watcher_runs(tmp_path: Path, inbox: Inbox) -> None:
    watcher = Watcher(inbox)
    watcher.watch(Folders(deep=frozenset({tmp_path})))
    assert inbox.get(5.0) == Watching()
    (tmp_path / "a.db-shm").write_text("noise of a reader")
    (tmp_path / "a.jsonl").write_text("x")
    news = inbox.get(5.0)
    assert isinstance(news, Touched)
    assert news.paths == {tmp_path / "a.jsonl"}
    assert not inbox.urgent
    watcher.stop()
    assert threading.active_count() < 20


def test_no_watches_left_is_a_fault_to_tell(tmp_path: Path, inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> Iterator[set[object]]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("watchfiles.watch", refused)
    watcher = Watcher(inbox)
    watcher.watch(Folders(deep=frozenset({tmp_path})))
    eventually(lambda: watcher.blind)
    assert "No space left" in watcher.fault
    watcher.stop()


class Running:
    """A term on a thread of its own, over an invented home."""

    def __init__(self, home: Home, data: Path) -> None:
        self.home = home
        self.inbox = Inbox()
        self.out = io.BytesIO()
        self.result: list[Command | Ended | None] = []
        self.wanted = threading.Event()
        self._data = data
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        with StoreWriter.open(self._data) as writer:

            def make(stop: Callable[[], bool], writer: StoreWriter) -> Sync:
                return self.home.sync(writer=writer, stop=stop)

            term = Term(make, writer, self.inbox, Wire(self.out), self.wanted.is_set)
            self.result.append(term.run())

    def said(self) -> str:
        return self.out.getvalue().decode()

    def prompts(self) -> int:
        from pastwork.store.reader import StoreReader

        try:
            with StoreReader.open(self._data) as reader:
                return len(reader.connection.execute("SELECT 1 FROM exchange").fetchall())
        except Exception:  # noqa: BLE001 not there yet
            return 0

    def end(self) -> Command | Ended | None:
        self.inbox.put(Ended())
        self.thread.join(5)
        return self.result[0]


def test_where_no_events_come_it_looks_every_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> Iterator[set[object]]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("watchfiles.watch", refused)
    running = Running(Home(tmp_path / "home"), tmp_path / "data")
    eventually(lambda: "No space left" in running.said())
    for number in (1, 2, 3):
        running.home.write(f"{number}.jot", ask(f"topic {number}", number))
        assert eventually(lambda number=number: running.prompts() == number) < 2.5  # type: ignore[misc]
    statuses = [line for line in running.said().splitlines() if '"status"' in line]
    assert all(one != other for one, other in itertools.pairwise(statuses)), "told when something changes"
    assert running.end() == Ended()


@pytest.mark.parametrize("command", [Settings({"a": 1}), Projects(("/x",)), Reindex(full=True)])
def test_a_command_ends_the_term_and_is_given_back(tmp_path: Path, command: Command) -> None:
    running = Running(Home(tmp_path / "home"), tmp_path / "data")
    eventually(lambda: '"idle"' in running.said())
    running.inbox.put(command)
    running.thread.join(5)
    assert running.result == [command]


def test_a_store_that_is_wanted_ends_the_term(tmp_path: Path) -> None:
    running = Running(Home(tmp_path / "home"), tmp_path / "data")
    eventually(lambda: '"idle"' in running.said())
    running.wanted.set()
    running.thread.join(2)
    assert running.result == [None]


def test_the_end_of_stdin_is_told_and_then_enforced() -> None:
    inbox, left = Inbox(), threading.Event()
    lines = b'{"do": "reindex", "full": true}\nnot json\n{"do": "unheard of"}\n{"do": "projects", "paths": ["/a"]}\n'
    begun = time.monotonic()
    listen(io.BytesIO(lines), inbox, left.set)
    assert [inbox.get(1.0) for _ in range(3)] == [Reindex(full=True), Projects(("/a",)), Ended()]
    assert left.wait(2.0 * SLACK)
    assert time.monotonic() - begun < 1.0 * SLACK


def test_the_same_is_not_said_twice() -> None:
    out = io.BytesIO()
    wire = Wire(out)
    for generation in (1, 1, 2, 1):
        wire.say("changed", generation=generation)
    assert out.getvalue().count(b"\n") == 3
