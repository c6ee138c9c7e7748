"""Events in, exchanges out: joining, ids, times, workspaces, and going on where reading stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pastwork.model import Edit, Exchange, Hunk, Session
from pastwork.transcripts.base import Item, Position, Turn
from pastwork.transcripts.builder import Builder

NOW = 1_772_600_000.0  # 2026-03-04
Tell = Callable[[Builder], list[Item]]
EDIT = Edit("/w/a.py", "edited", (Hunk(("-x", "+y")),), "text")


def at(minute: int) -> str:
    return f"2026-03-01T10:{minute:02d}:00.000Z"


def begun(since: Position | None = None, **more: Any) -> Builder:
    return Builder.start(Session("pear", "s1"), since, now=NOW, **more)


def built(tell: Callable[[Builder], Any], **more: Any) -> list[Exchange]:
    """The exchanges of a session that ``tell`` tells; it may return the items of all but the last."""
    build = begun(**more)
    items = list(tell(build) or ()) + list(build.finish())
    return [item.exchange for item in items if isinstance(item, Turn)]


def one(tell: Callable[[Builder], Any], **more: Any) -> Exchange:
    """The exchange of a prompt and what ``tell`` tells after it."""

    def whole(build: Builder) -> None:
        build.context(cwd="/w")
        build.prompt("go", offset=0, prompt_id="p1", time=at(0))
        tell(build)

    (exchange,) = built(whole, **more)
    return exchange


def several(build: Builder, *prompts: str) -> list[Item]:
    items: list[Item] = []
    for number, prompt in enumerate(prompts):
        items += build.prompt(prompt, offset=number * 10, time=at(number))
        build.answer(f"answer {number}", time=at(number))
    return items


def test_an_exchange_holds_what_was_told() -> None:
    def tell(build: Builder) -> None:
        build.context(branch="main", model="m-1")
        build.answer("Looking.", time=at(1))
        build.call("Edit", ref="t1", arguments='{"p":1}', summary="a.py", edits=(EDIT,), time=at(2))
        build.result("t1", "ok", time=at(3))
        build.call("Read", ref="t2", reads=("/w/b.py",), time=at(4))
        build.result("t2", "text", time=at(5))
        build.answer("Done.", time=at(6))

    exchange = one(tell)
    assert [(entry.role, entry.text) for entry in exchange.entries] == [
        ("user", "go"),
        ("assistant", "Looking."),
        ("tool", ""),
        ("tool", ""),
        ("assistant", "Done."),
    ]
    tool = exchange.entries[2].tool
    assert tool is not None
    assert (tool.name, tool.summary, tool.input_json, tool.output, tool.ok) == ("Edit", "a.py", '{"p":1}', "ok", True)
    assert tool.diff == "--- /w/a.py\n+++ /w/a.py\n@@\n-x\n+y"
    (edit,) = exchange.edits
    assert (edit.path, edit.time, edit.tool_id) == ("/w/a.py", at(2), "t1")
    assert exchange.reads == ("/w/b.py",)
    assert (exchange.started_at, exchange.ended_at, exchange.time_source) == (at(0), at(6), "exact")
    assert (exchange.cwd, exchange.workspace, exchange.model) == ("/w", "/w", "m-1")
    assert (exchange.turn, exchange.open) == (1, False)


@pytest.mark.parametrize(
    ("told", "edits"),
    [
        ({"ok": True}, 1),
        ({"ok": False}, 0),
        ({"ok": None}, 0),
        ({"ok": True, "edits": ()}, 0),
        ({"ok": True, "edits": (EDIT, EDIT)}, 2),
        (None, 0),
    ],
)
def test_only_edits_of_calls_that_succeeded_count(told: dict[str, Any] | None, edits: int) -> None:
    def tell(build: Builder) -> None:
        build.call("Edit", ref="t1", edits=(EDIT,), reads=("/w/r",))
        if told is not None:
            build.result("t1", "", **told)

    assert len(one(tell).edits) == edits


def test_a_failed_call_read_nothing() -> None:
    def tell(build: Builder) -> None:
        build.call("Read", ref="t1", reads=("/w/r",))
        build.result("t1", ok=False)

    assert one(tell).reads == ()


def test_results_find_their_calls_in_any_order() -> None:
    def tell(build: Builder) -> None:
        for ref in ("t1", "t2"):
            build.call("Bash", ref=ref, summary=ref)
        build.result("t2", "two")
        build.result("t1", "one")
        build.result("t9", "stray")

    outputs = [(entry.tool.summary, entry.tool.output) for entry in one(tell).entries if entry.tool]
    assert outputs == [("t1", "one"), ("t2", "two"), ("", "stray")]


def test_results_without_an_id_go_to_the_oldest_such_call() -> None:
    def tell(build: Builder) -> None:
        build.call("A")
        build.call("B")
        build.result(None, "of A", ok=False)
        build.result(None, "of B")

    outputs = [(entry.tool.name, entry.tool.output, entry.tool.ok) for entry in one(tell).entries if entry.tool]
    assert outputs == [("A", "of A", False), ("B", "of B", True)]


def test_a_call_told_twice_counts_once() -> None:
    def tell(build: Builder) -> None:
        for _ in range(2):
            build.call("Edit", ref="t1", edits=(EDIT,))
            build.result("t1")

    exchange = one(tell)
    assert len(exchange.entries) == 2
    assert len(exchange.edits) == 1


def test_a_result_told_before_its_call_is_joined_to_it() -> None:
    def tell(build: Builder) -> None:
        build.result("t1", "ok")
        build.call("Edit", ref="t1", summary="a.py", edits=(EDIT,), reads=("/w/r",))

    exchange = one(tell)
    assert [(each.tool.name, each.tool.output, each.tool.ok) for each in exchange.entries if each.tool] == [
        ("Edit", "ok", True)
    ]
    assert (len(exchange.edits), exchange.reads) == (1, ("/w/r",))


def test_a_change_outside_any_call() -> None:
    exchange = one(lambda build: build.edit(EDIT))
    assert exchange.edits == (EDIT,)
    assert len(exchange.entries) == 1


def test_prompts_typed_meanwhile_belong_to_the_running_exchange() -> None:
    def tell(build: Builder) -> None:
        build.aside("and a test", once=True)
        build.aside("And  a test", once=True)
        build.aside("GO", once=True)
        build.aside("and a test")

    assert [entry.text for entry in one(tell).entries] == ["go", "and a test", "and a test"]


def test_an_answer_of_a_second_carrier_counts_once() -> None:
    def tell(build: Builder) -> None:
        build.answer("Done.", once=True)
        build.answer("Done.", once=True)
        build.answer(" \n")

    assert [entry.text for entry in one(tell).entries] == ["go", "Done."]


@pytest.mark.parametrize(
    ("tell", "signs", "expected"),
    [
        (lambda build: None, False, True),
        (lambda build: build.answer("x"), False, False),
        (lambda build: build.answer("x"), True, True),
        (lambda build: build.call("Bash", ref="t"), False, True),
        (lambda build: (build.call("Bash", ref="t"), build.result("t")), False, True),
        (lambda build: build.call("Bash", ok=True), False, False),
        (lambda build: build.aside("wait"), False, True),
        (lambda build: build.ended(), True, False),
        (lambda build: (build.ended(), build.answer("more")), True, True),
        (lambda build: (build.call("Bash"), build.ended()), False, False),
    ],
)
def test_open_while_the_agent_is_at_work(tell: Callable[[Builder], Any], signs: bool, expected: bool) -> None:
    assert one(tell, signs=signs).open is expected


def test_only_the_last_exchange_can_be_open() -> None:
    def tell(build: Builder) -> list[Item]:
        return [*build.prompt("one", offset=0), *build.prompt("two", offset=9)]

    assert [exchange.open for exchange in built(tell)] == [False, True]


def test_what_follows_a_close_is_dropped() -> None:
    def tell(build: Builder) -> list[Item]:
        items = [*build.prompt("one", offset=0), *build.close()]
        build.answer("of nobody")
        build.call("Edit", edits=(EDIT,), ok=True)
        build.edit(EDIT)
        build.aside("hm")
        build.result("t", "x")
        return [*items, *build.prompt("two", offset=9)]

    assert [len(exchange.entries) for exchange in built(tell)] == [1, 1]


def test_events_before_any_prompt_are_dropped() -> None:
    def tell(build: Builder) -> None:
        build.answer("hello?")
        build.ended()

    assert built(tell) == []


def test_a_prompt_told_twice_by_its_id_is_told_once() -> None:
    def tell(build: Builder) -> list[Item]:
        items = [*build.prompt("one", offset=0, prompt_id="p1"), *build.prompt("two", offset=5, prompt_id="p2")]
        build.answer("to two")
        return [*items, *build.prompt("one", offset=9, prompt_id="p1")]

    first, second = built(tell)
    assert (first.prompt, second.prompt, len(second.entries)) == ("one", "two", 2)


def test_same_text_without_ids_is_told_apart_by_occurrence() -> None:
    exchanges = built(lambda build: several(build, "yes", "no", "yes", "Yes"))
    assert len({exchange.id for exchange in exchanges}) == 4
    assert len({exchange.twin for exchange in exchanges}) == 4
    assert [exchange.turn for exchange in exchanges] == [1, 2, 3, 4]


def test_twins_do_not_depend_on_the_agent_or_its_ids() -> None:
    ours = built(lambda build: several(build, "Fix it.", "yes", "yes"))
    build = Builder.start(Session("other", "s1"), now=NOW)
    items = [
        item
        for n, text in enumerate(["fix it", "Yes", "yes!"])
        for item in build.prompt(text, offset=n, prompt_id=f"p{n}")
    ]
    theirs = [item.exchange for item in [*items, *build.finish()] if isinstance(item, Turn)]
    assert [each.twin for each in theirs] == [each.twin for each in ours]
    assert {each.id for each in theirs}.isdisjoint({each.id for each in ours})


@pytest.mark.parametrize(
    ("prompt_time", "answer_time", "mtime", "started", "source"),
    [
        (at(3), at(4), None, at(3), "exact"),
        (None, at(4), None, at(4), "inferred"),
        ("2099-01-01T00:00:00Z", at(4), None, at(4), "inferred"),
        (None, None, None, at(1), "inferred"),
    ],
)
def test_times(
    prompt_time: str | None, answer_time: str | None, mtime: float | None, started: str, source: str
) -> None:
    def tell(build: Builder) -> list[Item]:
        build.prompt("before", offset=0, time=at(0))
        build.answer("x", time=at(1))
        items = build.prompt("now", offset=1, time=prompt_time)
        build.answer("y", time=answer_time)
        return list(items)

    last = built(tell, mtime=mtime)[-1]
    assert (last.started_at, last.time_source) == (started, source)


def test_a_time_is_taken_from_the_next_prompt_for_want_of_any_before() -> None:
    def tell(build: Builder) -> list[Item]:
        return [*build.prompt("one", offset=0), *build.prompt("two", offset=1, time=at(5))]

    assert [(each.started_at, each.time_source) for each in built(tell)] == [(at(5), "inferred"), (at(5), "exact")]


def test_times_of_last_resort() -> None:
    def headed(build: Builder) -> list[Item]:
        build.context(time=at(7))
        return list(build.prompt("go", offset=0))

    assert [(each.started_at, each.time_source) for each in built(headed)] == [(at(7), "session")]
    (bare,) = built(lambda build: list(build.prompt("go", offset=0)), mtime=1_772_000_000.0)
    assert (bare.started_at, bare.time_source) == ("2026-02-25T06:13:20.000Z", "mtime")
    (none,) = built(lambda build: list(build.prompt("go", offset=0)))
    assert none.started_at is None


def test_the_session_is_told_with_its_first_exchange_and_when_more_is_known() -> None:
    build = begun()
    build.context(cwd="/w/app/src", time=at(0))
    items = list(several(build, "one", "two"))
    build.describe(title="Pears", parent_id="s0")
    items += several(build, "three")
    items += build.finish()
    sessions = [item for item in items if isinstance(item, Session)]
    assert sessions == [
        Session("pear", "s1", "", "/w/app/src", None, at(0)),
        Session("pear", "s1", "Pears", "/w/app/src", "s0", at(0)),
    ]
    assert isinstance(items[0], Session)


def test_work_on_two_projects_in_one_session_is_kept_apart() -> None:
    def tell(build: Builder) -> list[Item]:
        items: list[Item] = []
        for number, folder in enumerate(["/w/app/src", "/w/other", "/w/app", "/w/app/docs"]):
            build.context(cwd=folder)
            items += build.prompt(f"p{number}", offset=number)
        return items

    assert [exchange.workspace for exchange in built(tell)] == ["/w/app/src", "/w/other", "/w/app", "/w/app"]


def test_a_recorded_git_root_is_the_workspace() -> None:
    def tell(build: Builder) -> list[Item]:
        build.context(cwd="/w/app/src", root="/w")
        return list(build.prompt("p", offset=0))

    assert [(each.workspace, each.cwd) for each in built(tell)] == [("/w", "/w/app/src")]


def test_reading_goes_on_exactly_where_it_stopped() -> None:
    prompts = ["yes", "fix it", "yes", "Yes", "no"]

    def told(build: Builder, first: int) -> list[Item]:
        items: list[Item] = []
        for number in range(first, len(prompts)):
            build.context(cwd=f"/w/p{number % 2}", branch=f"b{number}")
            build.own = f"own {number}"
            ref = f"id{number}" if number % 2 else None
            items += build.prompt(
                prompts[number], offset=number, prompt_id=ref, time=at(number) if number != 3 else None
            )
            if number == 1:
                build.describe(title="T")
            build.answer(f"a{number}")
        return [*items, *build.finish()]

    turns = [item for item in told(begun(), 0) if isinstance(item, Turn)]
    for place, turn in enumerate(turns):
        build = begun(turn.at)
        assert build.own == f"own {place}"
        again = [item for item in told(build, turn.at.offset) if isinstance(item, Turn)]
        assert again == turns[place:]
