"""What of an exchange is read, and hostile text made harmless."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.distill.text import Reading, command_of, plain, prose, read, searchable, texts, visible
from pastwork.model import Entry, Exchange, ToolCall
from tests.distill.samples import POOL, exchange, ran

MARK = "\u2426"


@pytest.mark.parametrize(
    ("text", "dropped", "shown"),
    [
        ("plain", "plain", "plain"),
        ("two\nlines\tand tab", "two\nlines\tand tab", "two\nlines\tand tab"),
        ("\x1b[31mred\x1b[0m", "red", f"{MARK}red{MARK}"),
        ("\x1b]52;c;cm0gLXJmIC8=\x07after", "after", f"{MARK}after"),
        ("\x1b]8;;file:///etc/passwd\x1b\\link\x1b]8;;\x1b\\", "link", f"{MARK}link{MARK}"),
        ("\x9b31m bell\x07", "bell", f"{MARK} bell\u2407"),
        ("cr\rover", "cr\nover", "cr\nover"),
        ("access\u200b_le\u200dvel", "access_level", f"access{MARK}_le{MARK}vel"),
        ("user\u202e \u2066// check\u2069", "user // check", f"user{MARK} {MARK}// check{MARK}"),
        ("tag:\U000e0041\U000e0042", "tag:", f"tag:{MARK}{MARK}"),
        ("nul\x00 del\x7f", "nul del", "nul\u2400 del\u2421"),
        ("a\u2028b\x85c", "a\nb\nc", "a\nb\nc"),
        ("\ufeffbom", "bom", f"{MARK}bom"),
        ("caf\u00e9 \u65e5\u672c", "caf\u00e9 \u65e5\u672c", "caf\u00e9 \u65e5\u672c"),
    ],
)
def test_control_and_invisible_characters(text: str, dropped: str, shown: str) -> None:
    assert plain(text) == dropped
    assert visible(text) == shown


def test_a_joiner_inside_an_emoji_stays() -> None:
    assert visible("\U0001f469\u200d\U0001f4bb") == "\U0001f469\u200d\U0001f4bb"


@given(st.text(max_size=200))
def test_nothing_that_moves_a_cursor_is_left(text: str) -> None:
    for made in (plain(text), visible(text)):
        for character in made:
            assert character in "\n\t\u200d" or unicodedata.category(character) != "Cc"
        assert not re.search("[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]", made)
    assert plain(plain(text)) == plain(text)


def test_the_prompt_comes_once_and_asides_too() -> None:
    told = Exchange(
        "0", "a", "s", 1, "first", (Entry("user", "first"), Entry("assistant", "one"), Entry("user", "and also"))
    )
    assert read(told) == Reading("first", ("and also",), ("one",))
    assert prose(told) == "first\n\nand also\n\none"


def test_what_is_searched() -> None:
    found = texts(POOL)
    assert found.prompt == POOL.prompt
    assert "Root cause" in found.prose
    assert found.commands == "pytest -q tests/db"
    assert "QueuePool limit" in found.errors
    for piece in (found.prompt, found.prose, found.commands, found.errors):
        assert piece in searchable(POOL)


def test_output_of_what_went_well_is_not_searched() -> None:
    told = exchange("list", "ok", tools=(ran("ls", "a very long listing"), ran("ls", "the same again")))
    assert "listing" not in searchable(told)
    assert texts(told).commands == "ls"


@pytest.mark.parametrize(
    ("given_input", "command"),
    [
        ({"command": "pytest -q"}, "pytest -q"),
        ({"cmd": ["git", "status"]}, "git status"),
        ({"command": ["bash", "-lc", "make all"]}, "make all"),
        ({"script": "x.sh"}, "x.sh"),
        ({"file_path": "a.py"}, ""),
        ({"command": 7}, ""),
        ([], ""),
    ],
)
def test_commands_in_the_input_of_tools(given_input: object, command: str) -> None:
    assert command_of(ToolCall("Bash", "", json.dumps(given_input))) == command


def test_long_parts_are_bounded() -> None:
    tools = tuple(ran(f"run {number} " + "x" * 5_000, "e" * 50_000, ok=False) for number in range(200))
    found = texts(exchange("p" * 500_000, "a" * 500_000, tools=tools))
    assert len(found.prompt) <= 200_000
    assert len(found.commands) < 20_000
    assert len(found.errors) < 20_000


def test_a_placeholder_is_no_answer() -> None:
    assert read(exchange("go on", "No response requested.")).answers == ()


@pytest.mark.shared
@pytest.mark.parametrize("name", ["S01_terminal_escapes", "S02_bidi_zero_width", "S03_markdown_command_links"])
def test_the_hostile_cases(shared: Path, name: str) -> None:
    for line in (shared / "cases" / f"{name}.jsonl").read_text("utf-8").split("\n"):
        if not line:
            continue
        content = json.loads(line)["message"]["content"]
        text = content if isinstance(content, str) else content[0]["text"]
        for made in (plain(text), visible(text)):
            assert not re.search(
                "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]", made
            )
    if name.startswith("S02"):
        assert "access_level" in plain(text)
