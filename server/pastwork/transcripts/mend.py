"""Saves what can be saved of a line that doesn't decode; pure, and only ever called on such lines.

In turn: lone surrogates, invalid UTF-8, control characters and NaN are replaced; records glued into
one line are taken apart; a record whose fields have the wrong shape is decoded field by field, bad
fields falling back to their defaults. Offsets count bytes from the start of the line.
"""

from __future__ import annotations

import json
import re
from types import UnionType
from typing import Generic, TypeGuard, TypeVar, Union, cast, get_args, get_origin

import msgspec
from msgspec import Raw, Struct, ValidationError
from msgspec.json import Decoder

T = TypeVar("T")

#: A search for whole records after a cut one looks at this many times the line's bytes at the most.
_EFFORT = 8
_CONTROLS = bytes(max(code, 32) for code in range(256))
_BLANKS = bytes(32 if code in b"\t\n\r" else code for code in range(256))
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
_NAN = re.compile(rb'("(?:[^"\\]|\\.)*")|-?\b(?:NaN|Infinity)\b', re.DOTALL)
_SCANNER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)
_RAWS: Decoder[dict[str, Raw]] = Decoder(dict[str, Raw])


class Piece(Struct, Generic[T], frozen=True):
    """A saved record; ``reason`` says what had to be replaced in it, empty where nothing."""

    offset: int
    value: T
    reason: str = ""


class Mended(Struct, Generic[T], frozen=True):
    """What was saved of a line, why the line as a whole counts as bad, and whether nothing of it is missing."""

    pieces: list[Piece[T]]
    reason: str
    complete: bool = False


def mend(data: bytes, decoder: Decoder[T]) -> Mended[T]:
    """The records that a line still holds which doesn't decode as it stands."""
    try:
        value, reason = saved(data, decoder)
    except RecursionError:
        return Mended([], "nested too deeply")
    except ValidationError as error:
        return Mended([], _reason(error))
    except ValueError as error:
        return _apart(data, decoder, _reason(error))
    return Mended([Piece(0, value)], reason, complete=True)


def decode(data: bytes, decoder: Decoder[T]) -> T:
    """Decodes one JSON text, replacing what can't be; raises what ``Decoder.decode`` raises."""
    try:
        return decoder.decode(data)
    except ValueError:
        return saved(data, decoder)[0]


def saved(data: bytes, decoder: Decoder[T]) -> tuple[T, str]:
    """A record that doesn't decode as it stands, and what had to be replaced in it."""
    reasons: list[str] = []
    fixed = repaired(data)
    if fixed != data.translate(_BLANKS):
        reasons.append("undecodable text replaced")
    data = fixed
    try:
        return decoder.decode(data), "; ".join(reasons)
    except ValidationError:
        value, bad = lenient(data, decoder)
    reasons.append(f"of the wrong shape: {', '.join(bad)}")
    return value, "; ".join(reasons)


def is_text(data: bytes) -> bool:
    """Whether it is valid UTF-8; decoders pass over raw parts without looking."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def repaired(data: bytes) -> bytes:
    """The same JSON text with U+FFFD for undecodable text, spaces for control characters, null for NaN."""
    data = data.translate(_CONTROLS)
    data = data.decode("utf-8", "replace").encode()
    if b"\\u" in data:
        data = _ESCAPE.sub(lambda found: b"\\ufffd" if found[1] else found[0], data)
    if b"NaN" in data or b"Infinity" in data:
        data = _NAN.sub(lambda found: found[1] or b"null", data)
    return data


def lenient(data: bytes, decoder: Decoder[T]) -> tuple[T, list[str]]:
    """Decodes a struct field by field; a field of the wrong shape gets its default, and its name is told.

    Raises ``ValidationError`` where the text is no object or a required field is bad.
    """
    kind = decoder.type
    if not _is_struct(kind):
        return decoder.decode(data), []
    value, bad = _struct(data, kind)
    return cast("T", value), bad


def _struct(data: bytes, kind: type[Struct]) -> tuple[Struct, list[str]]:
    given = _RAWS.decode(data)
    values: dict[str, object] = {}
    bad: list[str] = []
    for field in msgspec.structs.fields(kind):
        raw = given.get(field.encode_name)
        if raw is None:
            continue
        try:
            values[field.name], inner = _field(bytes(raw), field.type)
            bad += [f"{field.encode_name}.{name}" for name in inner]
        except ValueError:
            bad.append(field.encode_name)
    try:
        return kind(**values), bad
    except TypeError as error:
        raise ValidationError(str(error)) from error


def _field(data: bytes, kind: object) -> tuple[object, list[str]]:
    try:
        return msgspec.json.decode(data, type=kind), []
    except ValidationError:
        options = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
        for option in options:
            if data[:1] == b"{" and _is_struct(option):
                return _struct(data, option)
            if data[:1] == b"[" and get_origin(option) is list and _is_struct(get_args(option)[0]):
                return _elements(data, get_args(option)[0])
        raise


def _elements(data: bytes, kind: type[Struct]) -> tuple[list[Struct], list[str]]:
    """The elements of a list that are objects; the others are told by their places."""
    kept: list[Struct] = []
    bad: list[str] = []
    for place, raw in enumerate(msgspec.json.decode(data, type=list[Raw])):
        try:
            value, inner = _struct(bytes(raw), kind)
        except ValueError:
            bad.append(str(place))
            continue
        kept.append(value)
        bad += [f"{place}.{name}" for name in inner]
    return kept, bad


def _is_struct(kind: object) -> TypeGuard[type[Struct]]:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _apart(data: bytes, decoder: Decoder[T], reason: str) -> Mended[T]:
    spans, complete = _spans(data.decode("latin-1"))
    pieces: list[Piece[T]] = []
    for start, end in spans:
        try:
            pieces.append(_piece(start, data[start:end], decoder))
        except (ValueError, RecursionError):
            complete = False
    if complete:
        reason = f"{len(pieces)} records on one line, each read"
    return Mended(pieces, reason, complete)


def _piece(start: int, data: bytes, decoder: Decoder[T]) -> Piece[T]:
    try:
        return Piece(start, decoder.decode(data))
    except ValueError:
        return Piece(start, *saved(data, decoder))


def _spans(text: str) -> tuple[list[tuple[int, int]], bool]:
    """[start, end) of whole JSON objects, and whether they are all that the line holds.

    First those at the line's start, then, behind a cut record, those that reach the line's end.
    The text is the line's bytes as Latin-1, so that places in it are places in the bytes.
    """
    spans: list[tuple[int, int]] = []
    at, size = _past_blank(text, 0), len(text.rstrip())
    while at < size and (end := _object_end(text, at)) is not None:
        spans.append((at, end))
        at = _past_blank(text, end)
    tail, ends, budget, left = list[tuple[int, int]](), {size}, _EFFORT * size, size
    while budget > 0 and (left := text.rfind('{"', at + 1, left)) >= 0:
        found = _object_end(text, left)
        budget -= (found or size) - left
        if found in ends:
            tail.append((left, found))
            ends.add(at + len(text[at:left].rstrip()))
    return spans + tail[::-1], at >= size


def _object_end(text: str, at: int) -> int | None:
    try:
        value, end = _SCANNER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return end if isinstance(value, dict) else None


def _past_blank(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _reason(error: Exception) -> str:
    return f"not a record: {error}"
