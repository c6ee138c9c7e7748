"""aider's ``.aider.chat.history.md`` in projects, with prompt times from ``.aider.input.history``.

One append-only Markdown file holds many runs; a run is a session. Roles are conventions: ``####``
lines are what was typed, ``>`` lines what the program said, the rest is the answer; all three also
occur inside answers, so fences and aider's two trailing blanks decide. What was typed is no prompt
where a rule below says so. An edit counts where ``Applied edit to`` says that it was made.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from pastwork.model import Edit, Problem, Session
from pastwork.transcripts import aider_blocks, calls, identity, projects, recorded_paths, times
from pastwork.transcripts.aider_blocks import Proposal
from pastwork.transcripts.aider_runs import stretches
from pastwork.transcripts.base import Env, Item, Position, Proof, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.jsonl import opened
from pastwork.transcripts.plain_text import decoded

_CHAT = ".aider.chat.history.md"
_INPUT = ".aider.input.history"
#: A history longer than this is no transcript worth holding in memory.
_CAP = 256 * 1024 * 1024
_RUN = re.compile(rb"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t\r]*$", re.MULTILINE)
_TYPED_AT = re.compile(r"^# (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)$")
_LAST = "# 0000-00-00 00:00:00"
_MODEL = re.compile(r"(?:Main m|M)odel: (\S+)")
_APPLIED = re.compile(r"Applied edit to (.+)")
_ADDED = re.compile(r"Added (?!\d+ lines of output)(.+?) to the chat")
_RUNNING = re.compile(r"Running (.+)")
_COMMIT = re.compile(r"Commit [0-9a-f]{7,40} ")
_TELLING = (_APPLIED, _COMMIT, _RUNNING, _ADDED)

#: What was typed but is no prompt: an answer to one of aider's questions, and commands. Some commands
#: hand their words to the model: with words they are prompts.
NOT_PROMPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("aider-question", re.compile(r"[^\n]*\(Y\)es/\(N\)o")),
    ("aider-command", re.compile(r"/(?!(?:ask|code|architect|context)\s+\S)[a-z][a-z-]*(?:\s|$)")),
    ("aider-shell", re.compile(r"!")),
    ("empty", re.compile(r"(?:<blank>\s*)*$")),
)


class Aider:
    """Looks for ``.aider.chat.history.md`` in projects, and where ``AIDER_CHAT_HISTORY_FILE`` says."""

    agent = "aider"
    proof: Proof = "real"

    def roots(self, env: Env) -> tuple[Path, ...]:
        """The projects that hold a history."""
        named = env.variables.get("AIDER_CHAT_HISTORY_FILE")
        elsewhere = (Path(named).expanduser().parent,) if named and Path(named).is_absolute() else ()
        return (*projects.holding(env, _CHAT), *elsewhere)

    def locate(self, env: Env) -> Iterator[Source]:
        """One source per project."""
        for folder in projects.holding(env, _CHAT):
            yield from self.within(folder)
        named = env.variables.get("AIDER_CHAT_HISTORY_FILE")
        if named and (path := Path(named).expanduser()).is_absolute() and path.is_file() and path.name != _CHAT:
            yield from self.within(path)

    def within(self, folder: Path) -> Iterator[Source]:
        """The history in one folder, or a history file by itself."""
        path = folder / _CHAT if folder.is_dir() else folder
        if path.is_file():
            typed = path.with_name(_INPUT)
            parts = (typed,) if typed.is_file() else ()
            yield Source(self.agent, path, parts, str(projects.git_root(path.parent) or path.parent))

    def read(self, source: Source, since: Position | None = None) -> Iterator[Item]:
        """Every run from the one on that ``since`` lies in; runs are short, so positions are their starts."""
        start = since.offset if since else 0
        try:
            data = _bytes(source.path, start)
            typed = _bytes(source.parts[0], 0) if source.parts else b""
            mtime = source.path.stat().st_mtime
        except OSError as error:
            yield Problem(str(source.path), 0, f"cannot be read: {error.strerror or error}")
            return
        if len(data) > _CAP:
            yield Problem(str(source.path), start, f"longer than {_CAP} bytes, skipped")
            return
        first = _RUN.search(data)
        if start == 0 and b"\n#### " in data[: first.start() if first else None]:
            yield Problem(str(source.path), 0, "what stands before the first run is skipped")
        moments = _Moments(decoded(typed, Faults(source.path)))
        faults = Faults(source.path)
        for run in _runs(data, start, faults):
            yield from faults.taken()
            yield from _read_run(run, source, moments, mtime)
        yield from faults.taken()


class _Run(Struct, frozen=True):
    offset: int
    started: str
    until: str | None
    text: str


class _Moments:
    """When each prompt was typed, by its text."""

    def __init__(self, history: str) -> None:
        self._typed: dict[str, list[str]] = {}
        at, lines = "", list[str]()
        for line in (*history.split("\n"), _LAST):
            if found := _TYPED_AT.match(line):
                if lines:
                    self._typed.setdefault(identity.normal("\n".join(lines)), []).append(at)
                at, lines = found[1], []
            elif line.startswith("+"):
                lines.append(line[1:])

    def take(self, prompt: str, run: _Run) -> str | None:
        """The first time within the run at which this was typed and that was not taken before."""
        typed = self._typed.get(identity.normal(prompt), [])
        fitting = (each for each in typed if run.started <= each and (run.until is None or each < run.until))
        moment = next(fitting, None)
        if moment is not None:
            typed.remove(moment)
        return moment


def why_not(typed: str) -> str | None:
    """The name of the rule by which what was typed is no prompt; None for a prompt."""
    return next((name for name, pattern in NOT_PROMPTS if pattern.match(typed)), None)


def _bytes(path: Path, start: int) -> bytes:
    with opened(path) as stream:
        stream.seek(start)
        return stream.read(_CAP + 1)


def _runs(data: bytes, start: int, faults: Faults) -> Iterator[_Run]:
    heads = list(_RUN.finditer(data))
    for head, following in zip(heads, [*heads, None][1:], strict=True):
        told = data[head.end() : following.start() if following else len(data)]
        until = following[1].decode() if following else None
        yield _Run(start + head.start(), head[1].decode(), until, decoded(told, faults, start + head.end()))


def _read_run(run: _Run, source: Source, moments: _Moments, mtime: float) -> Iterator[Item]:
    parts = list(stretches(run.text))
    if run.until is None and parts and parts[-1].kind == "typed" and not run.text.endswith("\n"):
        parts.pop()  # still being written
    first = next((part.text for part in parts if part.kind == "typed" and why_not(part.text) is None), None)
    if first is None:
        return
    folder, now = source.path.parent, time.time()
    name = f"{run.started.replace(' ', 'T')}-{identity.short(identity.normal(first))}"
    session = Session("aider", name, started_at=times.utc(_zoned(run.started), now))
    build = Builder.start(session, now=now, mtime=mtime)
    build.context(cwd=str(folder), root=source.workspace)
    proposed: list[Proposal] = []
    for part in parts:
        if part.kind == "answer":
            build.answer(part.text)
            proposed += aider_blocks.proposals(part.text)
        elif part.kind == "said":
            proposed = _said(build, part.text, proposed, str(folder))
        elif rule := why_not(part.text):
            if rule in ("aider-command", "aider-shell"):
                build.call("command", arguments=_json(command=part.text), summary=calls.line(part.text), ok=True)
        else:
            moment = _zoned(moments.take(part.text, run))
            yield from build.prompt(part.text.strip(), offset=run.offset, time=moment)
            proposed = []
    yield from build.finish()


def _said(build: Builder, text: str, proposed: list[Proposal], folder: str) -> list[Proposal]:
    """Tells what aider itself did; the proposals that are still open."""
    if bad := aider_blocks.failed(text):
        proposed = [each for each in proposed if each.source not in bad]
    edits: list[Edit] = []
    for path in dict.fromkeys(_APPLIED.findall(text)):
        taken = [each for each in proposed if aider_blocks.same(path, each.path)]
        edits.append(aider_blocks.edit(recorded_paths.today(path, (folder,)), taken))
        proposed = [each for each in proposed if each not in taken]
    if model := _MODEL.search(text):
        build.context(model=model[1])
    reads = [recorded_paths.today(path, (folder,)) for path in _ADDED.findall(text)]
    commands = _RUNNING.findall(text)
    telling = next((found[0] for pattern in _TELLING if (found := pattern.search(text))), text)
    arguments = _json(command="\n".join(commands)) if commands else "{}"
    build.call(
        "aider", arguments=arguments, summary=calls.line(telling), output=text, ok=True, edits=edits, reads=reads
    )
    return proposed


def _json(**values: str) -> str:
    return json.dumps(values, ensure_ascii=False)


def _zoned(local: str | None) -> str | None:
    """aider writes this machine's time without its zone."""
    if local is None:
        return None
    try:
        return datetime.fromisoformat(local).astimezone().isoformat()
    except (ValueError, OverflowError, OSError):
        return None


AIDER = Aider()
