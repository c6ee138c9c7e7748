"""All readers, each registered once. A new agent is one module and one line here."""

from __future__ import annotations

from pastwork.transcripts.aider import AIDER
from pastwork.transcripts.amp import AMP
from pastwork.transcripts.antigravity import ANTIGRAVITY
from pastwork.transcripts.base import Reader
from pastwork.transcripts.claude_code import CLAUDE_CODE
from pastwork.transcripts.cline import CLINE, KILO_CODE, ROO_CODE
from pastwork.transcripts.codex import CODEX
from pastwork.transcripts.continue_dev import CONTINUE
from pastwork.transcripts.copilot_cli import COPILOT_CLI
from pastwork.transcripts.cursor import CURSOR
from pastwork.transcripts.droid import DROID
from pastwork.transcripts.exports import CHATGPT, CLAUDE_AI
from pastwork.transcripts.gemini import GEMINI
from pastwork.transcripts.goose import GOOSE
from pastwork.transcripts.junie import JUNIE
from pastwork.transcripts.kimi import KIMI_CLI, KIMI_CODE
from pastwork.transcripts.kiro import KIRO
from pastwork.transcripts.opencode import KILO, OPENCODE
from pastwork.transcripts.pi import OH_MY_PI, PI
from pastwork.transcripts.qwen import QWEN
from pastwork.transcripts.specstory import SPECSTORY
from pastwork.transcripts.vibe import VIBE
from pastwork.transcripts.vscode_copilot import VSCODE_COPILOT
from pastwork.transcripts.zed import ZED

READERS: tuple[Reader, ...] = (
    CLAUDE_CODE,
    CODEX,
    SPECSTORY,
    AIDER,
    COPILOT_CLI,
    PI,
    OH_MY_PI,
    CURSOR,
    GEMINI,
    OPENCODE,
    KILO,
    VSCODE_COPILOT,
    CLINE,
    ROO_CODE,
    KILO_CODE,
    CONTINUE,
    ZED,
    GOOSE,
    QWEN,
    VIBE,
    KIMI_CLI,
    KIMI_CODE,
    DROID,
    AMP,
    ANTIGRAVITY,
    KIRO,
    JUNIE,
    CHATGPT,
    CLAUDE_AI,
)


def reader_of(agent: str) -> Reader | None:
    """The reader of an agent's own shape, by the agent's name."""
    return next((reader for reader in READERS if reader.agent == agent), None)
