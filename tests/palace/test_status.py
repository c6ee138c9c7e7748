"""What is indexed and what is weak about it."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from pastwork.config import Config, Embedding
from pastwork.model import UNKNOWN, Problem
from pastwork.palace import Palace
from pastwork.palace.status import embedder_name
from tests.palace.world import World, clock, fill


def test_counts(tmp_path: Path) -> None:
    world = World(tmp_path / "data")
    fill(world, "/w/shop", "/p/shop")
    world.writer.set_agent("claude-code", ["/home/dev/.claude/projects"], "real", 30)
    world.writer.set_agent("codex", [], "real", None)
    source = world.writer.sources()[0]
    world.writer.set_problems(
        source.id, [Problem("a.jsonl", 12, "the line is cut"), Problem("a.jsonl", 0, f"{UNKNOWN}pear")]
    )
    world.close()
    with Palace(tmp_path / "data", Config(), tmp_path, clock) as palace:
        answer = palace.status()
    claude = answer.agents["claude-code"]
    assert (claude.sessions, claude.exchanges, claude.edits, claude.roots) == (3, 5, 2, ("/home/dev/.claude/projects",))
    assert [(each.offset, each.reason) for each in claude.skipped] == [(12, "the line is cut")]
    assert claude.unknown == {"pear": 1}
    assert (answer.agents["codex"].exchanges, answer.agents["codex"].last_seen) == (2, "2026-01-05T10:00:00Z")
    assert (answer.vectors.ready, answer.vectors.pending) == (0, 7)
    assert answer.store.path == str(tmp_path / "data" / "palace.db")
    assert answer.store.bytes > 0


def test_transcripts_that_will_be_deleted_are_told(tmp_path: Path) -> None:
    """The agent deletes after 30 days; this one was last written 25 days before the clock's day."""
    world = World(tmp_path / "data")
    fill(world, "/w/shop", "/p/shop")
    world.writer.set_agent("claude-code", [], "real", 30)
    state = next(source for source in world.writer.sources() if source.agent == "claude-code")
    for source in world.writer.sources():
        days = 25 if source.id == state.id else 1
        world.writer.set_source(replace(source, mtime_ns=int((clock().timestamp() - days * 86400) * 1e9)))
    world.close()
    with Palace(tmp_path / "data", Config(), tmp_path, clock) as palace:
        answer = palace.status()
    assert answer.agents["claude-code"].expiring == 1
    assert answer.notes == (
        "claude-code will delete 1 transcript within a week; pastwork keeps its own copy of what it has read",
    )


def test_before_the_first_index(tmp_path: Path) -> None:
    with Palace(tmp_path / "none", Config(), tmp_path, clock) as palace:
        answer = palace.status()
    assert (answer.agents, answer.notes) == ({}, ("nothing is indexed yet; run `pastwork index`",))


def test_the_name_of_the_vectors() -> None:
    assert embedder_name(Config()).startswith("all-MiniLM-L6-v2@")
    torch = Config(embedding=Embedding(backend="sentence-transformers", model="some/model"))
    assert embedder_name(torch) == "torch:some/model"
