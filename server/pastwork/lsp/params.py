"""Params of our own requests and arguments of our commands, checked.

In: JSON values as a client sent them. Out: the structs below, or ``BadUsage`` that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from pastwork.errors import BadUsage

T = TypeVar("T", bound=Struct)

#: What any request may carry by the protocol; no concern of ours.
_TOKENS = frozenset({"workDoneToken", "partialResultToken"})

Number = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class Position(Struct, frozen=True):
    """As the protocol counts: from 0."""

    line: Number
    character: Number = 0


class TextDocument(Struct, frozen=True):
    uri: str


class InDocument(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """``pastwork/history`` and ``pastwork/blame``."""

    text_document: TextDocument
    position: Position | None = None


class ExchangeInDocument(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """``pastwork/written``."""

    id: Annotated[str, Meta(min_length=1, max_length=256)]
    text_document: TextDocument


class Nothing(Struct, frozen=True):
    """``pastwork/status``: takes nothing, and heeds nothing."""


class QueryArgument(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    query: str


class FileArgument(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """``line`` is 1-based."""

    uri: str
    line: Annotated[int, Meta(ge=1)] | None = None


class IdArgument(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(min_length=1, max_length=256)]


class FullArgument(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """``full`` reads and distils everything again."""

    full: bool = False


class NoArgument(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    pass


def params(sent: object, kind: type[T]) -> T:
    """``sent`` as ``kind``; nothing at all counts as no params."""
    tree = {} if sent is None else sent
    if isinstance(tree, Mapping):
        tree = {key: value for key, value in tree.items() if key not in _TOKENS}
    return _checked(tree, kind)


def arguments(sent: Sequence[Any], kind: type[T]) -> T:
    """A command's arguments; trailing nulls count as not given."""
    given = list(sent)
    while given and given[-1] is None:
        given.pop()
    return _checked(given, kind)


def _checked(tree: object, kind: type[T]) -> T:
    try:
        return msgspec.convert(tree, kind)
    except msgspec.ValidationError as error:
        raise BadUsage(f"bad params: {error}", "The params are listed in docs/protocol.md.") from None
