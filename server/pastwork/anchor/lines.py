"""Lines made comparable: a line's key ignores white space, a text becomes a string of one character a line.

The character trick lets ``str.find``, slices and comparisons do the work of line matching in C.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

#: Letters and digits a line must have to say something of its own.
INFORMATIVE_LENGTH = 8
#: Today's lines that the edits never held. Never matches.
FOREIGN = "\x01"
#: Stands between remembered fragments whose distance is unknown. Never matches.
GAP = "\x02"
#: A line that is already spoken for. Never matches.
TAKEN = "\x03"

_FIRST_CODE = 0x100
_LAST_CODE = 0x10FFFF
_WORD = re.compile(r"\w+")
#: The first word of a line that is long enough.
_FIRST = re.compile(rf"(?=(?:[\W_]*[^\W_]){{{INFORMATIVE_LENGTH}}})\W*(\w+)")

#: Words of many languages that mean nothing without others; a line of these only is uninformative.
KEYWORDS: frozenset[str] = frozenset(
    re.findall(
        r"\w+",
        """
    abstract and as async await begin bool boolean break case catch char class const continue declare def default defer
    del delete do double elif else elseif elsif end endif enum ensure except export extends extern false final finally
    float fn for foreach from func function global goto if implements import in instanceof int interface internal is
    lambda let local long loop match mod module mut namespace new next nil none not null object of or override package
    pass private protected pub public raise readonly rescue return returns sealed self short static string struct super
    switch then this throw throws true try type typeof undefined unless unsafe until use using val var virtual void
    volatile when where while with yield
        """,
    )
)


def informative(line: str) -> bool:
    """Whether the line, wherever it stands, tells one place of a program from another."""
    first = _FIRST.match(line)
    if first is None:
        return False
    if first[1].lower() not in KEYWORDS:  # mostly it decides
        return True
    return any(word[0].lower() not in KEYWORDS for word in _WORD.finditer(line))


def split(text: str) -> list[str]:
    r"""The lines of a text as editors number them: ``\n``, ``\r\n`` and ``\r`` end one, a last end opens none."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def stretches(flags: Iterable[bool]) -> Iterator[tuple[int, int]]:
    """The [start, end) of each run of true flags."""
    start: int | None = None
    end = 0
    for end, flag in enumerate(flags, 1):
        if flag and start is None:
            start = end - 1
        elif not flag and start is not None:
            yield start, end - 1
            start = None
    if start is not None:
        yield start, end


class Codes:
    """Gives each distinct line key a character; ``informative`` holds the characters of informative lines.

    Keys are held by their hash only: two lines with one hash are as likely as a fault of the memory.
    """

    __slots__ = ("_codes", "informative")

    def __init__(self) -> None:
        self._codes: dict[int, int] = {}
        self.informative: set[str] = set()

    def learn(self, lines: Sequence[str]) -> str:
        """The lines as characters; new lines get new ones."""
        names = [hash("".join(line.split())) for line in lines]
        find = self._codes.get
        return "".join(
            map(chr, [find(name) or self._learn(name, line) for name, line in zip(names, lines, strict=True)])
        )

    def known(self, lines: Iterable[str]) -> str:
        """The lines as characters; unknown ones become ``FOREIGN``."""
        find, foreign = self._codes.get, ord(FOREIGN)
        return "".join(map(chr, [find(hash("".join(line.split())), foreign) for line in lines]))

    def _learn(self, name: int, line: str) -> int:
        code = len(self._codes) + _FIRST_CODE
        if code > _LAST_CODE:
            return ord(GAP)
        self._codes[name] = code
        if informative(line):
            self.informative.add(chr(code))
        return code
