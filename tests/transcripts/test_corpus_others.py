"""Real transcripts of the other agents: counts against the corpus' own, every label, places, speed.

The corpus' README counts by a simple reader; docs/agents.md names the rule behind each difference.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from pastwork.model import Exchange, Problem, Session
from pastwork.transcripts import aider
from pastwork.transcripts.aider import AIDER, why_not
from pastwork.transcripts.aider_runs import stretches
from pastwork.transcripts.base import Env, Item, Reader, Source, Turn
from pastwork.transcripts.copilot_cli import COPILOT_CLI
from pastwork.transcripts.cursor import CURSOR
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.pi import PI
from pastwork.transcripts.specstory import SPECSTORY
from tests.transcripts.test_corpus import apart, normal

pytestmark = pytest.mark.shared

READERS: tuple[Reader, ...] = (SPECSTORY, AIDER, COPILOT_CLI, PI, CURSOR)
each = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.agent)
#: The folder that recorded paths of the SpecStory part are below, seen from the corpus' home.
PROJECT = "code/getspecstory"


@pytest.fixture(scope="module")
def sources(corpus_home: Path) -> dict[str, list[Source]]:
    env = Env(corpus_home, {}, scans=(corpus_home / "code",))
    return {reader.agent: list(reader.locate(env)) for reader in READERS}


@pytest.fixture(scope="module")
def items(sources: dict[str, list[Source]]) -> dict[str, list[Item]]:
    return {
        reader.agent: [item for source in sources[reader.agent] for item in reader.read(source)] for reader in READERS
    }


@pytest.fixture(scope="module")
def read(items: dict[str, list[Item]]) -> dict[str, list[Exchange]]:
    return {agent: [item.exchange for item in found if isinstance(item, Turn)] for agent, found in items.items()}


def counts(found: list[Exchange]) -> tuple[int, int]:
    """Sessions and exchanges."""
    return len({exchange.session_id for exchange in found}), len(found)


@pytest.mark.parametrize(
    ("agent", "files", "sessions", "exchanges"),
    [
        ("copilot-cli", 12, 12, 15),
        ("pi", 2, 2, 143),
        # Eight histories hold only echoes of commands; two more prompts than the simple reader's quote its tags.
        ("specstory", 174, 166, 1299),
        # Of 49 blocks 21 are commands or answers to aider's questions; one run of nine holds nothing else.
        ("aider", 1, 8, 28),
        # Five of 68 bubbles are empty: the input box that waits for the next prompt.
        ("cursor", 1, 31, 63),
    ],
)
def test_counts(
    sources: dict[str, list[Source]],
    read: dict[str, list[Exchange]],
    agent: str,
    files: int,
    sessions: int,
    exchanges: int,
) -> None:
    assert len(sources[agent]) == files
    assert counts(read[agent]) == (sessions, exchanges)


def test_what_specstory_has_more_than_another_reader(read: dict[str, list[Exchange]]) -> None:
    """``quoted-mark``: one prompt, and its copy in a resumed session, speaks of interruptions."""
    mark = "[Request interrupted"
    quoting = [each for each in read["specstory"] if mark in each.prompt and not each.prompt.startswith(mark)]
    assert [each.turn for each in quoting] == [43, 43]
    assert len({each.session_id for each in quoting}) == 2
    assert len(read["specstory"]) - len(quoting) == 1297


def test_aiders_blocks_that_are_no_prompts(sources: dict[str, list[Source]]) -> None:
    (source,) = sources["aider"]
    runs = list(aider._runs(source.path.read_bytes(), 0, Faults(source.path)))
    rules = Counter(why_not(part.text) for run in runs for part in stretches(run.text) if part.kind == "typed")
    assert len(runs) == 9
    assert rules == {None: 28, "aider-command": 11, "aider-question": 9, "aider-shell": 1}
    assert sum(rules.values()) == 49


@each
def test_ids_are_unique(read: dict[str, list[Exchange]], reader: Reader) -> None:
    found = read[reader.agent]
    assert len({exchange.id for exchange in found}) == len(found)
    assert len({exchange.twin for exchange in found}) == len(found)


@each
def test_what_is_damaged_in_the_corpus(items: dict[str, list[Item]], reader: Reader) -> None:
    """Four lines of a SpecStory history quote NUL bytes that a program printed."""
    found = [item.reason for item in items[reader.agent] if isinstance(item, Problem)]
    assert len(found) == (4 if reader is SPECSTORY else 0)
    assert all(reason.endswith("NUL bytes stripped") for reason in found)


def test_every_specstory_label_has_one_exchange(shared: Path, read: dict[str, list[Exchange]]) -> None:
    by_prompt: dict[tuple[str, str], list[Exchange]] = defaultdict(list)
    for exchange in read["specstory"]:
        by_prompt[exchange.session_id, normal(exchange.prompt)].append(exchange)
    lines = (shared / "eval" / "exchanges.jsonl").read_text(encoding="utf-8").splitlines()
    labels: list[dict[str, Any]] = [label for label in map(json.loads, lines) if label["agent"] == "specstory"]
    assert len(labels) == 324
    taken: Counter[str] = Counter()
    for label in labels:
        found = by_prompt[label["session_id"], normal(label["prompt"])]
        nearest = min(found, key=lambda exchange: apart(exchange, label))
        assert apart(nearest, label) < 1
        taken[nearest.id] += 1
    assert set(taken.values()) == {1}


@pytest.mark.parametrize(
    ("agent", "origins"),
    [
        ("specstory", {"exact"}),
        ("aider", {"exact"}),
        ("copilot-cli", {"exact"}),
        ("pi", {"exact"}),
        ("cursor", {"exact", "session"}),
    ],
)
def test_where_times_come_from(read: dict[str, list[Exchange]], agent: str, origins: set[str]) -> None:
    found = read[agent]
    assert {exchange.time_source for exchange in found} <= origins
    assert all(exchange.started_at is not None for exchange in found)


def test_specstorys_paths_lie_below_todays_project(corpus_home: Path, read: dict[str, list[Exchange]]) -> None:
    """Recorded below /home/dev/source/SpecStory/getspecstory; most lie below today's folder, in its nested ones too."""
    edits = [edit for exchange in read["specstory"] for edit in exchange.edits]
    mapped = [edit for edit in edits if edit.path.startswith(f"{corpus_home / PROJECT}/")]
    assert (len(edits), len(mapped)) == (2627, 2407)
    assert not any("/getspecstory/" in edit.path for edit in edits if edit not in mapped)
    assert {exchange.workspace for exchange in read["specstory"]} <= {
        str(corpus_home / PROJECT / nested) for nested in ("", "specstory-cli", "specstory-mac")
    }


@pytest.mark.parametrize(
    ("agent", "edits", "shown"), [("aider", 17, 16), ("copilot-cli", 5, 5), ("pi", 267, 265), ("cursor", 45, 0)]
)
def test_edits(read: dict[str, list[Exchange]], agent: str, edits: int, shown: int) -> None:
    found = [edit for exchange in read[agent] for edit in exchange.edits]
    assert len(found) == edits
    assert sum(bool(edit.hunks) for edit in found) >= shown


def test_cursors_folder_is_a_windows_one(read: dict[str, list[Exchange]]) -> None:
    assert {exchange.workspace for exchange in read["cursor"]} == {"c:/Users/dev/Documents/mobilechat"}


def test_a_session_of_pi_names_the_one_it_continues(items: dict[str, list[Item]]) -> None:
    told = {item.id: item.parent_id for item in items["pi"] if isinstance(item, Session)}
    assert told == {
        "d703a1a9-1b7b-4fb1-b512-c9738b1fe617": None,
        "ffae836b-9420-4060-ac13-7745215f90ff": "d97339c6-6c10-4827-846b-9ff1d9c3dc37",
    }


@each
def test_reading_goes_on_from_every_turn(sources: dict[str, list[Source]], reader: Reader) -> None:
    """Not of histories that are rewritten whole: these are read whole each time."""
    for source in sources[reader.agent] if reader is not SPECSTORY else []:
        whole = [item for item in reader.read(source) if isinstance(item, Turn)]
        for place, turn in enumerate(whole):
            again = [item for item in reader.read(source, turn.at) if isinstance(item, Turn)]
            assert again[-len(whole[place:]) :] == whole[place:]
