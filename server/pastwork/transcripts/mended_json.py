"""JSON documents that are rewritten whole, read tolerantly: bytes in, a typed value or a ``Problem`` out.

Writers that don't write atomically leave documents cut or with stray brackets behind; what stands
before the damage is kept. A field of the wrong shape costs that field.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from msgspec import Raw, Struct, structs
from msgspec.json import Decoder

from pastwork.model import Problem
from pastwork.transcripts import mend
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.jsonl import opened

T = TypeVar("T")
#: No document of an agent's comes near; a larger file is not read at all.
CAP = 512 * 1024 * 1024
#: A string (the last may be cut), or a bracket.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
#: Where a decoder stopped, in its message.
_PLACE = re.compile(r"\(byte (\d+)\)")
#: What is nested deeper is left out where decoding fails; no document of an agent comes near.
_DEEPEST = 200
_PAIRS = {b"]": b"[", b"}": b"{"}
_BOM = b"\xef\xbb\xbf"


class Found(Struct, Generic[T], frozen=True):
    """A value (None where nothing is left), what had to be mended in it, and where what is missing begins."""

    value: T | None
    reason: str = ""
    offset: int = 0


def document(path: Path, decoder: Decoder[T], faults: Faults | None = None) -> T | Problem:
    """A file's one JSON value; ``faults`` is told what had to be mended in it."""
    try:
        with opened(path) as stream:
            data = stream.read(CAP + 1)
    except OSError as error:
        return Problem(str(path), 0, f"cannot be read: {error.strerror or error}")
    if len(data) > CAP:
        return Problem(str(path), 0, f"longer than {CAP} bytes, skipped")
    found = mended(data, decoder)
    if found.value is None:
        return Problem(str(path), 0, "not the JSON that was expected")
    if faults is not None:
        faults.page = data.replace(b"\0", b" ")
        if found.reason:
            faults.add(found.reason, found.offset)
    return found.value


def value(data: bytes | Raw | None, decoder: Decoder[T], faults: Faults | None = None, what: str = "") -> T | None:
    """A JSON value, mended where it is damaged; None where there is nothing to save.

    ``faults`` is told of damage to ``what``, a row of a database; one that is empty is not damaged.
    """
    found = mended(data, decoder)
    if faults is not None and data and found.value is None:
        faults.add(f"{what} is not the JSON that was expected")
    elif faults is not None and found.reason:
        faults.add(f"{what}: {found.reason}")
    return found.value


def each(items: list[Raw] | None, decoder: Decoder[T], faults: Faults | None = None, what: str = "item") -> list[T]:
    """The items of a list, each decoded on its own; those that can't be are left out and told as damage to ``what``."""
    kept: list[T] = []
    for place, item in enumerate(items or ()):
        found = mended(item, decoder)
        if found.value is not None:
            kept.append(found.value)
        if faults is not None and (found.value is None or found.reason):
            reason = f"{what} {place + 1}: {found.reason or 'not what was expected'}"
            faults.add(reason, _offset(faults.page, items or [], place))
    return kept


def mended(data: bytes | Raw | None, decoder: Decoder[T]) -> Found[T]:
    """A value, with undecodable parts replaced, else what stands before the damage."""
    text = bytes(data or b"")
    reason = "NUL bytes stripped" if b"\0" in text else ""
    text = text.replace(b"\0", b" ")
    if text.startswith(_BOM):
        text = text.replace(_BOM, b"   ", 1)
    if not text.strip():
        return Found(None)
    try:
        found = Found(decoder.decode(text))
    except (ValueError, RecursionError):
        found = _saved(text, decoder)
    if not found.reason and not mend.is_text(text):
        found = _saved(text, decoder)
    return structs.replace(found, reason="; ".join(filter(None, (reason, found.reason))))


def _saved(text: bytes, decoder: Decoder[T]) -> Found[T]:
    fixed = mend.repaired(text)
    try:
        return Found(*mend.saved(text, decoder))
    except msgspec.ValidationError:
        return Found(None)
    except RecursionError:
        return _shallow(text, decoder)
    except ValueError as error:
        place = _PLACE.search(str(error))
        whole, good = repaired(fixed[: int(place[1])] if place else fixed)
    try:
        found, bad = mend.saved(whole, decoder)
    except (ValueError, RecursionError):
        return Found(None)
    return Found(found, "; ".join(filter(None, ("damaged, read up to here", bad))), good)


def _shallow(text: bytes, decoder: Decoder[T]) -> Found[T]:
    """With what is nested too deeply for any decoder left out."""
    out, depth, start = bytearray(text), 0, 0
    for token in _TOKEN.finditer(text):
        if token[0] in (b"[", b"{"):
            depth += 1
            start = token.start() if depth == _DEEPEST else start
        elif token[0] in _PAIRS:
            depth -= 1
            if depth == _DEEPEST - 1:
                out[start : token.end()] = b"null".ljust(token.end() - start)
    try:
        found, bad = mend.saved(bytes(out), decoder)
    except (ValueError, RecursionError):
        return Found(None)
    return Found(found, "; ".join(filter(None, ("nested too deeply, left out", bad))))


def _offset(page: bytes, items: list[Raw], place: int) -> int:
    """Where an item stands in its document: behind the one before it, or before the next; 0 where that isn't told."""
    item = bytes(items[place])
    if place:
        before = bytes(items[place - 1])
        return max(page.find(item, page.find(before) + len(before)), 0)
    end = page.find(bytes(items[1])) if len(items) > 1 else len(page)
    return max(page.rfind(item, 0, end), 0)


def repaired(text: bytes) -> tuple[bytes, int]:
    """The longest beginning that can be made whole, with its open brackets closed, and its length.

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
    return text[:good] + closing, good
