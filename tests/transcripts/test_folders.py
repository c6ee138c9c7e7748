"""The reader of an agent with a folder of its own: roots, patterns, parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.folders import FolderReader, mtime, wal


def nothing(source: Source, since: Position | None) -> Iterator[Item]:
    return iter(())


def reader(*patterns: str, loose: tuple[str, ...] = ()) -> FolderReader:
    def places(env: Env) -> tuple[Path, ...]:
        return env.home / ".lamp", env.home / ".lamp", env.home / "gone"

    return FolderReader("lamp", "fixture-only", places, patterns, nothing, wal, loose)


def lay(home: Path, *names: str) -> None:
    for name in names:
        path = home / ".lamp" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def names(sources: Iterator[Source]) -> list[str]:
    return [source.path.name for source in sources]


def test_each_file_once_the_first_pattern_first(tmp_path: Path) -> None:
    lay(tmp_path, "b/x.jsonl", "a/y.jsonl", "a/z.db", "a/deep/no.jsonl", "c.jsonl")
    found = reader("*/*.db", "*/*.jsonl", "*/*.*").locate(Env(tmp_path, {}))
    assert names(found) == ["z.db", "y.jsonl", "x.jsonl"]


def test_loose_patterns_are_for_named_folders(tmp_path: Path) -> None:
    lay(tmp_path, "settings.json", "a/x.jsonl")
    each = reader("*/*.jsonl", loose=("*.json",))
    assert names(each.locate(Env(tmp_path, {}))) == ["x.jsonl"]
    assert names(each.within(tmp_path / ".lamp")) == ["x.jsonl", "settings.json"]


def test_a_named_file_stands_for_itself(tmp_path: Path) -> None:
    lay(tmp_path, "odd.name")
    assert names(reader("*.jsonl").within(tmp_path / ".lamp" / "odd.name")) == ["odd.name"]


def test_roots_are_named_once_present_or_not(tmp_path: Path) -> None:
    assert reader("*").roots(Env(tmp_path, {})) == (tmp_path / ".lamp", tmp_path / "gone")


def test_databases_change_in_place_and_have_a_log(tmp_path: Path) -> None:
    lay(tmp_path, "a.db", "a.db-wal", "b.jsonl")
    log, lines = reader("*.db", "*.jsonl").locate(Env(tmp_path, {}))
    assert (log.in_place, [part.name for part in log.parts]) == (True, ["a.db-wal"])
    assert (lines.in_place, lines.parts) == (False, ())


def test_a_file_that_is_gone_has_no_time(tmp_path: Path) -> None:
    assert mtime(tmp_path / "gone") is None
    assert mtime(tmp_path) is not None
