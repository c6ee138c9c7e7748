"""Past work on a file or on one of its lines, and the line-by-line attribution.

Tiers say how sure an answer is: ``line`` (this exchange wrote these very lines, which stand today),
``symbol`` (it wrote other lines of the function or class around the line, or changed the file and
names it), ``file`` (it edited, read or named the file). Anything weaker is silence, and silence
says in one sentence what is known instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pastwork.anchor.attribution import Attribution, Work
from pastwork.anchor.lines import split
from pastwork.anchor.paths import Places
from pastwork.anchor.placer import Placed, Placer
from pastwork.anchor.silence import file_silence, line_silence
from pastwork.anchor.symbols import Symbol, symbols
from pastwork.errors import BadUsage
from pastwork.model import WROTE, Tier
from pastwork.palace.files import Worked, worked_on
from pastwork.palace.hits import hit
from pastwork.shapes import BlameAnswer, BlameLine, HistoryAnswer, Match
from pastwork.store.reader import StoreReader

#: Bytes above which a file is not attributed line by line.
LARGEST = 4_000_000
_TIERS: tuple[Tier, ...] = ("line", "symbol", "file")


class Subject(Struct, frozen=True):
    """The file asked about: its absolute path, where recorded paths lead today, its text if there is any."""

    file: Path
    places: Places
    text: str | None = None
    weaker: str | None = None


def subject(file: Path, places: Places, text: str | None) -> Subject:
    """Reads the file unless its text is given; a file that is gone has a past all the same."""
    if text is not None:
        return Subject(file, places, text)
    try:
        if file.stat().st_size > LARGEST:
            return Subject(file, places, None, f"{file.name} is too large to be attributed line by line")
        return Subject(file, places, file.read_text(encoding="utf-8", errors="replace"))
    except FileNotFoundError:
        return Subject(file, places, None, f"{file.name} does not exist today; this is its past")
    except OSError as error:
        return Subject(file, places, None, f"{file.name} can't be read ({error.strerror}); its lines are unknown")


def history(store: StoreReader, placer: Placer, asked: Subject, line: int | None) -> HistoryAnswer:
    """By tier, newest first within each. Raises BadUsage for a line that can't be."""
    if line is not None and line < 1:
        raise BadUsage(f"lines are counted from 1, {line} is none", "Write FILE:LINE, for example src/auth.py:41.")
    placed = place(store, placer, asked)
    works = worked_on(store, asked.places, placed.names)
    matches = [_match(work, placed.attribution.work(work.kept.id)) for work in works]
    notes = _notes(asked, placed)
    if line is None:
        silence = None if matches else file_silence(asked.file.name, placed.attribution)
        return HistoryAnswer(str(asked.file), None, _by_tier(matches), silence, notes)
    touched = sum(match.action not in WROTE for match in matches)
    found = _around(asked, line, placed.attribution, matches)
    return HistoryAnswer(str(asked.file), line, found, _silence(asked, line, placed.attribution, touched), notes)


def blame(store: StoreReader, placer: Placer, asked: Subject) -> BlameAnswer:
    """Line -> exchange, only where the tier is ``line``."""
    placed = place(store, placer, asked).attribution
    sessions = {work.exchange_id: work.session_id for work in placed.works}
    lines = tuple(
        BlameLine(line, run.exchange_id, sessions.get(run.exchange_id, ""))
        for run in placed.runs
        for line in range(run.first, run.last + 1)
    )
    silence = None if lines else _without_text(asked) or file_silence(asked.file.name, placed)
    return BlameAnswer(str(asked.file), lines, silence)


def place(store: StoreReader, placer: Placer, asked: Subject) -> Placed:
    """Who wrote which line of the subject's text."""
    return placer.place(store.edits, store.content(), asked.places, asked.file, asked.text or "")


def _notes(asked: Subject, placed: Placed) -> tuple[str, ...]:
    weaker = [asked.weaker] if asked.weaker else []
    if not placed.settled:
        weaker.append("git has not answered yet; lines are attributed without it")
    return tuple(weaker)


def _match(worked: Worked, work: Work | None) -> Match:
    if work is None:
        return Match("file", hit(worked.kept), action=worked.action)
    return Match(
        tier="line" if work.lines else "file",
        hit=hit(worked.kept),
        lines=work.lines,
        survival=None if work.survival is None else round(work.survival, 3),
        action=work.action,
        replaced_by=work.replaced_by,
        undone=work.undone,
    )


def _around(asked: Subject, line: int, placed: Attribution, matches: Sequence[Match]) -> tuple[Match, ...]:
    """The line's writer; then those of the symbol around it; then, as file tier, who else changed the file."""
    run = placed.at(line)
    symbol = _symbol(asked, line)
    near = placed.within(symbol.first, symbol.last) if symbol else ()
    tiers: list[Match] = []
    for match in matches:
        if run is not None and match.hit.id == run.exchange_id:
            tiers.append(replace(match, tier="line"))
        elif match.action not in WROTE:
            continue
        elif symbol and (match.hit.id in near or _names(match, symbol.name)):
            tiers.append(replace(match, tier="symbol"))
        else:
            tiers.append(replace(match, tier="file"))
    return _by_tier(tiers)


def _symbol(asked: Subject, line: int) -> Symbol | None:
    """The innermost function or class that holds the line."""
    holding = [each for each in symbols(str(asked.file), asked.text or "") if each.first <= line <= each.last]
    return min(holding, key=lambda each: each.last - each.first, default=None)


def _names(match: Match, symbol: str) -> bool:
    """Whether prompt or object name the symbol as a word; names of one or two letters say nothing."""
    told = f"{match.hit.prompt}\n{match.hit.object.exchange_core}\n{match.hit.object.specific_context}"
    return len(symbol) > 2 and re.search(rf"(?<!\w){re.escape(symbol)}(?!\w)", told) is not None


def _by_tier(matches: Iterable[Match]) -> tuple[Match, ...]:
    """Stable: within a tier the order of deed and time stays."""
    return tuple(sorted(matches, key=lambda match: _TIERS.index(match.tier)))


def _silence(asked: Subject, line: int, placed: Attribution, touched: int) -> str | None:
    """Why no exchange is known to have written the line; None where one is."""
    lines = split(asked.text or "")
    text = lines[line - 1] if line <= len(lines) else ""
    return _without_text(asked) or line_silence(asked.file.name, placed, line, text, touched)


def _without_text(asked: Subject) -> str | None:
    if asked.text is not None or asked.weaker is None:
        return None
    return asked.weaker.partition(";")[0] + "."
