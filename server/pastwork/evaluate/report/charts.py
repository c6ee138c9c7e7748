"""Plots as SVG text: bars with intervals, points, lines. Pure, and the same bytes for the same figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import isfinite, log10

from msgspec import Struct

WIDTH, LEFT, RIGHT, ROW = 860, 330, 60, 17
COLOURS = {"verbatim": "#4063d8", "distilled": "#cb3c33", "both": "#389826"}
PALETTE = ("#4063d8", "#cb3c33", "#389826", "#9558b2", "#7f7f7f", "#d98e04")


class Bar(Struct, frozen=True):
    """One row: a value and, where there is one, its interval; ``tone`` names a colour."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    tone: str = "both"


def bars(title: str, rows: Sequence[Bar], unit: str) -> str:
    """Horizontal bars from zero, to both sides where values are below it."""
    finite = [v for r in rows for v in (r.value, r.low, r.high) if v is not None and isfinite(v)]
    low, high = min(0.0, *finite, 0.0), max(0.0, *finite, 1e-9)
    body = [_axis(low, high, len(rows) * ROW)]
    for place, row in enumerate(rows):
        y = 30 + place * ROW
        body.append(_text(LEFT - 6, y + 11, row.label, "end"))
        if not isfinite(row.value):
            body.append(_text(LEFT + 4, y + 11, "unbounded", "start"))
            continue
        start, end = sorted((_x(0.0, low, high), _x(row.value, low, high)))
        tip = escape(f"{row.label}: {row.value:.3f}")
        body.append(
            f'<rect x="{start:.1f}" y="{y + 2}" width="{max(0.5, end - start):.1f}" height="{ROW - 5}" '
            f'fill="{COLOURS.get(row.tone, PALETTE[4])}" opacity=".75"><title>{tip}</title></rect>'
        )
        if row.low is not None and row.high is not None:
            body.append(_whisker(_x(row.low, low, high), _x(row.high, low, high), y + ROW / 2 - 0.5))
        body.append(_text(WIDTH - RIGHT + 6, y + 11, f"{row.value:.3f}", "start"))
    return _figure(title, unit, 44 + len(rows) * ROW, body)


def lines(title: str, series: Mapping[str, Sequence[tuple[float, float]]], x_unit: str, y_unit: str) -> str:
    """Lines over a logarithmic x; y from 0 to 1."""
    height = 260
    xs = [x for points in series.values() for x, _ in points]
    low, high = log10(min(xs)), log10(max(xs))

    def place(x: float, y: float) -> tuple[float, float]:
        return 60 + (log10(x) - low) / ((high - low) or 1) * (WIDTH - 220), 30 + (1 - y) * (height - 30)

    body = [_grid(height)]
    body += [_text(place(x, 0)[0], height + 16, f"{x / 1000:g}k", "middle") for x in sorted(set(xs))]
    for number, (name, points) in enumerate(series.items()):
        colour = PALETTE[number % len(PALETTE)]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in (place(x, y) for x, y in points))
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body += [_dot(*place(x, y), colour, f"{name}, {x:g}: {y:.3f}") for x, y in points]
        body.append(_text(WIDTH - 150, 44 + number * 16, name, "start", colour))
    return _figure(title, f"{y_unit}, by {x_unit}", height + 30, body)


def points(title: str, rows: Sequence[tuple[str, float, float, str]], x_unit: str, y_unit: str) -> str:
    """A scatter: (label, x, y, tone)."""
    height = 300
    xs, ys = [x for _, x, _, _ in rows], [y for _, _, y, _ in rows]
    low, high, bottom, top = min(xs), max(xs), min(ys), max(ys)
    body = []
    for label, x, y, tone in rows:
        px = 60 + (x - low) / ((high - low) or 1) * (WIDTH - 160)
        py = 30 + (1 - (y - bottom) / ((top - bottom) or 1)) * (height - 50)
        body.append(_dot(px, py, COLOURS.get(tone, PALETTE[4]), f"{label}: {x:.1f}, {y:.3f}"))
    body += [_text(60, height + 14, f"{low:.1f}", "middle"), _text(WIDTH - 100, height + 14, f"{high:.1f}", "middle")]
    body += [_text(50, height - 18, f"{bottom:.3f}", "end"), _text(50, 34, f"{top:.3f}", "end")]
    return _figure(title, f"{y_unit}, by {x_unit}", height + 28, body)


def _figure(title: str, caption: str, height: int, body: Sequence[str]) -> str:
    return (
        f"<figure><figcaption><b>{escape(title)}</b> {escape(caption)}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif" font-size="11">{"".join(body)}</svg></figure>'
    )


def _x(value: float, low: float, high: float) -> float:
    return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)


def _axis(low: float, high: float, height: int) -> str:
    zero = _x(0.0, low, high)
    return f'<line x1="{zero:.1f}" y1="26" x2="{zero:.1f}" y2="{34 + height}" stroke="#888"/>'


def _grid(height: int) -> str:
    out = []
    for step in range(6):
        y = 30 + (1 - step / 5) * (height - 30)
        out.append(f'<line x1="60" y1="{y:.1f}" x2="{WIDTH - 160}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(_text(54, y + 4, f"{step / 5:.1f}", "end"))
    return "".join(out)


def _whisker(start: float, end: float, y: float) -> str:
    return f'<line x1="{start:.1f}" y1="{y:.1f}" x2="{end:.1f}" y2="{y:.1f}" stroke="#222" stroke-width="1.4"/>'


def _dot(x: float, y: float, colour: str, tip: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"><title>{escape(tip)}</title></circle>'


def _text(x: float, y: float, value: str, anchor: str, colour: str = "#222") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(value)}</text>'
