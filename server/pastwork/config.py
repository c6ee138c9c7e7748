"""One typed, fully defaulted settings tree.

In: ``config.toml`` (or ``$PASTWORK_CONFIG``) and the client's ``pastwork.*`` settings. Out: a frozen
``Config`` and a list of sentences about what was ignored. The client's value wins over the file,
the file over the default; an unknown key or a bad value is reported and the default used.
Clients generate their settings from ``schema()``.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeVar, get_type_hints

import msgspec
from msgspec import Meta, Struct
from platformdirs import user_config_path, user_data_path

from pastwork.shelter import may_write, sheltered

#: Decoded TOML or JSON, before it is checked.
Tree = Mapping[str, object]
S = TypeVar("S", bound=Struct)


class Extra(Struct, frozen=True, forbid_unknown_fields=True):
    """A folder of transcripts that is not in an agent's usual place."""

    agent: str
    path: str


class Sources(Struct, frozen=True):
    agents: Annotated[list[str] | None, Meta(description="Agents to read; unset reads every known one.")] = None
    extra: Annotated[list[Extra], Meta(description="More transcript folders: which agent's shape, and where.")] = []
    scan: Annotated[list[str], Meta(description="Folders searched for transcripts that agents keep in projects.")] = []
    exclude: Annotated[list[str], Meta(description="Glob patterns of transcripts that are never read.")] = []


class Workspace(Struct, frozen=True):
    aliases: Annotated[
        dict[str, str], Meta(description="Path prefixes recorded in transcripts, mapped to today's folders.")
    ] = {}


class Search(Struct, frozen=True):
    mode: Annotated[str, Meta(description="Search mode, for example cross, verbatim-okapi, distilled-exact.")] = "cross"
    scope: Annotated[
        Literal["workspace", "all"], Meta(description="Whether searches look at this workspace or at all work.")
    ] = "workspace"
    limit: Annotated[int, Meta(ge=1, le=1000, description="How many results a search shows.")] = 10


class Lens(Struct, frozen=True):
    file: Annotated[bool, Meta(description="One lens at the top of a file with past work.")] = True
    symbols: Annotated[bool, Meta(description="A lens on each function or class that an exchange wrote.")] = False


class Hover(Struct, frozen=True):
    enabled: Annotated[bool, Meta(description="Past work in hovers.")] = True


class Embedding(Struct, frozen=True):
    backend: Annotated[
        Literal["onnx", "sentence-transformers"], Meta(description="What computes vectors; the second needs [torch].")
    ] = "onnx"
    model: Annotated[str, Meta(description="Model name, or a folder that holds one.")] = "all-MiniLM-L6-v2"
    idle_minutes: Annotated[int, Meta(ge=1, le=1440, description="Minutes after which an idle model is released.")] = 10


class Distill(Struct, frozen=True):
    provider: Annotated[
        Literal["extractive", "ollama"], Meta(description="Who distils: the built-in method or a local Ollama.")
    ] = "extractive"
    model: Annotated[str, Meta(description="The Ollama model that distils.")] = ""
    url: Annotated[str, Meta(description="Address of the Ollama server.")] = "http://127.0.0.1:11434"
    budget: Annotated[int, Meta(ge=0, description="Exchanges an Ollama run distils at the most; 0 means no bound.")] = 0


class Redact(Struct, frozen=True):
    enabled: Annotated[bool, Meta(description="Mask secrets before anything is distilled, indexed or sent.")] = True


class StoreSettings(Struct, frozen=True):
    tool_output_bytes: Annotated[
        int, Meta(ge=1024, description="Bytes kept of one tool's output; head and tail are kept, the cut is marked.")
    ] = 262_144


class Log(Struct, frozen=True):
    level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="How much the server logs, without any text of transcripts."),
    ] = "warning"


class Config(Struct, frozen=True):
    """All settings; every field has a default, so ``Config()`` is a working configuration."""

    sources: Sources = Sources()
    workspace: Workspace = Workspace()
    search: Search = Search()
    lens: Lens = Lens()
    annotations: Annotated[
        Literal["off", "line", "all"], Meta(description="Marks on lines with past work: none, the current line, all.")
    ] = "line"
    hover: Hover = Hover()
    embedding: Embedding = Embedding()
    distill: Distill = Distill()
    redact: Redact = Redact()
    store: StoreSettings = StoreSettings()
    log: Log = Log()


#: Settings that a workspace must not be able to change.
MACHINE_SETTINGS: frozenset[str] = frozenset(
    {
        "sources.extra",
        "sources.scan",
        "embedding.backend",
        "embedding.model",
        "distill.provider",
        "distill.model",
        "distill.url",
        "redact.enabled",
    }
)


class Loaded(Struct, frozen=True):
    config: Config
    notes: tuple[str, ...] = ()


def data_home(variables: Mapping[str, str] | None = None) -> Path:
    """``$PASTWORK_HOME``, else the platform's user data folder."""
    chosen = (os.environ if variables is None else variables).get("PASTWORK_HOME")
    return Path(chosen).expanduser() if chosen else user_data_path("pastwork", appauthor=False)


def session_home(variables: Mapping[str, str] | None = None) -> Path:
    """``data_home``, or a folder of this session's where that one can be neither written nor read.

    For the language server and its children, which serve what can be served; a command tells the user instead.
    """
    variables = os.environ if variables is None else variables
    return sheltered(data_home(variables), "palace.db", variables, may_write)


def config_path(variables: Mapping[str, str] | None = None) -> Path:
    """``$PASTWORK_CONFIG``, else ``config.toml`` in the platform's user config folder."""
    chosen = (os.environ if variables is None else variables).get("PASTWORK_CONFIG")
    return Path(chosen).expanduser() if chosen else user_config_path("pastwork", appauthor=False) / "config.toml"


def load(path: Path, client: Tree | None = None) -> Loaded:
    """The file's settings overlaid with the client's (nested or with dotted keys)."""
    file_tree, notes = _read_toml(path)
    config, bad = _overlay(Config(), file_tree, str(path), "")
    notes += bad
    if client:
        config, bad = _overlay(config, _nest(client), "client settings", "")
        notes += bad
    return Loaded(config, tuple(notes))


def schema() -> dict[str, object]:
    """JSON schema of ``Config``, the single source of the clients' settings and of the docs' table."""
    return dict(msgspec.json.schema(Config))


def _read_toml(path: Path) -> tuple[Tree, list[str]]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")), []
    except FileNotFoundError:
        return {}, []
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return {}, [f"{path}: not readable ({error}); defaults are used"]


def _nest(flat: Tree) -> dict[str, object]:
    """``{"lens.file": x}`` and ``{"lens": {"file": x}}`` alike; None means unset."""
    tree: dict[str, object] = {}
    for key, value in flat.items():
        if value is None:
            continue
        head, _, rest = key.partition(".")
        part = (
            _nest({rest: value})
            if rest
            else (_nest(value) if isinstance(value, Mapping) and head != "aliases" else value)
        )
        old = tree.get(head)
        tree[head] = {**old, **part} if isinstance(old, dict) and isinstance(part, dict) else part
    return tree


def _overlay(base: S, tree: Tree, origin: str, prefix: str) -> tuple[S, list[str]]:
    """``base`` with the good values of ``tree``; one note for each value that was not used."""
    hints = get_type_hints(type(base), include_extras=True)
    changes: dict[str, object] = {}
    notes: list[str] = []
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if key not in hints:
            notes.append(f"{origin}: unknown setting {name}, ignored")
            continue
        old = getattr(base, key)
        if isinstance(old, Struct) and isinstance(value, Mapping):
            changes[key], bad = _overlay(old, value, origin, f"{name}.")
            notes += bad
            continue
        try:
            changes[key] = msgspec.convert(value, hints[key])
        except msgspec.ValidationError as error:
            notes.append(f"{origin}: bad value for {name} ({error}), default used")
    return msgspec.structs.replace(base, **changes), notes
