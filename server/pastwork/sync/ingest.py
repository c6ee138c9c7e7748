"""KEEP and INDEX for one transcript, step by step; bad ones leave a problem and the rest as it is."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from pastwork.distill.prompt import is_own
from pastwork.distill.redact import redact
from pastwork.model import Exchange, Problem
from pastwork.store.records import Put, SourceState
from pastwork.store.writer import StoreWriter
from pastwork.sync import plan
from pastwork.sync import stamp as stamps
from pastwork.sync.batch import Batch
from pastwork.sync.digest import Distilled
from pastwork.sync.reading import Bad, Failed, Met, Refused, Seen, Step, Told
from pastwork.transcripts.base import Position

Clock = Callable[[], datetime]

#: What the system and SQLite say where a file may well be read the next time.
_PASSING = (
    *map(os.strerror, (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.EINTR, errno.EAGAIN)),
    *("database is locked", "database table is locked", "database schema is locked", "database schema has changed"),
)
#: Behind every offset.
_NOTHING = 1 << 62


class Rules(Struct, frozen=True):
    """How exchanges are treated on their way into the store."""

    distil: Callable[[Exchange], Distilled]
    #: Names what ``distil`` does.
    recipe: str
    tool_output_bytes: int
    masking: bool
    #: Names the version of readers and builder; transcripts read by another are read again.
    reader: str


class Torn(Exception):
    """What was carried from the last reading does not fit any more: once more, from the start."""


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

    def take(self, job: plan.Job, steps: Iterable[Step]) -> None:
        """Keeps what the steps tell.

        Raises:
            Stopped: at a commit in between; a later pass goes on there.
            Torn: the steps have to be asked for again from the start.
        """
        self._batch.begin()
        source, begin = job.found.source, job.since or Position()
        state = job.state or self._writer.source(source.agent, source.path)
        state = replace(state, offset=begin.offset, carry=begin.carry, done=False)
        problems: list[Problem] = []
        turns = 0
        # Of a database only what changed is read again; what was told of the rest still holds.
        since = _NOTHING if source.in_place and begin.carry else begin.offset
        for step in steps:
            if isinstance(step, Refused):
                self._give_up(state, step)
                return
            if isinstance(step, Failed) and job.since is not None:
                raise Torn
            state = self._step(step, state, problems)
            turns += isinstance(step, Told)
            # The first may be the one that was read last: stopping there again and again would lead nowhere.
            if self._batch.due and turns > 1:
                self._note(state, problems, since)
                self._batch.commit()
                self._batch.begin()
        if any(problem.reason.endswith(_PASSING) for problem in problems):
            state = replace(state, stamp=stamps.UNREAD)
        self._note(replace(state, done=True), problems, since)

    def _step(self, step: Step, state: SourceState, problems: list[Problem]) -> SourceState:
        match step:
            case Seen(stamp=stamp):
                return _marked(state, stamp)
            case Told(exchange=exchange, at=at):
                if fault := self._keep(exchange, step.distilled, state.id):
                    problems.append(Problem(state.path, at.offset, fault))
                return replace(state, offset=at.offset, carry=at.carry)
            case Met(session=session):
                title = redact(session.title) if self._rules.masking else session.title
                self._writer.put_session(replace(session, title=title))
            case Bad(problem=problem):
                problems.append(problem)
            case Failed(kind=kind):
                problems.append(Problem(state.path, state.offset, f"the reader failed here ({kind})"))
        return state

    def _keep(self, exchange: Exchange, distilled: Distilled | None, source_id: int) -> str:
        """What went wrong with one exchange, if anything."""
        if is_own(exchange.prompt):
            return ""
        try:
            put, fault = self._writer.weigh(exchange, source_id), ""
            if put is None:
                distilled = distilled or self._rules.distil(exchange)
                put, fault = self._writer.put(exchange, distilled.digest, source_id), distilled.fault
                self._batch.index(put, distilled.fields)
        except ValueError as error:  # text that can't be encoded
            return f"could not be kept ({type(error).__name__})"
        self._tally.count(put)
        return fault

    def _note(self, state: SourceState, problems: Iterable[Problem], since: int) -> None:
        self._writer.set_source(state)
        self._writer.set_problems(state.id, list(problems), since)

    def _give_up(self, state: SourceState, refused: Refused) -> None:
        """An odd file is looked at again when it changes, not at every pass."""
        if refused.vanished:
            self._writer.mark_gone([state.id], iso(self._clock()))
        else:
            self._writer.set_source(replace(state, stamp=plan.ODD, done=True, gone_at=None))
        self._writer.set_problems(state.id, [Problem(state.path, 0, refused.reason)])


def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _marked(state: SourceState, seen: stamps.Stamp) -> SourceState:
    main = seen.files[0]
    return replace(state, size=main.size, mtime_ns=main.mtime_ns, stamp=stamps.encode(seen), gone_at=None)
