"""Framing of the protocol's messages on a byte stream.

In: bytes as they come, good or bad. Out: the bodies they frame, and a ``Garbage`` for each stretch
that frames nothing. A peer that breaks the framing once is understood again at its next header;
nothing a peer sends makes this reserve more memory than it really sent.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

#: Bodies over this are refused; the largest honest message is an open document.
MAX_BODY = 256 * 1024 * 1024
_MAX_HEADER = 8192
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$", re.IGNORECASE)


class Garbage(Struct, frozen=True):
    """Bytes that were no message; ``reason`` is one plain sentence without any of them."""

    reason: str


Frame = bytes | Garbage


class Unframer:
    """Takes chunks of a stream and gives the frames that end in them."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None
        self._in_header = False
        self._in_body = False
        self._endless = False

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        self._buffer += chunk
        while (frame := self._body() if self._in_body else self._header()) is not None:
            if isinstance(frame, (bytes, Garbage)):
                yield frame

    def _body(self) -> Frame | None:
        length = self._length or 0
        if len(self._buffer) < length:
            return None
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        self._length, self._in_header, self._in_body = None, False, False
        return body

    def _header(self) -> Frame | bool | None:
        """One header line taken: a Garbage, True for "go on", None for "more bytes needed"."""
        end = self._buffer.find(b"\n")
        if end < 0:
            return self._forgotten() if len(self._buffer) > _MAX_HEADER else None
        line = bytes(self._buffer[:end]).rstrip(b"\r")
        del self._buffer[: end + 1]
        if line:
            # Found anywhere in the line: what stands before it is the rest of something broken.
            if found := _LENGTH.search(line[-_MAX_HEADER:]):
                self._length = int(found[1])
            self._in_header = True
            return True
        return self._end_of_header() if self._in_header else True

    def _end_of_header(self) -> Frame | bool:
        length, self._in_header, self._endless = self._length, False, False
        if length is None:
            return Garbage("a header without a usable Content-Length")
        if length > MAX_BODY:
            self._length = None
            return Garbage(f"a message of more than {MAX_BODY} bytes")
        self._in_body = True
        return True

    def _forgotten(self) -> Garbage | None:
        """Forgets a line that never ends, but for a tail in which the next header may begin; said once."""
        del self._buffer[:-64]
        told, self._endless = self._endless, True
        return None if told else Garbage("a header line that does not end")


class Input(threading.Thread):
    """Reads a descriptor to its end and delivers frames in batches, then None.

    A batch holds all that was readable at once, so that a cancellation that came with its request is
    seen before the request has begun. Raw reads: a thread that waits in a buffered reader would hold
    its lock when the interpreter ends.
    """

    def __init__(self, descriptor: int, deliver: Callable[[Sequence[Frame] | None], None]) -> None:
        super().__init__(name="pastwork-input", daemon=True)
        self._descriptor = descriptor
        self._deliver = deliver

    def run(self) -> None:
        os.set_blocking(self._descriptor, True)
        unframer = Unframer()
        while chunk := self._read():
            if frames := list(unframer.feed(chunk)):
                self._deliver(frames)
        self._deliver(None)

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, 1 << 20)
        except OSError:
            return b""


class Output:
    """Writes framed bodies to a descriptor. ``closed`` is called once when the peer is gone."""

    def __init__(self, descriptor: int, closed: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._closed = closed
        self._open = True

    def write(self, body: bytes) -> None:
        if not self._open:
            return
        rest = memoryview(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError:
            self.close()
            self._closed()

    def close(self) -> None:
        """Further writes are dropped."""
        self._open = False
