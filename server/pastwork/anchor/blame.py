"""What git blame says of a file at HEAD, as a ``Witness``. Background only; cache by ``Asked``.

White space is ignored (``-w``), moved and copied lines keep their first commit (``-M``, ``-C``): the
same eyes as the matching's. Text conversions and external diffs are never run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from pastwork.anchor.git import Git
from pastwork.anchor.witness import Commit, Witness

#: Files with more bytes are not blamed.
MOST_BYTES = 4_000_000
#: First blame with moves and copies; where that takes too long, without.
_WAYS: tuple[tuple[str, ...], ...] = (("-w", "-M", "-C"), ("-w",))


class Asked(Struct, frozen=True):
    """What a witness depends on: the file, the commit, and who works here."""

    file: str
    head: str
    mine: tuple[str, ...]


def asked(git: Git, file: Path) -> Asked | None:
    """The key to cache a witness by; None where nothing is committed."""
    head = git.head()
    return None if head is None else Asked(str(file), head, tuple(sorted(own_addresses(git))))


def witness(git: Git, asked: Asked) -> Witness | None:
    """Blames the file at that commit; no lines where it is not in it, None where git has no answer."""
    relative = _relative(git, asked.file)
    listed = None if relative is None else git.ask(["ls-tree", "-l", "-z", asked.head, "--", relative])
    if listed is None or relative is None:
        return None
    if not listed:
        return Witness(asked.head, (), (), ())
    kind, _, size = listed.split(b"\t")[0].rpartition(b" ")
    if b" blob " not in kind or int(size) > MOST_BYTES:
        return None
    for way in _WAYS:
        output = git.ask(["blame", "--porcelain", "--no-textconv", *way, asked.head, "--", relative])
        if output is not None:
            return parse(output.decode("utf-8", "replace"), asked.head, frozenset(asked.mine))
    return None


def own_addresses(git: Git) -> frozenset[str]:
    """The mail addresses under which the user of this tree commits, as configured."""
    found = git.ask(["config", "--get-all", "user.email"])
    return frozenset(line.strip().casefold() for line in (found or b"").decode("utf-8", "replace").splitlines())


def parse(output: str, head: str, mine: frozenset[str]) -> Witness:
    """The porcelain format: a commit's facts once, then a line each.

    Where no address of the user is known, every commit counts as the user's.
    """
    numbers: dict[str, int] = {}
    facts: list[dict[str, str]] = []
    lines: list[str] = []
    makers: list[int] = []
    for name, value in _entries(output):
        if name == "\t":
            lines.append(value)
        elif name == "commit":
            if value not in numbers:
                numbers[value] = len(facts)
                facts.append({})
            makers.append(numbers[value])
        else:
            facts[makers[-1]][name] = value
    return Witness(head, tuple(lines), tuple(makers), tuple(_commit(fact, mine) for fact in facts))


def _entries(output: str) -> Iterator[tuple[str, str]]:
    """(``commit``, hash) at the head of each line's record, (name, value) for its facts, (tab, text) for the line."""
    begins = True
    for entry in output.split("\n"):
        if entry.startswith("\t"):
            yield "\t", entry[1:]
            begins = True
        elif begins:
            if entry:
                yield "commit", entry.split(" ", 1)[0]
            begins = False
        else:
            name, _, value = entry.partition(" ")
            yield name, value


def _commit(facts: dict[str, str], mine: frozenset[str]) -> Commit:
    address = facts.get("author-mail", "").strip("<>").casefold()
    return Commit(
        authored=float(facts.get("author-time", 0)),
        committed=float(facts.get("committer-time", 0)),
        ours=not mine or address in mine,
    )


def _relative(git: Git, file: str) -> str | None:
    try:
        return Path(file).relative_to(git.root).as_posix()
    except ValueError:
        return None
