"""The text behind a snippet is the one that was indexed: masked, and the same where it has to be made again."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import asdict, replace

from pastwork.distill.digest import digest as distilled
from pastwork.index.base import Fields
from pastwork.model import Entry, Exchange, ToolCall
from pastwork.palace.passages import KEPT, READ, Passages, fields
from pastwork.store.reader import StoreReader
from tests.palace.world import World, digest, exchange

TOKEN = "ghp_" + "A1b2C3d4E5" * 4
SECRETS = [f"export GITHUB_TOKEN={TOKEN}", 'password: "hunter2-and-more"']


def told(*tools: ToolCall, prompt: str = "Do it", answer: str = "Done.") -> Exchange:
    return exchange(1, "/w", prompt, answer, tools=tools)


def put(world: World, found: Exchange, texts: Fields | None = None) -> int:
    row = world.put(found, digest(found, "Did it"))
    world.writer.connection.execute("DELETE FROM searched")
    if texts is not None:
        world.writer.put_fields([(row, texts)])
    return row


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_what_was_indexed_is_read(world: World) -> None:
    row = put(world, told(), Fields("the prompt", "the answer", "make test", ""))
    assert Passages(masking=True).text(world.writer, row) == "the prompt\n\nthe answer\n\nmake test"


@pytest.mark.parametrize(
    "found",
    [
        told(),
        told(prompt=SECRETS[0]),
        told(answer=SECRETS[1]),
        told(ToolCall("Bash", "run", f'{{"command": "{SECRETS[0]}"}}', "failed", None, False)),
    ],
)
def test_what_is_not_kept_is_made_again(world: World, found: Exchange) -> None:
    assert fields(world.writer, put(world, found), masking=True) == Fields(**asdict(distilled(found).texts))


@pytest.mark.parametrize("secret", SECRETS)
def test_a_snippet_holds_no_secret(world: World, secret: str) -> None:
    row = put(world, told(answer=f"I used {secret} for the upload"))
    (best,) = Passages(masking=True).best(world.writer, [row], {"masked": 1.0}, ())
    assert "masked" in best.text
    assert secret not in best.text


def test_a_changed_exchange_is_read_again(world: World) -> None:
    first = replace(told(answer="the first answer"), open=True)
    row = put(world, first)
    passages = Passages(masking=True)
    assert "first answer" in passages.text(world.writer, row)
    grown = replace(first, entries=(*first.entries, Entry("assistant", "and a second one", "2026-01-01T11:00:00Z")))
    assert put(world, grown) == row
    assert "a second one" in passages.text(world.writer, row)


def test_damage_gives_no_snippet(world: World) -> None:
    damaged = put(world, told())
    whole = world.put(second := exchange(2, "/w", "Another prompt"), digest(second, "Did it"))
    world.writer.put_fields([(damaged, Fields("the prompt")), (whole, Fields("another prompt"))])
    world.writer.connection.execute("UPDATE searched SET data = x'00' WHERE row = ?", (damaged,))
    found = Passages(masking=True).best(world.writer, [damaged, 999, whole], {"prompt": 1.0}, ())
    assert [snippet.text for snippet in found] == ["", "", "another prompt"]


def test_texts_are_read_at_once(world: World) -> None:
    rows = [world.put(found := exchange(n, "/w", f"Prompt {n}"), digest(found, "Did it")) for n in range(1, READ + 9)]
    world.writer.put_fields([(row, Fields(f"text {row}")) for row in rows])
    asked: list[str] = []
    world.writer.connection.set_trace_callback(asked.append)
    found = list(Passages(masking=True).best(world.writer, rows, {"text": 1.0}, ()))
    world.writer.connection.set_trace_callback(None)
    assert [snippet.text for snippet in found] == [f"text {row}" for row in rows]
    assert len(asked) <= 4


def test_memory_is_bounded(world: World) -> None:
    class Counting(Passages):
        def held(self) -> int:
            return len(self._texts)

    rows = [
        put(world, exchange(number, "/w", f"Prompt {number}", started_at="2026-01-01T10:00:00Z"))
        for number in range(1, KEPT + 9)
    ]
    passages = Counting(masking=True)
    store: StoreReader = world.writer
    for row in rows:
        passages.text(store, row)
        assert passages.held() <= KEPT
