"""The text behind a snippet is the one that was indexed: masked, and the same however it is made."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pastwork.distill.redact import masked
from pastwork.distill.text import searchable
from pastwork.model import Entry, Exchange, ToolCall
from pastwork.palace.passages import KEPT, Passages, searched_text
from pastwork.store.reader import StoreReader
from tests.palace.world import World, digest, exchange

TOKEN = "ghp_" + "A1b2C3d4E5" * 4
SECRETS = [f"export GITHUB_TOKEN={TOKEN}", 'password: "hunter2-and-more"', "-----BEGIN PRIVATE KEY-----\n" + "QUJD" * 30]


def told(*tools: ToolCall, prompt: str = "Do it", answer: str = "Done.") -> Exchange:
    return exchange(1, "/w", prompt, answer, tools=tools)


@pytest.mark.parametrize(
    "found",
    [
        told(),
        told(prompt=SECRETS[0]),
        told(answer=SECRETS[1]),
        told(ToolCall("Bash", "run", '{"command": "curl -H x"}', "fine", None, True)),
        told(ToolCall("Bash", "run", f'{{"command": "{SECRETS[0]}"}}', "failed\n" + SECRETS[2], None, False)),
        told(ToolCall("Bash", "run", '{"command": "make"}', "x" * 9000, None, False)),
        told(ToolCall("Write", "a.py", '{"content": "' + "y" * 9000 + '"}', "", "+y", True)),
        told(ToolCall("Bash", "run", '{"command": "' + "z" * 9000 + '"}', "", None, True)),
        told(ToolCall("Odd", "odd", "not json", SECRETS[0], None, None)),
        told(prompt="p" * 250_000),
        told(answer="a" * 250_000),
    ],
)
def test_it_is_what_was_indexed(found: Exchange) -> None:
    assert searched_text(found, masking=True) == searchable(masked(found))
    assert searched_text(found, masking=False) == searchable(found)


PARTS = st.lists(st.sampled_from([*SECRETS, "token", "=", "key:", "words of it", "\n", "\n\n", '"', TOKEN[:30]]), max_size=6)


@given(PARTS.map("".join), PARTS.map("".join), PARTS.map("".join), st.sampled_from([True, False, None]))
@settings(max_examples=300, deadline=None)
def test_no_way_of_spreading_a_secret_changes_that(prompt: str, answer: str, output: str, ok: bool | None) -> None:
    found = told(ToolCall("Bash", "", '{"command": "make"}', output, None, ok), prompt=prompt, answer=answer)
    assert searched_text(found, masking=True) == searchable(masked(found))


@pytest.mark.parametrize("secret", SECRETS)
def test_a_snippet_holds_no_secret(tmp_path: Path, secret: str) -> None:
    world = World(tmp_path)
    row = world.put(told(answer=f"I used {secret} for the upload"), digest(told(), "Uploaded"))
    best = Passages(masking=True).best(world.writer, row, {"masked": 1.0}, ())
    assert "masked" in best.text
    assert secret not in best.text
    world.close()


def test_a_changed_exchange_is_read_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    first = replace(told(answer="the first answer"), open=True)
    row = world.put(first, digest(first, "First"))
    passages = Passages(masking=True)
    assert "first answer" in passages.text(world.writer, row)
    grown = replace(first, entries=(*first.entries, Entry("assistant", "and a second one", "2026-01-01T11:00:00Z")))
    assert world.put(grown, digest(grown, "Second")) == row
    assert "a second one" in passages.text(world.writer, row)
    world.close()


def test_a_damaged_verbatim_gives_no_snippet(tmp_path: Path) -> None:
    world = World(tmp_path)
    row = world.put(told(), digest(told(), "Did"))
    world.writer.connection.execute("UPDATE verbatim SET data = x'00'")
    assert Passages(masking=True).best(world.writer, row, {"do": 1.0}, ()).text == ""
    assert Passages(masking=True).best(world.writer, 999, {"do": 1.0}, ()).text == ""
    world.close()


def test_memory_is_bounded(tmp_path: Path) -> None:
    class Counting(Passages):
        def held(self) -> int:
            return len(self._texts)

    world = World(tmp_path)
    rows = []
    for number in range(1, KEPT + 20):
        found = exchange(number, "/w", f"Prompt {number}", started_at="2026-01-01T10:00:00Z")
        rows.append(world.put(found, digest(found, "Did")))
    passages = Counting(masking=True)
    store: StoreReader = world.writer
    for row in rows:
        passages.text(store, row)
        assert passages.held() <= KEPT
    world.close()
