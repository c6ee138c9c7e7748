"""Invented edits of one file, and hypothesis strategies for whole histories of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.quality.anchoring.truth import Page, squeezed
from hypothesis import strategies as st

from pastwork.model import Edit, Evidence, Hunk
from pastwork.store.records import StoredEdit

PATH = "/work/app/src/main.py"
WORKSPACE = "/work/app"


def created(text: str, path: str = PATH, time: str | None = None) -> Edit:
    """A new file with this content."""
    return Edit(
        path, "created", (Hunk(tuple(f"+{line}" for line in text.splitlines()), None, 1),), "content", time=time
    )


def overwritten(text: str, path: str = PATH, time: str | None = None) -> Edit:
    """The whole content of a file that was there before."""
    return Edit(path, "edited", _all(text), "content", time=time)


def _all(text: str) -> tuple[Hunk, ...]:
    return (Hunk(tuple(f"+{line}" for line in text.splitlines()), None, 1),)


def patched(
    *hunks: str, starts: Sequence[int | None] = (), evidence: Evidence = "patch", time: str | None = None
) -> Edit:
    """Hunks as people write diffs; ``starts`` are the numbers of their first old lines."""
    numbers = [*starts, *[None] * (len(hunks) - len(starts))]
    made = tuple(
        Hunk(tuple(hunk.strip("\n").split("\n")), start, start) for hunk, start in zip(hunks, numbers, strict=True)
    )
    return Edit(PATH, "edited", made, evidence, time=time)


def deleted() -> Edit:
    return Edit(PATH, "deleted")


def stored(*edits: tuple[str, Edit]) -> list[StoredEdit]:
    """(exchange, edit) pairs in order, as the store gives them; one session."""
    rows = {name: row for row, (name, _) in enumerate(edits, 1)}
    return [
        StoredEdit(rows[name], name, "session", order, "src/main.py", edit, WORKSPACE)
        for order, (name, edit) in enumerate(edits)
    ]


def difference(old: Sequence[str], start: int, end: int, new: Sequence[str], context: int) -> Hunk:
    """The numbered hunk that puts ``new`` in place of ``old[start:end]``."""
    first, last = max(0, start - context), min(len(old), end + context)
    lines = [f" {line}" for line in old[first:start]]
    lines += [f"-{line}" for line in old[start:end]] + [f"+{line}" for line in new]
    lines += [f" {line}" for line in old[end:last]]
    number = first + 1 if last > first else first
    return Hunk(tuple(lines), number, first + 1)


@dataclass
class History:
    """What the transcripts show, and what truly happened; ``born`` counts how often each line came into being."""

    edits: list[StoredEdit] = field(default_factory=list)
    page: Page = field(default_factory=Page)
    born: Counter[str] = field(default_factory=Counter)

    def find(self, lines: Sequence[str]) -> None:
        """Lines nobody recorded."""
        self.born.update(map(squeezed, lines))
        self.page.outside("".join(f"{line}\n" for line in lines))

    def make(self, edit: Edit, exchange: str) -> None:
        put = Counter(squeezed(line[1:]) for hunk in edit.hunks for line in hunk.lines if line[0] == "+")
        self.born += put - Counter(map(squeezed, self.texts)) if edit.evidence == "content" else put
        self.page.apply(edit, exchange)
        self.edits.append(StoredEdit(1, exchange, "session", len(self.edits), "src/main.py", edit, WORKSPACE))

    @property
    def texts(self) -> list[str]:
        return [line.text for line in self.page.lines]


COMMON = ["", "}", "    return None", "else:", "    pass"]


@st.composite
def histories(draw: st.DrawFn, *, known: bool, outsiders: bool = False, numbered: bool = True) -> History:
    """A file made by an exchange (``known``) or found there, then edited; ``outsiders`` change it unrecorded meanwhile.

    Edits without numbers (``numbered``) are made only where their old lines stand once, as agents' tools demand.
    """
    history = History()
    telling = st.integers(0, 60).map(lambda number: f"    total_{number} = measure({number})")
    line = st.one_of(telling, st.sampled_from(COMMON))
    some = st.lists(line, max_size=6)
    first = draw(st.lists(line, min_size=1, max_size=25))
    if known:
        history.make(created("\n".join(first)), "ex0")
    else:
        history.find(first)
    for number in range(draw(st.integers(1, 8))):
        if outsiders and draw(st.booleans()):
            _outside(draw, history, number)
        edit = _edit(draw, history.texts, some, numbered)
        if edit is not None:
            history.make(edit, f"ex{1 + number // 2}")
    return history


def _edit(draw: st.DrawFn, old: list[str], some: st.SearchStrategy[list[str]], numbered: bool) -> Edit | None:
    """A whole content now and then, else one or two hunks; None where the edit would be none or have no place."""
    start, end, new = _change(draw, old, 0, some)
    if draw(st.integers(0, 7)) == 0:
        return overwritten("\n".join([*old[:start], *new, *old[end:]]))
    if old[start:end] == new:
        return None
    context = draw(st.sampled_from([1, 3]))
    hunks = [difference(old, start, end, new, context)]
    later, last, more = _change(draw, old, end + 2 * context, some)
    if old[later:last] != more and later >= end + 2 * context:
        hunks.append(difference(old, later, last, more, context))
    if numbered:
        return Edit(PATH, "edited", tuple(hunks), "patch")
    plain = Hunk(hunks[0].lines)
    once = _stands_once(old, [text[1:] for text in plain.lines if text[0] != "+"])
    return Edit(PATH, "edited", (plain,), "text") if once else None


def _change(
    draw: st.DrawFn, old: list[str], floor: int, some: st.SearchStrategy[list[str]]
) -> tuple[int, int, list[str]]:
    start = draw(st.integers(min(floor, len(old)), len(old)))
    return start, draw(st.integers(start, min(len(old), start + 6))), draw(some)


def _stands_once(texts: list[str], old: list[str]) -> bool:
    return bool(old) and sum(texts[at : at + len(old)] == old for at in range(len(texts) - len(old) + 1)) == 1


def _outside(draw: st.DrawFn, history: History, number: int) -> None:
    old = history.texts
    start = draw(st.integers(0, len(old)))
    end = draw(st.integers(start, min(len(old), start + 4)))
    new = [f"    typed_{number}_{at} = by_hand({at})" for at in range(draw(st.integers(0, 4)))]
    history.page.outside("".join(f"{text}\n" for text in [*old[:start], *new, *old[end:]]))
