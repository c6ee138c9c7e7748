"""Times as transcripts write them, turned into the model's one form; pure.

What can't be a time of agent work (unparsable, before 2015, later than ``now`` by over a day) is
unknown and None: clocks run wrong, and a bad time must decide nothing.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

_EARLIEST = datetime(2015, 1, 1, tzinfo=UTC).timestamp()
_DAY = 86_400.0
#: Numbers above this are milliseconds since 1970, below it seconds.
_MILLIS = 1e11
_CANONICAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


def utc(value: str | float | None, now: float) -> str | None:
    """ISO 8601 in UTC with milliseconds and ``Z``.

    ``value`` is ISO text (without a zone it counts as UTC) or seconds or milliseconds since 1970;
    ``now`` is in seconds since 1970.
    """
    if value is None or isinstance(value, bool):
        return None
    seconds = _seconds(value)
    if seconds is None or not _EARLIEST <= seconds <= now + _DAY:
        return None
    if isinstance(value, str) and _CANONICAL.fullmatch(value):
        return value
    moment = datetime.fromtimestamp(round(seconds * 1000) / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _seconds(value: str | float) -> float | None:
    if not isinstance(value, str):
        return value / 1000 if value > _MILLIS else float(value)
    try:
        moment = datetime.fromisoformat(value.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
