"""Zstandard-compressed files as streams: frames one after the other, and what is wrong with them told at the end.

What stands before the damage is read first. A cut file decompresses without an error, so the frames'
block headers are walked beforehand (RFC 8878, section 3.1): that takes a seek for each 128 KiB.
"""

from __future__ import annotations

import io
from typing import BinaryIO, cast

import zstandard

_CHUNK = 1024 * 1024
_MAGIC = b"\x28\xb5\x2f\xfd"
#: Frames that hold no data begin with any of sixteen numbers.
_SKIPPED = b"\x2a\x4d\x18"


def is_compressed(file: BinaryIO) -> bool:
    """Whether the file begins with a frame; it is left at its start."""
    head = file.read(4)
    file.seek(0)
    return head == _MAGIC or _skippable(head)


def stream(file: BinaryIO) -> BinaryIO:
    """The decompressed bytes; reading past the good ones raises ``OSError`` where the rest is cut or damaged."""
    whole = _is_whole(file)
    file.seek(0)
    return io.BufferedReader(_Frames(file, whole), _CHUNK)


class _Frames(io.RawIOBase):
    """One decompressing step a read, so that an error loses nothing that came before it."""

    def __init__(self, file: BinaryIO, whole: bool) -> None:
        self._reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=False)
        self._whole = whole

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        try:
            count = self._reader.readinto1(cast("bytearray", buffer))
        except zstandard.ZstdError as error:
            raise OSError(f"damaged zstd data ({error})") from error
        if count == 0 and not self._whole:
            raise OSError("cut zstd data")
        return count


def _is_whole(file: BinaryIO) -> bool:
    """Whether the last frame ends where the file does; bytes that are no frame are the decompressor's to tell."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    while file.tell() < size:
        magic = file.read(4)
        if _skippable(magic):
            length = file.read(4)
            if len(length) < 4:
                return False
            file.seek(int.from_bytes(length, "little"), io.SEEK_CUR)
        elif magic == _MAGIC:
            _pass_frame(file, size)
        else:
            return len(magic) == len(_MAGIC)
    return file.tell() == size


def _skippable(magic: bytes) -> bool:
    return magic[1:] == _SKIPPED and magic[0] >> 4 == 5


def _pass_frame(file: BinaryIO, size: int) -> None:
    """Goes past one frame's header, blocks and checksum; past the file's end where it is cut."""
    flags = int.from_bytes(file.read(1), "little")
    single = bool(flags & 0x20)
    content = (1 if single else 0, 2, 4, 8)[flags >> 6]
    file.seek((0 if single else 1) + (0, 1, 2, 4)[flags & 3] + content, io.SEEK_CUR)
    last = False
    while not last and file.tell() < size:
        head = int.from_bytes(file.read(3).ljust(3, b"\0"), "little")
        last = bool(head & 1)
        file.seek(1 if head >> 1 & 3 == 1 else head >> 3, io.SEEK_CUR)
    ending = 4 if flags & 4 else 0
    file.seek(ending if last else 1, io.SEEK_CUR)
