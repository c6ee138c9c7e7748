"""``python -m pastwork.sync.helper``: reads and distils transcripts for a sync, see ``ahead.py``."""

from __future__ import annotations

import signal
import sys
from functools import partial

import msgspec

from pastwork.lifeline import tie_to_parent
from pastwork.sync.ahead import receive, send
from pastwork.sync.digest import distil
from pastwork.sync.reading import Order, steps
from pastwork.transcripts.registry import reader_of


def main() -> int:
    """Until stdin ends; the parent decides what an interrupt means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tie_to_parent()
    out = sys.stdout.buffer
    encode = msgspec.msgpack.Encoder().encode
    try:
        while message := receive(sys.stdin.buffer):
            order = Order.decoded(message)
            reader = reader_of(order.source.agent)
            if reader is None:
                return 1
            rules = partial(distil, masking=order.masking)
            for step in steps(reader, order, rules):
                send(out, encode(step))
            send(out, b"")
    except (BrokenPipeError, MemoryError):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
