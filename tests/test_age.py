"""How long ago, in words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pastwork.age import ago

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (None, ""),
        ("", ""),
        ("yesterday", ""),
        ("2026-03-01T11:59:30Z", "just now"),
        ("2026-03-01T13:00:00Z", "just now"),
        ("2026-03-01T11:58:59Z", "1 minute ago"),
        ("2026-03-01T11:01:00Z", "59 minutes ago"),
        ("2026-03-01T11:00:00", "1 hour ago"),
        ("2026-03-01T13:00:00+02:00", "1 hour ago"),
        ("2026-02-28T12:00:00Z", "1 day ago"),
        ("2026-02-22T12:00:00Z", "1 week ago"),
        ("2026-02-08T11:00:00Z", "3 weeks ago"),
        ("2026-01-25T12:00:00Z", "1 month ago"),
        ("2025-03-10T12:00:00Z", "11 months ago"),
        ("2025-02-01T12:00:00Z", "1 year ago"),
        ("2024-01-01T00:00:00Z", "2 years ago"),
    ],
)
def test_ago(moment: str | None, expected: str) -> None:
    assert ago(moment, NOW) == expected
