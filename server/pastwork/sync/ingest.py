"""READ to INDEX for one transcript: from where it was read last, or from its start."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from pastwork.distill.prompt import is_own
from pastwork.distill.redact import cut, redact
from pastwork.model import Entry, Exchange, Problem, Session
from pastwork.store.records import Put, SourceState
from pastwork.store.writer import StoreWriter
from pastwork.sync import plan
from pastwork.sync import stamp as stamps
from pastwork.sync.batch import Batch
from pastwork.sync.digest import Distilled
from pastwork.sync.sources import Found
from pastwork.transcripts.base import Item, Position, Source, Turn

Clock = Callable[[], datetime]

#: What the system says where a file may well be read the next time.
_PASSING = tuple(map(os.strerror, (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.EINTR, errno.EAGAIN)))


class Rules(Struct, frozen=True):
    """How exchanges are treated on their way into the store."""

    distil: Callable[[Exchange], Distilled]
    #: Names what ``distil`` does.
    recipe: str
    tool_output_bytes: int
    masking: bool
    #: Names the version of readers and builder; transcripts read by another are read again.
    reader: str


class Tally(Struct):
    """What one pass did."""

    new: int = 0
    updated: int = 0

    def count(self, put: Put) -> None:
        self.new += put.outcome == "new"
        self.updated += put.outcome == "updated"


class Ingest:
    """Brings transcripts into one store, one after the other."""

    def __init__(self, writer: StoreWriter, batch: Batch, rules: Rules, clock: Clock, tally: Tally) -> None:
        self._writer = writer
        self._batch = batch
        self._rules = rules
        self._clock = clock
        self._tally = tally

    def take(self, job: plan.Job) -> None:
        """Reads a transcript; a bad one leaves a problem and the rest as it is.

        Raises:
            Stopped: at a commit in between; a later pass goes on there.
        """
        self._batch.begin()
        source = job.found.source
        state = job.state or self._writer.source(source.agent, source.path)
        try:
            seen = stamps.look(source.path, source.parts, self._rules.reader)
        except stamps.Odd as odd:
            self._give_up(state, str(odd))
            return
        except FileNotFoundError:
            self._writer.set_problems(state.id, [Problem(state.path, 0, "vanished before it could be read")])
            self._writer.mark_gone([state.id], iso(self._clock()))
            return
        kept = job.change == "grown" or _holds(source, job.state, self._rules.reader)
        resume = kept and bool(state.carry or state.offset)
        since = Position(state.offset, state.carry) if resume else None
        self._read(job.found, _marked(state, seen), since)

    def _read(self, found: Found, state: SourceState, since: Position | None) -> None:
        begin = since or Position()
        state = replace(state, offset=begin.offset, carry=begin.carry, done=False)
        problems: list[Problem] = []
        turns = 0
        for item in _guarded(found.reader.read(found.source, since)):
            if isinstance(item, Exception):
                if since is not None:  # what it carried may be of an older program: once more from the start
                    self._read(found, state, None)
                    return
                problems.append(Problem(state.path, state.offset, f"the reader failed here ({type(item).__name__})"))
                break
            state = self._item(item, state, problems)
            turns += isinstance(item, Turn)
            # The first may be the one that was read last: stopping there again and again would lead nowhere.
            if self._batch.due and turns > 1:
                self._note(state, problems, begin.offset)
                self._batch.commit()
                self._batch.begin()
        if any(problem.reason.endswith(_PASSING) for problem in problems):
            state = replace(state, stamp=stamps.UNREAD)
        self._note(replace(state, done=True), problems, begin.offset)

    def _item(self, item: Item, state: SourceState, problems: list[Problem]) -> SourceState:
        match item:
            case Turn(exchange=exchange, at=at):
                if fault := self._keep(exchange, state.id):
                    problems.append(Problem(state.path, at.offset, fault))
                return replace(state, offset=at.offset, carry=at.carry)
            case Session():
                title = redact(item.title) if self._rules.masking else item.title
                self._writer.put_session(replace(item, title=title))
            case Problem():
                problems.append(item)
        return state

    def _keep(self, exchange: Exchange, source_id: int) -> str:
        """What went wrong with one exchange, if anything."""
        if is_own(exchange.prompt):
            return ""
        exchange = bounded(exchange, self._rules.tool_output_bytes)
        try:
            put, fault = self._writer.weigh(exchange, source_id), ""
            if put is None:
                distilled = self._rules.distil(exchange)
                put, fault = self._writer.put(exchange, distilled.digest, source_id), distilled.fault
                self._batch.index(put, distilled.fields)
        except ValueError as error:  # text that can't be encoded
            return f"could not be kept ({type(error).__name__})"
        self._tally.count(put)
        return fault

    def _note(self, state: SourceState, problems: Iterable[Problem], since: int) -> None:
        self._writer.set_source(state)
        self._writer.set_problems(state.id, list(problems), since)

    def _give_up(self, state: SourceState, reason: str) -> None:
        """An odd file is looked at again when it changes, not at every pass."""
        self._writer.set_source(replace(state, stamp=plan.ODD, done=True, gone_at=None))
        self._writer.set_problems(state.id, [Problem(state.path, 0, reason)])


def _guarded(items: Iterator[Item]) -> Iterator[Item | Exception]:
    """The items, and in the end what the reader raised: a fault of its own costs one transcript's rest, no more."""
    try:
        yield from items
    except Exception as error:  # noqa: BLE001 readers never raise on bad input, and if one does all the same, so be it
        yield error


def _holds(source: Source, state: SourceState | None, reader: str) -> bool:
    """Whether the position of a database that was read whole by this program still means what it meant."""
    old = stamps.decode(state.stamp) if state is not None and state.done and source.in_place else None
    return old is not None and old.reader == reader


def bounded(exchange: Exchange, limit: int) -> Exchange:
    """The exchange with each tool's output cut to head and tail of about ``limit`` bytes in all."""
    if all(entry.tool is None or len(entry.tool.output) <= limit for entry in exchange.entries):
        return exchange
    return replace(exchange, entries=tuple(_bounded(entry, limit) for entry in exchange.entries))


def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _bounded(entry: Entry, limit: int) -> Entry:
    if entry.tool is None or len(entry.tool.output) <= limit:
        return entry
    return replace(entry, tool=replace(entry.tool, output=cut(entry.tool.output, limit)))


def _marked(state: SourceState, seen: stamps.Stamp) -> SourceState:
    main = seen.files[0]
    return replace(state, size=main.size, mtime_ns=main.mtime_ns, stamp=stamps.encode(seen), gone_at=None)
