"""Why there is nothing to say of a file or line, in one plain sentence."""

from __future__ import annotations

from pastwork.anchor.attribution import Attribution
from pastwork.anchor.lines import informative


def file_silence(name: str, found: Attribution, touched: int = 0) -> str | None:
    """None where some exchange's lines stand; ``touched`` counts exchanges that read, named or edited the file."""
    if found.runs:
        return None
    if not found.works:
        return f"No transcript edits {name}{_only_looked(touched)}."
    shown = [work for work in found.works if work.added]
    by = _exchanges(len(found.works))
    if found.denied:
        return f"Edited by {by}, but git says that the lines which read like theirs are not theirs."
    if not shown:
        return f"Edited by {by}, of which the transcripts show no lines that could stand."
    if all(work.undone for work in shown):
        return f"Edited by {by}, all of it undone."
    return f"Edited by {by}; none of their lines stand today."


def line_silence(name: str, found: Attribution, line: int, text: str, touched: int = 0) -> str | None:
    """None where an exchange wrote the line; ``text`` is the line's."""
    if found.at(line):
        return None
    if line > found.line_count:
        return f"{name} has {found.line_count} line{'s' * (found.line_count != 1)}; there is no line {line}."
    if not found.works:
        return f"No transcript edits {name}{_only_looked(touched)}."
    if any(first <= line <= last for first, last in found.denied):
        return f"An exchange wrote the same as line {line}, but git says that this line is not from it."
    if not informative(text):
        return f"Line {line} says too little to tell who wrote it."
    edited = f"{_exchanges(len(found.works))} edited {name}"
    return f"No known exchange wrote line {line}; {edited}{', elsewhere' * bool(found.runs)}."


def _only_looked(touched: int) -> str:
    return f"; {_exchanges(touched)} only read or name{'s' * (touched == 1)} it" if touched else ""


def _exchanges(count: int) -> str:
    return "1 exchange" if count == 1 else f"{count} exchanges"
