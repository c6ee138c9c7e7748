"""Invented histories and labelled sets, small enough to check by eye."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from pastwork.evaluate.documents import Document, distilled
from pastwork.evaluate.labels import Query
from pastwork.model import Entry, Exchange

#: Prompt and answer of each exchange.
TALKS = (
    ("the nightly backup fails with ENOSPC", "Rotated the snapshots in rotate_snapshots; the disk was full."),
    (
        "why is the login page slow",
        "The avatar query ran once for each user. Joined it in load_profiles and cached it.",
    ),
    ("rename the invoice exporter", "Renamed InvoiceExporter to LedgerExporter in billing/export.py and its tests."),
    (
        "add a retry to the mail sender",
        "send_mail retries three times with a growing pause; MAIL_RETRIES sets how often.",
    ),
    ("the map tiles flicker on zoom", "Tiles are kept until their successors are drawn; see keep_until_drawn."),
    ("parse the French date format", "parse_date learned day first dates; the locale decides."),
    ("speed up the search index build", "The index is written in batches of 4000 documents now."),
    ("the websocket drops after a minute", "A ping every 20 seconds keeps the proxy from closing the socket."),
    ("explain the cache invalidation", "Entries are dropped when the row's version moves; nothing is timed."),
    ("delete the unused colour picker", "Removed ColourPicker and its stylesheet; nothing referred to them."),
)
QUERIES = (
    ("disk full during backup", "conceptual", 0),
    ("load_profiles", "exact_term", 1),
    ("LedgerExporter", "exact_term", 2),
    ("retry mail sender", "phrase", 3),
    ("map tiles flicker", "phrase", 4),
    ("connection closed by proxy", "conceptual", 7),
)


class WordVectors:
    """A text's vector is the sum of its words' random ones: texts with the same words are near."""

    name = "words"
    dimension = 32

    def __init__(self) -> None:
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += len(texts)
        return np.stack([self._vector(text) for text in texts]) if texts else np.empty((0, 32), np.float32)

    def release(self) -> None:
        """Nothing is held."""

    def _vector(self, text: str) -> Any:
        total = np.full(32, 1e-3, np.float32)
        for word in text.lower().split():
            seed = int.from_bytes(blake2b(word.encode(), digest_size=4).digest(), "big")
            total += np.random.default_rng(seed).standard_normal(32).astype(np.float32)
        return total / np.linalg.norm(total)


def exchange(number: int, prompt: str, answer: str, **more: Any) -> Exchange:
    """One exchange of an invented session."""
    given = {"agent": "codex", "session_id": f"session-{number // 3}", "started_at": _time(number)} | more
    return Exchange(
        id=f"{number:016x}", turn=number % 3 + 1, prompt=prompt, entries=(Entry("assistant", answer),), **given
    )


def exchanges() -> list[Exchange]:
    return [exchange(number, prompt, answer) for number, (prompt, answer) in enumerate(TALKS)]


def documents() -> list[Document]:
    """All of them, the first eight with keys."""
    from msgspec.structs import replace

    found = distilled(exchanges())
    return [replace(d, key=f"key-{n}" if n < 8 else None) for n, d in enumerate(found)]


def queries() -> list[Query]:
    return [Query(text, kind, {f"key-{target}": 3}) for text, kind, target in QUERIES]


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def labelled_files(folder: Path) -> tuple[Path, Path, Path]:
    """Queries, exchanges and objects of the first eight exchanges."""
    keyed = [
        {
            "key": f"key-{n}",
            "agent": e.agent,
            "session_id": e.session_id,
            "started_at": e.started_at,
            "prompt": e.prompt,
        }
        for n, e in enumerate(exchanges()[:8])
    ]
    objects = [
        {
            "key": f"key-{n}",
            "exchange_core": f"Reference: {answer}",
            "specific_context": prompt,
            "rooms": [{"type": "concept", "key": "made_up_room", "relevance": 0.7}],
        }
        for n, (prompt, answer) in enumerate(TALKS[:8])
    ]
    asked = [{"query": q.query, "type": q.type, "relevant": q.relevant} for q in queries()]
    return (
        write_lines(folder / "queries.jsonl", asked),
        write_lines(folder / "exchanges.jsonl", keyed),
        write_lines(folder / "objects.jsonl", objects),
    )


def _time(number: int) -> str:
    return f"2026-03-{number + 1:02d}T10:00:00Z"
