"""A Markdown or plain transcript's bytes as text; lines with bytes that are no text are told, one by one."""

from __future__ import annotations

from collections.abc import Iterator

from pastwork.transcripts.faults import Faults
from pastwork.transcripts.mend import is_text

_BOM = b"\xef\xbb\xbf"


def decoded(data: bytes, faults: Faults, offset: int = 0) -> str:
    """The text with line feeds only; ``offset`` is where ``data`` begins in the transcript.

    A last line without its end may be cut inside a character: it is pending, and nothing is told of it.
    """
    if b"\0" in data or not is_text(data):
        for start, line in _lines(data[: data.rfind(b"\n") + 1]):
            if b"\0" in line:
                faults.add(f"{line.count(0)} NUL bytes stripped", offset + start)
            if not is_text(line):
                faults.add("undecodable text replaced", offset + start)
    return data.replace(b"\0", b"").removeprefix(_BOM).replace(b"\r\n", b"\n").decode("utf-8", "replace")


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    for line in data.split(b"\n"):
        yield at, line
        at += len(line) + 1
