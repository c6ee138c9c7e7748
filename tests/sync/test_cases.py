"""The shared cases of transcripts that grow, shrink, change and vanish, alive and restarted between the steps."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from pastwork.transcripts.registry import READERS
from tests.sync.jotter import Home
from tests.sync.processes import Child, eventually

pytestmark = pytest.mark.shared

CASES = ["L05", "T02", "T03", "T04", "I01", "I04", "I07", "L01", "L06", "L13", "L14", "L17", "L18"]


def case(shared: Path, name: str) -> dict[str, object]:
    found = json.loads((shared / "cases" / "expected.json").read_bytes())[name]
    return {"good": [], "keep": [], "forbid": [], "partial": [], "optional": [], "sequence": "", **found}


def place(home: Path, file: Path) -> Path:
    """Where an agent would have written it."""
    if file.name.startswith("L06"):
        return (
            home / ".codex/sessions/2026/01/02/rollout-2026-01-02T10-00-00-00000000-0000-4000-8000-000000000906.jsonl"
        )
    folder = file.parent.name if file.parent.name.startswith("-") else "-home-dev-demo"
    return home / ".claude/projects" / folder / (file.name if not file.name.startswith("v") else "session.jsonl")


def found(reader: StoreReader) -> dict[str, str]:
    """Exchange id -> everything it says."""
    texts = {}
    for (row,) in reader.connection.execute("SELECT row FROM exchange").fetchall():
        exchange = reader.verbatim(row)
        texts[exchange.id] = "\n".join([exchange.prompt, *(entry.text for entry in exchange.entries)])
    return texts


def check(reader: StoreReader, wanted: dict[str, object]) -> None:
    texts = found(reader)
    for marker in [*wanted["good"], *wanted["keep"]]:  # type: ignore[misc]
        assert sum(marker in text for text in texts.values()) == 1, f"{marker} once in {texts}"
    for marker in wanted["optional"]:  # type: ignore[attr-defined]
        assert sum(marker in text for text in texts.values()) <= 1
    for marker in wanted["forbid"]:  # type: ignore[attr-defined]
        assert not any(marker in text for text in texts.values())
    assert len(texts) <= int(wanted.get("max_exchanges", 99))  # type: ignore[call-overload]
    for marker, folder in dict(wanted.get("cwd", {})).items():  # type: ignore[call-overload]
        row = next(reader.row_of(exchange_id) for exchange_id, text in texts.items() if marker in text)
        assert reader.kept([row])[row].cwd == folder  # type: ignore[list-item,index]
    assert verify(reader).faults == ()


def steps(shared: Path, wanted: dict[str, object], home: Path) -> list[list[tuple[Path, bytes | None]]]:
    """What is written (or deleted: None) before each pass."""
    files = [shared / "cases" / name for name in wanted["files"]]  # type: ignore[attr-defined]
    writes: list[tuple[Path, bytes | None]] = [(place(home, file), file.read_bytes()) for file in files]
    if wanted["sequence"] == "replace":
        return [[write] for write in writes]
    if wanted["sequence"] == "index-delete-index-rebuild":
        return [writes, [(path, None) for path, _ in writes], []]
    return [writes, []]


def apply(step: list[tuple[Path, bytes | None]]) -> None:
    for path, content in step:
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)


@pytest.mark.parametrize("name", CASES)
def test_restarted_between_the_steps(shared: Path, tmp_path: Path, name: str) -> None:
    wanted = case(shared, name)
    home = Home(tmp_path)
    shutil.rmtree(home.path("."))
    for number, step in enumerate(steps(shared, wanted, tmp_path)):
        apply(step)
        before = hashes(tmp_path)
        last = number > 0 and not step
        home.sync(readers=READERS).run_once(vectors=False, full=last)
        changed = home.writer.connection.total_changes
        home.sync(readers=READERS).run_once(vectors=False)
        assert home.writer.connection.total_changes == changed
        assert hashes(tmp_path) == before
    check(home.writer, wanted)


@pytest.mark.parametrize("name", ["L05", "T02", "T03", "T04", "I01"])
def test_alive_between_the_steps(shared: Path, tmp_path: Path, name: str) -> None:
    wanted, home, data = case(shared, name), tmp_path / "home", tmp_path / "data"
    home.mkdir()
    with Child(home, data) as child:
        child.expect(event="status", state="idle")
        for step in steps(shared, wanted, home):
            apply(step)
            child.tell(do="reindex")
            markers = [marker for marker in [*wanted["good"], *wanted["keep"]] if written(step, marker)]  # type: ignore[misc]
            eventually(lambda markers=markers: all(any(m in t for t in texts(data)) for m in markers))  # type: ignore[misc]
        child.end()
    with StoreReader.open(data) as reader:
        check(reader, wanted)


def texts(data: Path) -> list[str]:
    with StoreReader.open(data) as reader:
        return list(found(reader).values())


def written(step: list[tuple[Path, bytes | None]], marker: str) -> bool:
    return any(marker.encode() in (content or b"") for _, content in step)


def hashes(folder: Path) -> dict[Path, str]:
    return {path: sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}
