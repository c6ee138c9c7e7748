"""Codex's forks and sub-agents: what repeats is dropped, what was delegated is told where it was launched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from pastwork.model import Session
from pastwork.transcripts import codex_threads
from pastwork.transcripts.codex import CODEX as READER
from tests.transcripts.made import PLACE, Row, begins, both, codex, ends, header, message, outputs, runs, text_of, write
from tests.transcripts.reading import exchanges, items, session, tools, turns, words

PARENT = "019f0000-0000-7000-8000-00000000000a"
CHILD = "019f0000-0000-7000-8000-00000000000b"
GRANDCHILD = "019f0000-0000-7000-8000-00000000000c"
OK = "Wall time: 0 seconds\nProcess exited with code 0\nOutput:\n"


def rollout(home: Path, thread: str, *rows: Row, day: str = "04") -> Path:
    return write(home / "sessions" / "2026" / "03" / day / f"rollout-2026-03-{day}T05-00-00-{thread}.jsonl", *rows)


def turn(number: int, name: str, prompt: str, *rows: Row) -> list[Row]:
    return [*begins(number, name), *both(number, "user", prompt), *rows, ends(number + 9, name)]


def change(number: int, ref: str, name: str) -> Row:
    update = {"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n"}
    return codex(
        "event_msg", number, type="patch_apply_end", call_id=ref, success=True, changes={f"{PLACE}/{name}": update}
    )


OWN = [*turn(1, "t1", "one", change(2, "c1", "a.py")), *turn(20, "t2", "two")]


def test_turns_that_a_fork_repeats_are_dropped(tmp_path: Path) -> None:
    rollout(tmp_path, PARENT, header(PARENT), *OWN)
    again = [row | {"timestamp": "2026-03-05T05:00:00.000Z"} for row in OWN]
    fork = rollout(
        tmp_path,
        CHILD,
        header(CHILD, forked_from_id=PARENT),
        header(PARENT),
        *again,
        *turn(40, "t3", "three"),
        day="05",
    )
    (own,) = exchanges(READER, fork)
    assert (own.prompt, own.session_id, own.turn) == ("three", CHILD, 3)
    assert session(READER, fork).parent_id == PARENT


def test_a_turn_of_the_parents_is_dropped_at_the_beginning_only(tmp_path: Path) -> None:
    rollout(tmp_path, PARENT, header(PARENT), *OWN)
    fork = rollout(tmp_path, CHILD, header(CHILD, forked_from_id=PARENT), *turn(1, "t9", "new"), *turn(20, "t2", "two"))
    assert [each.prompt for each in exchanges(READER, fork)] == ["new", "two"]


def test_a_fork_whose_parent_is_gone_has_the_parents_ids(tmp_path: Path) -> None:
    parent = exchanges(READER, rollout(tmp_path / "a", PARENT, header(PARENT), *OWN))
    fork = exchanges(READER, rollout(tmp_path / "b", CHILD, header(CHILD, forked_from_id=PARENT), *OWN))
    assert [each.id for each in fork] == [each.id for each in parent]


def test_the_index_names_a_thread(tmp_path: Path) -> None:
    """Its last line about the thread counts; a name in the rollout itself comes later still."""
    path = tmp_path / "sessions" / "2026" / "03" / "02" / f"rollout-2026-03-02T05-00-00-{PARENT}.jsonl"
    write(path, header(PARENT), *OWN)
    lines = [(PARENT, "Wicks"), (CHILD, "Other"), (PARENT, "Trimmed wicks"), (PARENT, " ")]
    index = [{"id": own, "thread_name": name, "updated_at": "2026-03-02T05:00:00Z"} for own, name in lines]
    (tmp_path / "session_index.jsonl").write_bytes(text_of(*index) + b"garbage\n[1]\n")
    assert session(READER, path).title == "Trimmed wicks"
    named = {"timestamp": "2026-03-02T05:09:00Z", "type": "event_msg"}
    rows = [
        *OWN,
        named | {"payload": {"type": "thread_name_updated", "thread_name": "Lamps"}},
        *turn(40, "t3", "three"),
    ]
    write(path, header(PARENT), *rows)
    assert session(READER, path).title == "Lamps"


def test_without_turn_ids_the_texts_tell_what_repeats(tmp_path: Path) -> None:
    said = [
        message(1, "user", "one"),
        message(2, "assistant", "ok"),
        message(3, "user", "one"),
        message(4, "assistant", "ok"),
    ]
    rollout(tmp_path, PARENT, header(PARENT), *said)
    fork = rollout(
        tmp_path,
        CHILD,
        header(CHILD, forked_from_id=PARENT),
        *said,
        message(5, "user", "one"),
        message(6, "user", "two"),
    )
    assert [each.prompt for each in exchanges(READER, fork)] == ["one", "two"]


@pytest.mark.parametrize("where", ["sessions/2026/03/02", "archived_sessions"])
def test_a_parent_is_found_wherever_it_was_moved(tmp_path: Path, where: str) -> None:
    name = f"rollout-2026-03-02T05-00-00-{PARENT}.jsonl.zst"
    path = tmp_path / where / name
    path.parent.mkdir(parents=True)
    path.write_bytes(zstandard.ZstdCompressor().compress(text_of(header(PARENT), *OWN)))
    fork = rollout(tmp_path, CHILD, header(CHILD, forked_from_id=PARENT), *OWN, *turn(40, "t3", "three"))
    assert codex_threads.rollout(fork, PARENT) == path
    assert [each.prompt for each in exchanges(READER, fork)] == ["three"]


def spawned(parent: str = PARENT) -> dict[str, Any]:
    return {
        "source": {"subagent": {"thread_spawn": {"parent_thread_id": parent, "depth": 1}}},
        "thread_source": "subagent",
    }


def spawn(number: int, ref: str, thread: str) -> list[Row]:
    asked = codex(
        "response_item", number, type="function_call", name="spawn_agent", call_id=ref, arguments='{"message":"rename"}'
    )
    return [asked, outputs(number + 1, ref, json.dumps({"agent_id": thread}))]


CHILDS = [
    *begins(5, "u1"),
    *both(5, "user", "rename"),
    runs(6, "k1", "ls"),
    outputs(7, "k1", OK + "z" * 900),
    change(8, "k2", "b.py"),
    *both(9, "assistant", "Renamed."),
    ends(9, "u1"),
]

LAUNCHES = [
    pytest.param(spawn(3, "c1", CHILD), id="the call's result"),
    pytest.param(
        [codex("event_msg", 3, type="collab_agent_spawn_end", call_id="c1", new_thread_id=CHILD)], id="an event"
    ),
    pytest.param(
        [
            codex(
                "event_msg",
                3,
                type="item_completed",
                turn_id="t1",
                item={"type": "CollabAgentToolCall", "id": "c1", "tool": "spawnAgent", "receiver_thread_ids": [CHILD]},
            )
        ],
        id="an item",
    ),
    pytest.param(
        [
            codex(
                "event_msg",
                3,
                type="item_completed",
                turn_id="t1",
                item={"type": "SubAgentActivity", "id": "c1", "kind": "started", "agent_thread_id": CHILD},
            )
        ],
        id="an activity",
    ),
    pytest.param(
        [
            *spawn(3, "c1", CHILD),
            codex("event_msg", 4, type="collab_agent_spawn_end", call_id="c1", new_thread_id=CHILD),
        ],
        id="told twice",
    ),
]


@pytest.mark.parametrize("launch", LAUNCHES)
def test_a_sub_agents_work_is_its_launchers(tmp_path: Path, launch: list[Row]) -> None:
    child = rollout(tmp_path, CHILD, header(CHILD, **spawned()), *CHILDS)
    parent = rollout(
        tmp_path,
        PARENT,
        header(PARENT),
        *turn(1, "t1", "one", *launch, *both(8, "assistant", "Done.")),
        *turn(20, "t2", "two"),
    )
    first, second = exchanges(READER, parent)
    assert [name for name in tools(first) if name[0] != "spawn_agent"] == [
        ("exec_command", "↳ ls", True),
        ("apply_patch", "↳ b.py", True),
    ]
    assert [edit.path for edit in first.edits] == [f"{PLACE}/b.py"]
    assert words(first) == ["Done."]
    assert max(len(entry.tool.output) for entry in first.entries if entry.tool) < 900
    assert second.edits == ()
    assert items(READER, child) == []


def test_turns_that_a_sub_agent_repeats_are_not_its_work(tmp_path: Path) -> None:
    own = turn(1, "t1", "one", *spawn(3, "c1", CHILD), change(5, "c2", "a.py"))
    rollout(
        tmp_path, CHILD, header(CHILD, **spawned()), header(PARENT), *own[:4], runs(5, "c9", "never again"), *CHILDS
    )
    first = exchanges(READER, rollout(tmp_path, PARENT, header(PARENT), *own))[0]
    assert sorted(edit.path for edit in first.edits) == [f"{PLACE}/a.py", f"{PLACE}/b.py"]
    assert "↳ never again" not in [summary for _, summary, _ in tools(first)]


def test_sub_agents_of_sub_agents(tmp_path: Path) -> None:
    rollout(tmp_path, GRANDCHILD, header(GRANDCHILD, **spawned(CHILD)), *begins(5, "v1"), change(6, "g1", "deep.py"))
    rollout(tmp_path, CHILD, header(CHILD, **spawned()), *begins(5, "u1"), *spawn(6, "k1", GRANDCHILD))
    parent = rollout(tmp_path, PARENT, header(PARENT), *turn(1, "t1", "one", *spawn(3, "c1", CHILD)))
    assert [edit.path for edit in exchanges(READER, parent)[0].edits] == [f"{PLACE}/deep.py"]


@pytest.mark.parametrize("parent_rows", [None, [header(PARENT), *turn(1, "t1", "one")]])
def test_a_sub_agent_that_no_rollout_tells_of_stands_alone(tmp_path: Path, parent_rows: list[Row] | None) -> None:
    child = rollout(tmp_path, CHILD, header(CHILD, **spawned()), *CHILDS)
    if parent_rows is not None:
        rollout(tmp_path, PARENT, *parent_rows)
    got = items(READER, child)
    assert [each.parent_id for each in got if isinstance(each, Session)] == [PARENT]
    assert [each.prompt for each in exchanges(READER, child)] == ["rename"]


def test_a_named_thread_that_is_no_sub_agent_is_not_taken_in(tmp_path: Path) -> None:
    rollout(tmp_path, CHILD, header(CHILD), *turn(1, "u1", "own", change(2, "k1", "b.py")))
    parent = rollout(tmp_path, PARENT, header(PARENT), *turn(1, "t1", "one", *spawn(3, "c1", CHILD)))
    assert exchanges(READER, parent)[0].edits == ()


def test_going_on_from_a_turn_tells_the_same(tmp_path: Path) -> None:
    rollout(tmp_path, CHILD, header(CHILD, **spawned()), *CHILDS)
    path = rollout(
        tmp_path,
        PARENT,
        header(PARENT),
        *OWN,
        *turn(40, "t3", "three", *spawn(42, "c9", CHILD)),
        *turn(60, "t4", "four"),
    )
    whole = turns(READER, path)
    for place, each in enumerate(whole):
        assert turns(READER, path, each.at) == whole[place:]


@pytest.mark.parametrize(
    ("name", "thread"), [(f"rollout-2026-03-04T05-00-00-{PARENT}.jsonl.zst", PARENT), ("notes.jsonl", None)]
)
def test_thread_of(name: str, thread: str | None) -> None:
    assert codex_threads.thread_of(Path(name)) == thread


@pytest.mark.parametrize("thread", ["", "*", "../../x", PARENT[:-1]])
def test_what_is_no_thread_id_finds_nothing(tmp_path: Path, thread: str) -> None:
    path = rollout(tmp_path, PARENT, header(PARENT))
    assert codex_threads.rollout(path, thread) is None
