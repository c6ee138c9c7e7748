"""Finds stored texts in the pages of a damaged SQLite file, without its help and without its index.

SQLite reaches a table's rows through the pages above them; when one of those is torn, sound rows
are out of its reach. Here every leaf page is looked at by itself, after the file format's
description (https://www.sqlite.org/fileformat2.html, sections 1.6 and 2.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from mmap import mmap

PAGE = 4096
_LEAF = 0x0D
#: The first bytes of every zstd frame.
_MAGIC = b"\x28\xb5\x2f\xfd"
#: Payload bytes that a leaf page keeps of a record: all up to ``_MOST``, else at least ``_LEAST``.
_MOST = PAGE - 35
_LEAST = (PAGE - 12) * 32 // 255 - 23


def sealed(content: bytes | mmap) -> Iterator[bytes]:
    """Every compressed blob that is the second of two columns, as those of ``verbatim`` are.

    Rows that were deleted or replaced may be among them; what is damaged is left to the caller.
    """
    for number in range(len(content) // PAGE):
        page = content[number * PAGE : (number + 1) * PAGE]
        start = 100 if number == 0 else 0
        if page[start] == _LEAF:
            yield from _of_leaf(content, page, start)


def _of_leaf(content: bytes | mmap, page: bytes, start: int) -> Iterator[bytes]:
    cells = int.from_bytes(page[start + 3 : start + 5])
    for index in range(min(cells, PAGE // 4)):
        at = start + 8 + 2 * index
        pointer = int.from_bytes(page[at : at + 2])
        try:
            blob = _second_column(_payload(content, page, pointer))
        except (IndexError, ValueError):
            continue
        if blob.startswith(_MAGIC):
            yield blob


def _payload(content: bytes | mmap, page: bytes, at: int) -> bytes:
    """A cell's record, put together from its overflow pages."""
    size, at = _varint(page, at)
    _, at = _varint(page, at)  # the row's number
    if size > len(content):
        raise ValueError("longer than the file")
    local = size
    if size > _MOST:
        local = _LEAST + (size - _LEAST) % (PAGE - 4)
        local = local if local <= _MOST else _LEAST
    data = bytearray(page[at : at + local])
    follow = int.from_bytes(page[at + local : at + local + 4]) if local < size else 0
    while follow and len(data) < size:
        start = (follow - 1) * PAGE
        data += content[start + 4 : start + PAGE]
        follow = int.from_bytes(content[start : start + 4])
    if len(data) < size:
        raise ValueError("the record's end is missing")
    return bytes(data[:size])


def _second_column(record: bytes) -> bytes:
    """The blob of a record of a row number (stored as NULL) and a blob."""
    header, at = _varint(record, 0)
    first, at = _varint(record, at)
    second, at = _varint(record, at)
    if first != 0 or at != header or second < 12 or second % 2:
        raise ValueError("another table's record")
    return record[header : header + (second - 12) // 2]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for count in range(8):
        byte = data[at + count]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + count + 1
    return value << 8 | data[at + 8], at + 9
