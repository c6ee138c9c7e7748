"""Mutations of bytes by a seeded generator: what fuzzers do to an input that is known to be sound."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

#: Pieces that parsers trip over.
PIECES = (
    b"\x00", b"\xff\xfe", b"\xed\xa0\xbd", b"\xc3", b"\n", b"\r\n", b"\\u0000", b"\\ud83c", b"\\", b'"', b"{", b"}", b"[", b"]", b":", b",",
    b"null", b"true", b"-1", b"1e999", b"9" * 400, b"[" * 200, b"[" * 3000, b"\x91" * 3000, b'{"a":' * 3000, b'{"a":' * 50, b"..", b"/../", b"```\n", b"%", b"\xe2\x80\xa8", b"\x1b]8;;",
    b"@@ -0,0 +1,99999999 @@\n", b"*** Begin Patch\n", b"Content-Length: 5\r\n\r\n", b"sk-", b"password=", b"-----BEGIN PRIVATE KEY-----",
)  # fmt: skip
#: No mutation makes an input longer than this.
LONGEST = 300_000

Change = Callable[[random.Random, bytearray, Sequence[bytes]], None]


def flip(chance: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    for _ in range(chance.randint(1, 8)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def put(chance: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    at = chance.randrange(len(data) + 1)
    data[at : at + chance.choice((0, 0, 1, 9))] = chance.choice(PIECES)


def cut(chance: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    at = chance.randrange(len(data))
    del data[at : at + chance.choice((1, 10, 1000, len(data)))]


def double(chance: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    at = chance.randrange(len(data))
    piece = bytes(data[at : at + chance.choice((1, 20, 500))])
    data[at:at] = piece * chance.choice((1, 2, 300))


def splice(chance: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    other = chance.choice(others)
    at, start = chance.randrange(len(data) + 1), chance.randrange(len(other) + 1)
    data[at:] = other[start:]


def noise(chance: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    at = chance.randrange(len(data) + 1)
    data[at:at] = chance.randbytes(chance.randint(1, 40))


CHANGES: tuple[Change, ...] = (flip, put, put, cut, double, splice, noise)


def mutated(chance: random.Random, samples: Sequence[bytes]) -> bytes:
    """One of the samples after one to six changes."""
    data = bytearray(chance.choice(samples))
    for _ in range(chance.randint(1, 6)):
        if data:
            chance.choice(CHANGES)(chance, data, samples)
    return bytes(data[:LONGEST])
