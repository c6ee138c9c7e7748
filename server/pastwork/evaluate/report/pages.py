"""``report.md`` and ``report.html`` from the same sections. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from pastwork.evaluate.report.sections import Section, Table

STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#222;background:#fff}"
    "table{border-collapse:collapse;font-size:13px}td,th{padding:3px 9px;border-bottom:1px solid #ddd;text-align:right;"
    "vertical-align:top}td:first-child,th:first-child,.words td,.words th{text-align:left}figure{margin:1.5em 0;"
    "overflow-x:auto}figcaption{margin-bottom:.4em}"
)
#: Longer cells are sentences, not figures.
SENTENCE = 40


def markdown(title: str, sections: Iterable[Section]) -> str:
    """The page without figures."""
    parts = [f"# {title}"]
    for section in sections:
        parts.append(f"## {section.title}")
        parts += section.text
        if section.table is not None:
            parts.append(_markdown_table(section.table))
    return "\n\n".join(parts) + "\n"


def html(title: str, sections: Iterable[Section]) -> str:
    """The page with figures, nothing outside it needed."""
    parts = []
    for section in sections:
        parts.append(f"<h2>{escape(section.title)}</h2>")
        parts += [f"<p>{escape(sentence)}</p>" for sentence in section.text]
        if section.table is not None:
            parts.append(_html_table(section.table))
        parts += section.figures
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    body = "\n".join(parts)
    return f'<!doctype html><html lang="en"><head>{head}</head><body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n'


def _markdown_table(table: Table) -> str:
    rows = [table.head, ["---"] * len(table.head), *table.rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def _html_table(table: Table) -> str:
    words = any(len(cell) > SENTENCE for row in table.rows for cell in row[1:])
    rows = [("th", table.head), *(("td", row) for row in table.rows)]
    body = "".join("<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>\n" for tag, row in rows)
    return f'<table class="{"words" if words else "figures"}">{body}</table>'
