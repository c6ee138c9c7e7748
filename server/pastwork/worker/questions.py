"""What a server asks its worker, one struct per question, and the lines they travel on.

The names are the contract's names of the request params. Decoding is strict: an unknown name or a
value of the wrong type is an error that says which. Lines are 1-based, as in every answer; paths are text.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Raw, Struct

from pastwork.config import Config
from pastwork.shapes import ErrorBody, ShowAnswer

Limit = Annotated[int, Meta(ge=1, le=1000)]
Name = Annotated[str, Meta(min_length=1, max_length=4096)]
Line = Annotated[int, Meta(ge=1)]


class Narrowing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The filters of the contract; unset ones restrict nothing."""

    scope: Literal["workspace", "all"] | None = None
    agent: Name | None = None
    file: Name | None = None
    room: Name | None = None
    since: Name | None = None
    until: Name | None = None
    branch: Name | None = None
    fixes: bool = False
    limit: Limit | None = None
    folders: tuple[str, ...] = ()


class Search(Narrowing, frozen=True, tag="search", kw_only=True):
    query: str
    mode: Name | None = None


class Rooms(Narrowing, frozen=True, tag="rooms", kw_only=True):
    """All rooms, or the exchanges of one where ``room`` is set."""


class History(Struct, frozen=True, tag="history", omit_defaults=True):
    """``text`` is the unsaved buffer; None means the file on disk."""

    file: str
    line: Line | None = None
    text: str | None = None
    folders: tuple[str, ...] = ()


class Blame(Struct, frozen=True, tag="blame", omit_defaults=True):
    file: str
    text: str | None = None
    folders: tuple[str, ...] = ()


class Show(Struct, frozen=True, tag="show", forbid_unknown_fields=True):
    id: Name


class Written(Struct, frozen=True, tag="written", omit_defaults=True):
    """What an exchange wrote in a file, put back into its text."""

    id: Name
    file: str
    text: str | None = None
    folders: tuple[str, ...] = ()


class Touched(Struct, frozen=True, tag="touched", forbid_unknown_fields=True, omit_defaults=True):
    """Where the files of an exchange are today."""

    id: Name
    folders: tuple[str, ...] = ()


class Context(Narrowing, frozen=True, tag="context", kw_only=True):
    """Objects packed for an agent's prompt: of these ``ids``, else of what the filters leave."""

    ids: tuple[Name, ...] = ()
    query: str | None = None
    budget: Annotated[int, Meta(ge=1, le=1_000_000)] = 4000


class Forget(Struct, frozen=True, tag="forget", forbid_unknown_fields=True):
    id: Name


class Reindex(Struct, frozen=True, tag="reindex"):
    """A pass over all transcripts in this process; ``full`` reads and distils everything again."""

    full: bool = False
    folders: tuple[str, ...] = ()


class Documents(Struct, frozen=True, tag="documents"):
    """Puts the verbatim of these exchanges as Markdown files into the cache; unknown ids are left out."""

    ids: tuple[Name, ...]


class Page(Struct, frozen=True, tag="page"):
    """Puts the history of a file or line as a Markdown file into the cache."""

    history: History


class Lines(Struct, frozen=True, tag="lines", omit_defaults=True):
    """Who wrote which line of this text, see ``palace/lines.py``; ``pieces`` asks for functions and classes too."""

    file: str
    text: str
    folders: tuple[str, ...] = ()
    pieces: bool = False


Question = (
    Search | Rooms | History | Blame | Show | Written | Touched | Context | Forget | Reindex | Documents | Page | Lines
)


class Asked(Struct, frozen=True, omit_defaults=True):
    """One line to the worker: a question, or the number of one that is no longer wanted, or settings."""

    number: int = 0
    question: Question | None = None
    cancel: int | None = None
    config: Config | None = None
    #: Comes with settings: stay away from native code (vectors), which may be what ended the last worker.
    careful: bool = False


class Answered(Struct, frozen=True, omit_defaults=True):
    """One line from the worker."""

    number: int
    result: Raw = Raw()
    error: ErrorBody | None = None
    #: The user's own doing (a wrong argument), not a failure.
    usage: bool = False


class ExchangeAnswer(ShowAnswer, frozen=True, kw_only=True):
    """``show`` with the document that clients display."""

    markdown: str


class Put(Struct, frozen=True):
    """Where the cache's files lie, by exchange id, or by ``history``."""

    files: dict[str, str]
