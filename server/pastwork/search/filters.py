"""What a person types, taken apart: words, quoted phrases, and prefixes such as ``file:``.

Pure. Words are literal; nothing typed is an error. ``file: room: agent: branch: since: until:`` with
a value right behind them narrow the search; any other colon is text. What can't be understood stays
in the words or is named in ``notes``, as are filters that other programs have and this one has not.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pastwork.errors import BadUsage

Scope = Literal["workspace", "all"]


class Filters(Struct, frozen=True):
    """What narrows an answer, by the names of the command line and of the requests; unset means any.

    ``mode``, ``scope`` and ``limit`` unset mean the configured ones. ``since`` and ``until`` are as
    ``moment`` reads them.
    """

    mode: str | None = None
    scope: Scope | None = None
    limit: int | None = None
    agent: str | None = None
    file: str | None = None
    room: str | None = None
    since: str | None = None
    until: str | None = None
    branch: str | None = None
    fixes: bool = False


class Query(Struct, frozen=True):
    """``words`` is the text without prefixes and with the phrases' words; ``prefixes`` what narrowed it.

    ``unfinished`` when the last word may still be going on (nothing follows it). ``strange`` are words that
    look like filters and are none; they stay among the words.
    """

    words: str
    phrases: tuple[str, ...] = ()
    prefixes: tuple[tuple[str, str], ...] = ()
    unfinished: bool = False
    strange: tuple[str, ...] = ()


PREFIXES = ("file", "room", "agent", "branch", "since", "until")
#: Dates count from their start; a bare number with a unit is that long ago.
_AGO = re.compile(r"(\d{1,4})\s*(h|d|w|m|y)(?:[a-z]*)(?:\s+ago)?", re.IGNORECASE)
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_PREFIX = re.compile(rf'(?<!\S)({"|".join(PREFIXES)}):(?:"([^"]*)"|(\S+))', re.IGNORECASE)
#: What filters are called elsewhere, and slips of ours.
_ELSEWHERE = (
    "after author before by date dir directory ext folder from in is kind lang language limit mode model name path"
    " project repo repository scope session tag title to type user when workspace agents file(?:name|s) rooms branches"
)
_STRANGE = re.compile(rf"(?<!\S)({_ELSEWHERE.replace(' ', '|')}):(?=[^\s:/\\])", re.IGNORECASE)
#: Quoted phrases of one query that are looked for, and characters of a word that a note repeats.
MOST_PHRASES, SHOWN = 16, 40
_SURROGATE = re.compile("[\ud800-\udfff]")
_PHRASE = re.compile(r'(?<!\w)["“]([^"“”]+)["”]')


def parse_query(text: str) -> Query:
    """Takes the typed text apart; unbalanced quotes are plain characters."""
    found: list[tuple[str, str]] = []

    def narrow(match: re.Match[str]) -> str:
        found.append((match[1].lower(), match[2] if match[2] is not None else match[3].strip('"')))
        return " "

    rest = _PREFIX.sub(narrow, text)
    phrases = dict.fromkeys(phrase for match in _PHRASE.finditer(rest) if (phrase := " ".join(match[1].split())))
    words = " ".join(_PHRASE.sub(lambda match: f" {match[1]} ", rest).split())
    unfinished = bool(rest) and (rest[-1].isalnum() or rest[-1] in "_-.")
    return Query(
        words,
        tuple(phrases)[:MOST_PHRASES],
        tuple((key, value) for key, value in found if value),
        unfinished,
        tuple(dict.fromkeys(match[1].lower() for match in _STRANGE.finditer(rest))),
    )


def sound(text: str) -> str:
    """The text without lone surrogates, which no file and no protocol can hold."""
    return _SURROGATE.sub("\ufffd", text)


def shown(text: str) -> str:
    """What a note repeats of a typed word or phrase, however long it is."""
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")


def narrowed(filters: Filters, query: Query, now: datetime) -> tuple[Filters, list[str]]:
    """The filters with those of the query in them (the query's win), and a note for each that makes no sense."""
    notes = []
    for key, value in query.prefixes:
        if key in ("since", "until") and moment(value, now, key == "until") is None:
            notes.append(f"{key}: {shown(value)} is no date; it was ignored")
            continue
        filters = replace(filters, **{key: value})
    if query.strange:
        ours = " ".join(f"{name}:" for name in PREFIXES)
        notes.append(f"{', '.join(f'{name}:' for name in query.strange)} narrows nothing here, only {ours} do")
    return filters, notes


def named(filters: Filters) -> str:
    """What narrows a search, as it could be typed."""
    parts = [f"{name}: {shown(value)}" for name in PREFIXES if (value := getattr(filters, name)) is not None]
    return ", ".join([*parts, *(["fixes"] if filters.fixes else [])])


def checked_moment(option: str, text: str, now: datetime) -> str:
    """The moment that an option names. Raises ``BadUsage`` where the text names none."""
    found = moment(text, now, option == "until")
    if found is None:
        raise BadUsage(
            f"{option}: {shown(text)} is no date",
            "use 2026-01-24, 2026-01, 2026-01-24T10:00:00Z, 3d, 2w, today or yesterday",
        )
    return found


def moment(text: str, now: datetime, end: bool = False) -> str | None:
    """A date or span as ISO text in UTC; with ``end`` the last second of a day, month or year. None: not a date."""
    text = text.strip().lower()
    if text in ("today", "yesterday"):
        day = (now if text == "today" else now - timedelta(days=1)).date()
        return _day(day.year, day.month, day.day, end)
    if ago := _AGO.fullmatch(text):
        number, unit = int(ago[1]), ago[2].lower()
        span = timedelta(hours=number) if unit == "h" else timedelta(days=number * _DAYS[unit])
        try:
            return _iso(now - span)
        except OverflowError:
            return "0001-01-01T00:00:00Z"
    if date := _DATE.fullmatch(text):
        return _day(int(date[1]), int(date[2] or 0), int(date[3] or 0), end)
    try:
        exact = datetime.fromisoformat(text.upper())
    except ValueError:
        return None
    return _iso(exact if exact.tzinfo else exact.replace(tzinfo=UTC))


def _day(year: int, month: int, day: int, end: bool) -> str | None:
    """The first or last second of a day, of a month (``day`` 0) or of a year (``month`` 0)."""
    try:
        first = datetime(year, month or 1, day or 1, tzinfo=UTC)
        if not end:
            return _iso(first)
        if day:
            after = first + timedelta(days=1)
        elif month:
            after = first.replace(year=year + month // 12, month=month % 12 + 1)
        else:
            after = first.replace(year=year + 1)
        return _iso(after - timedelta(seconds=1))
    except (ValueError, OverflowError):
        return None


def _iso(moment: datetime) -> str:
    try:
        moment = moment.astimezone(UTC)
    except OverflowError:
        moment = moment.replace(tzinfo=UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment.year >= 1000 else f"{moment.year:04d}-01-01T00:00:00Z"
