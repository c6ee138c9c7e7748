"""Files by what was done to them, and names in prose that are files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pastwork.distill.files import named, placed, touched
from pastwork.distill.paths import clean, relative
from pastwork.model import Edit, FileTouch
from tests.distill.samples import POOL, edited, exchange
from tests.growth import LINEAR, text_growth


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("look at src/main.c and `lib/x.rs`", ["src/main.c", "lib/x.rs"]),
        ("the Makefile, the Dockerfile and .gitignore", ["Makefile", "Dockerfile", ".gitignore"]),
        ("docker/Dockerfile.", ["docker/Dockerfile"]),
        ("main.py:12:3 and main.py#L7", ["main.py"]),
        ("(README.md), \"setup.cfg\", '~/.config/x.toml'", ["README.md", "setup.cfg", "~/.config/x.toml"]),
        (r"C:\Users\x\a.ts and ..\b.ts", [r"C:\Users\x\a.ts", r"..\b.ts"]),
        ("go.mod go.sum package.json tsconfig.json", ["go.mod", "go.sum", "package.json", "tsconfig.json"]),
        ("use node.js, next.js or vue.js", []),
        ("self.c = 1; this.py; e.g. i.e. etc.", []),
        ("https://x.org/a/b.py and user@example.com", []),
        ("v1.2.3, 3.11.py, 0.4.ts", []),
        ("json.loads(x) os.path.join(y) app.run()", []),
        ("foo.bar baz.qux a.b.c", []),
        ("data.py[0] module.go(1)", []),
        ("...", []),
    ],
)
def test_names_in_prose(text: str, names: list[str]) -> None:
    assert named(text) == names


@pytest.mark.parametrize(
    ("path", "workspace", "expected"),
    [
        ("/w/p/src/a.py", "/w/p", "src/a.py"),
        ("/w/p", "/w/p", None),
        ("/w/pp/a.py", "/w/p", None),
        ("src/../b.py", "/w/p", "b.py"),
        ("../x.py", "/w/p", None),
        ("../../../../etc/shadow", "/w/p", None),
        ("file:///w/p/a%20b.py", "/w/p", "a b.py"),
        ("~/.ssh/id_ed25519", "/w/p", None),
        (r"C:\P\src\a.ts", "c:/p", "src/a.ts"),
        (r"src\a.ts", "/w/p", "src/a.ts"),
        ("src/\x00evil.py", "/w/p", None),
        ("a\u202eyp.b", "/w/p", None),
        ("a.py", None, "a.py"),
        ("/w/p/a.py", None, None),
        ("", "/w/p", None),
    ],
)
def test_a_path_within_a_workspace(path: str, workspace: str | None, expected: str | None) -> None:
    assert relative(path, workspace) == expected


def test_a_relative_path_counts_from_where_the_agent_stood() -> None:
    assert relative("a.py", "/w/p", "/w/p/sub") == "sub/a.py"
    assert relative("../a.py", "/w/p", "/w/p/sub") == "a.py"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a//b/./c", "/a/b/c"),
        ("/../x", "/x"),
        ("a/..", None),
        (r"d:\x\..\y", "D:/y"),
        ("../x", "../x"),
        ("x" * 2_000, None),
    ],
)
def test_clean(path: str, expected: str | None) -> None:
    assert clean(path) == expected


def test_the_strongest_deed_counts() -> None:
    edits = (
        Edit("/home/dev/shop/new.py", "created"),
        edited("/home/dev/shop/new.py"),
        edited("/home/dev/shop/a.py"),
        Edit("/home/dev/shop/gone.py", "deleted"),
        Edit("/home/dev/shop/to.py", "edited", previous_path="/home/dev/shop/from.py"),
    )
    found = touched(exchange("see b.py and a.py", "ok", edits=edits, reads=("/home/dev/shop/a.py", "/etc/hosts")))
    assert found == (
        FileTouch("new.py", "created"),
        FileTouch("a.py", "edited"),
        FileTouch("gone.py", "deleted"),
        FileTouch("from.py", "deleted"),
        FileTouch("to.py", "edited"),
        FileTouch("/etc/hosts", "read"),
        FileTouch("b.py", "mentioned"),
    )


def test_a_bare_name_of_a_known_file_is_not_told_twice() -> None:
    assert [touch.path for touch in touched(POOL)] == ["src/db/pool.py", "src/db/config.py"]


def test_names_are_bounded() -> None:
    text = " ".join(f"src/module{number}.py" for number in range(500))
    assert len(touched(exchange(text, "ok"))) <= 24


@pytest.mark.parametrize("unit", ["A_", "a.b.", "/x", "(", "@", "a@", "a/", "a.py/", "www.", "a:", ".", "a.py ", "\\"])
def test_a_long_run_takes_linear_time(unit: str) -> None:
    assert text_growth(named, unit * (200_000 // len(unit))) < LINEAR


@pytest.mark.shared
def test_paths_that_climb_out_have_no_place(shared: Path) -> None:
    lines = (shared / "cases" / "S08_path_traversal.jsonl").read_text("utf-8").splitlines()
    calls = [
        block["input"]["file_path"]
        for block in json.loads(lines[1])["message"]["content"]
        if block["type"] == "tool_use"
    ]
    outside = exchange("x", "y", workspace="/home/dev/demo", edits=tuple(edited(path) for path in calls))
    assert [relative(path, "/home/dev/demo") for path in calls] == [None, None, None]
    assert placed("src/\x00evil.py", outside) is None
    assert all(not touch.path.startswith("src/") for touch in touched(outside))
