"""The worker process: ``python -m pastwork.worker``.

JSON lines in, JSON lines out, see ``questions.py``. It ends with its stdin or its parent.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import msgspec

from pastwork.config import config_path, load, session_home
from pastwork.lifeline import tie_to_parent
from pastwork.worker.answers import Answers
from pastwork.worker.questions import Asked
from pastwork.worker.queue import Queue

#: What is being answered when nobody listens any more may go on so long (seconds).
_GRACE = 1.0


def main() -> None:
    """Command line entry; stdout carries answers only."""
    tie_to_parent()
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    queue = Queue()
    threading.Thread(target=_listen_to_the_end, args=(queue,), name="pastwork-questions", daemon=True).start()
    answers = Answers(session_home(), load(config_path()).config, Path.home(), lambda: datetime.now(UTC))
    try:
        serve(queue, out, answers)
    except BrokenPipeError:
        return


def serve(queue: Queue, out: BinaryIO, answers: Answers) -> None:
    """Answers until the queue is closed; rests when nothing is asked for long."""
    encoder = msgspec.json.Encoder()
    while not queue.closed:
        asked = queue.take(answers.idle_seconds)
        if asked is None:
            answers.rest()
        elif asked.config is not None:
            answers.configure(asked.config, asked.careful)
        elif asked.question is not None:
            out.write(_one_line(encoder.encode(answers.answered(asked.number, asked.question))) + b"\n")
            out.flush()


def _one_line(answer: bytes) -> bytes:
    """A tool's input is passed on as its transcript has it, and some transcripts are indented."""
    return msgspec.json.format(answer, indent=-1) if b"\n" in answer else answer


def listen(descriptor: int, queue: Queue) -> None:
    """Fills the queue until the stream ends, then closes it."""
    decoder = msgspec.json.Decoder(Asked)
    for line in _lines(descriptor):
        try:
            queue.put(decoder.decode(line))
        except (msgspec.DecodeError, RecursionError) as error:
            sys.stderr.write(f"pastwork.worker: a line was not understood ({type(error).__name__})\n")
    queue.close()


def _listen_to_the_end(queue: Queue) -> None:
    listen(sys.stdin.fileno(), queue)
    time.sleep(_GRACE)
    os._exit(0)


def _lines(descriptor: int) -> Iterator[bytes]:
    """Read raw: a thread that waits in a buffered reader would hold its lock when the process ends."""
    pending = bytearray()
    while chunk := os.read(descriptor, 1 << 18):
        pending += chunk
        if b"\n" in chunk:
            *lines, pending = pending.split(b"\n")
            yield from map(bytes, lines)


if __name__ == "__main__":
    main()
