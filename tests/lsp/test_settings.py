"""What clients send about themselves, in every spelling they use."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types as lsp

from pastwork.lsp.settings import Abilities, abilities, settings_tree


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (None, {}),
        ([1], {}),
        ({}, {}),
        ({"lens": {"file": False}}, {"lens": {"file": False}}),
        ({"pastwork": {"lens": {"file": False}}}, {"lens": {"file": False}}),
        ({"client": {"opensHistory": True}, "settings": {"lens.file": False}}, {"lens.file": False}),
        ({"settings": {"pastwork": {"lens.file": False}}}, {"lens.file": False}),
        ({"pastwork.lens.file": False}, {"lens.file": False}),
        ({"pastwork": {"server": {"path": "x"}, "trace": {"server": "off"}, "hover": {}}}, {"hover": {}}),
        ({"server.path": "x", "trace.server": "off", "client": {}}, {}),
        ({"settings": None, "lens.file": True}, {"settings": None, "lens.file": True}),
    ],
)
def test_settings_tree(sent: object, expected: dict[str, object]) -> None:
    assert settings_tree(sent) == expected


WINDOW = lsp.WindowClientCapabilities(
    work_done_progress=True, show_document=lsp.ShowDocumentClientCapabilities(support=True)
)
WORKSPACE = lsp.WorkspaceClientCapabilities(
    configuration=True, code_lens=lsp.CodeLensWorkspaceClientCapabilities(refresh_support=True)
)


def hovers(*formats: Any) -> lsp.TextDocumentClientCapabilities:
    return lsp.TextDocumentClientCapabilities(hover=lsp.HoverClientCapabilities(content_format=list(formats)))


@pytest.mark.parametrize(
    ("capabilities", "options", "expected"),
    [
        (lsp.ClientCapabilities(), None, Abilities()),
        (lsp.ClientCapabilities(), {"client": {"opensHistory": True}}, Abilities(opens_history=True)),
        (lsp.ClientCapabilities(), {"client": {"opensHistory": 1, "commandLinks": "yes"}}, Abilities()),
        (lsp.ClientCapabilities(), {"client": {"commandLinks": True}}, Abilities(command_links=True)),
        (lsp.ClientCapabilities(), {"client": None}, Abilities()),
        (lsp.ClientCapabilities(), "nonsense", Abilities()),
        (lsp.ClientCapabilities(window=WINDOW), {}, Abilities(shows_documents=True, shows_progress=True)),
        (lsp.ClientCapabilities(workspace=WORKSPACE), {}, Abilities(refreshes_lenses=True, pulls_settings=True)),
        (lsp.ClientCapabilities(text_document=hovers(lsp.MarkupKind.PlainText)), {}, Abilities(reads_markdown=False)),
        (lsp.ClientCapabilities(text_document=hovers("markdown", "plaintext")), {}, Abilities()),
        (lsp.ClientCapabilities(text_document=hovers()), {}, Abilities()),
    ],
)
def test_abilities(capabilities: lsp.ClientCapabilities, options: object, expected: Abilities) -> None:
    assert abilities(capabilities, options) == expected
