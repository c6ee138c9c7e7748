"""What an exchange wrote in a file, to be compared with the file today."""

from __future__ import annotations

from collections.abc import Iterator

from pastwork.anchor.placer import Placer
from pastwork.anchor.written import Written, as_written
from pastwork.errors import NotFound
from pastwork.palace.history import Subject
from pastwork.palace.show import find
from pastwork.shapes import WrittenAnswer
from pastwork.store.reader import StoreReader


def written(store: StoreReader, placer: Placer, asked: Subject, exchange_id: str) -> WrittenAnswer:
    """Today's text with what the exchange wrote put back. Raises NotFound, also where it wrote nothing here."""
    kept = find(store, exchange_id)
    edits = placer.edits(store.edits, asked.places, asked.file)
    mine = [stored for stored in edits if stored.exchange_id == kept.id]
    if not mine:
        raise NotFound(f"this exchange did not write {asked.file.name}", "Its verbatim names the files it wrote.")
    if not any(stored.edit.hunks or stored.edit.action == "deleted" for stored in mine):
        raise NotFound(
            f"the transcript names {asked.file.name}, but not what was written", "Its verbatim is all there is."
        )
    found = as_written(asked.text or "", mine)
    return WrittenAnswer(str(asked.file), found.text, " ".join(_notes(found)) or None)


def _notes(found: Written) -> Iterator[str]:
    if found.deleted:
        yield "This exchange deleted the file."
    if found.by_number:
        yield f"{_changes(found.by_number)} left no trace in the text of today; shown at the line where it was made."
    if found.left_out:
        yield f"{_changes(found.left_out)} has no place in the text of today and is left out."


def _changes(count: int) -> str:
    return "One change" if count == 1 else f"Each of {count} changes"
