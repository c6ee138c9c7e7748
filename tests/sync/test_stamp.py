"""What happened to a file since it was read."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from pastwork.sync import stamp
from tests.store.rights import RIGHTS

OLD = b"one line\n" * 2000
LATER = 2_000_000_000_000_000_000


def rewrite(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    os.utime(path, ns=(LATER, LATER))


def appended(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)


def replaced(path: Path, content: bytes) -> None:
    draft = path.with_name("draft")
    draft.write_bytes(content)
    os.utime(draft, ns=(LATER, LATER))
    draft.replace(path)


def same_times(path: Path, content: bytes) -> None:
    """Rewritten by a tool that puts the old times back."""
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, tuple[Callable[[Path], object], stamp.Change]] = {
    "untouched": (lambda path: None, "same"),
    "appended": (lambda path: rewrite(path, OLD + b"more\n"), "grown"),
    "appended in place": (lambda path: appended(path, b"more\n"), "grown"),
    "replaced by a longer copy": (lambda path: replaced(path, OLD + b"more\n"), "grown"),
    "truncated": (lambda path: rewrite(path, OLD[:-5]), "new"),
    "emptied": (lambda path: rewrite(path, b""), "new"),
    "rewritten, same size": (lambda path: rewrite(path, OLD[::-1]), "new"),
    "rewritten in the middle, same size": (lambda path: rewrite(path, OLD[:9000] + b"X" + OLD[9001:]), "new"),
    "rewritten, same size and times": (lambda path: same_times(path, OLD[::-1]), "new"),
    "longer with another head": (lambda path: rewrite(path, b"X" + OLD[1:] + b"more\n"), "new"),
    "longer with another tail": (lambda path: rewrite(path, OLD[:-1] + b"X" + b"more\n"), "new"),
    "other rights only": (lambda path: path.chmod(0o640), "same"),
    "touched": (lambda path: os.utime(path, ns=(LATER, LATER)), "new"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_compare(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(OLD)
    before = stamp.decode(stamp.encode(stamp.look(path, (), "v1")))
    do, expected = CHANGES[name]
    do(path)
    assert stamp.compare(before, path, (), "v1") == expected


@pytest.mark.parametrize("size", [0, 1, 100, stamp.END, stamp.END + 1, 3 * stamp.END])
def test_growth_at_every_size(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(OLD[:size])
    before = stamp.look(path, (), "v1")
    rewrite(path, OLD[: size + 5])
    assert stamp.compare(before, path, (), "v1") == "grown"


def test_what_another_version_read_is_new(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(OLD)
    assert stamp.compare(stamp.look(path, (), "v1"), path, (), "v2") == "new"
    assert stamp.compare(None, path, (), "v1") == "new"
    assert stamp.decode(b"no stamp") is None
    assert stamp.decode(b"") is None


def test_parts_belong_to_it(tmp_path: Path) -> None:
    path, part = tmp_path / "a.jsonl", tmp_path / "part"
    path.write_bytes(OLD)
    alone = stamp.look(path, (), "v1")
    part.write_bytes(b"x")
    both = stamp.look(path, (part,), "v1")
    assert stamp.compare(alone, path, (part,), "v1") == "new"
    assert stamp.compare(both, path, (part,), "v1") == "same"
    assert stamp.compare(both, path, (), "v1") == "new"
    part.write_bytes(b"xy")
    assert stamp.compare(both, path, (part,), "v1") == "new"
    part.unlink()
    assert stamp.compare(both, path, (part,), "v1") == "new"
    assert stamp.compare(stamp.look(path, (part,), "v1"), path, (part,), "v1") == "same"


def test_no_file_is_read_where_the_system_says_nothing_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(OLD)
    before = stamp.look(path, (), "v1")
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("opened"))
    assert stamp.compare(before, path, (), "v1") == "same"


def loop(path: Path) -> None:
    path.symlink_to(path)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


ODD: dict[str, tuple[Callable[[Path], object], str]] = {
    "folder": (lambda path: path.mkdir(), "a folder"),
    "pipe": (os.mkfifo, "a pipe"),
    "socket": (listening, "a socket"),
    "link to itself": (loop, "a symbolic link"),
    "link to nothing": (lambda path: path.symlink_to("nowhere"), "a symbolic link"),
    "link to a device": (lambda path: path.symlink_to("/dev/null"), "a symbolic link"),
    "link to a file": (lambda path: path.symlink_to(__file__), "a symbolic link"),
}


@pytest.mark.skipif(os.name == "nt", reason="such files are POSIX")
@pytest.mark.parametrize("name", ODD)
@pytest.mark.timeout(5)
def test_odd_files_are_named_and_never_waited_for(tmp_path: Path, name: str) -> None:
    make, reason = ODD[name]
    make(tmp_path / "x.jsonl")
    with pytest.raises(stamp.Odd, match=reason):
        stamp.look(tmp_path / "x.jsonl", (), "v1")


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        stamp.look(tmp_path / "x.jsonl", (), "v1")


@RIGHTS
def test_an_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(OLD)
    path.chmod(0)
    with pytest.raises(stamp.Odd, match="cannot be read"):
        stamp.look(path, (), "v1")
