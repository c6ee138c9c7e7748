"""What a person typed, and what only stands where prompts stand."""

from __future__ import annotations

import pytest

from pastwork.transcripts import not_prompts
from tests.growth import LINEAR, text_growth


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fix it", "fix it"),
        ("  fix it\n", "fix it"),
        ("", None),
        ("<system-reminder>be good</system-reminder>", None),
        ("<system-reminder>be good</system-reminder>\nfix it", "fix it"),
        ("fix it\n<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>", "fix it"),
        ("why is <system-reminder> in my log?", "why is <system-reminder> in my log?"),
        ("<system-reminder>never closed", None),
        ('<ide_opened_file>a.py</ide_opened_file><ide_selection lines="1">x</ide_selection>fix it', "fix it"),
        ("<ide_opened_file>a.py</ide_opened_file>", None),
        ("<task-notification>\n<task-id>1</task-id>", None),
        ("<bash-input>ls</bash-input>", None),
        ("<bash-stdout></bash-stdout><bash-stderr></bash-stderr>", None),
        ("<local-command-stdout>bye</local-command-stdout>", None),
        ("Caveat: The messages below were …", None),
        ("[Request interrupted by user for tool use]", None),
        ("This session is being continued from a previous conversation that …", None),
        ("Base directory for this skill: /x", None),
        ("Operation stopped by hook: no", None),
        ("<b>bold</b> words", "<b>bold</b> words"),
    ],
)
def test_claude_code(text: str, expected: str | None) -> None:
    assert not_prompts.typed(text, not_prompts.CLAUDE_CODE) == expected


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/w</cwd></environment_context>",
        "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>",
        "<user_instructions>\nx",
        "<turn_aborted>\nx",
        "<skill>\nx",
        "<user_shell_command>\nls",
        "<subagent_notification>\n{}",
        "<hook_prompt>x",
        "<recommended_plugins>\n",
    ],
)
def test_codex(text: str) -> None:
    assert not_prompts.typed(text, not_prompts.CODEX) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Summarise this exchange as JSON with two keys.\n<transcript>user: pears</transcript>", True),
        ("Please summarize the following conversation in <summary></summary> tags.\n\nUser: pears\n\nAgent: yes", True),
        ("Fill exchange_core, specific_context, room_assignments, files_touched (JSON).\n<exchange>…</exchange>", True),
        ("DO NOT INDEX THIS CHAT\nwhat is this about", True),
        ("summarize the conversation so far", False),
        ("extract the session handling into its own module, config stays JSON", False),
        ("rename exchange_core, specific_context, room_assignments and files_touched in the JSON schema", False),
        ("summarise the transcript parser\nUser: is a class here, and it writes JSON? no, prose", False),
    ],
)
def test_summarisers_of_memory_tools(text: str, expected: bool) -> None:
    assert not_prompts.machine_made(text) is expected


@pytest.mark.parametrize(
    "text", ["<system-reminder>" * 60_000, "summarize " + "a " * 500_000, "<ide_selection>" * 60_000]
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    def work(given: str) -> None:
        not_prompts.typed(given, not_prompts.CLAUDE_CODE)
        not_prompts.machine_made(given)

    assert text_growth(work, text) < LINEAR
