"""What a client says of itself and of its user's settings.

Settings come in ``initializationOptions`` and by ``workspace/didChangeConfiguration``, nested or with
dotted keys, with or without the leading ``pastwork``; ``config.load`` checks them. What the client
can do beyond the protocol comes in ``initializationOptions.client``.
"""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types as lsp
from msgspec import Struct

#: Groups that clients keep under ``pastwork.`` for themselves (how to start the server, its trace).
CLIENT_GROUPS = frozenset({"client", "server", "trace"})

Tree = Mapping[str, object]


class Abilities(Struct, frozen=True):
    """What this client can do; all False for one that says nothing."""

    #: Implements the command ``pastwork.openHistory`` (``client.opensHistory``).
    opens_history: bool = False
    #: Runs links to our commands in hovers, and nobody else's (``client.commandLinks``).
    command_links: bool = False
    reads_markdown: bool = True
    shows_documents: bool = False
    refreshes_lenses: bool = False
    shows_progress: bool = False
    pulls_settings: bool = False

    @property
    def shows_exchanges(self) -> bool:
        """Whether ``pastwork:`` documents open; a client that implements our lists has them too."""
        return self.opens_history


def settings_tree(sent: object) -> Tree:
    """The ``pastwork`` part of what a client sent, without the groups that are the client's own."""
    if not isinstance(sent, Mapping):
        return {}
    for wrapper in ("pastwork", "settings"):
        inner = sent.get(wrapper)
        if isinstance(inner, Mapping):
            return settings_tree(inner)
    tree = {str(key).removeprefix("pastwork."): value for key, value in sent.items()}
    return {key: value for key, value in tree.items() if key.partition(".")[0] not in CLIENT_GROUPS}


def abilities(capabilities: lsp.ClientCapabilities, options: object) -> Abilities:
    """What the client declared, in the protocol's way and in ours."""
    own = options.get("client") if isinstance(options, Mapping) else None
    declared = own if isinstance(own, Mapping) else {}
    workspace, window = capabilities.workspace, capabilities.window
    return Abilities(
        opens_history=declared.get("opensHistory") is True,
        command_links=declared.get("commandLinks") is True,
        reads_markdown=_reads_markdown(capabilities.text_document),
        shows_documents=bool(window and window.show_document and window.show_document.support),
        shows_progress=bool(window and window.work_done_progress),
        refreshes_lenses=bool(workspace and workspace.code_lens and workspace.code_lens.refresh_support),
        pulls_settings=bool(workspace and workspace.configuration),
    )


def _reads_markdown(capabilities: lsp.TextDocumentClientCapabilities | None) -> bool:
    """Unless the client lists the formats of hovers it knows, and Markdown is not among them."""
    formats = capabilities.hover.content_format if capabilities and capabilities.hover else None
    return not formats or lsp.MarkupKind.Markdown in formats
