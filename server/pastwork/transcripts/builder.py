"""Turns a session's events, told in file order, into exchanges; pure, one builder per read.

What goes in: prompts, answers, tool calls, results, edits, changes of place. What comes out: the
``Item``s of ``base.py``, each ``Turn`` as soon as the next prompt closes it. The builder makes ids,
joins results to calls, drops the edits of failed calls, settles times and workspaces, recognises a
prompt that was told twice, and packs all it must remember into the ``Position`` of each turn, so
that a reader which resumes there goes on exactly as if it had read everything.

A reader of an append-only file is this much::

    def read(source: Source, since: Position | None = None) -> Iterator[Item]:
        build = Builder.start(Session("my-agent", source.path.stem), since, now=time.time())
        for row in rows(source.path, Decoder(MyRow), since.offset if since else 0):
            if isinstance(row, Problem):
                yield row
                continue
            event = row.value
            build.context(cwd=event.cwd, branch=event.branch, model=event.model)
            if event.kind == "user":
                yield from build.prompt(event.text, offset=row.offset, prompt_id=event.id, time=event.time)
            elif event.kind == "assistant":
                build.answer(event.text, time=event.time)
            elif event.kind == "call":
                change = Edit(event.path, "edited", between(event.old, event.new), "text")
                build.call("edit", ref=event.call, arguments=event.json, summary=event.path, edits=(change,))
            elif event.kind == "result":
                build.result(event.call, event.output, ok=not event.failed, time=event.time)
        yield from build.finish()

More: ``aside`` for a prompt typed while the agent works, ``edit`` for a change outside any call,
``close`` where what follows must not be remembered, ``ended`` for an agent's own sign that it is
done, ``describe`` for titles and parents, ``own`` for what the reader itself must carry. Calls
whose result is not recorded separately are told with ``ok=True`` and their output.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import structs

from pastwork.model import Edit, Entry, Exchange, Session, TimeSource, ToolCall
from pastwork.transcripts import identity, places, times
from pastwork.transcripts.base import Item, Position, Turn
from pastwork.transcripts.carry import Carry
from pastwork.transcripts.draft import Call, Draft

#: ISO text, or seconds or milliseconds since 1970, as the transcript has it.
Time = str | float | None


class Builder:
    """Told a session's events in order; see the module's docstring."""

    def __init__(self, carry: Carry, now: float, mtime: float | None, signs: bool) -> None:
        self._carry = carry
        self._now = now
        self._mtime = mtime
        self._signs = signs
        self._draft: Draft | None = None
        self._given: Session | None = None

    @classmethod
    def start(
        cls,
        session: Session,
        since: Position | None = None,
        *,
        now: float,
        mtime: float | None = None,
        signs: bool = False,
    ) -> Builder:
        """A builder for a whole session, or for its rest from ``since`` on.

        ``now`` and ``mtime`` (the file's, the last resort for a time) are seconds since 1970.
        ``signs``: this agent marks the end of its work, so without ``ended`` the last exchange is open.
        """
        if since is None or not since.carry:
            return cls(Carry(session), now, mtime, signs)
        return cls(msgspec.json.decode(since.carry, type=Carry), now, mtime, signs)

    @property
    def session(self) -> Session:
        """The session as far as it is known by now."""
        return self._carry.session

    @property
    def own(self) -> str:
        """The reader's own carried text: what it was when the prompt came that reading began with."""
        return self._carry.own

    @own.setter
    def own(self, value: str) -> None:
        self._carry.own = value

    @property
    def cwd(self) -> str | None:
        """Where the agent stands now."""
        return self._carry.cwd

    @property
    def draft(self) -> Draft | None:
        """The exchange being built, to look at; events told while there is none are dropped."""
        return self._draft

    def context(
        self,
        *,
        cwd: str | None = None,
        branch: str | None = None,
        model: str | None = None,
        root: str | None = None,
        time: Time = None,
    ) -> None:
        """Where the agent stands from here on; None and "" change nothing. ``root``: a recorded git root."""
        carry = self._carry
        carry.cwd, carry.branch = cwd or carry.cwd, branch or carry.branch
        carry.model, carry.root = model or carry.model, root or carry.root
        self._moment(time)

    def describe(
        self, *, session_id: str | None = None, title: str | None = None, parent_id: str | None = None
    ) -> None:
        """More about the session; None and "" change nothing."""
        old = self.session
        self._carry.session = structs.replace(
            old, id=session_id or old.id, title=title or old.title, parent_id=parent_id or old.parent_id
        )

    def asked(self, prompt_id: str | None) -> bool:
        """Whether a prompt of that id was told already."""
        return bool(prompt_id) and identity.short(prompt_id or "") in self._carry.seen

    def prompt(self, text: str, *, offset: int, prompt_id: str | None = None, time: Time = None) -> tuple[Item, ...]:
        """A human's prompt: closes the exchange before it and begins one; told twice by its id, it is ignored.

        ``offset`` is where a later read finds this prompt again; ``prompt_id`` the agent's own id of it.
        """
        carry = self._carry
        if self.asked(prompt_id):
            return ()
        items = self._done(running=False, following=times.utc(time, self._now))
        at = Position(offset, msgspec.json.encode(carry))
        if prompt_id:
            carry.seen.append(identity.short(prompt_id))
        carry.placed()
        carry.turn += 1
        moment = self._moment(time)
        self._draft = self._begun(text, prompt_id, at, moment)
        self._moment(time)
        self._draft.add("asked", Entry("user", text, moment))
        return items

    def _begun(self, text: str, prompt_id: str | None, at: Position, moment: str | None) -> Draft:
        carry = self._carry
        session = carry.session
        nth = carry.occurrence("=" + identity.short(identity.normal(text)))
        key = carry.occurrence(identity.short(identity.twin_key(text)))
        return Draft(
            at=at,
            id=identity.exchange_id(session.agent, prompt_id, session_id=session.id, prompt=text, occurrence=nth),
            twin=identity.twin(session.id, text, key),
            turn=carry.turn,
            prompt=text,
            time=moment,
            cwd=carry.cwd,
            branch=carry.branch,
            near=carry.last,
        )

    def aside(self, text: str, *, time: Time = None, once: bool = False) -> None:
        """A prompt typed while the agent works; ``once`` drops a text that the exchange has as a prompt."""
        draft = self._at_work()
        if draft is not None and not (once and draft.known("user", text)):
            draft.add("asked", Entry("user", text, self._moment(time)))

    def answer(self, text: str, *, time: Time = None, once: bool = False) -> None:
        """A piece of the agent's answer; ``once`` drops a text that the exchange already has as an answer."""
        draft = self._at_work()
        if draft is not None and text.strip() and not (once and draft.known("assistant", text)):
            draft.add("answered", Entry("assistant", text, self._moment(time)))

    def call(
        self,
        name: str,
        *,
        ref: str | None = None,
        arguments: str = "{}",
        summary: str = "",
        output: str = "",
        ok: bool | None = None,
        edits: Iterable[Edit] = (),
        reads: Iterable[str] = (),
        time: Time = None,
    ) -> None:
        """A tool call; its edits and reads count once it is known to have succeeded.

        ``ref`` is the id its result names, ``arguments`` a JSON object as text.
        """
        draft = self._at_work()
        if draft is not None:
            tool = ToolCall(name, summary, arguments, output, None, ok, ref)
            draft.call(Call(tool, self._moment(time), tuple(edits), tuple(reads)))

    def result(
        self,
        ref: str | None,
        output: str = "",
        *,
        ok: bool | None = True,
        edits: Iterable[Edit] | None = None,
        time: Time = None,
    ) -> None:
        """A call's result, ``ok`` None while it still runs; ``edits``, when given, say better what was changed."""
        draft = self._at_work()
        if draft is not None:
            changes = None if edits is None else tuple(edits)
            draft.result(ref, output, ok, changes, self._moment(time))

    def edit(self, edit: Edit) -> None:
        """A successful change that no recorded call made."""
        if self._draft is not None:
            self._draft.entries.append(edit)

    def ended(self, *, time: Time = None) -> None:
        """The agent says that it is done (or was stopped); what follows takes that back."""
        self._moment(time)
        if self._draft is not None:
            self._draft.state = "ended"

    def close(self) -> tuple[Item, ...]:
        """Ends the exchange being built; what follows is dropped until the next prompt."""
        return self._done(running=False)

    def finish(self, running: bool | None = None) -> tuple[Item, ...]:
        """The transcript's end; ``running`` overrides what the events say about the agent still working."""
        if running is None and self._draft is not None:
            state = self._draft.state
            running = state != "ended" if self._signs else state in {"asked", "working"}
        return self._done(running=bool(running))

    def _done(self, *, running: bool, following: str | None = None) -> tuple[Item, ...]:
        draft, self._draft = self._draft, None
        if draft is None:
            return ()
        carry, session = self._carry, self.session
        if session.workspace is None:
            session = structs.replace(session, workspace=carry.root or places.root_of(carry.roots, None))
        carry.session = session
        draft.near = draft.near or following
        turn = Turn(self._exchange(draft, running), draft.at)
        carry.last = draft.last or carry.last
        told, self._given = self._given == session, session
        return (turn,) if told else (session, turn)

    def _exchange(self, draft: Draft, running: bool) -> Exchange:
        """The draft's exchange, with what only the session knows filled in."""
        carry, session = self._carry, self.session
        workspace = carry.root or places.root_of(carry.roots, draft.cwd) or draft.cwd
        exchange = draft.exchange(session.agent, session.id, workspace, running=running)
        if exchange.started_at is not None:
            return exchange
        source: TimeSource = "session" if session.started_at else "mtime"
        started = session.started_at or times.utc(self._mtime, self._now)
        return structs.replace(exchange, started_at=started, time_source=source)

    def _at_work(self) -> Draft | None:
        """The draft, with where and as what the agent works; the next prompt's context comes too late for it."""
        draft, carry = self._draft, self._carry
        if draft is not None:
            draft.cwd, draft.branch = draft.cwd or carry.cwd, draft.branch or carry.branch
            draft.model = carry.model or draft.model
        return draft

    def _moment(self, time: Time) -> str | None:
        moment = times.utc(time, self._now)
        if moment is not None:
            if self.session.started_at is None:
                self._carry.session = structs.replace(self.session, started_at=moment)
            if self._draft is not None:
                self._draft.moment(moment)
        return moment
