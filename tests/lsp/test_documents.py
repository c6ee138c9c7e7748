"""Documents: where they lie, how their lines and columns count, what a change makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from pastwork.lsp.documents import Document, Documents, path_of

CODEC = PositionCodec()


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("file:///home/dev/a.py", "/home/dev/a.py"),
        ("file://localhost/home/dev/a.py", "/home/dev/a.py"),
        ("file:///a%20b/%E5%A4%96.py", "/a b/外.py"),
        ("file:///a%23b.py", "/a#b.py"),
        ("file:///C%3A/a%20b/x.py", "/C:/a b/x.py"),
        ("file:///a%ff.py", "/a\ufffd.py"),
        ("untitled:Untitled-1", None),
        ("git:/x?%7B%7D", None),
        ("vscode-notebook-cell:/x#1", None),
        ("file://host/share/a.py", None),
        ("file:///%00", None),
        ("file:", None),
        ("file://[bad", None),
        ("", None),
        ("/home/dev/a.py", None),
        ("pastwork://exchange/0123456789abcdef.md", None),
    ],
)
def test_path_of(uri: str, expected: str | None) -> None:
    assert path_of(uri) == (Path(expected) if expected else None)


def document(text: str) -> Document:
    return Document("file:///a.py", 1, text)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a\nb", ["a", "b"]),
        ("a\r\nb\rc\n", ["a", "b", "c", ""]),
        ("a\fb\u2028c\x85d\x0be", ["a\fb\u2028c\x85d\x0be"]),
    ],
)
def test_lines_end_as_the_protocol_says(text: str, lines: list[str]) -> None:
    assert list(document(text).lines) == lines


@pytest.mark.parametrize(
    ("line", "character", "expected"),
    [(0, 0, 0), (0, 5, 5), (0, 7, 6), (0, 6, 6), (0, 99, 9), (7, 3, 0), (2**31 - 1, 2**31 - 1, 0)],
)
def test_columns_count_in_utf16(line: int, character: int, expected: int) -> None:
    assert document("x = '🦊' #\nsecond").column(lsp.Position(line, character), CODEC) == expected


def change(start: tuple[int, int], end: tuple[int, int], text: str) -> Any:
    return lsp.TextDocumentContentChangePartial(lsp.Range(lsp.Position(*start), lsp.Position(*end)), text)


@pytest.mark.parametrize(
    ("text", "changed", "expected"),
    [
        ("a\n", lsp.TextDocumentContentChangeWholeDocument("b\n"), "b\n"),
        ("x = '🦊' # né\n", change((0, 5), (0, 7), "z"), "x = 'z' # né\n"),
        ("x = '🦊' # né\n", change((0, 6), (0, 7), "z"), "x = '🦊z' # né\n"),
        ("a\n", change((9, 0), (9, 5), "b"), "a\nb"),
        ("abc\n", change((0, 3), (0, 1), ""), "a\n"),
        ("one\r\ntwo\r\n", change((0, 3), (1, 0), " "), "one two\r\n"),
        ("", change((0, 0), (0, 0), "new"), "new"),
    ],
)
def test_changed(text: str, changed: Any, expected: str) -> None:
    after = document(text).changed(changed, 2, CODEC)
    assert (after.text, after.version, after.uri) == (expected, 2, "file:///a.py")


def test_documents_are_found_by_any_spelling_of_their_uri() -> None:
    documents = Documents()
    documents.put(Document("file:///c%3A/a.py", 1, "x"))
    found = documents.get("file:///c:/a.py")
    assert found is not None
    assert [each.uri for each in documents] == ["file:///c%3A/a.py"]
    documents.close("file:///c:/a.py")
    documents.close("file:///c:/a.py")
    assert documents.get("file:///c%3A/a.py") is None
