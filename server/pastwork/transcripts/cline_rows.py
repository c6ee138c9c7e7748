"""The rows, messages and indexes of Cline, Roo Code and Kilo Code, as they stand on disk."""

from __future__ import annotations

from msgspec import Raw, Struct, field
from msgspec.json import Decoder


class ModelInfo(Struct):
    id: str | None = None
    model: str | None = field(name="modelId", default=None)


class Row(Struct):
    """One row of the interface's log; ``type`` is say or ask, which is no role."""

    ts: float | None = None
    type: str | None = None
    say: str | None = None
    ask: str | None = None
    text: str | None = None
    partial: bool | None = None
    model: ModelInfo | None = field(name="modelInfo", default=None)

    @property
    def kind(self) -> str:
        """What is said or asked."""
        return (self.say if self.type == "say" else self.ask) or ""


class ApiMessage(Struct):
    role: str | None = None
    content: str | list[Raw] | None = None
    id: str | None = None
    ts: float | None = None
    model: ModelInfo | None = field(name="modelInfo", default=None)
    summary: bool | None = field(name="isSummary", default=None)


class Messages(Struct):
    session_id: str = field(name="sessionId", default="")
    messages: list[Raw] = []


class Metadata(Struct):
    title: str | None = None


class Task(Struct):
    """What an index or a file beside the task says of it."""

    id: str = ""
    task: str | None = None
    cwd: str | None = None
    cwd_started: str | None = field(name="cwdOnTaskInitialization", default=None)
    workspace: str | None = None
    workspace_root: str | None = None
    parent: str | None = field(name="parentTaskId", default=None)
    model: str | None = None
    metadata: Metadata | None = None

    @property
    def folder(self) -> str | None:
        """Where the task began."""
        return self.workspace_root or self.cwd_started or self.workspace or self.cwd


class Index(Struct):
    entries: list[Raw] = []


ROWS: Decoder[list[Raw]] = Decoder(list[Raw])
ROW: Decoder[Row] = Decoder(Row)
MESSAGE: Decoder[ApiMessage] = Decoder(ApiMessage)
MESSAGES: Decoder[Messages] = Decoder(Messages)
TASK: Decoder[Task] = Decoder(Task)
INDEX: Decoder[list[Raw] | Index] = Decoder(list[Raw] | Index)
