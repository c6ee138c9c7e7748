"""The product against the simple reference that replays generated histories line by line."""

from __future__ import annotations

import random

from bench.quality.anchoring.alterations import altered
from bench.quality.anchoring.truth import Line, squeezed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pastwork.anchor.attribute import attribute
from pastwork.anchor.attribution import Attribution
from pastwork.anchor.lines import informative
from tests.anchor.histories import History, histories

often = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def author(found: Attribution, number: int) -> str | None:
    run = found.at(number)
    return run.exchange_id if run else None


def plain(history: History) -> list[tuple[int, Line]]:
    """Numbered informative lines that came into being once, so that there is no doubt which one stands."""
    return [
        (number, line)
        for number, line in enumerate(history.page.lines, 1)
        if informative(line.text) and history.born[squeezed(line.text)] == 1
    ]


@often
@given(histories(known=True))
def test_a_file_made_by_an_exchange_is_known_line_by_line(history: History) -> None:
    found = attribute(history.page.text, history.edits)
    for number, line in plain(history):
        assert author(found, number) == line.author, line.text


@often
@given(histories(known=True, numbered=False))
def test_edits_without_line_numbers_are_followed(history: History) -> None:
    found = attribute(history.page.text, history.edits)
    for number, line in plain(history):
        assert author(found, number) == line.author, line.text


@often
@given(histories(known=False, numbered=False))
def test_edits_without_line_numbers_claim_nothing_that_was_there(history: History) -> None:
    found = attribute(history.page.text, history.edits)
    for number, line in plain(history):
        assert author(found, number) in (line.author, None), line.text


@often
@given(histories(known=False))
def test_lines_that_were_there_before_are_nobodys(history: History) -> None:
    found = attribute(history.page.text, history.edits)
    for number, line in plain(history):
        assert author(found, number) in (line.author, None), line.text
        if not line.touched:
            assert author(found, number) is None, line.text


@often
@given(histories(known=False, outsiders=True))
def test_changes_nobody_recorded_never_give_a_line_to_the_wrong_one(history: History) -> None:
    found = attribute(history.page.text, history.edits)
    for number, line in plain(history):
        assert author(found, number) in (line.author, None), line.text


@often
@given(histories(known=True, outsiders=True))
def test_standing_lines_are_counted_as_they_are_attributed(history: History) -> None:
    found = attribute(history.page.text, history.edits)
    for work in found.works:
        assert 0 <= work.standing <= work.added, work
        lines = [
            line for run in found.runs if run.exchange_id == work.exchange_id for line in range(run.first, run.last + 1)
        ]
        assert lines == [line for first, last in work.lines for line in range(first, last + 1)]
        assert bool(lines) == bool(work.standing)


@often
@given(histories(known=True), st.integers(0, 1 << 20))
def test_what_people_do_afterwards_never_gives_a_line_to_the_wrong_one(history: History, seed: int) -> None:
    lines = altered(history.page.lines, 4, random.Random(seed))
    found = attribute("".join(line.text + "\n" for line in lines), history.edits)
    for number, line in enumerate(lines, 1):
        if informative(line.text) and history.born[squeezed(line.text)] == 1:
            assert author(found, number) in (line.author, None), line.text
