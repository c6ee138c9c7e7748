"""Secrets of forty kinds, planted in every place of a transcript: found in the drill-down, and nowhere else.

Looked through are all answers of all surfaces, what is distilled, embedded and searched, and the bytes of every file.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from pastwork.distill.redact import redact
from pastwork.store.reader import StoreReader
from pastwork.store.writer import StoreWriter
from tests.distill.planted import PLACES, SHAPES, planted
from tests.lsp.conftest import Sample
from tests.promises.everything import Everything, Ran
from tests.sizes import figure
from tests.transcripts import made

pytestmark = [pytest.mark.promise, pytest.mark.timeout(600)]

KINDS = len(SHAPES) + len(PLACES) + 1
EACH = 3
#: What an identifying piece of a secret is: so many letters and digits in a row, some of each.
PIECE = re.compile(r"[A-Za-z0-9]{10,}")


def secrets() -> list[tuple[str, str, str]]:
    """Kind, text, secret; only what masking by itself lets through is left out, and counted."""
    found = list(planted(KINDS * EACH, seed=616))
    return [each for each in found if each[2] not in redact(each[1])]


def lay(fresh: Sample, found: list[tuple[str, str, str]]) -> None:
    """Each secret in a prompt, an answer, a command, its output, a file's text, a title and a summary."""
    folder = fresh.home / ".claude/projects/planted"
    rows = []
    for number, (_, text, _) in enumerate(found):
        first, path = 10 * number, f"{fresh.workspace}/secret_{number % 4}.py"
        rows += [
            made.asks(first, f"Rotate number {number} of the ferry keys: {text}"),
            made.calls(first + 1, "Bash", {"command": f"deploy --with {text}", "description": text}),
            made.results(first + 2, f"toolu_{first + 1}", f"error: refused {text}", failed=True),
            made.calls(first + 3, "Write", {"file_path": path, "content": f"key = 1\n{text}\nferry = {number}\n"}),
            made.results(first + 4, f"toolu_{first + 3}", "written"),
            made.answers(first + 5, f"I rotated number {number}. The new ferry key is {text}; it works."),
        ]
    rows.append({"type": "summary", "summary": f"Rotating keys {found[0][1]}", "leafUuid": made.uuid(5)})
    rows.append({"type": "custom-title", "customTitle": f"Keys {found[1][1]}", "sessionId": made.SESSION})
    made.write(folder / f"{made.SESSION}.jsonl", *(row | {"cwd": str(fresh.workspace)} for row in rows))
    for number in range(4):
        last = [text for at, (_, text, _) in enumerate(found) if at % 4 == number][-1]
        numbers = [at for at in range(len(found)) if at % 4 == number]
        (fresh.workspace / f"secret_{number}.py").write_text(f"key = 1\n{last}\nferry = {numbers[-1]}\n")
    for path in fresh.workspace.rglob("*.py"):
        if not path.name.startswith("secret_"):
            path.unlink()


def marks(secret: str) -> list[str]:
    """The secret, and its pieces that nothing else can hold by chance; in lower case, as postings are."""
    whole = secret.lower()
    pieces = [
        piece.lower() for piece in PIECE.findall(secret) if re.search(r"\d", piece) and re.search("[A-Za-z]", piece)
    ]
    return [whole, *(piece for piece in pieces if piece not in WORDS)]


#: Pieces that are a kind's own marks or structure rather than the secret.
WORDS = {"eyjhbgcioijiuzi1nij9"}


def leaks(text: str, found: list[tuple[str, str, str]]) -> list[tuple[str, str]]:
    low = text.lower()
    return [(kind, mark) for kind, _, secret in found for mark in marks(secret) if mark in low]


def everything(fresh: Sample) -> Ran:
    return Everything(fresh.variables(), fresh.workspace, "rotate ferry keys").run()


def test_planted_secrets_stay_out_of_everything_but_the_drill_down(fresh: Sample) -> None:
    found = secrets()
    assert len({kind for kind, _, _ in found}) == KINDS >= 30
    assert len(found) >= KINDS * EACH * 0.98
    lay(fresh, found)
    ran = everything(fresh)
    assert [(asked, leaks(text, found)) for asked, text in ran.shown() if leaks(text, found)] == []
    assert [(asked, leaks(text, found)) for asked, text in ran.errors.items() if leaks(text, found)] == []
    for what, text in kept(fresh.data):
        assert leaks(text, found) == [], what
    for path in fresh.data.rglob("*"):
        if (
            path.is_file() and path.parent.name != "documents"
        ):  # what an editor without our client opens: the drill-down
            assert leaks(path.read_bytes().decode("latin-1"), found) == [], path
    shown = ran.answers[next(asked for asked in ran.answers if asked.startswith("show "))]
    assert any(secret in shown for _, _, secret in found), "the drill-down is the user's own text"
    figure("secrets", kinds=KINDS, planted=len(found), places=7, answers=len(ran.answers), leaked=0)


def kept(data: Path) -> Iterator[tuple[str, str]]:
    """What is distilled, searched and embedded, as text."""
    with StoreReader.open(data) as reader:
        rows = [row for (row,) in reader.connection.execute("SELECT row FROM exchange")]
        for row in rows:
            yield f"fields of {row}", str(reader.fields(row))
        for table in ("object", "room", "session", "exchange", "problem", "okapi_term", "file_touch", "meta"):
            yield table, all_of(reader.connection, table)
        assert reader.connection.execute("SELECT count(*) FROM object").fetchone()[0] >= KINDS
    with StoreWriter.open(data) as writer:
        pending = writer.pending_vectors("no such recipe")
        assert len(pending) == len(rows)
        yield "texts to embed", "\n".join(text for _, text in pending)


def all_of(connection: sqlite3.Connection, table: str) -> str:
    return "\n".join(map(repr, connection.execute(f'SELECT * FROM "{table}"')))
