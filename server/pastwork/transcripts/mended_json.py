"""JSON documents that are rewritten whole, read tolerantly: bytes in, a typed value or a ``Problem`` out.

Writers that don't write atomically leave documents cut or with stray brackets behind; what stands
before the damage is kept. A field of the wrong shape costs that field.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Raw
from msgspec.json import Decoder

from pastwork.model import Problem
from pastwork.transcripts import mend
from pastwork.transcripts.jsonl import opened

T = TypeVar("T")
#: No document of an agent's comes near; a larger file is not read at all.
CAP = 512 * 1024 * 1024
#: A string (the last may be cut), or a bracket.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_PAIRS = {b"]": b"[", b"}": b"{"}
_ANY: Decoder[object] = Decoder()


def document(path: Path, decoder: Decoder[T]) -> T | Problem:
    """A file's one JSON value."""
    try:
        with opened(path) as stream:
            data = stream.read(CAP + 1)
    except OSError as error:
        return Problem(str(path), 0, f"cannot be read: {error.strerror or error}")
    if len(data) > CAP:
        return Problem(str(path), 0, f"longer than {CAP} bytes, skipped")
    found = value(data, decoder)
    return Problem(str(path), 0, "not the JSON that was expected") if found is None else found


def value(data: bytes | Raw | None, decoder: Decoder[T]) -> T | None:
    """A JSON value, mended where it is damaged; None where there is nothing to save."""
    text = bytes(data or b"").replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        return None
    for attempt in (text, None):
        try:
            return mend.decode(repaired(text) if attempt is None else attempt, decoder)
        except (msgspec.DecodeError, ValueError, RecursionError):
            continue
    return None


def each(items: list[Raw] | None, decoder: Decoder[T]) -> list[T]:
    """The items of a list, each decoded on its own; those that can't be are left out."""
    return [found for item in items or () if (found := value(item, decoder)) is not None]


def repaired(text: bytes) -> bytes:
    """The longest beginning that can be made whole, with its open brackets closed.

    A stray closing bracket ends the text; an unfinished last item is dropped.
    """
    stack: list[bytes] = []
    good = open_there = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in (b"[", b"{"):
            stack.append(mark)
        elif mark in _PAIRS:
            if not stack or stack[-1] != _PAIRS[mark]:
                break
            stack.pop()
            good, open_there = token.end(), len(stack)
            if not stack:
                break
    closing = b"".join(b"]" if mark == b"[" else b"}" for mark in reversed(stack[:open_there]))
    return text[:good] + closing
