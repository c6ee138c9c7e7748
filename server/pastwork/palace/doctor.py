"""What may stand between a user and their past work, each finding with its remedy.

Looks at the disk, the store and agents' MCP settings, and, only where an LLM is configured, at the address the user
gave.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from pastwork.config import Config
from pastwork.errors import ModelMissing, StoreUnusable
from pastwork.palace import mcp_settings
from pastwork.palace.status import embedder_name
from pastwork.shapes import AgentStatus, DoctorAnswer, Finding
from pastwork.store import lock, places
from pastwork.store.counts import agents, vector_status
from pastwork.store.reader import StoreReader
from pastwork.store.vectors import recipe
from pastwork.transcripts.base import Env, Reader

#: Bytes free on the data folder's disk below which indexing may stop half-way.
TIGHT = 200_000_000
REPAIR = "Run `pastwork doctor --repair`: it saves what can be read into a new store and keeps the old file."
#: Seconds that Ollama may take to say its version.
PATIENCE = 3.0
#: Bits that let others read.
_OTHERS = 0o077


def examine(
    data: Path, config: Config, env: Env, readers: Sequence[Reader], settings: Sequence[str] = ()
) -> DoctorAnswer:
    """``settings`` are the sentences about bad settings."""
    findings = [Finding("warn", note, "Correct it in the settings file.") for note in settings]
    for part in (
        _folder(data),
        _store(data, config),
        _transcripts(env, readers, config),
        _model(data, config),
        _llm(config),
        mcp_settings.findings(env),
    ):
        findings += part
    return DoctorAnswer(tuple(findings))


def _folder(data: Path) -> Iterator[Finding]:
    """Rights, kind of disk and room of the data folder."""
    if not data.exists():
        yield Finding("ok", f"the data folder {data} will be made at the first index")
        return
    if not data.is_dir():
        yield Finding("fail", f"{data} is not a folder", "Move it away, or set PASTWORK_HOME to another folder.")
        return
    if not os.access(data, os.W_OK):
        yield Finding(
            "fail", f"the data folder {data} can't be written", "Make it writable; until then nothing new is indexed."
        )
    open_to = [path for path in (data, data / places.STORE) if path.exists() and _open_to_others(path)]
    for path in open_to:
        yield Finding("warn", f"others on this machine can read {path}", f"Run `chmod go-rwx {path}`.")
    if places.on_network(data):
        yield Finding(
            "warn", f"{data} is on a network file system; it works, more slowly", "Set PASTWORK_HOME to a local folder."
        )
    free = shutil.disk_usage(data).free
    if free < TIGHT:
        yield Finding("warn", f"{free / 1e6:.0f} MB are left on the disk of {data}", "Make room, or set PASTWORK_HOME.")
    if not open_to:
        yield Finding("ok", f"the data folder {data} is private")


def _open_to_others(path: Path) -> bool:
    return os.name != "nt" and bool(stat.S_IMODE(path.stat().st_mode) & _OTHERS)


def damage(data: Path) -> list[str]:
    """What is broken in the store's file; empty where it is sound, or of another version.

    Raises StoreUnusable where it can't be looked at.
    """
    try:
        with StoreReader.open(data) as store:
            return [row[0] for row in store.connection.execute("PRAGMA quick_check(5)") if row[0] != "ok"]
    except StoreUnusable as error:
        if isinstance(error.__cause__, sqlite3.Error):
            return [str(error.__cause__)]
        raise
    except sqlite3.Error as error:
        return [str(error)]


def _store(data: Path, config: Config) -> Iterator[Finding]:
    """Can it be read, is it sound, is anything pending, who writes it?"""
    if not (data / places.STORE).exists():
        yield Finding("warn", "nothing is indexed yet", "Run `pastwork index`.")
        return
    try:
        faults = damage(data)
    except StoreUnusable as error:
        yield Finding("fail", error.message, error.remedy)
        return
    if faults:
        yield Finding("fail", f"the store is damaged: {'; '.join(faults)}", REPAIR)
        return
    yield Finding("ok", f"the store {data / places.STORE} is sound")
    with StoreReader.open(data) as store:
        vectors = vector_status(store.connection, recipe(embedder_name(config)))
        counts = agents(store.connection, 0)
    yield from _agents(counts)
    if vectors.pending:
        remedy = "Run `pastwork index`; search works by keyword until then."
        yield Finding("warn", f"{vectors.pending} exchanges have no vectors yet", remedy)
    holder = lock.holder(data)
    if holder:
        yield Finding("ok", f"an editor's pastwork (process {holder.pid}) keeps it up to date")


def _agents(counts: dict[str, AgentStatus]) -> Iterator[Finding]:
    """What is kept of each agent, and what of its transcripts could not be used."""
    for agent, kept in counts.items():
        if kept.exchanges:
            numbers = f"{kept.sessions} sessions, {kept.exchanges} exchanges, {kept.edits} edits"
            yield Finding("ok", f"{agent}: {numbers}, the last {(kept.last_seen or 'at an unknown time')[:10]}")
        if kept.skipped:
            first = kept.skipped[0]
            where = f"the newest in {first.file} at byte {first.offset}: {first.reason}"
            yield Finding(
                "warn", f"{agent}: records were skipped, {where}", "`pastwork status` lists them; the rest is kept."
            )
        if kept.unknown:
            kinds = ", ".join(kept.unknown)
            yield Finding(
                "warn", f"{agent}: records of types unknown to this version: {kinds}", "A newer pastwork may read them."
            )


def _transcripts(env: Env, readers: Sequence[Reader], config: Config) -> Iterator[Finding]:
    """Which agents' folders are there, and whether they can be read."""
    found = 0
    for reader in readers:
        if config.sources.agents is not None and reader.agent not in config.sources.agents:
            continue
        for root in reader.roots(env):
            if not root.exists():
                continue
            if os.access(root, os.R_OK):
                found += 1
                yield Finding("ok", f"{reader.agent}: transcripts in {root}")
            else:
                yield Finding("fail", f"{reader.agent}: {root} can't be read", f"Make {root} readable for you.")
    if not found:
        agents = ", ".join(reader.agent for reader in readers)
        yield Finding(
            "warn", f"no transcripts were found of {agents}", "Use an agent, or name its folder in sources.extra."
        )


def _model(data: Path, config: Config) -> Iterator[Finding]:
    from pastwork.index import weights

    if config.embedding.backend != "onnx":
        yield Finding("ok", f"vectors by sentence-transformers, model {config.embedding.model}")
        return
    try:
        yield Finding("ok", f"the embedding model is in {weights.find(config, data)}")
    except ModelMissing as error:
        yield Finding("warn", f"{error.message}; search works by keyword only", error.remedy)


def _llm(config: Config) -> Iterator[Finding]:
    """Nothing is contacted unless an LLM is configured."""
    if config.distill.provider != "ollama":
        return
    url = config.distill.url
    try:
        yield Finding("ok", f"Ollama {_ollama_version(url)} answers at {url}")
    except (OSError, ValueError) as error:
        remedy = "Start Ollama, correct distill.url, or set distill.provider to extractive."
        yield Finding("warn", f"no Ollama answers at {url}: {error}", remedy)
    if not config.distill.model:
        yield Finding("warn", "no model is named for Ollama", "Set distill.model, for example to llama3.2.")


class _Version(Struct, frozen=True):
    version: str


def _ollama_version(url: str) -> str:
    """Raises OSError where nobody answers, ValueError where somebody else does."""
    from urllib.request import urlopen

    if not url.startswith(("http://", "https://")):
        raise ValueError("not an address that begins with http:// or https://")
    with urlopen(f"{url.rstrip('/')}/api/version", timeout=PATIENCE) as reply:  # noqa: S310 - checked above
        return msgspec.json.decode(reply.read(65_536), type=_Version).version
