"""``forget`` as a command: takes the store over, forgets, hands it back."""

from __future__ import annotations

from pathlib import Path

from pastwork.index.okapi import OkapiLane
from pastwork.shapes import ForgetAnswer
from pastwork.store.forget import Forgetting
from pastwork.store.forget import forget as forget_in
from pastwork.sync.handover import borrow


def forget(data: Path, what: Forgetting) -> ForgetAnswer:
    """Removes for good; agents' transcripts are not touched.

    Raises:
        NotFound: no exchange or session of that id is known.
        StoreUnusable, WriterBusy: the store can't be written.
    """
    with borrow(data) as writer:
        return ForgetAnswer(forget_in(writer, what, [OkapiLane(writer.connection)]))
