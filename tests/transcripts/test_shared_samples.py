"""The shared format samples of all agents but Claude Code and Codex: what is visibly there is read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pastwork.model import Problem
from pastwork.transcripts.base import Turn
from pastwork.transcripts.registry import reader_of
from tests.transcripts.samples import database

pytestmark = pytest.mark.shared

#: Agent -> sample -> how many prompts a person sees in it. Samples of nothing but notices or metadata have none.
SAMPLES: dict[str, dict[str, int]] = {
    "aider": {
        "aider/afi-core.aider.chat.history.md": 28,
        "aider/agentsview.aider.chat.history.md": 2,
        "aider/deja-vu.aider.chat.history.md": 1,
    },
    "cline": {
        "cline-family/cline-legacy-api_conversation_history.json": 1,
        "cline-family/cline-sdk-deja-vu.messages.json": 1,
        "cline-family/cline-sdk-session.messages.json": 5,
        "cline-family/cline-sdk-success.messages.json": 1,
    },
    "kilo-code": {"cline-family/kilo-ui_messages.json": 1, "cline-family/kilo-api_conversation_history.json": 1},
    "roo-code": {"cline-family/roo-api_conversation_history.json": 1},
    "continue": {"continue/session.json": 1},
    "copilot-cli": {
        "copilot-cli/agent-sessions-large.jsonl": 3,
        "copilot-cli/agent-sessions-schema_drift.jsonl": 0,
        "copilot-cli/deja-vu-events.jsonl": 1,
        "copilot-cli/real-first-80-rows.jsonl": 1,
        "copilot-cli/real-small.jsonl": 1,
        "copilot-cli/row-shapes.jsonl": 1,
    },
    "cursor": {
        "cursor/agent-transcripts/deja-vu.jsonl": 1,
        "cursor/agent-transcripts/large.jsonl": 3,
        "cursor/agent-transcripts/schema_drift.jsonl": 1,
        "cursor/agent-transcripts/subagent-session.jsonl": 1,
        "cursor/agent-transcripts/test-session.jsonl": 2,
        "cursor/cli-store.sql": 0,
        "cursor/global-synthetic.sql": 2,
        "cursor/workspace-2024-11.sql": 11,
    },
    "gemini-cli": {
        "gemini-cli/agent-sessions-jsonl_v040.jsonl": 1,
        "gemini-cli/agent-sessions-large.json": 2,
        "gemini-cli/agentsview/standard_session.json": 2,
        "gemini-cli/agentsview/system_messages.json": 0,
        "gemini-cli/agentsview/thinking_only.json": 1,
        "gemini-cli/agentsview/tool_calls.json": 1,
        "gemini-cli/agentsview/tool_calls_with_results.json": 1,
        "gemini-cli/deja-vu-session.jsonl": 1,
        "gemini-cli/deja-vu-set-snapshot.jsonl": 1,
        "gemini-cli/gemini-cli-agent-resume-session.json": 0,
    },
    "opencode": {
        "opencode/agent-sessions/storage_legacy/session/proj_test/ses_s_stage0_drift.json": 1,
        "opencode/agent-sessions/storage_v2/session/proj_test/ses_s_stage0_large.json": 2,
        "opencode/agent-sessions/storage_v2/session/proj_test/ses_s_stage0_small.json": 1,
        "opencode/deja-vu-opencode.sql": 1,
    },
    "amp": {
        "others/amp/T-019c2505-6bed-73de-8e27-51899656b47b.json": 1,
        "others/amp/T-array-format-test.json": 1,
    },
    "antigravity": {
        "others/antigravity/cli_schema_drift.jsonl": 1,
        "others/antigravity/cli_small.jsonl": 1,
        "others/antigravity/deja-vu-transcript.jsonl": 1,
    },
    "chatgpt": {"others/chatgpt/conversations.json": 2},
    "claude-ai": {"others/claude-ai/conversations.json": 1},
    "droid": {
        "others/droid/espend/multi_tool.jsonl": 1,
        "others/droid/espend/session_simple.jsonl": 1,
        "others/droid/espend/tool_use.jsonl": 1,
        "others/droid/session_store_large.jsonl": 2,
        "others/droid/session_store_schema_drift.jsonl": 1,
        "others/droid/session_store_small.jsonl": 1,
        "others/droid/stream_json_large.jsonl": 1,
        "others/droid/stream_json_schema_drift.jsonl": 1,
        "others/droid/stream_json_small.jsonl": 1,
    },
    "goose": {"others/goose/20250724_1.jsonl": 1, "others/goose/goose.sql": 1},
    "kimi-code": {
        "others/kimi/agent-sessions/small.jsonl": 2,
        "others/kimi/agent-sessions/subagent_agent-0.jsonl": 0,
        "others/kimi/deja-vu/wd_demo_0123456789ab/session_fixture01/agents/main/wire.jsonl": 2,
        "others/kimi/kimi-config-update-cwd.jsonl": 0,
    },
    "kiro": {"others/kiro_sqlite/overlap_payload.json": 1, "others/kiro_sqlite/standard_payload.json": 2},
    "qwen-code": {
        "others/qwen/019f0000-0000-7000-8000-000000000001.jsonl": 1,
        "others/qwen/019f0000-0000-7000-8000-000000000002.jsonl": 1,
        "others/qwen/019f0000-0000-7000-8000-000000000004.jsonl": 2,
        "others/qwen/019f0000000070008000000000000003.jsonl": 1,
        "others/qwen/deja-vu.jsonl": 1,
        "others/qwen/system_telemetry.jsonl": 0,
    },
    "mistral-vibe": {
        "others/vibe/session_basic/messages.jsonl": 2,
        "others/vibe/session_empty/messages.jsonl": 0,
        "others/vibe/session_with_tools/messages.jsonl": 1,
    },
    "pi": {
        "pi/agent-sessions-small.jsonl": 2,
        "pi/agentsview-session.jsonl": 2,
        "pi/deja-vu-session.jsonl": 1,
        "pi/real-v1-first-60-rows.jsonl": 5,
    },
    "specstory": {
        "specstory/lore-projA/history/2025-07-10_09-00-00Z-fix-the-gitignore.md": 1,
        "specstory/lore-projA/history/2026-05-01_10-00-00Z-can-we-run-a.md": 2,
        "specstory/lore-projA/history/2026-05-02_11-00-00Z-can-we-run-a.md": 2,
        "specstory/lore-projA/history/2026-05-03_12-00-00Z-can-we-run-a.md": 2,
        "specstory/lore-projA/history/2026-05-04_13-00-00Z-check-the-vet.md": 1,
        "specstory/v0-locale-date-twat-search.md": 1,
        "specstory/v1-gpt-crawler.md": 6,
        "specstory/v1-minsky.md": 4,
        "specstory/v1x-session-comment-agente-bsc-rag.md": 4,
        "specstory/v2.0.0-munsellspace.md": 10,
        "specstory/v2.1.0-getspecstory.md": 1,
    },
    "vscode-copilot": {"vscode-copilot/flat-session.json": 1, "vscode-copilot/mutation-log.jsonl": 2},
    "zed": {"zed/agentsview-zed-legacy-threads.sql": 0, "zed/deja-vu-zed.sql": 2},
}
#: What SQL becomes, where the reader goes by the file's name.
DATABASES = {"cursor": ".vscdb"}
EACH = [(agent, name, count) for agent, names in SAMPLES.items() for name, count in names.items()]
#: Samples with a line that is no JSON and a record of a kind nobody knows; records of another program behind the
#: first; a source of steps that somebody blanked out.
FAULTS = {
    "pi/agentsview-session.jsonl": 2,
    "gemini-cli/gemini-cli-agent-resume-session.json": 1,
    "others/antigravity/cli_small.jsonl": 1,
}


@pytest.fixture(scope="module")
def samples(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(shared / "formats" / "samples", tmp_path_factory.mktemp("formats") / "samples"))


def placed(samples: Path, agent: str, name: str) -> Path:
    path = samples / name
    if path.suffix != ".sql":
        return path
    suffix = ".db" if "store" in path.stem else DATABASES.get(agent, ".db")
    target = path.with_suffix(suffix)
    return target if target.exists() else database(target, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("agent", "name", "count"), EACH, ids=[name for _, name, _ in EACH])
def test_what_is_visibly_there(samples: Path, agent: str, name: str, count: int) -> None:
    reader = reader_of(agent)
    within = getattr(reader, "within", None)
    assert reader is not None
    assert within is not None
    (source,) = within(placed(samples, agent, name))
    items = list(reader.read(source))
    found = [item.exchange for item in items if isinstance(item, Turn)]
    assert len(found) == count
    assert len({exchange.id for exchange in found}) == count
    assert all(exchange.prompt.strip() for exchange in found)
    assert sum(isinstance(item, Problem) for item in items) == FAULTS.get(name, 0)


def test_every_sample_is_listed(samples: Path) -> None:
    """Whatever else lies there belongs to a listed sample, or is no transcript."""
    listed = {name for names in SAMPLES.values() for name in names}
    beside = {
        "state.json",
        "meta.json",
        "workspace.json",
        "sessions.json",
        "roo-history_item.json",
        "kilo-task_metadata.json",
    }
    for path in samples.rglob("*.json*"):
        name = path.relative_to(samples).as_posix()
        known = name in listed or path.name in beside or name.startswith(("codex/", "claude-code/", "opencode/"))
        assert known or name in {
            "vscode-copilot/mutation-log.expected.json",
            "cline-family/cline-legacy-taskHistory.json",
            "cline-family/cline-sdk-deja-vu.json",
            "others/kimi/agent-sessions/assistant_tools.state.json",
            "specstory/lore-projA/.project.json",
        }
