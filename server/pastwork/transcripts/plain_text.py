"""A Markdown or plain transcript's bytes as text; lines with bytes that are no text are told, one by one."""

from __future__ import annotations

from collections.abc import Iterator

from pastwork.transcripts.faults import Faults
from pastwork.transcripts.mend import is_text


def decoded(data: bytes, faults: Faults, offset: int = 0) -> str:
    """The text with line feeds only; ``offset`` is where ``data`` begins in the transcript.

    A last line without its end may be cut inside a character: it is pending, and nothing is told of it.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    if "\0" in text or "\ufffd" in text:
        _tell(data[: data.rfind(b"\n") + 1], faults, offset)
        text = text.replace("\0", "")
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n") if "\r" in text else text


def _tell(data: bytes, faults: Faults, offset: int) -> None:
    for start, line in _lines(data):
        if b"\0" in line:
            faults.add(f"{line.count(0)} NUL bytes stripped", offset + start)
        if not is_text(line):
            faults.add("undecodable text replaced", offset + start)


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    for line in data.split(b"\n"):
        yield at, line
        at += len(line) + 1
