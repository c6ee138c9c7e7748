"""Damaged documents, databases, trees of files, logs of changes and Markdown, met while they grow, with restarts.

As ``test_damage``, in the terms of each shape: a document is kept up to where it breaks, a row costs
itself alone, a log of changes what follows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pastwork.model import Exchange, Problem
from pastwork.transcripts.base import Position, Reader, Turn
from pastwork.transcripts.vscode_copilot import VSCODE_COPILOT
from tests.transcripts import shapes_lines
from tests.transcripts.damage import CAP, NINE, Kind, Line, damaged, duplicate, reorder
from tests.transcripts.shapes_documents import DOCUMENTS, MARKDOWN, ROWS, Items, Kept, Pages, mutations
from tests.transcripts.shapes_lines import marker
from tests.transcripts.test_damage import CUTS, FILES, NUMBERS, SOAK, Record, check

KINDS = ("cut", "glue", "nul", "bytes", "surrogate", "duplicate", "reorder", "wrong", "giant")
#: These are no bad records: nothing is told of them.
SOUND = ("duplicate", "reorder", "giant")
DEEDS = st.lists(st.tuples(st.sampled_from(KINDS), NUMBERS, NUMBERS), max_size=4)
QUICK = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
PUT = {"bytes": (b"\xff", b"\xed\xa0\xbc", b"\xe9"), "surrogate": (b"\\ud83c", b"\\udcb2", b"\\uD800")}
WRONG = (b"42", b'"x"', b"true")
Deeds = Sequence[tuple[str, int, int]]
#: Writes what there is so far, and says nothing.
Steps = Iterator[Callable[[], None]]


class Page:
    """The items of one shape while they are damaged."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.harmed: set[int] = set()
        self.bad: set[str] = set()
        #: Items behind which the next follows without a comma, and where the last is cut off.
        self.glued: set[int] = set()
        self.cut: tuple[Line, int] | None = None

    def apply(self, kind: str, where: int, how: int) -> None:
        at = where % len(self.lines)
        hit = self.lines[at]
        if kind in ("bytes", "surrogate"):
            self._text(kind, where, how)
        elif kind == "nul" and not hit.odd:
            hit.data = b"\0" * (1 + how % 90) + hit.data
            self.bad.add(kind)
        elif kind == "wrong":
            self.lines.insert(at, Line(WRONG[how % len(WRONG)], odd=True))
            self.bad.add(f"{kind} {len(self.bad)}")
        elif kind == "duplicate":
            self._again(at, how)
        elif kind == "reorder" and len(self.lines) > 1:
            self._swap(where % (len(self.lines) - 1))
        elif kind == "giant" and hit.data.startswith(b"{"):
            hit.data = b'{"padding":"' + b"g" * (CAP + how % 900) + b'",' + hit.data[1:]

    def _text(self, kind: str, where: int, how: int) -> None:
        marked = [each for each in self.lines if each.marker]
        hit = marked[where % len(marked)]
        put = PUT[kind][how % 3]
        hit.data = hit.data.replace(hit.marker, hit.marker + b" " + put)
        self.bad.add("text")

    def _again(self, at: int, how: int) -> None:
        hit = self.lines[at]
        again = at + 1 + how % (len(self.lines) - at)
        self.lines.insert(again, Line(hit.data, set(hit.of), hit.marker, odd=hit.odd, copied=hit))
        if hit.odd:
            self.bad.add(f"again {len(self.bad)}")

    def settle(self) -> None:
        """A copied prompt may take what follows it, up to the next prompt."""
        for at, each in enumerate(self.lines):
            if each.copied is None or not each.marker:
                continue
            self.harmed |= each.of | (self.lines[at - 1].of if at else set())
            for following in self.lines[at + 1 :]:
                self.harmed |= following.of
                if b"please" in following.data:
                    break

    def _swap(self, at: int) -> None:
        first, second = self.lines[at : at + 2]
        self.lines[at : at + 2] = [second, first]
        if first.of != second.of or first.marker or second.marker:
            self.harmed |= first.of | second.of


def spoil(lines: list[Line], deeds: Deeds) -> Page:
    page = Page(lines)
    for kind, where, how in deeds:
        if kind not in ("cut", "glue"):
            page.apply(kind, where, how)
    page.settle()
    for kind, where, how in deeds:
        hit = page.lines[where % len(page.lines)]
        if kind == "cut" and page.cut is None and len(hit.data) > 2:
            page.cut = (hit, 1 + how % (len(hit.data) - 2))
            page.bad.add(kind)
        elif kind == "glue" and where % len(page.lines) < len(page.lines) - 1:
            page.glued.add(id(hit))
            page.bad.add(kind)
    return page


def told(reader: Reader, path: Path, since: Position | None) -> tuple[list[Turn], list[Problem]]:
    os.utime(path, (1_772_600_000, 1_772_600_000))
    (source,) = reader.within(path)  # type: ignore[attr-defined]
    items = list(reader.read(source, since))
    turns = [item for item in items if isinstance(item, Turn)]
    return turns, [item for item in items if isinstance(item, Problem)]


def verify(reader: Reader, path: Path, steps: Steps, page: Page, exchanges: int, *, edits: bool, exact: bool) -> None:
    """``exact``: a single damage is told exactly once; several may be told together."""
    known: dict[str, Exchange] = {}
    since: Position | None = None
    problems: list[Problem] = []
    for step in steps:
        step()
        turns, problems = told(reader, path, since)
        for turn in turns:
            known[turn.exchange.id], since = turn.exchange, turn.at
    turns, whole = told(reader, path, None)
    found = [turn.exchange for turn in turns]
    assert list(known.values()) == found
    assert len({exchange.id for exchange in found}) == len(found)
    assert len(set(whole)) == len(whole)
    assert set(problems) <= set(whole)
    assert len(whole) == len(page.bad) if exact else bool(whole) == bool(page.bad)
    for number in set(range(exchanges)) - page.harmed:
        check_good(found, number, edits=edits)
    for exchange in found:
        str(exchange).encode()


def check_good(exchanges: list[Exchange], number: int, *, edits: bool) -> None:
    (exchange,) = [each for each in exchanges if marker(number) in each.prompt]
    assert any(marker(number) in entry.text for entry in exchange.entries if entry.role == "assistant")
    assert not edits or any(marker(number) in edit.path for edit in exchange.edits)


# --- documents -------------------------------------------------------------------------------------------------


def document(shape: Items, page: Page, items: int | None = None) -> bytes:
    """The whole text, or that of an earlier moment, when it had so many items."""
    text = shape.head.encode()
    for at, each in enumerate(page.lines[:items]):
        if page.cut and page.cut[0] is each:
            return text + each.data[: page.cut[1]]
        last = at == len(page.lines[:items]) - 1
        text += each.data + (b"" if last or id(each) in page.glued else b",")
    return text + shape.tail.encode()


def breaks(page: Page) -> int:
    """How many items stand before the text breaks; what lies behind is harmed."""
    for at, each in enumerate(page.lines):
        if page.cut and page.cut[0] is each:
            return at
        if id(each) in page.glued:
            return at + 1
    return len(page.lines)


def check_document(shape: Items, path: Path, deeds: Deeds, exchanges: int, cuts: list[int], *, exact: bool) -> None:
    page = spoil(shape.lines(exchanges), deeds)
    sound = breaks(page)
    page.harmed |= set[int]().union(*(each.of for each in page.lines[sound:]))
    data = document(shape, page)

    def steps() -> Steps:
        for cut in sorted(cut % (sound + 1) for cut in cuts):
            yield lambda cut=cut: shape.write(path, document(shape, page, cut))  # type: ignore[misc]
        if path.suffix == ".json" and cuts:
            yield lambda: shape.write(path, data[: cuts[0] % len(data)])
        yield lambda: shape.write(path, data)

    verify(shape.reader, path, steps(), page, exchanges, edits=shape.edits, exact=exact)


def many_documents(name: str, folder: Path, files: int) -> None:
    shape = DOCUMENTS[name]

    @settings(QUICK, max_examples=files)
    @given(exchanges=st.integers(1, 5), deeds=DEEDS, cuts=CUTS)
    def one(exchanges: int, deeds: Deeds, cuts: list[int]) -> None:
        check_document(shape, folder / shape.name, deeds, exchanges, cuts, exact=False)

    one()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_damaged_documents(name: str, tmp_path: Path) -> None:
    many_documents(name, tmp_path, FILES)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_very_many_damaged_documents(name: str, tmp_path: Path, record_property: Record) -> None:
    record_property("files", SOAK)
    many_documents(name, tmp_path, SOAK)


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_damage_to_a_document(name: str, kind: str, tmp_path: Path) -> None:
    shape = DOCUMENTS[name]
    for where in range(len(shape.lines(3))):
        check_document(shape, tmp_path / shape.name, [(kind, where, where)], 3, [where], exact=True)


# --- rows ------------------------------------------------------------------------------------------------------


def rows_of(page: Page) -> list[tuple[int, Line]]:
    """Rows with their places; a glued one holds the next one's data too, whose row is gone."""
    kept: list[tuple[int, Line]] = []
    joined = False
    for at, each in enumerate(page.lines):
        if joined:
            joined = id(each) in page.glued
            page.harmed |= each.of
            continue
        data = each.data
        if page.cut and page.cut[0] is each:
            data = data[: page.cut[1]]
            page.harmed |= each.of
        joined = id(each) in page.glued
        data += page.lines[at + 1].data if joined else b""
        kept.append((at, Line(data, each.of, each.marker)))
    return kept


def check_rows(name: str, folder: Path, deeds: Deeds, exchanges: int, cuts: list[int], *, exact: bool) -> None:
    shape = ROWS[name]
    path = folder / shape.name
    page = spoil(shape.lines(exchanges), deeds)
    kept: Kept = rows_of(page)

    def steps() -> Steps:
        for cut in [*sorted(cut % (len(kept) + 1) for cut in cuts), len(kept)]:
            yield lambda cut=cut: shape.write(path, kept[:cut])  # type: ignore[misc]

    verify(shape.reader, path, steps(), page, exchanges, edits=True, exact=exact)


def many_rows(name: str, folder: Path, files: int) -> None:
    count = iter(range(10**9))

    @settings(QUICK, max_examples=files)
    @given(exchanges=st.integers(1, 5), deeds=DEEDS, cuts=CUTS)
    def one(exchanges: int, deeds: Deeds, cuts: list[int]) -> None:
        check_rows(name, folder / str(next(count)), deeds, exchanges, cuts, exact=False)

    one()


@pytest.mark.parametrize("name", ROWS)
def test_damaged_rows(name: str, tmp_path: Path) -> None:
    many_rows(name, tmp_path, FILES)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ROWS)
def test_very_many_damaged_rows(name: str, tmp_path: Path, record_property: Record) -> None:
    record_property("files", SOAK)
    many_rows(name, tmp_path, SOAK)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_damage_to_a_row(name: str, kind: str, tmp_path: Path) -> None:
    for where in range(len(ROWS[name].lines(3))):
        check_rows(name, tmp_path / str(where), [(kind, where, where)], 3, [where], exact=True)


# --- a log of changes ------------------------------------------------------------------------------------------

#: A change made twice or in the wrong place makes another state.
CHANGES = tuple(kind for kind in NINE if kind not in (duplicate, reorder))
CHANGE_DEEDS = st.lists(st.tuples(st.sampled_from(CHANGES), NUMBERS, NUMBERS), max_size=5)


def many_logs(folder: Path, files: int) -> None:
    @settings(QUICK, max_examples=files)
    @given(exchanges=st.integers(1, 5), deeds=CHANGE_DEEDS, cuts=CUTS)
    def one(exchanges: int, deeds: list[tuple[Kind, int, int]], cuts: list[int]) -> None:
        found = damaged(mutations(exchanges), deeds)
        check(VSCODE_COPILOT, folder / "s1.jsonl", found, exchanges, cuts, all_told=False)

    one()


def test_damaged_logs_of_changes(tmp_path: Path) -> None:
    many_logs(tmp_path, FILES)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_very_many_damaged_logs_of_changes(tmp_path: Path, record_property: Record) -> None:
    record_property("files", SOAK)
    many_logs(tmp_path, SOAK)


@QUICK
@given(deeds=st.lists(st.tuples(st.sampled_from((duplicate, reorder)), NUMBERS, NUMBERS), max_size=5))
def test_changes_in_any_order_tell_nothing_twice(
    deeds: list[tuple[Kind, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "any-order.jsonl"
    path.write_bytes(damaged(mutations(4), deeds).data)
    turns, problems = told(VSCODE_COPILOT, path, None)
    assert len({turn.exchange.id for turn in turns}) == len(turns) <= 4
    assert problems == []


# --- Markdown --------------------------------------------------------------------------------------------------


def marked_up(shape: Pages, deeds: Deeds, exchanges: int) -> tuple[bytes, Page]:
    """Markdown has no records that could be bad: only bytes that are no text are told."""
    page = Page([Line(shape.piece(at).encode(), {at}, marker(at).encode()) for at in range(exchanges)])
    if any(kind == "cut" for kind, _, _ in deeds):
        # An earlier turn behind a block that was cut open looks like one quoted in it: times tell quotations.
        deeds = [deed for deed in deeds if deed[0] != "reorder"]
    for kind, where, how in sorted(deeds, key=lambda deed: deed[0] == "glue"):  # who is glued to whom is known last
        at = where % len(page.lines)
        hit = page.lines[at]
        if kind == "cut":
            hit.data = hit.data[: how % len(hit.data)] + b"\n"
            page.harmed |= hit.of
        elif kind == "glue" and at + 1 < len(page.lines):
            hit.data = hit.data.rstrip()
            page.harmed |= hit.of | page.lines[at + 1].of
        elif kind in ("bytes", "surrogate", "nul"):
            put = {"nul": b"\0" * (1 + how % 9)}.get(kind) or PUT["bytes"][how % 3]
            hit.data = hit.data.replace(hit.marker + b" please", hit.marker + put + b" please", 1)
            page.bad.add("text")
        elif kind == "duplicate":
            page.lines.insert(at + 1, Line(hit.data, set(hit.of), hit.marker))
            page.harmed |= hit.of
        elif kind == "reorder" and at + 1 < len(page.lines):
            page.lines[at : at + 2] = [page.lines[at + 1], hit]
        elif kind == "wrong":
            page.lines.insert(at, Line((b"> stray\n\n", b"</details>\n\n", b"---\n\n")[how % 3]))
        elif kind == "giant":
            hit.data = hit.data.replace(b" is done", b" is done " + b"g" * CAP)
    return shape.head.encode() + b"".join(each.data for each in page.lines), page


def check_markdown(name: str, path: Path, deeds: Deeds, exchanges: int, cuts: list[int]) -> None:
    shape = MARKDOWN[name]
    data, page = marked_up(shape, deeds, exchanges)
    known: dict[str, Exchange] = {}
    since: Position | None = None
    for cut in [*sorted(cut % (len(data) + 1) for cut in cuts), len(data)]:
        path.write_bytes(data[:cut])
        for turn in told(shape.reader, path, since)[0]:
            known[turn.exchange.id], since = turn.exchange, turn.at
    turns, problems = told(shape.reader, path, None)
    found = {turn.exchange.id: turn.exchange for turn in turns}
    assert known == found
    assert [(each.offset, each.reason) for each in problems if each.reason != NO_TURNS] == list(faults_of(shape, data))
    for number in set(range(exchanges)) - page.harmed:
        check_good(list(found.values()), number, edits=True)


NO_TURNS = "no turns of a SpecStory history"


def faults_of(shape: Pages, data: bytes) -> Iterator[tuple[int, str]]:
    """Prompts before all that is read; then every whole line with bytes that are no text, in order."""
    first = shape.begin.search(data)
    if b"\n#### " in data[: first.start() if first else len(data)]:
        yield 0, "what stands before the first run is skipped"
    at = first.end() if first else len(data)
    for line in data[at:].splitlines(keepends=True):
        if line.endswith(b"\n") and b"\0" in line:
            yield at, f"{line.count(0)} NUL bytes stripped"
        if line.endswith(b"\n") and not is_text(line):
            yield at, "undecodable text replaced"
        at += len(line)


def is_text(data: bytes) -> bool:
    return data.decode("utf-8", "ignore").encode() == data


def many_pages(name: str, folder: Path, files: int) -> None:
    @settings(QUICK, max_examples=files)
    @given(exchanges=st.integers(1, 5), deeds=DEEDS, cuts=CUTS)
    def one(exchanges: int, deeds: Deeds, cuts: list[int]) -> None:
        check_markdown(name, folder / MARKDOWN[name].name, deeds, exchanges, cuts)

    one()


@pytest.mark.parametrize("name", MARKDOWN)
def test_damaged_markdown(name: str, tmp_path: Path) -> None:
    many_pages(name, tmp_path, FILES)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", MARKDOWN)
def test_very_much_damaged_markdown(name: str, tmp_path: Path, record_property: Record) -> None:
    record_property("files", SOAK)
    many_pages(name, tmp_path, SOAK)


@pytest.mark.parametrize("name", MARKDOWN)
@pytest.mark.parametrize("kind", KINDS)
def test_each_damage_to_markdown(name: str, kind: str, tmp_path: Path) -> None:
    for where in range(3):
        for cut in range(0, 400, 7):
            check_markdown(name, tmp_path / MARKDOWN[name].name, [(kind, where, where)], 3, [cut])


def test_enough_files_of_every_shape() -> None:
    """2,000 in CI, 20,000 in the soak run, over all shapes."""
    shapes = len(shapes_lines.SHAPES) + len(DOCUMENTS) + len(ROWS) + len(MARKDOWN) + 1
    assert shapes * FILES >= 2_000
    assert shapes * SOAK >= 20_000
