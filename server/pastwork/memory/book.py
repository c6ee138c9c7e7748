"""What an agent may ask of past work: four questions, each answered within a token budget.

In: a ``Palace`` and the folder the agent works in. Out: ``Told``: masked text of exchanges and the
same as plain data. Answers stay in the workspace unless the user's settings say ``all``; asking for
more is an error that says so. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from pastwork import shapes
from pastwork.distill.redact import redact_all
from pastwork.errors import BadUsage, NotFound
from pastwork.marks import one_line
from pastwork.memory.pages import paged
from pastwork.palace import Palace
from pastwork.palace.brief import brief
from pastwork.search.filters import Filters

#: What one answer may take unless the agent asks for less.
BUDGET = 1_500
LEAST_BUDGET = 200
#: For the marks around an answer and the line that says what was left out.
_MARGIN = 120
_SHOWN_FILES = 4
_REMARK_WIDTH = 300

Json = dict[str, object]


class Told(Struct, frozen=True):
    """``text`` is recorded and goes between marks, and so do ``remarks``, sentences that may name what is
    recorded (a word it was spelled as, a file's old name); ``data`` for programs holds no recorded text, only
    ids, times, numbers and our own words; ``notes`` are nothing but our own words."""

    text: str
    data: Json
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def recorded(self) -> str:
        """Everything that goes between marks."""
        return "\n".join(part for part in (self.text, *self.remarks) if part)


class Book:
    """``folder`` is where the agent works; its git root is the workspace."""

    def __init__(self, palace: Palace, folder: Path) -> None:
        self._palace = palace
        self._folder = folder
        self._scope = palace.config.search.scope

    def search(
        self, query: str, limit: int, room: str | None = None, agent: str | None = None, since: str | None = None
    ) -> Told:
        """The best matches, best first; an empty query gives the newest. Raises BadUsage."""
        filters = Filters(scope=self._scope, limit=_checked("limit", limit, 50), room=room, agent=agent, since=since)
        answer = self._palace.search(query, filters, self._folders())
        if answer.scope != self._scope:
            return Told("", {"exchanges": []}, ("no past work is recorded in this workspace",))
        told = self._hits(answer.hits)
        return Told(told.text, {**told.data, "total": answer.total}, told.notes, _remarks(answer.notes))

    def on_file(self, path: str, line: int | None) -> Told:
        """Past work on a file of the workspace, or on one of its lines. Raises BadUsage."""
        file = (self._folder / path).resolve()
        if not file.is_relative_to(self._root()) and self._scope == "workspace":
            raise BadUsage(f"{path} is outside this workspace", "Only the user can widen it (search.scope).")
        answer = self._palace.history(file, line, folders=self._folders())
        short = self._palace.short([match.hit.id for match in answer.matches])
        told = self._entries((_matched(match, short), _match_data(match)) for match in answer.matches)
        silence = (answer.silence,) if answer.silence else ()
        return Told(told.text, told.data, told.notes, _remarks((*silence, *answer.notes)))

    def read(self, exchange_id: str, page: int) -> Told:
        """One page of the masked verbatim, pages from 1. Raises NotFound and BadUsage."""
        shown = self._palace.show(self._whole(exchange_id))
        pages = paged(_verbatim(shown), BUDGET - _MARGIN, self._count)
        if not 1 <= page <= len(pages):
            raise BadUsage(f"there is no page {page} of {len(pages)}", f"Use 1 to {len(pages)}.")
        data: Json = {"id": shown.id, "page": page, "pages": len(pages), "previous": shown.previous, "next": shown.next}
        return Told(pages[page - 1], data, (f"page {page} of {len(pages)}",) if len(pages) > 1 else ())

    def rooms(self, room: str | None, limit: int) -> Told:
        """Rooms with counts, fullest first; or the exchanges of one, newest first. Raises NotFound and BadUsage."""
        filters = Filters(scope=self._scope, limit=_checked("limit", limit, 200))
        if room is not None:
            answer = self._palace.room(room, filters, self._folders())
            return self._hits(answer.hits)
        found = self._palace.rooms(filters, self._folders())
        told = self._entries((_room(each), _room_data(each)) for each in found.rooms)
        return Told(told.text, {"rooms": told.data["exchanges"]}, told.notes, _remarks(found.notes))

    def _whole(self, exchange_id: str) -> str:
        """Within the workspace. Raises NotFound and BadUsage."""
        try:
            return self._palace.whole_id(exchange_id, Filters(scope=self._scope), self._folders())
        except NotFound:
            raise NotFound(
                f"no exchange of this workspace has the id {one_line(exchange_id, 40)}",
                "Take an id from search_past_work.",
            ) from None

    def _hits(self, hits: Sequence[shapes.Hit]) -> Told:
        short = self._palace.short([hit.id for hit in hits])
        return self._entries((_line(hit, short), _data(hit)) for hit in hits)

    def _entries(self, entries: Iterable[tuple[str, Json]]) -> Told:
        """As many as the budget holds, in order; a note says how many were left out."""
        listed = list(entries)
        lines = redact_all([one_line(line) for line, _ in listed])
        room, taken = BUDGET - _MARGIN, 0
        for tokens in self._count(lines):
            room -= tokens + 1
            if room < 0:
                break
            taken += 1
        left = len(listed) - taken
        notes = (f"{left} more did not fit; ask more narrowly",) if left else ()
        return Told("\n".join(lines[:taken]), {"exchanges": [data for _, data in listed[:taken]]}, notes)

    def _count(self, texts: Sequence[str]) -> list[int]:
        return self._palace.tokenizer().count(texts) if texts else []

    def _folders(self) -> tuple[Path, ...]:
        return (self._root(),)

    def _root(self) -> Path:
        from pastwork.palace.scope import workspace_of

        return workspace_of(self._folder)


def _checked(name: str, value: int, most: int) -> int:
    if not 1 <= value <= most:
        raise BadUsage(f"{name} {value} makes no sense", f"Use 1 to {most}.")
    return value


def _remarks(sentences: Sequence[str]) -> tuple[str, ...]:
    return tuple(redact_all([one_line(sentence, _REMARK_WIDTH) for sentence in sentences]))


def _line(hit: shapes.Hit, short: Mapping[str, str]) -> str:
    """``9f2c 2026-01-24 codex fix: core; context [auth.py]``."""
    day, mark = (hit.started_at or "undated")[:10], " fix" if hit.fix else ""
    return f"{short[hit.id]} {day} {hit.agent}{mark}: {brief(hit.object, hit.prompt, _SHOWN_FILES)}"


def _matched(match: shapes.Match, short: Mapping[str, str]) -> str:
    runs = ", ".join(f"{first}-{last}" for first, last in match.lines[:3])
    stands = f", {match.survival:.0%} stands" if match.survival is not None else ""
    where = f" (wrote lines {runs}{stands})" if runs else f" ({match.action})"
    return _line(match.hit, short) + where


def _data(hit: shapes.Hit) -> Json:
    return {"id": hit.id, "started_at": hit.started_at, "agent": hit.agent, "fix": hit.fix}


def _match_data(match: shapes.Match) -> Json:
    return {
        **_data(match.hit),
        "tier": match.tier,
        "lines": [list(run) for run in match.lines],
        "survival": match.survival,
    }


def _room(room: shapes.RoomCount) -> str:
    return f"{room.room_type}:{room.room_key} ({room.exchanges})"


def _room_data(room: shapes.RoomCount) -> Json:
    """Without the key, which may be a recorded path."""
    return {"room_type": room.room_type, "exchanges": room.exchanges, "last": room.last}


def _verbatim(shown: shapes.ShowAnswer) -> str:
    """The whole exchange as plain text, masked."""
    parts: list[str] = []
    for entry in shown.verbatim:
        if entry.tool is not None:
            outcome = {True: "", False: " failed", None: ""}[entry.tool.ok]
            parts.append(f"[{entry.tool.name} {entry.tool.summary}{outcome}]")
            parts += [part for part in (entry.tool.diff, entry.tool.output) if part]
        elif entry.text:
            parts.append(f"{'USER' if entry.role == 'user' else 'AGENT'}: {entry.text}")
    return "\n".join(redact_all(parts))
