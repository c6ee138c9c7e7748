"""Other ways to search the same texts, as their users have them: no tuning, no token rule of ours."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from urllib.parse import quote
from urllib.request import urlopen

#: A query and how many results -> places of the texts found, best first.
Search = Callable[[str, int], list[int]]
#: A query and how many results -> session ids, best first.
SearchSessions = Callable[[str, int], list[str]]
WORD = re.compile(r"\w+")


def fts5(texts: Sequence[str]) -> Search:
    """SQLite FTS5, ``unicode61`` tokens, any of the words, ``bm25()``."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE text USING fts5(body)")
    database.executemany("INSERT INTO text(rowid, body) VALUES (?, ?)", enumerate(texts))

    def search(query: str, k: int) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in WORD.findall(query))
        if not words:
            return []
        found = database.execute("SELECT rowid FROM text WHERE text MATCH ? ORDER BY bm25(text) LIMIT ?", (words, k))
        return [row for (row,) in found]

    return search


def bm25s(texts: Sequence[str]) -> Search:
    """The package bm25s with its own tokenizer and English stop words."""
    import bm25s as library  # type: ignore[import-untyped]

    retriever = library.BM25()
    retriever.index(library.tokenize(list(texts), stopwords="en", show_progress=False), show_progress=False)

    def search(query: str, k: int) -> list[int]:
        tokens = library.tokenize([query], stopwords="en", show_progress=False)
        found, scores = retriever.retrieve(tokens, k=min(k, len(texts)), show_progress=False)
        return [int(row) for row, score in zip(found[0], scores[0], strict=True) if score > 0]

    return search


def tantivy(texts: Sequence[str]) -> Search:
    """The package tantivy, English stems, any of the words."""
    import tantivy as library

    builder = library.SchemaBuilder()
    builder.add_integer_field("row", stored=True)
    builder.add_text_field("body", tokenizer_name="en_stem")
    index = library.Index(builder.build())
    writer = index.writer()
    for row, text in enumerate(texts):
        writer.add_document(library.Document(row=row, body=text))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(query: str, k: int) -> list[int]:
        words = " ".join(WORD.findall(query))
        hits = searcher.search(index.parse_query(words, ["body"]), k).hits if words else []
        return [searcher.doc(address)["row"][0] for _, address in hits]

    return search


def agentsview(url: str) -> SearchSessions:
    """A running ``agentsview serve``; it answers with sessions, ``agent:id``."""

    def search(query: str, k: int) -> list[str]:
        with urlopen(f"{url}/api/v1/search?q={quote(query)}&limit={k}", timeout=30) as reply:
            results = json.load(reply).get("results") or []
        return list(dict.fromkeys(str(result["session_id"]).rpartition(":")[2] for result in results))

    return search


#: Those that search exchanges, by name.
RIVALS: dict[str, Callable[[Sequence[str]], Search]] = {"SQLite FTS5": fts5, "bm25s": bm25s, "tantivy": tantivy}
