"""Open files with real repositories: what is cached, what is asked again, what is waited for."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from threading import Event

import pytest

from pastwork.anchor import evidence as evidence_module
from pastwork.anchor import placer as placer_module
from pastwork.anchor.evidence import Evidence, git_folder
from pastwork.anchor.git import Git
from pastwork.anchor.paths import Places
from pastwork.anchor.placer import Placer
from pastwork.anchor.witness import Witness
from pastwork.store.records import StoredEdit
from tests.anchor.histories import created
from tests.anchor.repositories import DAY, NOON, Repository

TEXT = "written_then = compute_it()\nalso_then = compute_more()\n"
PATIENT = 30.0


class Store:
    """One exchange's creation of one file, counted how often it is asked for."""

    def __init__(self, path: Path, time: str = "2026-03-01T12:00:00Z") -> None:
        self.asked = 0
        edit = created(TEXT, str(path), time)
        self.edits = [StoredEdit(1, "A", "session", 1, path.name, edit, str(path.parent))]

    def __call__(self, keys: Collection[str]) -> list[StoredEdit]:
        self.asked += 1
        return [stored for stored in self.edits if stored.edit.path in keys]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


def placer(patience: float = PATIENT) -> Placer:
    return Placer(os.environ, patience)


def test_a_file_outside_of_git(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    found = placer().place(Store(file), 1, Places.of([str(tmp_path)]), file, TEXT)
    assert [(run.first, run.last) for run in found.attribution.runs] == [(1, 2)]
    assert (found.witnessed, found.settled, found.names) == (False, True, (str(file),))


def test_git_vetoes_lines_that_are_older_than_the_edit(repository: Repository) -> None:
    file = repository.write("a.py", TEXT)
    repository.commit(NOON - DAY)
    found = placer().place(Store(file), 1, Places.of([str(repository.root)]), file, TEXT)
    assert (found.attribution.runs, found.attribution.denied) == ((), ((1, 2),))
    assert (found.witnessed, found.settled) == (True, True)


def test_edits_under_an_earlier_name_count(repository: Repository) -> None:
    old = repository.write("old.py", TEXT)
    repository.commit(NOON + 60)
    repository.git("mv", "old.py", "new.py")
    repository.commit(NOON + DAY)
    file = repository.root / "new.py"
    found = placer().place(Store(old), 1, Places.of([str(repository.root)]), file, TEXT)
    assert [run.exchange_id for run in found.attribution.runs] == ["A"]
    assert found.names == (str(file), str(old))


def test_the_store_is_asked_once_a_generation(repository: Repository) -> None:
    file, places = repository.write("a.py", TEXT), Places.of([str(repository.root)])
    store, asked = Store(file), placer()
    first = asked.place(store, 1, places, file, TEXT)
    again = asked.place(store, 1, places, file, "typed_above = 1\n" + TEXT)
    assert store.asked == 1
    assert [(run.first, run.last) for run in again.attribution.runs] == [(2, 3)]
    assert asked.place(store, 1, places, file, TEXT) == first
    asked.place(store, 2, places, file, TEXT)
    assert store.asked == 2


def test_the_same_text_is_placed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = placer_module.attribute
    monkeypatch.setattr(placer_module, "attribute", lambda *given: calls.append(given) or real(*given))
    file, places, asked = tmp_path / "a.py", Places.of([str(tmp_path)]), placer()
    for text in (TEXT, TEXT, TEXT + "more = 1\n", TEXT + "more = 1\n"):
        asked.place(Store(file), 1, places, file, text)
    assert len(calls) == 2


def test_a_commit_is_noticed(repository: Repository) -> None:
    file, places = repository.write("a.py", "unrelated_line = 1\n"), Places.of([str(repository.root)])
    repository.commit(NOON - 2 * DAY)
    asked = placer()
    assert asked.place(Store(file), 1, places, file, TEXT).attribution.runs
    repository.write("a.py", TEXT)
    repository.commit(NOON - DAY)
    assert not asked.place(Store(file), 1, places, file, TEXT).attribution.runs


def test_without_a_log_of_head_a_commit_is_noticed_too(repository: Repository) -> None:
    repository.git("config", "core.logAllRefUpdates", "false")
    file, evidence = repository.write("a.py", TEXT), Evidence(os.environ, PATIENT)
    repository.commit(NOON)
    first = evidence.witness(file).value
    repository.write("a.py", TEXT + "more_of_it = 1\n")
    repository.commit(NOON + DAY)
    second = evidence.witness(file).value
    assert first is not None
    assert second is not None
    assert (len(first.lines), len(second.lines)) == (2, 3)


def test_git_is_asked_once_while_head_stays(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = Git.ask
    monkeypatch.setattr(Git, "ask", lambda self, arguments: calls.append(arguments) or real(self, arguments))
    file = repository.write("a.py", TEXT)
    repository.commit(NOON)
    asked, places = placer(), Places.of([str(repository.root)])
    asked.place(Store(file), 1, places, file, TEXT)
    count = len(calls)
    asked.place(Store(file), 2, places, file, TEXT + "typed = 1\n")
    assert count > 0
    assert len(calls) == count


def test_a_file_without_edits_is_not_blamed(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_module, "_witness", lambda *_: pytest.fail("blamed"))
    file = repository.write("a.py", TEXT)
    repository.commit(NOON)
    found = placer().place(Store(repository.root / "b.py"), 1, Places.of([str(repository.root)]), file, TEXT)
    assert (found.attribution.works, found.settled) == ((), True)


class TestWaiting:
    @pytest.fixture
    def gate(self, monkeypatch: pytest.MonkeyPatch) -> Event:
        gate, real = Event(), evidence_module.witness

        def slow(git: Git, asked: evidence_module.Asked) -> Witness | None:
            gate.wait(PATIENT)
            return real(git, asked)

        monkeypatch.setattr(evidence_module, "witness", slow)
        return gate

    def test_what_comes_too_late_is_there_the_next_time(self, repository: Repository, gate: Event) -> None:
        file, places = repository.write("a.py", TEXT), Places.of([str(repository.root)])
        repository.commit(NOON - DAY)
        asked = placer(patience=0.05)
        early = asked.place(Store(file), 1, places, file, TEXT)
        assert (early.witnessed, early.settled, len(early.attribution.runs)) == (False, False, 1)
        gate.set()
        asked._evidence.patience = PATIENT
        late = asked.place(Store(file), 1, places, file, TEXT)
        assert (late.witnessed, late.settled, len(late.attribution.runs)) == (True, True, 0)

    def test_closing_waits_for_nobody(self, repository: Repository, gate: Event) -> None:
        file = repository.write("a.py", TEXT)
        repository.commit(NOON)
        asked = placer(patience=0.01)
        asked.place(Store(file), 1, Places.of([str(repository.root)]), file, TEXT)
        asked.close()
        gate.set()


def test_a_worktree_is_its_own_tree_with_the_same_past(repository: Repository, tmp_path: Path) -> None:
    file = repository.write("a.py", TEXT)
    repository.commit(NOON + 60)
    tree = tmp_path / "tree"
    repository.git("worktree", "add", "-q", str(tree))
    assert git_folder(tree / ".git") == repository.root / ".git/worktrees/tree"
    places = Places.of([str(tree)], checkouts={str(repository.root): str(tree)})
    found = placer().place(Store(file), 1, places, tree / "a.py", TEXT)
    assert [run.exchange_id for run in found.attribution.runs] == ["A"]
    assert found.witnessed


def test_only_so_many_files_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placer_module, "MOST_FILES", 2)
    asked, places = placer(), Places.of([str(tmp_path)])
    stores = {name: Store(tmp_path / name) for name in ("a.py", "b.py", "c.py")}
    for name, store in stores.items():
        asked.place(store, 1, places, tmp_path / name, TEXT)
    asked.place(stores["c.py"], 1, places, tmp_path / "c.py", TEXT)
    asked.place(stores["a.py"], 1, places, tmp_path / "a.py", TEXT)
    assert [store.asked for store in stores.values()] == [2, 1, 1]
