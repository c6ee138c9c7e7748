"""aider's histories: who wrote a line, what is a prompt, what was applied, when it was typed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.model import Exchange, Hunk
from pastwork.transcripts import aider
from pastwork.transcripts.aider import AIDER, why_not
from pastwork.transcripts.aider_blocks import Proposal, edit, failed, proposals, same
from pastwork.transcripts.aider_runs import stretches
from pastwork.transcripts.base import Env, Position, Turn
from tests.transcripts.reading import problems, tools, turns, words

RUN = "\n# aider chat started at 2026-03-04 05:00:00\n\n> Main model: pear-4 with diff edit format  \n\n"
SEARCH = "<<<<<<< SEARCH\nwick = 9\n=======\nwick = 4\n>>>>>>> REPLACE"
BLOCK = f"lamp.py\n```python\n{SEARCH}\n```"
TOKENS = "> Tokens: 1k sent, 2 received.  \n"


@pytest.fixture(autouse=True)
def _in_new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def history(tmp_path: Path, text: str, typed: str = "") -> list[Exchange]:
    """What a history in a project tells."""
    (tmp_path / ".aider.chat.history.md").write_text(text, encoding="utf-8")
    if typed:
        (tmp_path / ".aider.input.history").write_text(typed, encoding="utf-8")
    (source,) = AIDER.within(tmp_path)
    return [item.exchange for item in AIDER.read(source) if isinstance(item, Turn)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("#### ask  \n", [("typed", "ask")]),
        ("#### one  \n#### two  \n", [("typed", "one\ntwo")]),
        ("#### one  \n\n#### two  \n", [("typed", "one"), ("typed", "two")]),
        ("#### ask  \n\nanswer\nmore\n\n> said  \n", [("typed", "ask"), ("answer", "answer\nmore"), ("said", "said")]),
        ("#### ask  \n\n#### heading\n> quoted\n", [("typed", "ask"), ("answer", "#### heading\n> quoted")]),
        (
            "#### ask  \n\n```\n#### no  \n> no  \n```\n> yes  \n",
            [("typed", "ask"), ("answer", "```\n#### no  \n> no  \n```"), ("said", "yes")],
        ),
        (
            "#### ask  \n\n```\nnever closed\n> Tokens: 1k  \n> yes  \n",
            [("typed", "ask"), ("answer", "```\nnever closed"), ("said", "Tokens: 1k\nyes")],
        ),
        (
            "#### ask\n\nanswer\n\n#### heading\n\n> said\n\n#### next\n",
            [("typed", "ask"), ("answer", "answer\n\n#### heading"), ("said", "said"), ("typed", "next")],
        ),
        (
            f"> # 1 SEARCH/REPLACE block failed to match!\n\n## Block\n{SEARCH}\nReply.  \n\nanswer\n",
            [
                ("said", f"# 1 SEARCH/REPLACE block failed to match!\n\n## Block\n{SEARCH}\nReply."),
                ("answer", "answer"),
            ],
        ),
    ],
)
def test_stretches(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(part.kind, part.text) for part in stretches(text)] == expected


@pytest.mark.parametrize(
    ("typed", "rule"),
    [
        ("trim the wick", None),
        ("/ask why?", None),
        ("/code do it", None),
        ("/architect plan it", None),
        ("/context find it", None),
        ("/ask", "aider-command"),
        ("/add lamp.py", "aider-command"),
        ("/exit", "aider-command"),
        ("/run pytest -q", "aider-command"),
        ("/chat-mode ask", "aider-command"),
        ("/home/dev/lamp.py is broken", None),
        ("!git status", "aider-shell"),
        ("Add lamp.py to the chat? (Y)es/(N)o [Yes]: y", "aider-question"),
        ("", "empty"),
        ("<blank>", "empty"),
        ("is <blank> a word?", None),
    ],
)
def test_what_is_no_prompt(typed: str, rule: str | None) -> None:
    assert why_not(typed) == rule


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("words\n\n```py\nx\n```", []),
        (BLOCK, [("lamp.py", "text")]),
        (f"**src/lamp.py**\n\n```\n{SEARCH}\n```", [("src/lamp.py", "text")]),
        (f"```python\nlamp.py\n{SEARCH}\n```", [("lamp.py", "text")]),
        (f"{BLOCK}\n\nand again\n\n```\n{SEARCH}\n```", [("lamp.py", "text"), ("lamp.py", "text")]),
        (
            f"{BLOCK}\n\noil.py\n```\n<<<<<<< SEARCH\n=======\noil = 7\n>>>>>>> REPLACE\n```",
            [("lamp.py", "text"), ("oil.py", "content")],
        ),
        ("```diff\n--- a/lamp.py\n+++ b/lamp.py\n@@ -1 +1 @@\n-a\n+b\n```", [("lamp.py", "diff")]),
        ("lamp.py\n```\nwick = 3\n```", [("lamp.py", "content")]),
        ("Run it:\n```\npytest\n```", []),
    ],
)
def test_proposals(answer: str, expected: list[tuple[str, str]]) -> None:
    assert [(each.path, each.evidence) for each in proposals(answer)] == expected


@pytest.mark.parametrize(
    ("applied", "proposed", "expected"),
    [("a.py", "a.py", True), ("src/a.py", "a.py", True), ("a.py", "src/a.py", True), ("xa.py", "a.py", False)],
)
def test_the_same_file(applied: str, proposed: str, expected: bool) -> None:
    assert same(applied, proposed) is expected


def test_failed_blocks_are_known_by_their_text() -> None:
    (proposal,) = proposals(BLOCK)
    assert proposal.source in failed(f"# 1 SEARCH/REPLACE block failed to match!\n\n{SEARCH}\n")


def test_an_edit_of_more_blocks() -> None:
    one, two = (Proposal("a", (Hunk(("+x",), None, at),), "text") for at in (1, 2))
    assert edit("src/a", [one, two]).hunks == (*one.hunks, *two.hunks)
    assert (edit("a", []).evidence, edit("a", [Proposal("a", (), "text")]).evidence) == ("named", "named")


def test_only_what_was_applied_is_an_edit(tmp_path: Path) -> None:
    text = f"{RUN}#### one  \n\n{BLOCK}\n\n{TOKENS}> Applied edit to lamp.py  \n\n#### two  \n\n{BLOCK}\n\n{TOKENS}"
    first, second = history(tmp_path, text)
    assert [(edit.path, edit.evidence) for edit in first.edits] == [(str(tmp_path / "lamp.py"), "text")]
    assert second.edits == ()


def test_a_block_that_did_not_match_is_none(tmp_path: Path) -> None:
    report = f"> # 1 SEARCH/REPLACE block failed to match!\n\n## Block in lamp.py\n{SEARCH}\n\nReply.  \n"
    better = BLOCK.replace("wick = 9", "wick = 10")
    text = f"{RUN}#### one  \n\n{BLOCK}\n\n{TOKENS}{report}\n{better}\n\n{TOKENS}> Applied edit to lamp.py  \n"
    (exchange,) = history(tmp_path, text)
    assert [hunk.lines for edit in exchange.edits for hunk in edit.hunks] == [("-wick = 10", "+wick = 4")]


def test_an_edit_that_shows_nothing_is_named(tmp_path: Path) -> None:
    (exchange,) = history(tmp_path, f"{RUN}#### one  \n\nDone.\n\n> Applied edit to src/lamp.py  \n")
    assert [(edit.path, edit.evidence) for edit in exchange.edits] == [(str(tmp_path / "src/lamp.py"), "named")]


def test_what_aider_did_is_told(tmp_path: Path) -> None:
    text = (
        f"{RUN}#### one  \n\nRun it.\n\n{TOKENS}> Running pytest -q  \n> Added 2 lines of output to the chat.  \n\n"
        "#### /add oil.py  \n> Added oil.py to the chat  \n\n#### !ls  \n"
    )
    (exchange,) = history(tmp_path, text)
    assert words(exchange) == ["Run it."]
    assert tools(exchange) == [
        ("aider", "Running pytest -q", True),
        ("command", "/add oil.py", True),
        ("aider", "Added oil.py to the chat", True),
        ("command", "!ls", True),
    ]
    assert exchange.reads == (str(tmp_path / "oil.py"),)
    assert exchange.model == "pear-4"


TYPED = """
# 2026-03-04 05:01:00.5
+go on

# 2026-03-04 05:02:00
+go on

# 2026-03-04 06:30:00
+go on
+with the oil

# 2026-03-04 06:40:00
+go on
"""


def test_times_are_those_of_the_input_history(tmp_path: Path) -> None:
    """Each time is taken once, within its run; this machine's zone is New York's."""
    second = RUN.replace("05:00", "06:00")
    text = (
        f"{RUN}#### go on  \n\n#### go on  \n\n#### go on  \n{second}#### go on  \n#### with the oil  \n\n#### new  \n"
    )
    found = history(tmp_path, text, TYPED)
    assert [(each.started_at, each.time_source) for each in found] == [
        ("2026-03-04T10:01:00.500Z", "exact"),
        ("2026-03-04T10:02:00.000Z", "exact"),
        ("2026-03-04T10:02:00.000Z", "inferred"),
        ("2026-03-04T11:30:00.000Z", "exact"),
        ("2026-03-04T11:30:00.000Z", "inferred"),
    ]


def test_without_an_input_history_a_run_has_its_start(tmp_path: Path) -> None:
    (exchange,) = history(tmp_path, f"{RUN}#### one  \n")
    assert (exchange.started_at, exchange.time_source) == ("2026-03-04T10:00:00.000Z", "session")


def test_runs_are_sessions(tmp_path: Path) -> None:
    second = RUN.replace("05:00", "06:00")
    found = history(tmp_path, f"{RUN}#### one  \n\n#### two  \n{second}{RUN.replace('05:00', '07:00')}#### one  \n")
    assert [(each.prompt, each.turn) for each in found] == [("one", 1), ("two", 2), ("one", 1)]
    assert len({each.session_id for each in found}) == 2
    assert len({each.id for each in found}) == 3


def test_reading_goes_on_at_the_run(tmp_path: Path) -> None:
    path = tmp_path / ".aider.chat.history.md"
    history(tmp_path, f"{RUN}#### one  \n\n#### two  \n")
    known = {turn.exchange.id: turn.exchange for turn in turns(AIDER, path)}
    since = turns(AIDER, path)[-1].at
    with path.open("a") as file:
        file.write(f"\nanswer\n{RUN.replace('05:00', '06:00')}#### three  \n")
    assert since.offset > 0
    known |= {turn.exchange.id: turn.exchange for turn in turns(AIDER, path, since)}
    assert [each.prompt for each in known.values()] == ["one", "two", "three"]
    assert list(known.values()) == [turn.exchange for turn in turns(AIDER, path)]


def test_where_histories_are_looked_for(tmp_path: Path) -> None:
    for folder in ("project", "code/a", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    for path in ("project/.aider.chat.history.md", "code/a/.aider.chat.history.md", "elsewhere/chat.md"):
        (tmp_path / path).touch()
    variables = {"AIDER_CHAT_HISTORY_FILE": str(tmp_path / "elsewhere" / "chat.md")}
    env = Env(tmp_path, variables, (tmp_path / "project",), (tmp_path / "code",))
    assert [source.path.name for source in AIDER.locate(env)] == [".aider.chat.history.md"] * 2 + ["chat.md"]
    assert AIDER.roots(env) == (tmp_path / "project", tmp_path / "code" / "a", tmp_path / "elsewhere")
    assert list(AIDER.locate(Env(tmp_path, {"AIDER_CHAT_HISTORY_FILE": "chat.md"}))) == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"# aider chat started at",
        b"#### no run  \n",
        b"\xff\n# aider chat started at 2026-03-04 05:00:00\n####  \n",
    ],
)
def test_odd_files_tell_nothing(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / ".aider.chat.history.md"
    path.write_bytes(data)
    assert turns(AIDER, path) == []
    assert turns(AIDER, path, Position(10**6)) == []


def test_a_history_that_begins_in_the_middle_says_so(tmp_path: Path) -> None:
    path = tmp_path / ".aider.chat.history.md"
    history(tmp_path, f"answer\n\n#### lost  \n{RUN}#### kept  \n")
    assert [turn.exchange.prompt for turn in turns(AIDER, path)] == ["kept"]
    assert [each.reason for each in problems(AIDER, path)] == ["what stands before the first run is skipped"]


def test_a_history_too_long_to_be_one_is_passed_over(tmp_path: Path) -> None:
    history(tmp_path, f"{RUN}#### one  \n")
    with mock.patch.object(aider, "_CAP", 20):
        assert turns(AIDER, tmp_path / ".aider.chat.history.md") == []
        (problem,) = problems(AIDER, tmp_path / ".aider.chat.history.md")
    assert problem.reason == "longer than 20 bytes, skipped"


def test_windows_line_ends(tmp_path: Path) -> None:
    (tmp_path / ".aider.chat.history.md").write_bytes(f"{RUN}#### one  \n\nanswer\n".replace("\n", "\r\n").encode())
    (turn,) = turns(AIDER, tmp_path / ".aider.chat.history.md")
    assert words(turn.exchange) == ["answer"]


PIECES = [
    "#### p  \n",
    "> s  \n",
    "```\n",
    "~~~\n",
    "a.py\n",
    SEARCH,
    "\n",
    "words\n",
    TOKENS,
    "> # 1 SEARCH/REPLACE block failed to match\n",
]


@given(st.lists(st.sampled_from(PIECES)))
def test_no_line_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces)
    told = "\n".join(part.text for part in stretches(text))
    for line in text.split("\n"):
        assert line.strip().removeprefix("####").removeprefix(">").strip() in told
