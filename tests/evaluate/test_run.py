"""A run: the same answers as plain searches, in one process or two, killed or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from pastwork.evaluate.grid import Configuration, chosen
from pastwork.evaluate.journal import Journal, Timed, fingerprint
from pastwork.evaluate.lanes import MemoryLanes
from pastwork.evaluate.ranked import Ranked, Searcher
from pastwork.evaluate.run import Task, prepare, run, shared
from pastwork.evaluate.vectors import VectorCache
from pastwork.search.modes import parse

from .samples import WordVectors, documents, queries

GRID = (
    "verbatim-okapi",
    "verbatim-fts",
    "distilled-exact",
    "cross:okapi+exact",
    "cross:fts+hnsw:rrf",
    "distilled-hnsw:rooms",
)


def quiet(phase: str, done: int, total: int) -> None:
    """Nobody is told."""


def task(folder: Path, timed: int = 0) -> Task:
    model = WordVectors()
    return Task(documents(), queries(), 50, folder / "vectors", model.name, model.dimension, folder / "journal", timed)


def rankings(given: Task, names: tuple[str, ...] = GRID) -> dict[str, Ranked | None]:
    return {name: Journal(given.journal).ranked(name) for name in names}


def test_same_as_plain_searches(tmp_path: Path) -> None:
    """Nothing of the sharing shows in the results."""
    given = task(tmp_path)
    run(chosen(GRID), given, WordVectors(), 1, quiet)
    cache = VectorCache(given.vectors, given.model, given.dimension)
    lanes = MemoryLanes(given.documents, cache.matrix, tmp_path / "fts")
    searcher = Searcher(lanes, given.documents, given.limit)
    for name, found in rankings(given).items():
        assert found == searcher.rank(name, parse(name), given.queries), name
        assert found is not None
        assert any(found.rankings), name
    lanes.close()


def test_two_processes_find_what_one_finds(tmp_path: Path) -> None:
    alone, beside = task(tmp_path / "one"), task(tmp_path / "two")
    run(chosen(GRID), alone, WordVectors(), 1, quiet)
    run(chosen(GRID), beside, WordVectors(), 2, quiet)
    assert rankings(alone) == rankings(beside)


def test_exact_words_are_found_first(tmp_path: Path) -> None:
    given = task(tmp_path)
    run(chosen(["verbatim-okapi"]), given, WordVectors(), 1, quiet)
    found = Journal(given.journal).ranked("verbatim-okapi")
    assert found is not None
    assert [ranking[0] for ranking in found.rankings][1:3] == [1, 2]


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    given, steps = task(tmp_path), list[tuple[int, int]]()

    def stop(phase: str, done: int, total: int) -> None:
        if phase == "searching" and done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(chosen(GRID), given, WordVectors(), 1, stop)
    kept = [name for name, found in rankings(given).items() if found is not None]
    assert 0 < len(kept) < len(GRID)
    model = WordVectors()
    now = run(chosen(GRID), given, model, 1, lambda phase, done, total: steps.append((done, total)))
    assert sorted([*kept, *(c.name for c in now)]) == sorted(GRID)
    assert model.asked == 0, "no text is embedded again"
    assert steps[0] == (len(kept), len(GRID))
    assert run(chosen(GRID), given, model, 1, quiet) == []


def test_groups_are_searched_alone(tmp_path: Path) -> None:
    from msgspec.structs import replace

    halves = [replace(d, group="even" if n % 2 == 0 else "odd") for n, d in enumerate(documents())]
    asked = [replace(query, group="odd") for query in queries()]
    given = replace(task(tmp_path), documents=halves, queries=asked)
    run(chosen(GRID), given, WordVectors(), 1, quiet)
    for found in rankings(given).values():
        assert found is not None
        assert all(row % 2 == 1 for ranking in found.rankings for row in ranking)


def test_timings_are_kept_apart(tmp_path: Path) -> None:
    given = task(tmp_path, timed=3)
    run(chosen(["cross"]), given, WordVectors(), 1, quiet)
    timed = Journal(given.journal).timed("cross")
    assert timed is not None
    assert len(timed.milliseconds) == 3
    assert all(each > 0 for each in timed.milliseconds)


def test_lanes_are_shared_within_a_chunk() -> None:
    chunks = list(shared(chosen(["paper"])))
    for chunk in chunks:
        assert len({c.mode.keyword for c in chunk}) == 1
    keywords = [chunk[0].mode.keyword for chunk in chunks if chunk[0].mode.keyword]
    assert len(set(keywords)) == len(keywords)
    assert sum(map(len, chunks)) == len(chosen(["paper"]))


def test_only_what_is_needed_is_embedded(tmp_path: Path) -> None:
    model = WordVectors()
    prepare([Configuration("verbatim-okapi", parse("verbatim-okapi"))], task(tmp_path), model, quiet)
    assert model.asked == 0
    prepare([Configuration("verbatim-exact", parse("verbatim-exact"))], task(tmp_path), model, quiet)
    assert model.asked == len(documents()) + len(queries())


def test_journal_keeps_names_apart_and_survives_damage(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.keep(Ranked("cross:rrf", [[1, 2]]), Timed("cross:rrf", [0.5]))
    journal.keep(Ranked("cross", [[3]]))
    assert journal.ranked("cross:rrf") == Ranked("cross:rrf", [[1, 2]])
    assert journal.missing(["cross", "cross:rrf", "verbatim-okapi"]) == ["verbatim-okapi"]
    assert journal.timed("cross") is None
    (tmp_path / "cross.ranking.json").write_bytes(b'{"name": "cro')
    assert journal.missing(["cross"]) == ["cross"]


def test_fingerprint_tells_every_difference() -> None:
    base = fingerprint("d", queries(), 50, "m")
    assert base == fingerprint("d", queries(), 50, "m")
    others = [
        ("e", queries(), 50, "m"),
        ("d", queries()[1:], 50, "m"),
        ("d", queries(), 51, "m"),
        ("d", queries(), 50, "n"),
    ]
    assert len({base, *(fingerprint(*other) for other in others)}) == 5
