"""Helper processes that read and distil transcripts while this one stores.

Only worth their start for much that is new. Each helper (``helper.py``) gets one transcript after
the other on its stdin and answers with steps on its stdout; a thread a helper collects them, as
bytes and up to a bound. They are taken in the order of the jobs, so the store sees what it would see
without helpers. A helper that is lost costs nothing but its start: its transcript is read here.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import IO, Self

import msgspec

from pastwork.sync.reading import Order, Step

#: Bytes of new transcripts from which on helpers are started.
WORTH = 8_000_000
#: Bytes of steps that one helper may be ahead.
BOUND = 32_000_000
#: How a message's length is written; 0 ends one transcript's steps.
LENGTH = 4


class HelperLost(Exception):
    """A helper ended in the middle of a transcript."""


class Ahead:
    """The steps of ``orders``, read ahead by ``count`` helpers; a context that ends them."""

    def __init__(self, orders: Sequence[Order], count: int) -> None:
        self._waiting = deque(enumerate(orders))
        self._taken: dict[int, _Helper] = {}
        self._change = threading.Condition()
        self._helpers = [_Helper(self._next, self._gone) for _ in range(count)]
        self._working = count

    def steps(self, number: int) -> Iterator[Step]:
        """One order's steps; to be asked for in their order.

        Raises:
            HelperLost: at any moment, also before the first step.
        """
        with self._change:
            while number not in self._taken:
                if not self._working:
                    raise HelperLost
                self._change.wait()
            helper = self._taken.pop(number)
        return helper.steps()

    def __enter__(self) -> Self:
        for helper in self._helpers:
            helper.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        for helper in self._helpers:
            helper.end()

    def _next(self, helper: _Helper) -> Order | None:
        """What a helper does next."""
        with self._change:
            if not self._waiting:
                return None
            number, order = self._waiting.popleft()
            self._taken[number] = helper
            self._change.notify_all()
            return order

    def _gone(self) -> None:
        with self._change:
            self._working -= 1
            self._change.notify_all()


class _Helper:
    """One process, the thread that listens to it, and what it said that nobody took yet."""

    def __init__(self, following: Callable[[_Helper], Order | None], gone: Callable[[], None]) -> None:
        self._following = following
        self._gone = gone
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="helper", daemon=True)
        self._said: deque[bytes | None] = deque()
        self._ahead = 0
        self._ended = False
        self._change = threading.Condition()

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        with self._change:
            self._ended = True
            self._change.notify_all()
            if self._process is not None:
                self._process.kill()
        self._thread.join()

    def steps(self) -> Iterator[Step]:
        """What it says of the transcript that is next in its own order."""
        decode = msgspec.msgpack.Decoder(Step).decode
        while message := self._take():
            yield decode(message)

    def _take(self) -> bytes:
        with self._change:
            while not self._said:
                self._change.wait()
            message = self._said.popleft()
            if message is None:
                self._said.append(None)
                raise HelperLost
            self._ahead -= len(message)
            self._change.notify_all()
            return message

    def _run(self) -> None:
        try:
            process = self._begun()
            if process is not None and process.stdin is not None and process.stdout is not None:
                with process, process.stdin as out, process.stdout as back:
                    self._serve(out, back)
        except OSError:  # it could not be started, or is gone
            pass
        finally:
            self._put(None)
            self._gone()

    def _begun(self) -> subprocess.Popen[bytes] | None:
        command = [sys.executable, "-P", "-m", "pastwork.sync.helper"]
        with self._change:
            if not self._ended:
                self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            return self._process

    def _serve(self, out: IO[bytes], back: IO[bytes]) -> None:
        while not self._ended and (order := self._following(self)) is not None:
            send(out, order.encoded())
            while message := receive(back):
                self._put(message)
            if message is None:
                return
            self._put(b"")

    def _put(self, message: bytes | None) -> None:
        with self._change:
            while self._ahead > BOUND and not self._ended:
                self._change.wait()
            self._said.append(message)
            self._ahead += len(message or b"")
            self._change.notify_all()


def send(out: IO[bytes], message: bytes) -> None:
    out.write(len(message).to_bytes(LENGTH) + message)
    out.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None at the end, also at one in the middle of a message."""
    head = stream.read(LENGTH)
    size = int.from_bytes(head) if len(head) == LENGTH else -1
    message = stream.read(size) if size > 0 else b""
    return None if size < 0 or len(message) < size else message
