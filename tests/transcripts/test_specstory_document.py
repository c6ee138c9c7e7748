"""SpecStory documents as turns: versions, quotations, heads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.transcripts.specstory_document import Head, head, parse

TOOL = '<tool-use data-tool-type="{kind}" data-tool-name="{name}"><details>\n{body}\n</details></tool-use>'


def user(text: str, time: str = "") -> str:
    stamp = f" (2026-03-04 {time}Z)" if time else ""
    return f"_**User{stamp}**_\n\n{text}\n\n---\n\n"


def agent(text: str, time: str = "", side: str = "") -> str:
    stamp = f" (pear-4 2026-03-04 {time}Z)" if time else ""
    return f"_**Agent{side}{stamp}**_\n\n{text}\n\n"


def tool(body: str, kind: str = "shell", name: str = "Bash") -> str:
    return TOOL.format(kind=kind, name=name, body=body)


def turns(text: str) -> list[tuple[str, str]]:
    return [(said.role, said.text) for said in parse(text).turns]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("# Some notes\n\nnothing of SpecStory's\n", []),
        ("_**User**_\n\nask\n\n---\n\n_**Assistant**_\n\nanswer\n", [("user", "ask"), ("agent", "answer")]),
        (user("ask") + agent("answer"), [("user", "ask"), ("agent", "answer")]),
        (user("ask", "05:00:00") + agent("answer", "05:00:01"), [("user", "ask"), ("agent", "answer")]),
        ("_**User**_\n\nask", [("user", "ask")]),
        ("_**User**_\n_**Agent**_\n", [("user", ""), ("agent", "")]),
        (
            user("a rule\n\n---\n\nin a prompt") + agent("answer"),
            [("user", "a rule\n\n---\n\nin a prompt"), ("agent", "answer")],
        ),
        ("text _**User**_ inline\n" + user("ask"), [("user", "ask")]),
        (user("ask") + agent("<!-- message-id: 17 -->\nanswer"), [("user", "ask"), ("agent", "answer")]),
        (agent("first words"), [("agent", "first words")]),
    ],
)
def test_turns(text: str, expected: list[tuple[str, str]]) -> None:
    assert turns(text) == expected


def test_role_lines_inside_fences_are_quoted() -> None:
    quoted = "```\n_**User**_\n\nno prompt\n```"
    assert turns(user("ask") + agent(quoted) + user("more")) == [
        ("user", "ask"),
        ("agent", quoted),
        ("user", "more"),
    ]


def test_an_old_history_quoted_without_a_fence_is_told_by_its_times() -> None:
    """A tool's output shows another history, whose fences do not balance."""
    old = (
        "```\n" + user("old prompt", "04:00:00") + agent("old answer", "04:00:01") + tool("```\n</details></tool-use>")
    )
    text = (
        user("show it", "05:00:00")
        + agent(tool(old), "05:00:01")
        + agent("shown", "05:00:02")
        + user("next", "05:01:00")
    )
    found = parse(text).turns
    assert [said.text for said in found if said.role == "user"] == ["show it", "next"]
    assert found[-2].text == "shown"


def test_a_role_line_of_the_present_ends_a_fence_that_never_closed() -> None:
    text = (
        user("ask", "05:00:00")
        + agent("```\nnever closed", "05:00:01")
        + user("next", "05:01:00")
        + agent("```", "05:01:01")
    )
    assert [said.text for said in parse(text).turns if said.role == "user"] == ["ask", "next"]


def test_parts_of_an_answer() -> None:
    text = user("ask") + agent("<think><details>hm\n</details></think>\n\nwords\n\n" + tool("`ls`") + "\n\nmore")
    assert [(part.kind, part.text.split("\n")[0][:9]) for part in parse(text).turns[1].parts] == [
        ("think", "<think><d"),
        ("text", "words"),
        ("tool", "<tool-use"),
        ("text", "more"),
    ]


@pytest.mark.parametrize("body", ["", "`ls`\n\n```\nout\n```", "```\n</details></tool-use>\n```", "```\nnever closed"])
def test_a_tool_block_ends_where_it_ends(body: str) -> None:
    text = user("ask", "05:00:00") + agent(tool(body), "05:00:01") + agent("after", "05:00:02")
    said = parse(text).turns
    assert [each.text for each in said[2:]] == ["after"]
    assert [part.kind for part in said[1].parts] == ["tool"]


def test_blocks_in_a_prompt_are_its_text() -> None:
    text = user("what is this?\n\n" + tool("`ls`"), "05:00:00") + agent("a block", "05:00:01")
    assert turns(text)[0] == ("user", "what is this?\n\n" + tool("`ls`"))


def test_a_sub_agents_turns_are_marked() -> None:
    text = user("ask", "05:00:00") + agent("look", "05:00:01", side=" - sidechain") + agent("done", "05:00:09")
    assert [(said.role, said.sidechain, said.model) for said in parse(text).turns] == [
        ("user", False, None),
        ("agent", True, "pear-4"),
        ("agent", False, "pear-4"),
    ]


@pytest.mark.parametrize(
    ("meta", "model", "time"),
    [
        ("2026-03-04 05:00:00Z", None, "2026-03-04T05:00:00.000Z"),
        ("pear-4 2026-03-04 05:00:00Z", "pear-4", "2026-03-04T05:00:00.000Z"),
        ("pear-4 2026-03-04 05:00:00-0200", "pear-4", "2026-03-04T07:00:00.000Z"),
        ("2026-03-04 05:00:00 +05:30", None, "2026-03-03T23:30:00.000Z"),
        ("2026-03-04 05:00Z", None, "2026-03-04T05:00:00.000Z"),
        ("default", "default", None),
        ("", None, None),
        ("pear-4 2026-99-99 05:00:00Z", "pear-4", None),
    ],
)
def test_role_lines(meta: str, model: str | None, time: str | None) -> None:
    stamp = f" ({meta})" if meta else ""
    said = parse(f"_**User{stamp}**_\n\nask\n\n_**Agent{stamp}**_\n\nanswer\n").turns
    assert (said[0].time, said[1].time, said[0].model, said[1].model) == (time, time, None, model)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Head()),
        (
            "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# 2026-03-04 05:00:00Z\n\n"
            "<!-- Claude Code Session 0a11 (2026-03-04 05:00:00Z) -->\n",
            Head(2, "0a11", "Claude Code", "", "2026-03-04T05:00:00Z", True),
        ),
        (
            "<!-- Generated by SpecStory -->\n\n<!-- cursor Session 0a12 (2026-03-04 05:00Z) -->\n\n"
            "# Wicks (2026-03-04 05:00Z)\n",
            Head(1, "0a12", "cursor", "Wicks", "2026-03-04T05:00Z", True),
        ),
        (
            "<!-- Claude Code Session 0a13 (2026-03-04_05-00-00Z) -->",
            Head(0, "0a13", "Claude Code", "", "2026-03-04T05:00:00Z", True),
        ),
        ("## SpecStory\n\n## Wicks (2026-03-04 05:00:00)\n", Head(title="Wicks", time="2026-03-04T05:00:00")),
        ("# SpecStory\n\n# Wicks (13/12/2024, 05:00:00)\n", Head(title="Wicks", time="2024-12-13T05:00:00")),
        ("# Wicks (12/13/2024, 05:00:00)\n", Head(title="Wicks", time="2024-12-13T05:00:00")),
        ("# Wicks (of brass)\n", Head(title="Wicks (of brass)")),
    ],
)
def test_heads(text: str, expected: Head) -> None:
    assert head(text) == expected


PIECES = st.lists(
    st.sampled_from(
        [
            user("ask"),
            user("ask", "05:00:00"),
            agent("say"),
            agent("say", "05:00:01"),
            agent("s", "05:00:02", " - sidechain"),
            "```\n",
            "~~~\n",
            '<tool-use data-tool-type="shell">',
            "</details></tool-use>\n",
            "<think>",
            "</details></think>",
            "\n",
            "---\n",
            "_**",
            "**_",
            "(",
            "words",
            "\n<!-- x Session y (z) -->",
        ]
    )
)


@given(PIECES)
def test_any_document(pieces: list[str]) -> None:
    """No document raises, and the first role line always counts."""
    text = "".join(pieces)
    document = parse(text)
    for said in document.turns:
        assert said.role in ("user", "agent")
        assert all(part.text in text for part in said.parts)
