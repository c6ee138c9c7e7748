"""The outside shapes, pinned: names and order of the fields that clients and scripts rely on.

Fields may be added with a line in CHANGELOG.md; none of these may go or change its name.
"""

from __future__ import annotations

import msgspec
import pytest
from msgspec import Struct

from pastwork import errors, shapes
from pastwork.cli.main import COMMANDS
from pastwork.model import Room

PINNED: dict[type[Struct], str] = {
    shapes.SearchAnswer: "query mode scope took_ms total notes hits",
    shapes.Hit: "id score why agent session_id turn title open fix started_at time_source workspace branch model "
    "prompt snippet object tokens",
    shapes.Why: "keyword vector terms",
    shapes.Snippet: "text marks",
    shapes.ObjectShape: "exchange_core specific_context room_assignments files_touched distilled_by",
    Room: "room_type room_key room_label relevance",
    shapes.Touched: "path action",
    shapes.Tokens: "verbatim distilled",
    shapes.HistoryAnswer: "file line matches silence",
    shapes.Match: "tier lines survival hit",
    shapes.BlameAnswer: "file lines",
    shapes.BlameLine: "line exchange_id session_id",
    shapes.WrittenAnswer: "file text note",
    shapes.ShowAnswer: "id hit verbatim source previous next resume",
    shapes.ShownEntry: "role time text tool",
    shapes.ShownTool: "name summary input output diff ok",
    shapes.Source: "path present",
    shapes.StatusAnswer: "agents vectors index store writer",
    shapes.AgentStatus: "roots sessions exchanges edits last_seen gone expiring skipped",
    shapes.Skipped: "file offset reason",
    shapes.VectorStatus: "ready pending",
    shapes.IndexStatus: "state done total finished_at",
    shapes.StoreStatus: "path bytes schema",
    shapes.WriterStatus: "pid mine",
    shapes.RoomsAnswer: "rooms",
    shapes.RoomCount: "room_type room_key room_label exchanges last",
    shapes.ContextAnswer: "budget used exchanges left_out text",
    shapes.IndexAnswer: "files exchanges skipped took_ms vectors",
    shapes.IndexCounts: "new updated known",
    shapes.VerifyAnswer: "ok checked faults",
    shapes.Fault: "what where remedy",
    shapes.DoctorAnswer: "findings",
    shapes.Finding: "level what remedy",
    shapes.ForgetAnswer: "forgotten",
    shapes.DistillAnswer: "distilled kept_extractive left estimate_s",
    shapes.ModelAnswer: "path sha256 ready",
    shapes.ErrorAnswer: "error",
    shapes.ErrorBody: "code message remedy",
}


@pytest.mark.parametrize("shape", PINNED, ids=lambda shape: shape.__name__)
def test_every_field_is_there(shape: type[Struct]) -> None:
    shown = {field.encode_name for field in msgspec.structs.fields(shape)}
    assert set(PINNED[shape].split()) <= shown


COMMAND_NAMES = """
index search history blame show rooms context distill eval status doctor verify forget model lsp mcp
"""


def test_commands() -> None:
    assert set(COMMANDS) == set(COMMAND_NAMES.split())


@pytest.mark.parametrize(
    ("error", "code", "exit_code"),
    [
        (errors.NotFound, "not_found", 1),
        (errors.BadUsage, "bad_usage", 2),
        (errors.StoreUnusable, "store_unusable", 3),
        (errors.ModelMissing, "model_missing", 1),
        (errors.Unavailable, "unavailable", 1),
    ],
)
def test_exit_codes(error: type[errors.PastworkError], code: str, exit_code: int) -> None:
    assert (error.code, error.exit_code) == (code, exit_code)
