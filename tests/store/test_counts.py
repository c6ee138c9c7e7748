"""What status tells of the store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pastwork.model import Problem
from pastwork.shapes import IndexStatus, VectorStatus
from pastwork.store.counts import SKIPPED_SHOWN, index_status
from pastwork.store.writer import StoreWriter
from tests.store.samples import exchange, keep

DAY = 86_400
NOW = 1_800_000_000.0


@pytest.fixture
def writer() -> Iterator[StoreWriter]:
    with StoreWriter.empty() as store:
        store.set_agent("claude-code", ["/home/ada/.claude/projects"], "real", 30)
        store.set_agent("zed", ["/home/ada/.local/share/zed"], "fixture-only", None)
        yield store


def test_agents_with_what_they_have(writer: StoreWriter) -> None:
    for number in (1, 2, 3):
        keep(writer, exchange(number, session_id=f"s{number // 2}"))
    keep(writer, exchange(4, agent="imported", edits=()), "/logs/i")
    agents = writer.status_counts("r", NOW).agents
    claude = agents["claude-code"]
    assert claude.roots == ("/home/ada/.claude/projects",)
    assert (claude.sessions, claude.exchanges, claude.edits) == (2, 3, 3)
    assert claude.last_seen == exchange(3).ended_at
    assert (agents["zed"].exchanges, agents["zed"].evidence) == (0, "fixture-only")
    assert (agents["imported"].exchanges, agents["imported"].roots) == (1, ())


@pytest.mark.parametrize(
    ("age", "gone", "expiring"),
    [(1, False, 0), (22.9, False, 0), (23.1, False, 1), (29.9, False, 1), (40, False, 1), (29, True, 0)],
)
def test_transcripts_that_their_agent_deletes_within_a_week(
    writer: StoreWriter, age: float, gone: bool, expiring: int
) -> None:
    state = writer.source("claude-code", Path("/logs/a.jsonl"))
    writer.set_source(
        replace(state, mtime_ns=int((NOW - age * DAY) * 1e9), gone_at="2026-01-01T00:00:00Z" if gone else None)
    )
    found = writer.status_counts("r", NOW).agents["claude-code"]
    assert (found.expiring, found.gone) == (expiring, int(gone))


def test_an_agent_that_keeps_everything_has_nothing_expiring(writer: StoreWriter) -> None:
    writer.source("zed", Path("/logs/z.db"))
    assert writer.status_counts("r", NOW).agents["zed"].expiring == 0


def test_skipped_records_are_listed_to_a_bound_and_counted_whole(writer: StoreWriter) -> None:
    state = writer.source("claude-code", Path("/logs/a.jsonl"))
    writer.set_problems(state.id, [Problem("/logs/a.jsonl", number, "cut") for number in range(SKIPPED_SHOWN + 20)])
    counts = writer.status_counts("r", NOW)
    assert len(counts.agents["claude-code"].skipped) == SKIPPED_SHOWN
    assert counts.skipped == {"claude-code": SKIPPED_SHOWN + 20}


@pytest.mark.parametrize(
    ("said", "alive", "state"),
    [("running", True, "running"), ("running", False, "paused"), ("idle", False, "idle"), ("idle", True, "idle")],
)
def test_a_dead_writer_is_not_running(writer: StoreWriter, said: str, alive: bool, state: str) -> None:
    writer.set_fact("index", json.dumps([said, 3, 9, None]))
    assert index_status(writer.connection, alive) == IndexStatus(state, 3, 9, None)


def test_before_anything_was_said(writer: StoreWriter) -> None:
    counts = writer.status_counts("r", NOW)
    assert counts.index == IndexStatus()
    assert counts.vectors == VectorStatus(0, 0)
