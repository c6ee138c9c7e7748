"""Going back to the built-in distiller: only what others distilled, newest first, stopped at any time."""

from __future__ import annotations

from msgspec.structs import replace

from pastwork.distill.digest import digest as by_rules
from pastwork.model import Entry, Exchange
from pastwork.store.records import Digest
from pastwork.store.writer import StoreWriter
from pastwork.sync.redistil import estimate, redistil, waiting
from tests.store.samples import exchange, keep


def told(number: int) -> Exchange:
    text = f"Raise the pool timeout to {number} seconds"
    found = replace(exchange(number), prompt=text, started_at=f"2026-01-0{number}T10:00:00Z")
    return replace(found, entries=(Entry("user", text), Entry("assistant", f"Raised it to {number} s in src/pool.py.")))


def filled(writer: StoreWriter, distillers: dict[int, str]) -> dict[int, int]:
    """Row -> number of the exchange."""
    rows = {}
    for number, distiller in distillers.items():
        found = by_rules(told(number))
        by_model = replace(found.object, exchange_core="a model's words", distilled_by=distiller)
        rows[keep(writer, told(number), made=Digest(by_model, tokens_distilled=99))] = number
    return rows


def test_only_what_others_distilled_newest_first() -> None:
    with StoreWriter.empty() as writer:
        rows = filled(writer, {1: "ollama:x", 2: "extractive", 3: "ollama:x", 4: "ollama:y"})
        now, later = waiting(writer, None)
        assert ([rows[row] for row in now], later) == ([4, 3, 1], 0)
        assert waiting(writer, 1) == (now[:1], 2)
        assert estimate(writer, now, masking=True) >= 0


def test_objects_are_the_rules_own_and_rooms_stay() -> None:
    with StoreWriter.empty() as writer:
        rows = filled(writer, {1: "ollama:x", 2: "ollama:x"})
        before = {row: kept.object.room_assignments for row, kept in writer.kept(list(rows)).items()}
        answer = redistil(writer, waiting(writer, None)[0], masking=True)
        assert (answer.distilled, answer.left) == (2, 0)
        for row, kept in writer.kept(list(rows)).items():
            expected = by_rules(told(rows[row]))
            assert kept.object.exchange_core == expected.object.exchange_core
            assert (kept.object.distilled_by, kept.tokens_distilled) == ("extractive", expected.tokens_distilled)
            assert kept.object.room_assignments == before[row]
        assert waiting(writer, None) == ([], 0)


def test_stopped_and_gone_on_with() -> None:
    with StoreWriter.empty() as writer:
        filled(writer, {1: "ollama:x", 2: "ollama:x", 3: "ollama:x"})
        seen: list[tuple[int, int]] = []
        answer = redistil(
            writer, waiting(writer, None)[0], True, lambda: len(seen) == 1, lambda a, b: seen.append((a, b))
        )
        assert (answer.distilled, answer.left, seen) == (1, 2, [(1, 3)])
        assert len(waiting(writer, None)[0]) == 2


def test_a_damaged_verbatim_is_left() -> None:
    with StoreWriter.empty() as writer:
        filled(writer, {1: "ollama:x"})
        writer.connection.execute("UPDATE verbatim SET data = x'00'")
        answer = redistil(writer, waiting(writer, None)[0], masking=True)
        assert (answer.distilled, answer.left) == (0, 1)
