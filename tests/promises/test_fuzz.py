"""Mutated inputs for everything that reads what others wrote: nothing raises but what it says it raises, nothing takes a second.

The time of tests/sizes.py is shared by all targets. A failure names the seed: ``PASTWORK_FUZZ_SEED`` begins there.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from pastwork import config
from pastwork.anchor import paths as anchored
from pastwork.anchor.symbols import symbols
from pastwork.distill import guard, prompt
from pastwork.distill.redact import redact
from pastwork.errors import BadUsage
from pastwork.index import derived
from pastwork.lsp.message import Rejected, decoded
from pastwork.lsp.params import InDocument, params
from pastwork.lsp.wire import Garbage, Unframer
from pastwork.markdown import escape, formatted, literal
from pastwork.marks import one_line, visible
from pastwork.model import Exchange, Problem, Session
from pastwork.search.filters import Filters, narrowed, parse_query
from pastwork.store import codec, paths, salvage
from pastwork.sync.wire import Command
from pastwork.transcripts import patches, recorded_paths
from pastwork.transcripts.base import Reader, Source, Turn
from pastwork.transcripts.fences import fences
from pastwork.transcripts.registry import READERS
from pastwork.transcripts.uris import path_of
from pastwork.worker.questions import Search
from tests.conftest import ROOT
from tests.distill.planted import planted
from tests.distill.samples import POOL
from tests.distill.test_guard import OF, TRUE
from tests.promises.hostile import PATHS, texts
from tests.promises.mutate import mutated
from tests.sizes import figure, size
from tests.store.samples import exchange
from tests.transcripts.samples import sources

pytestmark = [pytest.mark.promise, pytest.mark.timeout(0)]

#: Seconds of processor time for one input.
MOST = 1.0
SEED = int(os.environ.get("PASTWORK_FUZZ_SEED", "0"))
NOW = datetime(2026, 3, 1, tzinfo=UTC)

Target = tuple[Sequence[bytes], Callable[[bytes], object]]


def text(data: bytes) -> str:
    """As readers decode what agents wrote."""
    return data.decode("utf-8", "replace")


def replies() -> Target:
    samples = [msgspec.json.encode(reply) for reply in TRUE]
    samples += [b"```json\n" + samples[0] + b"\n```", b"<think>hm {</think>" + samples[1]]

    def one(data: bytes) -> None:
        with suppress(prompt.BadReply):
            reply = prompt.parse(text(data))
            guard.faults(reply, OF)
            prompt.repair(text(data), guard.faults(reply, OF))

    return samples, one


def secrets() -> Target:
    samples = [found.encode() for _, found, _ in planted(120, seed=4)] + [json.dumps(POOL.prompt).encode()]

    def one(data: bytes) -> None:
        redact(redact(text(data)))

    return samples, one


def recorded() -> Target:
    samples = [name.encode() for name in PATHS] + [
        b"/home/dev/shop/src/pool.py",
        b"file:///home/dev/a%20b.py",
        b"src\\a.cs",
    ]
    places = anchored.Places.of(["/home/dev/shop", "C:\\work"], {"/old/shop": "/home/dev/shop"})

    def one(data: bytes) -> None:
        path = text(data)
        for folder in ("/home/dev/shop", "C:\\work", path, None):
            inside = paths.relative(path, folder)
            assert inside is None or not inside.startswith(("/", "../")), inside
        paths.folded(path), paths.absolute(path), paths.base_name(path), path_of(path)
        anchored.key(path), anchored.key(path, fold=True), places.today(path, "/home/dev/shop"), places.keys(path)
        assert ".." not in (places.relative(path) or "").split("/")
        recorded_paths.today(path, ("/home/dev/shop", path))

    return samples, one


def frames() -> Target:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
    at = {"textDocument": {"uri": "file:///a"}, "position": {"line": 1, "character": 0}}
    bodies = [json.dumps(each).encode() for each in (hello, {**hello, "params": at}, {"id": 7, "result": None})]
    samples = [b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)]

    def one(data: bytes) -> None:
        unframer = Unframer()
        step = len(data) // 7 + 1
        for at in range(0, len(data), step):
            for frame in unframer.feed(data[at : at + step]):
                if not isinstance(frame, Garbage):
                    message(frame)

    def message(body: bytes) -> None:
        with suppress(Rejected, BadUsage):
            found = decoded(body)
            params(found.get("params"), InDocument)
            params(found.get("params"), Search)

    return samples, one


def markdown() -> Target:
    samples = [each.encode("utf-8", "replace") for each in texts(300)]

    def one(data: bytes) -> None:
        given = text(data)
        literal(given), formatted(given), escape(given), one_line(given, 80), visible(given)

    return samples, one


def queries() -> Target:
    samples = [
        b'pool "no connection" file:src/a.py since:3d',
        b"room:concept:x right before",
        b"until:2026-01-24 branch:main x",
    ]

    def one(data: bytes) -> None:
        with suppress(BadUsage):
            narrowed(Filters(), parse_query(text(data)), NOW)

    return samples, one


def stored() -> Target:
    packed = codec.pack(exchange())
    stamp = msgspec.json.encode(derived.Stamp("store 1", 3, 4, "0" * 32))

    def one(data: bytes) -> None:
        with suppress(ValueError):
            codec.unpack(data, Exchange)
        with suppress(msgspec.DecodeError, RecursionError):  # as sync.wire.listen does
            msgspec.json.decode(data, type=Command)
        for blob in salvage.sealed(data + bytes(-len(data) % 4096)):
            with suppress(ValueError):
                codec.unpack(blob, Exchange)

    return [
        packed,
        bytes(100) + b"\x0d\x00\x00\x00\x01\x0f\x00" + packed,
        stamp,
        b'{"do": "reindex", "full": true}',
    ], one


def changes() -> Target:
    samples = [
        b"*** Begin Patch\n*** Update File: a.py\n@@ x\n-a\n+b\n*** Add File: c.py\n+d\n*** End Patch\n",
        b"--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n",
        b"```python\nx = 1\n```\n````md\n```\n````\n",
    ]

    def one(data: bytes) -> None:
        given = text(data)
        patches.unified(given), patches.diffs(given), patches.apply_patch(given), list(fences(given))
        patches.between(given[: len(given) // 2][:4000], given[len(given) // 2 :][:4000])

    return samples, one


def sources_of_code() -> Target:
    """What tree-sitter makes of a file while somebody types."""
    folder = ROOT / "server/pastwork/anchor"
    samples = [path.read_bytes()[:8000] for path in sorted(folder.glob("*.py"))]
    names = ("a.py", "a.ts", "a.go", "a.rs", "a.java", "a.cpp", "a.rb", "a.php", "a.lua", "a.swift", "a.sh", "a.scala")

    def one(data: bytes) -> None:
        for name in names:
            symbols(name, text(data)[:8000])

    return samples, one


def settings(folder: Path) -> Target:
    samples = [b'[lens]\nfile = true\n[sources]\nextra = ["/x"]\n[embedding]\nidle_minutes = 3\n', b"lens.file = 7\n"]
    path = folder / "config.toml"

    def one(data: bytes) -> None:
        path.write_bytes(data)
        config.load(path)

    return samples, one


def readers(folder: Path) -> Iterator[Callable[[random.Random], None]]:
    """One deed for each file of each agent's sample: read it with other bytes in it."""
    for reader in READERS:
        for source in sources(reader, folder / reader.agent):
            for path in (source.path, *source.parts):
                yield damaged(reader, source, path)


def damaged(reader: Reader, source: Source, path: Path) -> Callable[[random.Random], None]:
    whole = path.read_bytes()

    def one(chance: random.Random) -> None:
        path.write_bytes(mutated(chance, [whole]))
        try:
            for item in reader.read(source):
                assert isinstance(item, Turn | Session | Problem)
                str(item).encode()
        finally:
            path.write_bytes(whole)

    return one


TARGETS: dict[str, Callable[[], Target]] = {
    "Ollama's replies": replies,
    "redaction": secrets,
    "paths": recorded,
    "framing": frames,
    "Markdown": markdown,
    "queries": queries,
    "stored bytes": stored,
    "patches": changes,
    "symbols": sources_of_code,
}


def run(name: str, one: Callable[[random.Random], object], share: float) -> None:
    """Inputs for this share of the time."""
    end, seed, slowest = time.monotonic() + size("FUZZ_SECONDS") * share, SEED, 0.0
    while time.monotonic() < end:
        begun = time.process_time()
        try:
            one(random.Random(f"{name} {seed}"))
        except Exception as error:
            raise AssertionError(f"{name}: PASTWORK_FUZZ_SEED={seed}") from error
        took = time.process_time() - begun
        assert took < MOST, f"{name}: PASTWORK_FUZZ_SEED={seed} takes {took:.2f} s"
        slowest, seed = max(slowest, took), seed + 1
    assert seed > SEED
    figure("fuzzed", target=name, inputs=seed - SEED, slowest_ms=round(1000 * slowest))


@pytest.mark.parametrize("name", TARGETS)
def test_mutated(name: str) -> None:
    samples, one = TARGETS[name]()
    for sample in samples:  # what has to be imported or compiled is, and the samples themselves pass
        one(sample)
    run(name, lambda chance: one(mutated(chance, samples)), 0.55 / len(TARGETS))


def test_mutated_settings(tmp_path: Path) -> None:
    samples, one = settings(tmp_path)
    run("settings", lambda chance: one(mutated(chance, samples)), 0.05)


def test_mutated_transcripts(tmp_path: Path) -> None:
    """Every agent's reader, on every file of its sample in turn."""
    deeds = list(readers(tmp_path))
    assert len(deeds) >= len(READERS)
    for deed in deeds:
        deed(random.Random(0))
    run("transcripts", lambda chance: chance.choice(deeds)(chance), 0.4)
