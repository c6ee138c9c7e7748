"""Past work on a file or on one of its lines, and the line-by-line attribution.

Tiers say how sure an answer is: ``line`` (this exchange wrote these very lines, which stand today),
``symbol``, ``file`` (it edited, read or named the file). Anything weaker is silence, and silence
says in one sentence what is known instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pastwork.anchor.attribute import attribute
from pastwork.anchor.attribution import Attribution, Work
from pastwork.anchor.gather import gather
from pastwork.anchor.paths import Places
from pastwork.errors import BadUsage
from pastwork.palace.files import Worked, worked_on
from pastwork.palace.hits import hit
from pastwork.shapes import BlameAnswer, BlameLine, HistoryAnswer, Match
from pastwork.store.reader import StoreReader

#: Larger texts are not attributed line by line.
LARGEST = 4_000_000


class Subject(Struct, frozen=True):
    """The file asked about: its absolute path, where recorded paths lead today, its text if there is any."""

    file: str
    places: Places
    text: str | None = None
    weaker: tuple[str, ...] = ()


def subject(file: Path, places: Places, text: str | None) -> Subject:
    """Reads the file unless its text is given; a file that is gone has a past all the same."""
    if text is not None:
        return Subject(str(file), places, text)
    try:
        if file.stat().st_size > LARGEST:
            return Subject(str(file), places, None, (f"{file.name} is too large to be attributed line by line",))
        return Subject(str(file), places, file.read_text(encoding="utf-8", errors="replace"))
    except FileNotFoundError:
        return Subject(str(file), places, None, (f"{file.name} does not exist today; this is its past",))
    except OSError as error:
        return Subject(str(file), places, None, (f"{file.name} can't be read ({error.strerror}); lines are unknown",))


def history(store: StoreReader, asked: Subject, line: int | None) -> HistoryAnswer:
    """By tier, newest first within each. Raises BadUsage for a line that can't be."""
    if line is not None and line < 1:
        raise BadUsage(f"lines are counted from 1, {line} is none", "Write FILE:LINE, for example src/auth.py:41.")
    found = worked_on(store, asked.places, [asked.file])
    placed = _attribution(store, asked)
    matches = [_match(work, placed.work(work.kept.id)) for work in found]
    if line is None:
        return HistoryAnswer(
            asked.file, None, _sorted(matches), None if matches else _nothing(asked.file), asked.weaker
        )
    return _of_line(asked, line, matches, placed)


def blame(store: StoreReader, asked: Subject) -> BlameAnswer:
    """Line -> exchange, only where the tier is ``line``."""
    placed = _attribution(store, asked)
    sessions = {work.exchange_id: work.session_id for work in placed.works}
    lines = tuple(
        BlameLine(line, run.exchange_id, sessions.get(run.exchange_id, ""))
        for run in placed.runs
        for line in range(run.first, run.last + 1)
    )
    return BlameAnswer(asked.file, lines, None if lines else _no_lines(asked, placed))


def _attribution(store: StoreReader, asked: Subject) -> Attribution:
    edits = gather(store.edits, asked.places, asked.file)
    return attribute(asked.text or "", edits)


def _match(worked: Worked, work: Work | None) -> Match:
    if work is None:
        return Match("file", hit(worked.kept), action=worked.action)
    return Match(
        tier="line" if work.lines else "file",
        hit=hit(worked.kept),
        lines=work.lines,
        survival=None if work.survival is None else round(work.survival, 3),
        action=worked.action,
        replaced_by=work.replaced_by,
        undone=work.undone,
    )


def _of_line(asked: Subject, line: int, matches: Sequence[Match], placed: Attribution) -> HistoryAnswer:
    """The line's writer first; then, as file tier, who else changed the file."""
    run = placed.at(line)
    wrote = [match for match in matches if run is not None and match.hit.id == run.exchange_id]
    others = [replace(match, tier="file") for match in matches if match not in wrote and match.survival is not None]
    silence = None if wrote else _silent_line(asked, line, placed, matches)
    return HistoryAnswer(asked.file, line, (*wrote, *others), silence, asked.weaker)


def _sorted(matches: Iterable[Match]) -> tuple[Match, ...]:
    """Stable: within a tier the order of deed and time stays."""
    return tuple(sorted(matches, key=lambda match: ("line", "symbol", "file").index(match.tier)))


def _silent_line(asked: Subject, line: int, placed: Attribution, matches: Sequence[Match]) -> str:
    if asked.text is not None and line > placed.line_count:
        return f"{Path(asked.file).name} has {placed.line_count} lines; there is no line {line}."
    if not placed.works:
        return _nothing(asked.file) if not matches else f"No recorded edit of {Path(asked.file).name} shows its lines."
    return f"No known exchange wrote line {line}; the file was edited by {_exchanges(len(placed.works))}."


def _no_lines(asked: Subject, placed: Attribution) -> str:
    if placed.works and asked.text is not None:
        return f"Edited by {_exchanges(len(placed.works))}; none of their lines stand today."
    return asked.weaker[0] + "." if asked.weaker else _nothing_edited(asked.file)


def _exchanges(count: int) -> str:
    return "1 exchange" if count == 1 else f"{count} exchanges"


def _nothing_edited(file: str) -> str:
    return f"No transcript edits {Path(file).name}."


def _nothing(file: str) -> str:
    return f"No transcript edits, reads or names {Path(file).name}."
