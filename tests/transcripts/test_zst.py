"""Compressed rollouts: any frames, whole, cut or damaged; what stands before the damage is read and it is told."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

from pastwork.transcripts.jsonl import Record, records

ONE, TWO = b'{"a": 1}\n', b'{"b": 2}\n'
EMPTY = b"\x5a\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
CUT, DAMAGED = "cannot be read: cut zstd data", "cannot be read: damaged zstd data"


def frame(data: bytes, **options: bool) -> bytes:
    return zstandard.ZstdCompressor(**options).compress(data)


@pytest.mark.parametrize(
    ("data", "lines", "told"),
    [
        (b"", [], ""),
        (frame(b""), [], ""),
        (frame(ONE), [ONE], ""),
        (frame(ONE) + frame(TWO), [ONE, TWO], ""),
        (frame(ONE, write_checksum=True) + EMPTY + frame(TWO, write_content_size=False), [ONE, TWO], ""),
        (EMPTY + frame(ONE), [ONE], ""),
        (frame(ONE + TWO * 90_000), [ONE, *[TWO] * 90_000], ""),
        (ONE + TWO, [ONE, TWO], ""),
        (frame(ONE) + frame(TWO)[:-3], [ONE], CUT),
        (frame(ONE, write_checksum=True)[:-2], [ONE], CUT),
        (frame(ONE) + frame(TWO)[:2], [ONE], CUT),
        (frame(ONE) + b"garbage", [ONE], DAMAGED),
    ],
)
def test_frames(tmp_path: Path, data: bytes, lines: list[bytes], told: str) -> None:
    path = tmp_path / "rollout.jsonl.zst"
    path.write_bytes(data)
    found = list(records(path))
    assert [each.data for each in found if isinstance(each, Record)] == lines
    reasons = [each.reason for each in found if not isinstance(each, Record)]
    assert [reason.partition(" (")[0] for reason in reasons] == ([told] if told else [])


def test_a_cut_anywhere_loses_no_whole_line_and_is_told(tmp_path: Path) -> None:
    whole = frame(ONE * 3, write_checksum=True) + EMPTY + frame(TWO)
    path = tmp_path / "rollout.jsonl.zst"
    for cut in range(4, len(whole)):
        path.write_bytes(whole[:cut])
        found = list(records(path))
        assert all(each.data in (ONE, TWO) for each in found if isinstance(each, Record) and each.whole)
        boundary = cut in (len(whole) - len(frame(TWO)), len(frame(ONE * 3, write_checksum=True)))
        assert sum(not isinstance(each, Record) for each in found) == (not boundary), cut


def test_from_an_offset_of_the_decompressed_bytes(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl.zst"
    path.write_bytes(frame(ONE) + frame(TWO))
    assert [each.data for each in records(path, len(ONE)) if isinstance(each, Record)] == [TWO]
