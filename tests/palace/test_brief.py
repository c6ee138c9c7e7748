"""One exchange in a few words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.model import FileTouch, PalaceObject
from pastwork.palace.brief import _HASH, CORE, _plain, brief

LONG = "word " * 100


def told(core: str, context: str = "", *changed: str, prompt: str = "the prompt") -> str:
    touched = tuple(FileTouch(path, "edited") for path in changed)
    return brief(PalaceObject(core, context, (), touched), prompt)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("Raised the timeout", ""), "Raised the timeout"),
        (("A", "to 30 s"), "A; to 30 s"),
        (("", ""), "the prompt"),
        (("A\nB\x1b[2J", ""), "A B␛[2J"),
        (("Raised the timeout to 30 s", "timeout to 30 s"), "Raised the timeout to 30 s"),
        (("Use `PoolTimeout` **now**, *please*", ""), "Use PoolTimeout now, please"),
        (("SELECT * FROM a; **kwargs; *.py; a*b*c", ""), "SELECT * FROM a; **kwargs; *.py; a*b*c"),
        (("In pkg/providers/codex/watcher.go:203", ""), "In codex/watcher.go:203"),
        (("read/write/execute, https://a.example/b/c/d.html", ""), "read/write/execute, https://a.example/b/c/d.html"),
        (("~/.claude/projects/x/y.jsonl and ../../a/b.py", ""), "x/y.jsonl and a/b.py"),
        (("at 45f7ed1506c54b5e2a6ad6cbcf6ffbedf6ea05c7", ""), "at 45f7ed1…"),
        (("session 4b994d9d-4f30-4335-a42b-08b3a4a2bbf0", ""), "session 4b994d9d…"),
        (("A", "", "/w/src/a.py", "/x/c.py"), "A [a.py, c.py]"),
        (("Changed a.py", "", "/w/src/a.py", "/x/c.py"), "Changed a.py [c.py]"),
        (("A", "", *(f"/w/{name}.py" for name in "abcdef")), "A [a.py, b.py +4]"),
        (("A", "", "/w/a.go", "/w/a_test.go", "/w/b.ts", "/w/b.test.ts"), "A [a.go, b.ts +2]"),
        (("A", "", "/w/a_test.go"), "A [a_test.go]"),
        (("A", "", "C:\\w\\a.cs"), "A [a.cs]"),
        (("A", "", "/w/x\ny\u202e.py"), "A [x y⟨U+202E⟩.py]"),
    ],
)
def test_brief(given: tuple[str, ...], expected: str) -> None:
    assert told(*given) == expected


def test_only_changed_files_are_named() -> None:
    touched = (FileTouch("/w/a.py", "read"), FileTouch("/w/b.py", "mentioned"), FileTouch("/w/c.py", "created"))
    assert brief(PalaceObject("A", "", (), touched), "") == "A [c.py]"


def test_an_overlong_text_ends_at_a_word() -> None:
    assert told(LONG) == " ".join(["word"] * CORE) + "…"
    assert told("x" * 5000).endswith("…")
    assert len(told("x" * 5000)) < 400


def test_a_long_prompt_is_cut_too() -> None:
    assert len(told("", prompt=LONG)) < 300


@given(st.text(max_size=300), st.text(max_size=200), st.lists(st.text(min_size=1, max_size=40), max_size=4))
def test_any_text_is_one_short_line(core: str, context: str, paths: list[str]) -> None:
    line = told(core, context, *paths)
    assert len(line.splitlines()) <= 1
    assert len(line) < 700


@given(st.lists(st.sampled_from(["0a1b2c3d", "4e5f", "-4e5f", "g", "-", " ", "deadbeefdeadbeef"]), max_size=12))
def test_whatever_is_cut_as_a_hash_is_looked_at_for_one(pieces: list[str]) -> None:
    text = "x " + "".join(pieces)
    cut = _HASH.sub(lambda found: f"{found[1] or found[2]}…", text)
    assert _plain(text) == " ".join(cut.split())
