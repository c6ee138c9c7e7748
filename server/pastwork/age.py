"""How long ago something was, in words: one wording for lens, hover, lists and pages."""

from __future__ import annotations

from datetime import UTC, datetime

_STEPS = ((60, "minute"), (24, "hour"), (7, "day"), (4.35, "week"), (12, "month"))


def ago(moment: str | None, now: datetime) -> str:
    """``3 weeks ago``; "" for a time that is unknown or no time. ``moment`` is ISO 8601, UTC where it names no zone."""
    if not moment:
        return ""
    try:
        then = datetime.fromisoformat(moment)
    except ValueError:
        return ""
    span = (now - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds() / 60
    if span < 1:
        return "just now"
    for size, unit in _STEPS:
        if span < size:
            return _counted(int(span), unit)
        span /= size
    return _counted(int(span), "year")


def _counted(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'} ago"
