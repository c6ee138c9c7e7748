"""Stored texts found again in pages that SQLite can't reach."""

from __future__ import annotations

from pathlib import Path

import pytest

from pastwork.model import Entry, Exchange
from pastwork.store import codec, places, salvage
from pastwork.store.writer import StoreWriter
from tests.store.samples import exchange, keep

#: Sizes around what fits into a page, into one overflow page and into many, incompressible.
SIZES = [10, 3000, 3900, 4000, 4100, 8200, 100_000]


def noise(size: int) -> str:
    """Text that does not compress below its size much."""
    import random

    return "".join(map(chr, random.Random(size).choices(range(0x100, 0x3000), k=size // 2)))


def filled(data: Path) -> dict[str, Exchange]:
    made = {}
    with StoreWriter.open(data) as writer:
        for number, size in enumerate(SIZES, 1):
            of = exchange(number, entries=(Entry("assistant", noise(size)),))
            keep(writer, of)
            made[of.id] = of
    return made


def found(content: bytes) -> dict[str, Exchange]:
    answer = {}
    for blob in salvage.sealed(content):
        try:
            of = codec.unpack(blob, Exchange)
        except ValueError:
            continue
        answer[of.id] = of
    return answer


def test_every_text_without_the_files_help(tmp_path: Path) -> None:
    made = filled(tmp_path)
    assert found((tmp_path / places.STORE).read_bytes()) == made


def test_without_the_first_page(tmp_path: Path) -> None:
    made = filled(tmp_path)
    assert found(bytes(4096) + (tmp_path / places.STORE).read_bytes()[4096:]) == made


@pytest.mark.parametrize("fill", [b"\x00", b"\xff", b"\x0d", b"\x28\xb5\x2f\xfd"])
def test_noise_is_no_trouble(tmp_path: Path, fill: bytes) -> None:
    """Every page in turn is overwritten: what is found is what was put in, and most of it is found."""
    made = filled(tmp_path)
    content = (tmp_path / places.STORE).read_bytes()
    for page in range(len(content) // 4096):
        torn = content[: page * 4096] + fill * (4096 // len(fill)) + content[(page + 1) * 4096 :]
        left = found(torn)
        assert left.items() <= made.items()


def test_a_loop_of_overflow_pages_ends(tmp_path: Path) -> None:
    """A page that names itself as the next."""
    filled(tmp_path)
    content = bytearray((tmp_path / places.STORE).read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 4] = (page + 1).to_bytes(4)
    found(bytes(content))
