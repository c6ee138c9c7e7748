"""Labelled sets on disk: queries with grades, the exchanges they are about, and optional reference objects.

In: ``.jsonl`` files of the shapes below (further fields are ignored). Out: structs. A set that can't be
used raises ``BadUsage`` with one sentence that names file, line and reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

from pastwork.errors import BadUsage

#: 3 answers the query, 2 substantially relevant, 1 touches the topic, 0 not relevant.
Grade = Annotated[int, Meta(ge=0, le=3)]
#: Keys or names listed in a message before "and n more".
NAMED = 5
L = TypeVar("L", bound=Struct)


class Query(Struct, frozen=True):
    """A line of queries.jsonl: ``relevant`` gives the grade of each relevant key; what it does not name counts 0.

    ``group`` narrows the search to the documents of that group (public sets ask within one history).
    """

    query: str
    type: str
    relevant: dict[str, Grade]
    group: str | None = None


class Keyed(Struct, frozen=True):
    """A line of exchanges.jsonl: how an exchange is known again."""

    key: str
    agent: str
    session_id: str
    started_at: str | None
    prompt: str


class ReferenceRoom(Struct, frozen=True):
    """A room of a reference object."""

    type: str
    key: str
    relevance: float = 1.0


class ReferenceObject(Struct, frozen=True):
    """A line of objects.jsonl."""

    key: str
    exchange_core: str
    specific_context: str
    rooms: tuple[ReferenceRoom, ...] = ()


def read_queries(path: Path) -> list[Query]:
    """At least one, each with something relevant. Raises ``BadUsage``."""
    found = _whole(path, Query)
    for number, query in enumerate(found, 1):
        if not query.query.strip():
            raise _faulty(path, number, "the query is empty")
        if not any(query.relevant.values()):
            raise _faulty(path, number, f"nothing is relevant to {query.query!r}")
    return found


def read_exchanges(path: Path) -> list[Keyed]:
    """At least one, each key once. Raises ``BadUsage``."""
    found = _whole(path, Keyed)
    _once(path, [line.key for line in found])
    return found


def read_objects(path: Path) -> list[ReferenceObject]:
    """At least one, each key once. Raises ``BadUsage``."""
    found = _whole(path, ReferenceObject)
    _once(path, [line.key for line in found])
    return found


def check_keys(
    queries: Sequence[Query], exchanges: Sequence[Keyed], objects: Sequence[ReferenceObject] | None = None
) -> None:
    """Every key that a query or object names is an exchange's, every exchange has its object. Raises ``BadUsage``."""
    known = {line.key for line in exchanges}
    asked = [key for query in queries for key in query.relevant if key not in known]
    if asked:
        raise BadUsage(f"the queries name keys that no exchange has: {named(asked)}", "Check that the files match.")
    if objects is None:
        return
    held = {line.key for line in objects}
    strange = [key for key in held if key not in known]
    if strange:
        raise BadUsage(f"the objects have keys that no exchange has: {named(strange)}", "Check that the files match.")
    without = [line.key for line in exchanges if line.key not in held]
    if without:
        raise BadUsage(f"exchanges without a reference object: {named(without)}", "Check that the files match.")


def named(names: Sequence[str]) -> str:
    """The first few of the distinct names, sorted, and how many more there are."""
    distinct = sorted(set(names))
    more = f" and {len(distinct) - NAMED} more" if len(distinct) > NAMED else ""
    return ", ".join(distinct[:NAMED]) + more


def read_file(path: Path) -> bytes:
    """The file's bytes. Raises ``BadUsage`` where it can't be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadUsage(f"{path} can't be read: {error.strerror}", "Check the path.") from error


def _whole(path: Path, kind: type[L]) -> list[L]:
    found = list(_lines(path, kind))
    if not found:
        raise BadUsage(f"{path} holds nothing", "Give a file with one JSON object a line.")
    return found


def _lines(path: Path, kind: type[L]) -> Iterator[L]:
    decode = msgspec.json.Decoder(kind).decode
    for number, line in enumerate(read_file(path).split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            yield decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _faulty(path, number, str(error)) from error


def _once(path: Path, keys: Sequence[str]) -> None:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            raise BadUsage(f"{path}: the key {key!r} occurs twice", "Give each key once.")
        seen.add(key)


def _faulty(path: Path, number: int, why: str) -> BadUsage:
    return BadUsage(f"{path}, line {number}: {why}", "Correct the line or leave it out.")
