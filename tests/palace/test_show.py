"""The drill-down and what is around it."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from pastwork.config import Config
from pastwork.errors import NotFound, StoreUnusable
from pastwork.model import ToolCall
from pastwork.palace import Palace
from pastwork.palace.resume import resume_command
from pastwork.shapes import ShowAnswer
from tests.palace.world import World, clock, digest, exchange


def test_the_verbatim_is_the_original_text(palace: Palace) -> None:
    shown = palace.show(f"{3:016x}")
    assert [(entry.role, entry.text) for entry in shown.verbatim] == [
        ("user", "Add a note on the pool to the README"),
        ("tool", ""),
        ("assistant", "Done."),
    ]
    tool = shown.verbatim[1].tool
    assert tool is not None
    assert (tool.name, bytes(tool.input), tool.output, tool.ok) == ("Bash", b'{"command": "git log"}', "abc", True)
    assert shown.hit.title == "invented session"


def test_the_way_on(palace: Palace) -> None:
    shown = palace.show(f"{2:016x}")
    assert (shown.previous, shown.next) == (f"{1:016x}", f"{3:016x}")
    assert shown.source.present
    assert shown.resume == "claude --resume 5e551011-0000-4000-8000-000000000001"
    ends = palace.show(f"{1:016x}"), palace.show(f"{3:016x}")
    assert (ends[0].previous, ends[1].next) == (None, None)


def test_files_are_shown_relative_to_the_workspace(palace: Palace) -> None:
    touched = palace.show(f"{3:016x}").hit.object.files_touched
    assert {(file.path, file.action) for file in touched} == {("README.md", "edited"), ("src/pool.py", "mentioned")}


@pytest.mark.parametrize("asked", [f"{1:016X}".lower(), f" {1:016x}\n"])
def test_an_id_as_it_is_pasted(palace: Palace, asked: str) -> None:
    assert palace.show(asked).id == f"{1:016x}"


@pytest.mark.parametrize("asked", ["", "nonsense", "f" * 16, "../../etc/passwd", "%", "é", "\x00"])
def test_an_unknown_id(palace: Palace, asked: str) -> None:
    with pytest.raises(NotFound):
        palace.show(asked)


def test_before_the_first_index(tmp_path: Path) -> None:
    with Palace(tmp_path / "none", Config(), tmp_path, clock) as palace, pytest.raises(NotFound):
        palace.show("f" * 16)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "data")


def _shown(world: World, tmp_path: Path, *tools: ToolCall) -> ShowAnswer:
    found = exchange(1, "/w", "Do it", tools=tools)
    world.put(found, digest(found, "Did it"))
    world.close()
    with Palace(world.data, Config(), tmp_path, clock) as palace:
        return palace.show(found.id)


@pytest.mark.parametrize(
    ("recorded", "shown"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('{"a": 1', '{"text":"{\\"a\\": 1"}'),
        ("", '{"text":""}'),
        ("[1, 2]", "[1, 2]"),
        ("[" * 5000 + "]" * 5000, None),
    ],
)
def test_a_tools_input_is_always_json(world: World, tmp_path: Path, recorded: str, shown: str | None) -> None:
    answer = _shown(world, tmp_path, ToolCall("Odd", input_json=recorded))
    tool = answer.verbatim[1].tool
    assert tool is not None
    if shown is not None:
        assert bytes(tool.input) == shown.encode()
    assert msgspec.json.decode(msgspec.json.encode(answer), type=ShowAnswer).id == answer.id


def test_a_transcript_that_is_gone(world: World, tmp_path: Path) -> None:
    found = exchange(1, "/w", "Do it")
    world.put(found, digest(found, "Did it"))
    world.close()
    (world.transcripts / f"{found.session_id}.jsonl").unlink()
    with Palace(world.data, Config(), tmp_path, clock) as palace:
        shown = palace.show(found.id)
    assert (shown.source.present, shown.resume) == (False, None)
    assert shown.verbatim[0].text == "Do it"


@pytest.mark.parametrize(
    ("now", "noted"),
    [("as it was read", False), ("as it was read, and more", False), ("shorter", True), ("as it was writ", True)],
)
def test_a_rewritten_transcript_is_told(world: World, tmp_path: Path, now: str, noted: bool) -> None:
    found = exchange(1, "/w", "Do it")
    path = world.transcripts / f"{found.session_id}.jsonl"
    path.write_text("as it was read")
    world.put(found, digest(found, "Did it"))
    read = path.stat()
    state = world.writer.source(found.agent, path)
    world.writer.set_source(replace(state, size=read.st_size, mtime_ns=read.st_mtime_ns))
    world.close()
    if now != "as it was read":
        path.write_text(now)
        os.utime(path, ns=(read.st_atime_ns, read.st_mtime_ns + 1_000_000_000))
    with Palace(world.data, Config(), tmp_path, clock) as palace:
        assert bool(palace.show(found.id).notes) is noted


def test_a_damaged_text_is_told(world: World, tmp_path: Path) -> None:
    found = exchange(1, "/w", "Do it")
    world.put(found, digest(found, "Did it"))
    world.writer.connection.execute("UPDATE verbatim SET data = x'00'")
    world.close()
    with Palace(world.data, Config(), tmp_path, clock) as palace, pytest.raises(StoreUnusable, match="damaged"):
        palace.show(found.id)


@pytest.mark.parametrize(
    ("agent", "session", "command"),
    [
        ("claude-code", "abc-1", "claude --resume abc-1"),
        ("codex", "abc-1", "codex resume abc-1"),
        ("copilot-cli", "abc-1", "copilot --resume abc-1"),
        ("specstory", "abc-1", None),
        ("unheard-of", "abc-1", None),
        ("codex", "a; rm -rf ~", None),
        ("codex", "$(touch x)", None),
        ("codex", "--dangerously", None),
        ("codex", "", None),
        ("codex", "a\nb", None),
        ("codex", "a" * 200, None),
    ],
)
def test_resume_command(agent: str, session: str, command: str | None) -> None:
    assert resume_command(agent, session) == command
