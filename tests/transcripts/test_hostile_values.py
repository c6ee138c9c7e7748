"""Values that no agent should write: times that can't be, ids and folders of any text, folders that move."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pastwork.model import Problem
from pastwork.transcripts.base import Env, Source, Turn
from pastwork.transcripts.claude_code import CLAUDE_CODE
from tests.transcripts import made
from tests.transcripts.reading import exchanges, problems

NAME = f"{made.SESSION}.jsonl"


def asked(path: Path, **fields: object) -> Path:
    """A session whose prompt's row has these fields."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        made.asks(1, "trim the wick") | fields,
        made.answers(2, "Trimmed.") | {"cwd": fields.get("cwd", made.PLACE)},
    ]
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    return path


@pytest.mark.parametrize(
    "time",
    [
        *(
            "2999-01-01T00:00:00Z",
            "-0001-01-01T00:00:00Z",
            "0000-00-00T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "NaN",
            "now",
        ),
        *("", "2026-03-04T05:00:00+99:99", "9" * 5000, -5, 1e30, 1e308, None, [], {}),
    ],
)
def test_times_that_can_not_be(tmp_path: Path, time: object) -> None:
    """The exchange takes its answer's time; a time of another type is told."""
    path = asked(tmp_path / NAME, timestamp=time)
    (exchange,) = exchanges(CLAUDE_CODE, path)
    assert (exchange.started_at, exchange.time_source) == (made.clock(2), "inferred")
    assert len(problems(CLAUDE_CODE, path)) == (not isinstance(time, str | None))


@pytest.mark.parametrize("name", ["../../etc/passwd", "a\0b", "C:\\x", "x" * 100_000, "$(touch x)", "\ud800", ""])
def test_session_ids_of_any_text_name_no_file(tmp_path: Path, name: str) -> None:
    """Of a file whose own name is no id, the rows tell the session."""
    path = asked(tmp_path / "odd name é.jsonl", sessionId=name)
    (exchange,) = exchanges(CLAUDE_CODE, path)
    assert exchange.session_id == (name.replace("\ud800", "\ufffd") or made.SESSION)
    exchange.session_id.encode()
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "folder",
    [
        "C:\\Users\\dev\\lantern",
        "c:/Users/dev/lantern",
        "\\\\wsl$\\Ubuntu\\home\\dev\\lantern",
        "/mnt/c/Users/dev/lantern",
        *("relative/path", "~", "/", "/home/dev/../dev/lantern", "a\0b", "/x" * 5000),
    ],
)
def test_folders_of_any_system_are_kept_as_recorded(tmp_path: Path, folder: str) -> None:
    (exchange,) = exchanges(CLAUDE_CODE, asked(tmp_path / NAME, cwd=folder))
    assert (exchange.cwd, exchange.workspace) == (folder, folder)


def test_two_projects_of_one_name_stay_apart(tmp_path: Path) -> None:
    """Their folders' names in the agent's own place are the same, too."""
    projects = tmp_path / ".claude" / "projects" / "-home-dev-a-lantern"
    for number, folder in enumerate(("/home/dev/a/lantern", "/home/dev/a-lantern")):
        asked(projects / f"5e551011-0000-4000-8000-00000000000{number}.jsonl", cwd=folder, uuid=made.uuid(number))
    found = [each for source in CLAUDE_CODE.locate(Env(tmp_path, {})) for each in exchanges(CLAUDE_CODE, source.path)]
    assert [each.workspace for each in found] == ["/home/dev/a/lantern", "/home/dev/a-lantern"]


def test_a_folder_that_is_renamed_while_it_is_read(tmp_path: Path) -> None:
    """What is open is read to its end; what was not opened yet is told."""
    path = tmp_path / "before" / NAME
    rows = [row for at in range(0, 900, 3) for row in (made.asks(at, f"wick {at}"), made.answers(at + 1, "x" * 9000))]
    made.write(path, *rows)
    reading = iter(CLAUDE_CODE.read(Source("claude-code", path)))
    first = next(item for item in reading if isinstance(item, Turn))
    path.parent.rename(tmp_path / "after")
    rest = list(reading)
    assert first.exchange.prompt == "wick 0"
    assert len([item for item in rest if isinstance(item, Turn)]) == 299
    assert [type(item) for item in CLAUDE_CODE.read(Source("claude-code", path))] == [Problem]
