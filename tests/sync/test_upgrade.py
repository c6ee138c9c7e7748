"""The queue of a language model's work always moves, loses nothing and can be stopped anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from pastwork.distill.digest import digest
from pastwork.distill.ollama import Limits, OllamaDistiller, Outcome
from pastwork.errors import Unavailable
from pastwork.model import Entry, Exchange, PalaceObject
from pastwork.store.records import Digest
from pastwork.store.writer import StoreWriter
from pastwork.sync.upgrade import USUAL, Run, estimate, upgrade, waiting
from tests.distill.ollama_server import Answer, served
from tests.store.samples import exchange, keep

NAME = "ollama:tiny#1"


def told(number: int) -> Exchange:
    text = f"Raise the pool timeout to {number} seconds"
    found = replace(exchange(number), prompt=text, started_at=f"2026-01-0{number}T10:00:00Z")
    return replace(found, entries=(Entry("user", text), Entry("assistant", f"Raised it to {number} s in src/pool.py.")))


def filled(writer: StoreWriter, count: int) -> list[int]:
    """Rows, the newest first."""
    rows = []
    for number in range(1, count + 1):
        found = digest(told(number))
        rows.append(keep(writer, told(number), made=Digest(found.object, terms=found.terms)))
    return rows[::-1]


class Fake:
    """Answers by what ``made`` gives for the number of the call."""

    name = NAME

    def __init__(self, made: Callable[[int], str]) -> None:
        self.made = made
        self.prompts: list[str] = []

    def distil(self, exchange: Exchange, built_in: PalaceObject) -> Outcome:
        self.prompts.append(exchange.prompt)
        match self.made(len(self.prompts)):
            case "gone":
                raise Unavailable("Ollama does not answer")
            case "better":
                return Outcome(replace(built_in, exchange_core="Raised the pool timeout", distilled_by=NAME), "better")
            case verdict:
                return Outcome(None, "refused" if verdict == "refused" else "failed", "the reply does not end")


def run(writer: StoreWriter, **more: object) -> Run:
    @contextmanager
    def same() -> Iterator[StoreWriter]:
        yield writer

    return Run(same, **more)  # type: ignore[arg-type]


def distillers(writer: StoreWriter, rows: list[int]) -> list[str]:
    kept = writer.kept(rows)
    return [kept[row].object.distilled_by for row in rows]


def test_newest_first_each_once() -> None:
    with StoreWriter.empty() as writer:
        rows = filled(writer, 3)
        distiller = Fake(lambda call: "better")
        assert waiting(writer, NAME, 2) == (rows[:2], 1)
        answer = upgrade(writer, waiting(writer, NAME, 2)[0], distiller, run(writer))
        assert (answer.distilled, answer.kept_extractive, answer.left) == (2, 0, 0)
        assert [prompt.split()[-2] for prompt in distiller.prompts] == ["3", "2"]
        assert distillers(writer, rows) == [NAME, NAME, "extractive"]
        assert waiting(writer, NAME, None) == (rows[2:], 0)
        pending = dict(writer.pending_vectors("r"))
        assert "Raised the pool timeout" in pending[rows[0]]


def test_what_fails_is_not_asked_again_and_keeps_its_object() -> None:
    with StoreWriter.empty() as writer:
        rows = filled(writer, 4)
        before = writer.kept(rows)
        distiller = Fake(lambda call: ["better", "failed", "refused", "refused"][call - 1])
        answer = upgrade(writer, rows, distiller, run(writer))
        assert (answer.distilled, answer.kept_extractive, answer.left) == (1, 3, 0)
        assert any(note.startswith("2 kept as they were: the model's words") for note in answer.notes)
        assert waiting(writer, NAME, None) == ([], 0)
        after = writer.kept(rows)
        assert [after[row] == before[row] for row in rows] == [False, True, True, True]
        assert len(waiting(writer, "ollama:other#1", None)[0]) == 4


def test_a_server_that_goes_leaves_the_rest_waiting() -> None:
    with StoreWriter.empty() as writer:
        rows = filled(writer, 4)
        answer = upgrade(writer, rows, Fake(lambda call: "gone" if call == 3 else "better"), run(writer))
        assert (answer.distilled, answer.left) == (2, 2)
        assert answer.notes == ("Ollama does not answer; the rest waits",)
        assert waiting(writer, NAME, None)[0] == rows[2:]


def test_stopped_by_the_user_and_by_time() -> None:
    with StoreWriter.empty() as writer:
        rows = filled(writer, 4)
        distiller = Fake(lambda call: "better")
        answer = upgrade(writer, rows, distiller, run(writer, stop=lambda: len(distiller.prompts) == 1))
        assert (answer.distilled, answer.left) == (1, 3)
        clock = iter(float(second) for second in range(0, 1_000, 10))
        answer = upgrade(writer, rows[1:], distiller, run(writer, seconds=15.0, clock=lambda: next(clock)))
        assert answer.distilled == 1
        assert distillers(writer, rows) == [NAME, NAME, "extractive", "extractive"]


def test_an_estimate_comes_from_the_last_run() -> None:
    with StoreWriter.empty() as writer:
        rows = filled(writer, 2)
        assert estimate(writer, NAME, 10) == 10 * USUAL
        clock = iter(float(second) for second in range(0, 1_000, 2))
        upgrade(writer, rows, Fake(lambda call: "better"), run(writer, clock=lambda: next(clock)))
        assert 0 < estimate(writer, NAME, 10) != 10 * USUAL


def test_what_changed_meanwhile_is_left_alone() -> None:
    with StoreWriter.empty() as writer:
        (row,) = filled(writer, 1)

        def grown(_call: int) -> str:
            longer = replace(told(1), entries=(*told(1).entries, Entry("assistant", "And one thing more.")))
            keep(writer, longer, made=Digest(digest(longer).object))
            return "better"

        upgrade(writer, [row], Fake(grown), run(writer))
        assert distillers(writer, [row]) == ["extractive"]
        assert waiting(writer, NAME, None) == ([row], 0)


def test_progress_is_told() -> None:
    with StoreWriter.empty() as writer:
        rows = filled(writer, 2)
        seen: list[tuple[int, int]] = []
        upgrade(writer, rows, Fake(lambda call: "better"), run(writer, told=lambda at, of: seen.append((at, of))))
        assert seen == [(1, 2), (2, 2)]


def test_with_the_real_client_secrets_never_leave() -> None:
    secret = "hunter2" + "-not-real"
    good = json.dumps({"exchange_core": "Raised the pool timeout to 1 seconds", "specific_context": "src/pool.py"})
    with StoreWriter.empty() as writer, served(Answer(good), models=("tiny",)) as server:
        leaky = replace(told(1), prompt=f"{told(1).prompt} with password='{secret}'")
        row = keep(writer, leaky, made=Digest(digest(leaky).object))
        with OllamaDistiller("tiny", server.url, Limits(reply=5.0)) as distiller:
            answer = upgrade(writer, [row], distiller, run(writer))
        assert (answer.distilled, distillers(writer, [row])) == (1, [NAME])
        assert secret not in json.dumps(server.asked)
        assert "[masked: password]" in json.dumps(server.asked)
