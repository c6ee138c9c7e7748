"""Framing: what a peer may send, in whatever chunks."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.lsp.wire import MAX_BODY, Frame, Garbage, Input, Output, Unframer


def frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def frames(data: bytes) -> list[Frame]:
    return list(Unframer().feed(data))


def bodies(found: Sequence[Frame]) -> list[bytes]:
    return [each for each in found if isinstance(each, bytes)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (frame(b"{}"), [b"{}"]),
        (frame(b"") + frame(b"{}"), [b"", b"{}"]),
        (b"Content-Type: x\r\nContent-Length: 2\r\n\r\n{}", [b"{}"]),
        (b"content-length:2\n\n{}", [b"{}"]),
        (b"\r\n\n\r\n" + frame(b"{}"), [b"{}"]),
        (b"Content-Length: -5\r\n\r\n{}" + frame(b"[1]"), [Garbage, b"[1]"]),
        (b"Content-Length: x\r\n\r\n" + frame(b"[1]"), [Garbage, b"[1]"]),
        (b"Content-Length: 99999999999\r\n\r\n" + frame(b"[1]"), [Garbage, b"[1]"]),
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n" + frame(b"[1]"), [Garbage, b"[1]"]),
        (b"GET / HTTP/1.1\r\nHost: here\r\n\r\n" + frame(b"[1]"), [Garbage, b"[1]"]),
        (b"x" * 20000 + frame(b"[1]"), [b"[1]"]),
        (b"x" * 20000, [Garbage]),
        (b"Content-Length: 10\r\n\r\n{}", []),
        (b"Content-Le", []),
        (b"", []),
    ],
)
def test_frames(data: bytes, expected: list[object]) -> None:
    found = frames(data)
    assert [Garbage if isinstance(each, Garbage) else each for each in found] == expected


def test_the_largest_allowed_length_is_waited_for() -> None:
    unframer = Unframer()
    assert not list(unframer.feed(b"Content-Length: %d\r\n\r\n" % MAX_BODY))
    assert isinstance(frames(b"Content-Length: %d\r\n\r\n" % (MAX_BODY + 1))[0], Garbage)


@given(st.lists(st.binary(max_size=50), max_size=6), st.integers(1, 40))
def test_chunks_make_no_difference(texts: list[bytes], step: int) -> None:
    data = b"".join(map(frame, texts))
    unframer = Unframer()
    found = [each for at in range(0, len(data), step) for each in unframer.feed(data[at : at + step])]
    assert found == texts


@given(st.binary(max_size=300))
def test_after_any_garbage_the_next_message_is_understood_by_the_one_after(noise: bytes) -> None:
    """Noise may look like the header of a body that is still to come; then it takes so much and no more."""
    unframer = Unframer()
    list(unframer.feed(noise))
    good = frame(b'{"a": "message"}')
    needed = 1 + (MAX_BODY if unframer._in_body else 0) // len(good)
    if needed > 2:
        return
    assert b'{"a": "message"}' in bodies([each for _ in range(2) for each in unframer.feed(good)])


def test_a_line_that_never_ends_takes_no_memory() -> None:
    unframer = Unframer()
    found = [each for _ in range(100) for each in unframer.feed(b"y" * 65536)]
    assert len(found) == 1
    assert bodies(list(unframer.feed(frame(b"[1]")))) == [b"[1]"]
    assert len(unframer._buffer) <= 65536 + 8192


def test_input_delivers_batches_and_then_the_end() -> None:
    source, target = os.pipe()
    got: list[Sequence[Frame] | None] = []
    done = threading.Event()

    def deliver(batch: Sequence[Frame] | None) -> None:
        got.append(batch)
        if batch is None:
            done.set()

    os.write(target, frame(b"1") + frame(b"2") + frame(b"3")[:-1])
    reader = Input(source, deliver)
    reader.start()
    os.write(target, b"3")
    os.close(target)
    assert done.wait(5)
    reader.join(5)
    os.close(source)
    assert bodies([each for batch in got if batch for each in batch]) == [b"1", b"2", b"3"]
    assert got[0] is not None
    assert len(got[0]) >= 2
    assert got[-1] is None


def test_output_says_once_that_the_peer_is_gone() -> None:
    source, target = os.pipe()
    closed: list[bool] = []
    output = Output(target, lambda: closed.append(True))
    output.write(b"{}")
    assert os.read(source, 100) == b"Content-Length: 2\r\n\r\n{}"
    os.close(source)
    output.write(b"{}")
    output.write(b"{}")
    os.close(target)
    assert closed == [True]
