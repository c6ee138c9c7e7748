"""The simple reference: edits applied line by line to a text that remembers who wrote each line.

It shares nothing with the product but the shapes of edits. Slow and plain on purpose: texts are
lists, positions are line numbers, comparisons are ``difflib``'s.

What counts as written by an edit, as the design has it: every added line, but for lines the same
edit only re-indents or puts back in their order, and for runs with an informative line that the
same exchange takes out in one place and puts into another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from pastwork.model import Edit, Hunk

#: Letters or digits that make a line informative.
TELLING = 8


@dataclass(eq=False)
class Line:
    """One line of the text and the exchange that wrote it (None: nobody known).

    ``touched`` once a known edit put it where it is, ``moved`` once it is one end of a move.
    """

    text: str
    author: str | None = None
    touched: bool = False
    moved: bool = False


@dataclass
class Moves:
    """Blocks one exchange took out and put in so far."""

    out: list[list[Line]] = field(default_factory=list)
    put: list[list[Line]] = field(default_factory=list)


class MismatchError(Exception):
    """The edit does not fit the text: something happened that the transcript does not tell."""


@dataclass
class Page:
    """A file under replay."""

    lines: list[Line] = field(default_factory=list)
    moves: dict[str, Moves] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "".join(line.text + "\n" for line in self.lines)

    def apply(self, edit: Edit, author: str) -> None:
        """One successful edit of this file.

        Raises:
            MismatchError: a hunk's old lines are not where it says, or not in exactly one place.
        """
        if edit.action == "deleted":
            self._change(0, len(self.lines), [], author)
        elif edit.evidence == "content":
            self._overwrite([line[1:] for hunk in edit.hunks for line in hunk.lines], author)
        else:
            shift = 0
            for hunk in edit.hunks:
                shift += self._hunk(hunk, shift, author)

    def outside(self, text: str) -> None:
        """The file as somebody else left it: lines that changed have no known author."""
        new = text.split("\n")
        if new[-1] == "":
            new.pop()
        self.lines = _carried(self.lines, new)

    def _overwrite(self, new: list[str], author: str) -> None:
        old = [squeezed(line.text) for line in self.lines]
        at = 0
        edits: list[tuple[int, int, list[str]]] = []
        matcher = SequenceMatcher(None, old, [squeezed(line) for line in new], autojunk=False)
        for tag, i, i_end, j, j_end in matcher.get_opcodes():
            if tag == "equal" and not any(map(informative, new[j:j_end])) and not (i == j == 0 or i_end == len(old)):
                tag = "replace"
            if tag == "equal":
                self._respell(i, new[j:j_end])
            elif edits and edits[-1][1] == i:
                edits[-1] = (edits[-1][0], i_end, edits[-1][2] + new[j:j_end])
            else:
                edits.append((i, i_end, new[j:j_end]))
        for i, i_end, lines in edits:
            self._change(i + at, i_end + at, lines, author)
            at += len(lines) - (i_end - i)

    def _hunk(self, hunk: Hunk, shift: int, author: str) -> int:
        old = [line[1:] for line in hunk.lines if line[:1] in " -"]
        at = self._place(hunk, old, shift)
        start = at
        taken: list[str] = []
        put: list[str] = []
        for mark in [*hunk.lines, " "]:
            if mark[:1] == "-":
                taken.append(mark[1:])
            elif mark[:1] == "+":
                put.append(mark[1:])
            else:
                at = self._block(at, taken, put, author) + 1
                taken, put = [], []
        return (at - 1 - start) - len(old)

    def _place(self, hunk: Hunk, old: list[str], shift: int) -> int:
        texts, old = [squeezed(line.text) for line in self.lines], [squeezed(line) for line in old]
        if hunk.old_start is not None:
            at = hunk.old_start + shift - (1 if old else 0)
            if texts[at : at + len(old)] == old:
                return at
            raise MismatchError
        spots = [at for at in range(len(texts) - len(old) + 1) if texts[at : at + len(old)] == old]
        if len(spots) != 1:
            raise MismatchError
        return spots[0]

    def _block(self, at: int, taken: list[str], put: list[str], author: str) -> int:
        """Replaces the lines at ``at``; lines equal but for white space stay whose they were. Gives the end."""
        old, new = list(map(squeezed, taken)), list(map(squeezed, put))
        for tag, i, i_end, j, j_end in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
            ends = i == j == 0 or (i_end == len(old) and j_end == len(new))
            if tag == "equal" and (ends or any(map(informative, put[j:j_end]))):
                self._respell(at + i, put[j:j_end])
            else:
                self._change(at + i, at + i_end, put[j:j_end], author)
        return at + len(put)

    def _respell(self, at: int, texts: list[str]) -> None:
        for line, text in zip(self.lines[at:], texts, strict=False):
            line.text = text

    def _change(self, start: int, end: int, new: list[str], author: str) -> None:
        moves = self.moves.setdefault(author, Moves())
        out, put = self.lines[start:end], [Line(text, author, touched=True) for text in new]
        self.lines[start:end] = put
        standing = {id(line) for line in self.lines}
        moves.out.append(out)
        for block in moves.out:
            _move(block, put)
        for block in moves.put:
            _move(out, [line for line in block if id(line) in standing])
        moves.put.append(put)


def squeezed(line: str) -> str:
    """Without white space."""
    return "".join(line.split())


def informative(line: str) -> bool:
    """At least eight letters or digits."""
    return sum(map(str.isalnum, line)) >= TELLING


def _move(out: list[Line], put: list[Line]) -> None:
    """Lines put in that are lines taken out go on being whose they were, run by run, the longest first."""
    old = [f"<{index}" if line.moved else squeezed(line.text) for index, line in enumerate(out)]
    new = [f">{index}" if line.moved else squeezed(line.text) for index, line in enumerate(put)]
    while any(map(informative, set(old) & set(new))):
        i, j, size = SequenceMatcher(None, old, new, autojunk=False).find_longest_match()
        telling = any(informative(line.text) for line in put[j : j + size])
        for at in range(size):
            old[i + at], new[j + at] = f"<{i + at}", f">{j + at}"
            if telling:
                put[j + at].author, put[j + at].moved, out[i + at].moved = out[i + at].author, True, True


def _carried(lines: Sequence[Line], new: list[str]) -> list[Line]:
    """The lines of a new text; those that were there before keep their author."""
    result = [Line(text) for text in new]
    old = [squeezed(line.text) for line in lines]
    for i, j, size in SequenceMatcher(
        None, old, [squeezed(line) for line in new], autojunk=False
    ).get_matching_blocks():
        for before, after in zip(lines[i : i + size], result[j : j + size], strict=True):
            before.text = after.text
        result[j : j + size] = lines[i : i + size]
    return result
