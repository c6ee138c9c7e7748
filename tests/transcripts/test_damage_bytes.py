"""Any bytes in the place of any others, in every sample: nothing is raised, nothing told that can't be kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pastwork.model import Problem, Session
from pastwork.transcripts.base import Reader, Source, Turn
from pastwork.transcripts.registry import READERS
from tests.transcripts.samples import sources

QUICK = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))


#: What is put in the place of some bytes of a file.
BYTES = st.sampled_from(
    [
        b"",
        b"\0" * 9,
        b"\xff",
        b"\xed\xa0\xbc",
        b"\\ud83c",
        b"\n",
        b"\r\n",
        b"{",
        b"]",
        b'"',
        b"```\n",
        b"null",
        b"[[",
        b"\\",
    ]
)
HITS = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 60), BYTES), max_size=4)
BYTE_FILES = int(os.environ.get("PASTWORK_DAMAGED_SAMPLES", "25"))


def hit(data: bytes, hits: list[tuple[int, int, bytes]]) -> bytes:
    """The bytes after some of them were replaced."""
    for where, length, put in hits:
        at = where % (len(data) + 1)
        data = data[:at] + put + data[at + length :]
    return data


def told(reader: Reader, source: Source) -> Iterator[str]:
    """All that a source tells, well formed."""
    ids: set[str] = set()
    for item in reader.read(source):
        if isinstance(item, Turn):
            assert item.exchange.prompt.strip()
            assert item.exchange.id not in ids
            ids.add(item.exchange.id)
            for entry in item.exchange.entries:
                assert entry.tool is None or isinstance(json.loads(entry.tool.input_json), dict)
        else:
            assert isinstance(item, Session | Problem)
        yield str(item)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.agent)
def test_any_bytes_of_any_sample(reader: Reader, tmp_path: Path) -> None:
    """Whatever a file holds, reading it raises nothing and tells nothing that can't be kept."""
    for source in sources(reader, tmp_path):
        for path in (source.path, *source.parts):
            damage_bytes(reader, source, path)


def damage_bytes(reader: Reader, source: Source, path: Path) -> None:
    """One file of a source with other bytes, many times over."""
    data = path.read_bytes()

    @settings(QUICK, max_examples=BYTE_FILES)
    @given(hits=HITS)
    def one(hits: list[tuple[int, int, bytes]]) -> None:
        path.write_bytes(hit(data, hits))
        for text in told(reader, source):
            text.encode()

    one()
    path.write_bytes(data)
