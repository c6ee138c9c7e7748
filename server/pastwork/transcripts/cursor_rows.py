"""The rows of Cursor's ``state.vscdb`` of all ages, as far as they are needed; every field optional."""

from __future__ import annotations

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.transcripts.cursor_bubbles import Bubble, CodeBlock, Tool, Uri


class Tab(Struct):
    tab_id: str = field(name="tabId", default="")
    title: str | None = field(name="chatTitle", default=None)
    sent: float | None = field(name="lastSendTime", default=None)
    bubbles: list[Raw] = []


class Tabs(Struct):
    tabs: list[Raw] = []


class Header(Struct):
    bubble_id: str = field(name="bubbleId", default="")


class Folder(Struct):
    uri: Uri | None = None


class CapabilityData(Struct):
    bubbles: str | None = field(name="bubbleDataMap", default=None)


class Capability(Struct):
    type: int | None = None
    data: CapabilityData | None = None


class Composer(Struct):
    """A composer of any age: its conversation inline, or only its bubbles' order."""

    composer_id: str = field(name="composerId", default="")
    name: str | None = None
    created: float | None = field(name="createdAt", default=None)
    updated: float | None = field(name="lastUpdatedAt", default=None)
    conversation: list[Raw] = []
    headers: list[Header] = field(name="fullConversationHeadersOnly", default=[])
    code: dict[str, Raw] = field(name="codeBlockData", default={})
    created_files: list[Raw] = field(name="newlyCreatedFiles", default=[])
    capabilities: list[Raw] = []
    workspace: Folder | None = field(name="workspaceIdentifier", default=None)
    model: Raw = field(name="modelConfig", default=Raw(b"{}"))


class Composers(Struct):
    all: list[Raw] = field(name="allComposers", default=[])
    selected: list[str] = field(name="selectedComposerIds", default=[])


class Times(Struct):
    """Only when a composer was made and changed."""

    created: float | None = field(name="createdAt", default=None)
    updated: float | None = field(name="lastUpdatedAt", default=None)

    @property
    def changed(self) -> float:
        """Milliseconds since 1970; 0 where unknown."""
        return self.updated or self.created or 0


class ModelConfig(Struct):
    name: str | None = field(name="modelName", default=None)


class WorkspaceFile(Struct):
    folder: str | None = None
    workspace: str | None = None
    configuration: str | None = None


TAB_LIST: Decoder[Tabs] = Decoder(Tabs)
TAB: Decoder[Tab] = Decoder(Tab)
COMPOSER_LIST: Decoder[Composers] = Decoder(Composers)
COMPOSER: Decoder[Composer] = Decoder(Composer)
BUBBLE: Decoder[Bubble] = Decoder(Bubble)
CAPABILITY: Decoder[Capability] = Decoder(Capability)
TOOL_MAP: Decoder[dict[str, Tool]] = Decoder(dict[str, Tool])
BLOCKS: Decoder[list[CodeBlock]] = Decoder(list[CodeBlock])
BLOCK_MAP: Decoder[dict[str, CodeBlock]] = Decoder(dict[str, CodeBlock])
MODEL: Decoder[ModelConfig] = Decoder(ModelConfig)
FOLDER: Decoder[WorkspaceFile] = Decoder(WorkspaceFile)
TIMES: Decoder[Times] = Decoder(Times)
URI: Decoder[str | Uri] = Decoder(str | Uri)
