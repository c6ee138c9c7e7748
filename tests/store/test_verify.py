"""Damage of every kind is found, and a sound store has none."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from pastwork.errors import StoreUnusable
from pastwork.index.base import Fields
from pastwork.index.okapi import OkapiLane
from pastwork.store import places
from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from pastwork.store.writer import StoreWriter
from tests.store.samples import digest, exchange, keep


def fill(writer: StoreWriter, count: int = 3) -> None:
    lane = OkapiLane(writer.connection)
    with writer.transaction():
        lane.prepare()
        rows = [keep(writer, exchange(number)) for number in range(1, count + 1)]
        texts = [(row, Fields(prose=f"tide table {row}")) for row in rows]
        lane.add(texts)
        writer.put_fields(texts)
        writer.put_vectors("r", rows, np.ones((count, 384), np.float32))


def test_a_sound_store() -> None:
    with StoreWriter.empty() as writer:
        fill(writer)
        answer = verify(writer)
    assert answer.ok
    assert answer.faults == ()
    assert answer.checked == {
        "file": 1, "exchanges": 3, "texts": 3, "objects": 3, "edits": 3, "vectors": 3, "keywords": 3,
        "tombstones": 0,
        "derived": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("UPDATE verbatim SET data = zeroblob(9) WHERE row = 2", "can't be read"),
        ("DELETE FROM verbatim WHERE row = 2", "can't be read"),
        ("UPDATE verbatim SET data = (SELECT data FROM verbatim WHERE row = 1) WHERE row = 2", "not the one"),
        ("UPDATE exchange SET content = zeroblob(16) WHERE row = 2", "not the one"),
        ("DELETE FROM edit WHERE row = 2", "0 of 1 edits"),
        ("UPDATE edit SET hunks = zeroblob(9) WHERE row = 2", "hunks can't be read"),
        ("UPDATE searched SET data = zeroblob(9) WHERE row = 2", "searched text can't be read"),
        ("DELETE FROM object WHERE row = 2", "no palace object"),
        ("UPDATE vector SET data = zeroblob(768) WHERE row = 2", "a vector is damaged"),
        ("DELETE FROM carrier WHERE row = 2", "no transcript"),
        ("UPDATE carrier SET row = 99 WHERE row = 2", "belongs to nothing"),
        ("INSERT INTO tombstone VALUES ('twin', 'twin-2')", "was forgotten"),
    ],
)
def test_each_kind_of_damage(damage: str, said: str) -> None:
    with StoreWriter.empty() as writer:
        fill(writer)
        writer.connection.execute("PRAGMA foreign_keys = OFF")
        writer.connection.execute(damage)
        answer = verify(writer)
    assert not answer.ok
    assert any(said in fault.what for fault in answer.faults), answer.faults
    assert all(fault.remedy for fault in answer.faults)


def test_a_keyword_index_that_lost_or_kept_too_much() -> None:
    with StoreWriter.empty() as writer:
        fill(writer)
        OkapiLane(writer.connection).remove([1])
        OkapiLane(writer.connection).add([(77, Fields(prose="nobody's"))])
        answer = verify(writer)
    assert [fault.what for fault in answer.faults] == ["1 exchanges are missing from it, 1 are not kept"]


def test_torn_pages_are_a_message_and_never_a_crash(tmp_path: Path) -> None:
    """A page of zeroes or of noise anywhere in the file: opening refuses it or verify names it."""
    with StoreWriter.open(tmp_path) as writer:
        fill(writer, 40)
    path = tmp_path / places.STORE
    sound = path.read_bytes()
    chance = random.Random(3)
    for page in range(len(sound) // 4096):
        torn = chance.choice([bytes(4096), chance.randbytes(4096)])
        path.write_bytes(sound[: page * 4096] + torn + sound[(page + 1) * 4096 :])
        try:
            with StoreReader.open(tmp_path) as reader:
                faults = verify(reader).faults
        except StoreUnusable:
            continue
        assert faults or sound[page * 4096 : (page + 1) * 4096] == torn, f"page {page}"


def test_bits_flipped_in_the_archive_are_found(tmp_path: Path) -> None:
    """SQLite has no checksums of its own; the verbatim has."""
    with StoreWriter.open(tmp_path) as writer:
        fill(writer, 5)
        (data,) = writer.connection.execute("SELECT data FROM verbatim WHERE row = 3").fetchone()
    path = tmp_path / places.STORE
    sound = path.read_bytes()
    start = sound.index(data[:200])
    chance = random.Random(11)
    for _ in range(40):
        at = start + 8 + chance.randrange(len(data) - 8 if len(data) < 3000 else 3000)
        flipped = sound[at] ^ (1 << chance.randrange(8))
        path.write_bytes(sound[:at] + bytes([flipped]) + sound[at + 1 :])
        with StoreReader.open(tmp_path) as reader:
            assert [fault.where for fault in verify(reader).faults] == [exchange(3).id]


def test_digest_of_the_samples_is_whole() -> None:
    assert digest(exchange()).object.files_touched
