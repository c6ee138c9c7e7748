"""What people do to a file after an agent wrote it, line by line, with the authors kept true.

Each alteration takes the labelled lines and gives new ones. A line whose text changes (beyond its
indentation) is nobody's any more, an inserted or copied line never was anybody's; a moved line stays
its writer's.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from bench.quality.anchoring.truth import Line

Alter = Callable[[list[Line], random.Random], list[Line]]

#: Lines a person types that say little.
FILLERS: Sequence[str] = ("", "", "}", "    return None", "    }", "else:", "    pass", "})", "end", "{")
_WORDS = [
    "user",
    "total",
    "index",
    "cache",
    "buffer",
    "config",
    "handler",
    "result",
    "worker",
    "message",
    "parser",
    "token",
    "state",
    "value",
    "item",
]
_IDENTIFIER = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]{4,}\b")


def insert(lines: list[Line], dice: random.Random) -> list[Line]:
    """A few typed lines, some of them common ones."""
    at = dice.randint(0, len(lines))
    return [*lines[:at], *(Line(typed(dice)) for _ in range(dice.randint(1, 5))), *lines[at:]]


def delete(lines: list[Line], dice: random.Random) -> list[Line]:
    """A few lines gone."""
    start, end = _block(lines, dice, 1, 6)
    return lines[:start] + lines[end:]


def move(lines: list[Line], dice: random.Random) -> list[Line]:
    """A block to another place."""
    start, end = _block(lines, dice, 2, 15)
    block, rest = lines[start:end], lines[:start] + lines[end:]
    at = dice.randint(0, len(rest))
    return rest[:at] + block + rest[at:]


def indent(lines: list[Line], dice: random.Random) -> list[Line]:
    """A block deeper or shallower."""
    start, end = _block(lines, dice, 2, 25)
    deeper = dice.random() < 0.7
    changed = [
        replace(line, text=("    " + line.text if deeper else line.text.removeprefix("    ")) if line.text else "")
        for line in lines[start:end]
    ]
    return lines[:start] + changed + lines[end:]


def rename(lines: list[Line], dice: random.Random) -> list[Line]:
    """Another name for something that a few lines use."""
    counts = Counter(name for line in lines for name in _IDENTIFIER.findall(line.text))
    rare = [name for name, count in counts.items() if count <= 6]
    if not rare:
        return lines
    old = re.compile(rf"\b{dice.choice(rare)}\b")
    new = dice.choice(_WORDS) + "_" + dice.choice(_WORDS)
    return [Line(old.sub(new, line.text)) if old.search(line.text) else line for line in lines]


def copy(lines: list[Line], dice: random.Random) -> list[Line]:
    """A block pasted a second time somewhere else in the file, as a person does: the copy is the person's."""
    start, end = _block(lines, dice, 1, 8)
    at = dice.choice([place for place in range(len(lines) + 1) if not start < place < end])
    return lines[:at] + [Line(line.text) for line in lines[start:end]] + lines[at:]


#: The kinds the requirement names; ``copy`` is a harder one, used where git bears witness.
KINDS: Sequence[Alter] = (insert, delete, move, indent, rename)


def altered(lines: Sequence[Line], times: int, dice: random.Random, kinds: Sequence[Alter] = KINDS) -> list[Line]:
    """That many alterations after each other."""
    result = [replace(line) for line in lines]
    for _ in range(times):
        if len(result) > 3:
            result = dice.choice(kinds)(result, dice)
    return result


def typed(dice: random.Random) -> str:
    """One line as people type them: a common one, or one of its own."""
    if dice.random() < 0.4:
        return dice.choice(FILLERS)
    name, call, argument = (dice.choice(_WORDS) for _ in range(3))
    return f"    {name}_{dice.randint(0, 99)} = {call}({argument}, {dice.random():.4f})"


def _block(lines: Sequence[Line], dice: random.Random, shortest: int, longest: int) -> tuple[int, int]:
    size = min(dice.randint(shortest, longest), max(1, len(lines) // 3))
    start = dice.randint(0, len(lines) - size)
    return start, start + size
