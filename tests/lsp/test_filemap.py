"""File -> past work: order, ownership, look-up by the end of a path."""

from __future__ import annotations

import pytest

from pastwork.glance import Glance
from pastwork.lsp.filemap import FileMap, build

NEWEST, MIDDLE, OLDEST = (Glance(name, f"core {name}", "", "codex") for name in ("newest", "middle", "oldest"))
GLANCES = {30: NEWEST, 10: MIDDLE, 20: OLDEST}


@pytest.mark.parametrize(
    ("wrote", "roomed", "expected"),
    [
        ([], [], {}),
        ([(20, "/a"), (30, "/a"), (10, "/b")], [], {"/a": (NEWEST, OLDEST), "/b": (MIDDLE,)}),
        ([(20, "/a")], [(30, "/a")], {"/a": (OLDEST, NEWEST)}),
        ([(20, "/a"), (20, "/a")], [(20, "/a")], {"/a": (OLDEST,)}),
        ([], [(10, "/a"), (30, "/a")], {"/a": (NEWEST, MIDDLE)}),
        ([(99, "/a")], [(98, "/b")], {}),
    ],
)
def test_files(
    wrote: list[tuple[int, str]], roomed: list[tuple[int, str]], expected: dict[str, tuple[Glance, ...]]
) -> None:
    assert build(GLANCES, frozenset(), wrote, roomed).files == expected


def test_works_are_those_of_the_folders_newest_first() -> None:
    assert build(GLANCES, frozenset({20, 30}), [(10, "/a")], []).works == (NEWEST, OLDEST)


@pytest.mark.parametrize(
    ("tail", "root", "expected"),
    [
        ("lib/pool.py", "/w", "/w/src/lib/pool.py"),
        ("src/lib/pool.py", "/w", "/w/src/lib/pool.py"),
        ("pool.py", "/w", None),
        ("b/pool.py", "/w", None),
        ("other/pool.py", "/w", "/w/other/pool.py"),
        ("lib/pool.py", "/v", None),
        ("ib/pool.py", "/w", None),
        ("lib/none.py", "/w", None),
        ("", "/w", None),
    ],
)
def test_ending(tail: str, root: str, expected: str | None) -> None:
    keys = ["/w/src/lib/pool.py", "/w/other/pool.py", "/w/a/b/pool.py", "/w/c/b/pool.py"]
    found = build(GLANCES, frozenset(), [(30, key) for key in keys], [])
    assert found.ending(tail, root) == expected


def test_an_empty_map_knows_nothing() -> None:
    assert FileMap().of("/a") == ()
    assert FileMap().ending("a/b.py", "/w") is None
