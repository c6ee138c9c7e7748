"""Real transcripts: counts against the corpus' own, every labelled exchange, going on from every turn."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pastwork.model import Exchange, Problem
from pastwork.transcripts.base import Env, Reader, Source, Turn
from pastwork.transcripts.claude_code import CLAUDE_CODE
from pastwork.transcripts.codex import CODEX

pytestmark = pytest.mark.shared

READERS: tuple[Reader, ...] = (CLAUDE_CODE, CODEX)
#: Claude Code exchanges that the corpus' simple count does not have, and the one that it has too many;
#: docs/agents.md names the rules.
COMMANDS = ["/github-pr-review", "/review", "/superpowers:execute-plan"]
HOOK = "Operation stopped by hook:"
#: Labelled files that belong to a slash command's own exchange here.
UNDER_COMMANDS = {"4eda55ff228a", "8178ed95aef7"}


@pytest.fixture(scope="module")
def sources(corpus_home: Path) -> dict[str, list[Source]]:
    return {reader.agent: list(reader.locate(Env(corpus_home, {}))) for reader in READERS}


@pytest.fixture(scope="module")
def read(sources: dict[str, list[Source]]) -> dict[str, list[Exchange]]:
    return {
        reader.agent: [turn.exchange for each in sources[reader.agent] for turn in turns(reader, each)]
        for reader in READERS
    }


def turns(reader: Reader, source: Source) -> list[Turn]:
    return [item for item in reader.read(source) if isinstance(item, Turn)]


def rows_of(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def simply_counted(path: Path) -> list[str]:
    """Claude Code prompts as the corpus' README counts them: typed, no results, notices, echoes or interruptions."""
    found = []
    for row in rows_of(path):
        if row["type"] != "user" or row.get("isMeta") or row.get("isCompactSummary"):
            continue
        content = row["message"]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        text = "\n".join(block.get("text", "") for block in blocks)
        if not any(block["type"] == "tool_result" for block in blocks) and not text.startswith(("<", "[Request")):
            found.append(text)
    return found


def test_claude_code_counts(sources: dict[str, list[Source]], read: dict[str, list[Exchange]]) -> None:
    exchanges = read["claude-code"]
    by_session = Counter(exchange.session_id for exchange in exchanges)
    simple = {source.path.stem: simply_counted(source.path) for source in sources["claude-code"]}
    assert (len(simple), sum(map(len, simple.values()))) == (13, 140)
    commands = [exchange for exchange in exchanges if exchange.prompt.startswith("/")]
    assert sorted(exchange.prompt for exchange in commands) == COMMANDS
    for session, prompts in simple.items():
        more = sum(exchange.session_id == session for exchange in commands)
        fewer = sum(prompt.startswith(HOOK) for prompt in prompts)
        assert by_session[session] == len(prompts) + more - fewer
    assert len(exchanges) == 142


def test_codex_counts(sources: dict[str, list[Source]], read: dict[str, list[Exchange]]) -> None:
    by_session = Counter(exchange.session_id for exchange in read["codex"])
    assert (len(by_session), sum(by_session.values())) == (20, 208)
    for source in sources["codex"]:
        if source.path.suffix == ".jsonl":
            told = [row["payload"] for row in rows_of(source.path) if row["type"] == "event_msg"]
            prompts = sum(event["type"] == "user_message" for event in told)
            assert by_session[source.path.stem[-36:]] == prompts


def test_ids_are_unique(read: dict[str, list[Exchange]]) -> None:
    exchanges = [exchange for each in read.values() for exchange in each]
    assert len({exchange.id for exchange in exchanges}) == len(exchanges)
    assert len({exchange.twin for exchange in exchanges}) == len(exchanges)


def test_nothing_in_the_corpus_is_damaged(sources: dict[str, list[Source]]) -> None:
    for reader in READERS:
        for source in sources[reader.agent]:
            assert [item for item in reader.read(source) if isinstance(item, Problem)] == []


def normal(text: str) -> str:
    return " ".join(text.split()).lower()[:200]


def apart(exchange: Exchange, label: dict[str, Any]) -> float:
    """Seconds between an exchange's beginning and a label's."""
    if exchange.started_at is None:
        return float("inf")
    times = (datetime.fromisoformat(exchange.started_at), datetime.fromisoformat(label["started_at"]))
    return abs((times[0] - times[1]).total_seconds())


def test_every_label_has_one_exchange(shared: Path, read: dict[str, list[Exchange]]) -> None:
    by_prompt: dict[tuple[str, str, str], list[Exchange]] = defaultdict(list)
    for exchange in (exchange for each in read.values() for exchange in each):
        by_prompt[exchange.agent, exchange.session_id, normal(exchange.prompt)].append(exchange)
    labels = [label for label in rows_of(shared / "eval" / "exchanges.jsonl") if label["agent"] in read]
    assert len(labels) == 288
    taken: Counter[str] = Counter()
    for label in labels:
        found = by_prompt[label["agent"], label["session_id"], normal(label["prompt"])]
        nearest = min(found, key=lambda exchange: apart(exchange, label))
        assert apart(nearest, label) < 1
        taken[nearest.id] += 1
        if label["key"] not in UNDER_COMMANDS:
            assert set(label["files"]) <= {edit.path for edit in nearest.edits}
    assert set(taken.values()) == {1}


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.agent)
def test_reading_goes_on_exactly_from_every_turn(sources: dict[str, list[Source]], reader: Reader) -> None:
    for source in sources[reader.agent]:
        whole = turns(reader, source)
        for place, turn in enumerate(whole):
            assert [item for item in reader.read(source, turn.at) if isinstance(item, Turn)] == whole[place:]


def test_edits_have_what_the_transcripts_show(read: dict[str, list[Exchange]]) -> None:
    """Nearly all of Claude Code's edits have numbered hunks or whole contents, sub-agents' old and new text."""
    claude = Counter(edit.evidence for exchange in read["claude-code"] for edit in exchange.edits)
    codex = Counter(edit.evidence for exchange in read["codex"] for edit in exchange.edits)
    assert claude == {"patch": 419, "text": 33, "content": 21}
    assert codex == {"patch": 161, "content": 44}
    assert all(edit.hunks for each in read.values() for exchange in each for edit in exchange.edits)
