"""Structs to compact bytes and back: msgpack, zstd, and a veil.

The veil is a fixed permutation of byte values, not encryption: compressed blocks may carry short
texts as they are, and a secret that someone once pasted into a prompt should not be found by a
search over the data folder. Only an explicit drill-down shows it.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TypeVar

import msgspec
import zstandard

from pastwork.model import Exchange, Hunk

S = TypeVar("S")

_VEIL = bytes((value * 167 + 91) % 256 for value in range(256))
_UNVEIL = bytes(sorted(range(256), key=_VEIL.__getitem__))

#: A blob that claims to unpack to more than this is taken for damaged (bytes).
UNPACK_LIMIT = 1 << 30


def pack(value: object) -> bytes:
    """Any struct of ours as veiled, compressed bytes with a checksum of their own."""
    return seal(msgspec.msgpack.encode(value))


def seal(plain: bytes) -> bytes:
    """Compresses bytes; the frame carries length and checksum, so that ``unseal`` notices damage."""
    compressor = zstandard.ZstdCompressor(level=3, write_checksum=True, write_content_size=True)
    return compressor.compress(plain.translate(_VEIL))


def unseal(data: bytes) -> bytes:
    """The bytes given to ``seal``.

    Raises:
        ValueError: the data are damaged.
    """
    try:
        if zstandard.frame_content_size(data) > UNPACK_LIMIT:
            raise ValueError("a stored text claims an impossible size")
        return zstandard.ZstdDecompressor().decompress(data).translate(_UNVEIL)
    except zstandard.ZstdError as error:
        raise ValueError(f"a stored text is damaged: {error}") from error
    except TypeError as error:  # no bytes at all: the row's header is damaged
        raise ValueError("a stored text is damaged") from error


def unpack(data: bytes, kind: type[S]) -> S:
    """The value given to ``pack``.

    Raises:
        ValueError: the data are damaged or of another kind (msgspec's errors are ValueErrors).
    """
    try:
        return msgspec.msgpack.decode(unseal(data), type=kind)
    except RecursionError as error:
        raise ValueError("a stored text is nested without end") from error


def pack_hunks(hunks: tuple[Hunk, ...]) -> bytes | None:
    """Hunks as bytes; None for none."""
    return pack(hunks) if hunks else None


def unpack_hunks(data: bytes | None) -> tuple[Hunk, ...]:
    """The hunks given to ``pack_hunks``."""
    return unpack(data, tuple[Hunk, ...]) if data else ()


def content_hash(exchange: Exchange) -> bytes:
    """16 bytes that tell two readings of an exchange apart."""
    return blake2b(msgspec.msgpack.encode(exchange), digest_size=16).digest()
