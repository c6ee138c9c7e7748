"""The gate on the default mode's quality."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from bench.quality import corpus
from bench.quality.gate import __main__ as gate


@pytest.mark.parametrize(
    ("now", "faults"),
    [
        ({"extractive": 0.80, "reference": 0.82}, 0),
        ({"extractive": 0.90, "reference": 0.90}, 0),
        ({"extractive": 0.791, "reference": 0.811}, 0),
        ({"extractive": 0.789, "reference": 0.82}, 1),
        ({"extractive": 0.70, "reference": 0.70}, 2),
    ],
)
def test_what_counts_as_fallen(now: dict[str, float], faults: int) -> None:
    best = {"extractive": 0.80, "reference": 0.82}
    assert len(gate.fallen(best, now)) == faults


def test_a_record_only_rises() -> None:
    assert gate.raised({"a": 0.8, "b": 0.7}, {"a": 0.75, "b": 0.71}) == {"a": 0.8, "b": 0.71}
    assert gate.raised({}, {"a": 0.5}) == {"a": 0.5}


def test_a_best_is_recorded() -> None:
    import msgspec

    best = msgspec.json.decode(gate.RECORD.read_bytes(), type=gate.Best)
    assert set(best.mrr) == {"extractive", "reference"}
    assert all(0.7 < value < 1 for value in best.mrr.values())


def archive(path: Path, *members: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:xz") as file:
        for member in members:
            member.size = 4 if member.isfile() else 0
            file.addfile(member, io.BytesIO(b"text") if member.isfile() else None)
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.mtime = kind, 1_700_000_000
    return made


def test_a_home_is_unpacked(tmp_path: Path) -> None:
    packed = archive(tmp_path / "home.tar.xz", member(".codex", tarfile.DIRTYPE), member(".codex/a/b.jsonl"))
    corpus.unpack(packed, tmp_path / "home")
    written = tmp_path / "home" / ".codex" / "a" / "b.jsonl"
    assert written.read_bytes() == b"text"
    assert written.stat().st_mtime == 1_700_000_000


@pytest.mark.parametrize("strange", [member("../out"), member("/etc/out"), member("link", tarfile.SYMTYPE)])
def test_nothing_is_written_elsewhere(tmp_path: Path, strange: tarfile.TarInfo) -> None:
    with pytest.raises(ValueError, match="not written"):
        corpus.unpack(archive(tmp_path / "home.tar.xz", strange), tmp_path / "home")
