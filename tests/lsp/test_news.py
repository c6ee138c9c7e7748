"""How indexing goes, told to the client: not too often, not twice the same, a bar only for what takes long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from pastwork.lsp import news
from pastwork.lsp.news import News
from pastwork.shapes import IndexStatus, StatusAnswer, StoreStatus, VectorStatus, WriterStatus

IDLE = StatusAnswer({}, VectorStatus(0, 0), IndexStatus(), StoreStatus("", 0, 1), WriterStatus(0, False))


def running(done: int) -> StatusAnswer:
    return replace(IDLE, index=IndexStatus("running", done, 10))


class Screen:
    """Stands in for ``Editor``."""

    def __init__(self, draws: bool = True) -> None:
        self.told: list[object] = []
        self.draws = draws

    def status_changed(self, status: StatusAnswer) -> None:
        self.told.append((status.index.state, status.index.done))

    async def begin_progress(self, title: str) -> str | None:
        self.told.append("begin")
        return "token" if self.draws else None

    def report_progress(self, token: str, done: int, total: int) -> None:
        self.told.append(f"{token} {done} of {total}")

    def end_progress(self, token: str) -> None:
        self.told.append(f"end {token}")


async def run(screen: Screen, statuses: list[StatusAnswer], each: Callable[[News], None] = News.stir) -> None:
    """Stirs once for each status, and waits until it has been asked for."""
    waiting = list(statuses)

    async def status() -> StatusAnswer:
        return waiting.pop(0)

    teller = News(screen, status)  # type: ignore[arg-type]
    while waiting:
        left = len(waiting)
        each(teller)
        while len(waiting) == left:  # noqa: ASYNC110 - a list is no event
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
    teller.stop()
    teller.stir()
    await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "PAUSE", 0.002)


async def test_the_same_is_not_told_twice() -> None:
    screen = Screen()
    await run(screen, [IDLE, IDLE, running(1), running(1), IDLE])
    assert screen.told == [("idle", 0), ("running", 1), ("idle", 0)]


async def test_what_takes_long_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "_LONG", 0.0)
    screen = Screen()
    await run(screen, [running(1), running(4), IDLE, IDLE])
    told = ["begin", "token 1 of 10", ("running", 4), "token 4 of 10", ("idle", 0), "end token"]
    assert screen.told == [("running", 1), *told]


async def test_a_client_that_draws_none_is_asked_and_told_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "_LONG", 0.0)
    screen = Screen(draws=False)
    await run(screen, [running(1), IDLE])
    assert screen.told == [("running", 1), "begin", ("idle", 0)]


async def test_a_hundred_stirs_at_once_are_one_question() -> None:
    screen = Screen()

    def often(teller: News) -> None:
        for _ in range(100):
            teller.stir()

    await run(screen, [IDLE, running(1)], often)
    assert screen.told == [("idle", 0), ("running", 1)]
