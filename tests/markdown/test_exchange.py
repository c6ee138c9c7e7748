"""The drill-down document: everything is in it, and only our own links are active."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pastwork.markdown import document_address, document_link, exchange_document
from pastwork.markdown.exchange import readable_input
from pastwork.marks import visible
from pastwork.model import Room
from pastwork.shapes import Hit, ObjectShape, ShowAnswer, ShownEntry, ShownTool, Source, Touched
from tests.markdown.reading import kinds, plain, targets, tokens
from tests.markdown.test_prose import HOSTILE


def tool(name: str = "Bash", summary: str = "make", given: Any = None, **more: Any) -> ShownTool:
    fields = {"output": "", "diff": None, "ok": True} | more
    return ShownTool(name, summary, msgspec.Raw(json.dumps(given if given is not None else {}).encode()), **fields)


def entry(role: str, text: str = "", shown: ShownTool | None = None) -> ShownEntry:
    return ShownEntry(role, "2026-01-24T10:11:12Z", text, shown)  # type: ignore[arg-type]


def answer(*entries: ShownEntry, core: str = "Raised the timeout", **more: Any) -> ShowAnswer:
    palace_object = ObjectShape(
        core,
        "to 30 s",
        (Room("file", "src/pool.py", "pool.py", 0.9),),
        (Touched("src/pool.py", "edited"),),
        "extractive",
    )
    hit = Hit(
        id="9f2c0a1b44d07e35",
        agent="claude-code",
        session_id="s-1",
        turn=4,
        prompt="Fix it",
        object=palace_object,
        started_at="2026-01-24T10:11:12Z",
        workspace="/home/dev/shop",
        branch="main",
    )
    fields = {"previous": None, "next": None, "resume": None, "source": Source("/t/s-1.jsonl", True)} | more
    return ShowAnswer(id=hit.id, hit=hit, verbatim=entries, **fields)


def headings(document: str) -> list[str]:
    found = list(tokens(document))
    return [
        f"{token.tag} {plain_inline(found[index + 1].content)}"
        for index, token in enumerate(found)
        if token.type == "heading_open"
    ]


def plain_inline(source: str) -> str:
    return plain(source).strip()


def test_a_document() -> None:
    shown = answer(
        entry("user", "Why do bookings hang?"),
        entry("assistant", "The pool is **empty**."),
        entry("tool", shown=tool("Edit", "src/pool.py", {"path": "src/pool.py"}, diff="-old\n+new")),
        entry("tool", shown=tool("Bash", "make test", {"command": "make test"}, output="1 failed", ok=False)),
        entry("assistant", "Now it waits."),
        previous="1111111111111111",
        next="2222222222222222",
        resume="claude --resume s-1",
    )
    assert exchange_document(shown) == (
        "# Raised the timeout\n\n"
        "**claude-code** · 2026-01-24 10:11 UTC · `/home/dev/shop` · branch `main` · turn 4 of session `s-1`\n\n"
        "to 30 s\n\n"
        "Files: `src/pool.py` (edited)\n\n"
        "From `/t/s-1.jsonl`\n\n"
        "Resume: `claude --resume s-1`\n\n"
        "[← previous exchange](<pastwork://exchange/1111111111111111.md>) · "
        "[next exchange →](<pastwork://exchange/2222222222222222.md>)\n\n"
        "## You · 10:11:12\n\nWhy do bookings hang?\n\n"
        "## Agent · 10:11:12\n\nThe pool is **empty**.\n\n"
        "### Edit `src/pool.py`\n\n```diff\n-old\n+new\n```\n\n"
        "### Bash `make test` · failed\n\nOutput:\n\n```text\n1 failed\n```\n\n"
        "## Agent · 10:11:12\n\nNow it waits.\n"
    )


def test_the_outline_is_ours_alone() -> None:
    shown = answer(entry("user", "# Not a heading\n\ntitle\n==="), entry("assistant", "## Summary\n- # deep"))
    assert headings(exchange_document(shown)) == ["h1 Raised the timeout", "h2 You · 10:11:12", "h2 Agent · 10:11:12"]


@pytest.mark.parametrize(
    ("home", "workspace", "source"),
    [
        ("/home/dev", "`~/shop`", "From `~/.agent/s.jsonl`"),
        ("/home/de", "`/home/dev/shop`", "From `/home/dev/.agent/s.jsonl`"),
        ("", "`/home/dev/shop`", "From `/home/dev/.agent/s.jsonl`"),
    ],
)
def test_paths_below_the_home_are_short(home: str, workspace: str, source: str) -> None:
    page = exchange_document(answer(source=Source("/home/dev/.agent/s.jsonl", True)), home)
    assert f" · {workspace} · " in page
    assert source in page


def test_a_transcript_that_is_gone() -> None:
    page = exchange_document(answer(entry("user", "x"), source=Source("/t/s.jsonl", False)))
    assert "deleted since; this is the kept copy" in page


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_anywhere_is_inert(hostile: str) -> None:
    shown = answer(
        entry("user", hostile),
        entry("assistant", hostile),
        entry("tool", shown=tool(hostile, hostile, {"x": hostile}, output=hostile)),
        entry("tool", shown=tool("Edit", hostile, diff=hostile)),
        core=hostile,
        previous="1111111111111111",
        source=Source(hostile, True),
        notes=(hostile,),
    )
    page = exchange_document(shown)
    assert kinds(page) & {"html_block", "html_inline", "image", "table", "blockquote", "hr"} == set()
    assert targets(page) == ["pastwork://exchange/1111111111111111.md"]
    assert len(headings(page)) == 5


@given(st.text(max_size=200), st.text(max_size=80))
@settings(max_examples=150, deadline=None)
def test_no_text_makes_a_link(text: str, name: str) -> None:
    page = exchange_document(answer(entry("user", text), entry("tool", shown=tool(name, text, output=text)), core=name))
    assert targets(page) == []
    assert kinds(page) & {"html_block", "html_inline", "image"} == set()


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (tool(given={}), None),
        (tool(given={"command": "make"}), None),
        (tool(given={"command": "make all"}), ("make all", "sh")),
        (tool(summary="x" * 500, given={"command": "x" * 500}), ("x" * 500, "sh")),
        (tool(given={"command": "a\nb"}, summary="a\nb"), ("a\nb", "sh")),
        (tool(given={"command": "make", "timeout": 3}), ('{\n  "command": "make",\n  "timeout": 3\n}', "json")),
        (tool(given=[1, 2]), ("[\n  1,\n  2\n]", "json")),
    ],
)
def test_readable_input(shown: ShownTool, expected: tuple[str, str] | None) -> None:
    assert readable_input(shown) == expected


def test_every_line_of_a_fence_is_there() -> None:
    output = "```\nnot the end\n```\n" + "line\n" * 50 + "\x1b[31mred"
    page = exchange_document(answer(entry("tool", shown=tool(output=output))))
    fences = [token.content for token in tokens(page) if token.type == "fence"]
    assert fences == [visible(output) + "\n"]


@pytest.mark.parametrize(
    "name", ["", "x", "../../etc/passwd", "9F2C0A1B44D07E35", "9f2c0a1b44d07e35/..", "9f2c0a1b44d07e3"]
)
def test_only_ids_become_addresses(name: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        document_address(name)


def test_a_link_is_ours() -> None:
    link = document_link("[x](y)", "9f2c0a1b44d07e35")
    assert targets(link) == ["pastwork://exchange/9f2c0a1b44d07e35.md"]
    assert plain(link).strip() == "[x](y)"
