"""Claude Code transcripts read and written as lines of JSON, with none of the product's own code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

Record = dict[str, Any]


def records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def transcript_with(home: Path, words: str) -> Path:
    """The one transcript in which somebody typed these words."""
    (found,) = [
        path for path in home.glob(".claude/projects/*/*.jsonl") if any(words in text for text in prompts(path))
    ]
    return found


def prompts(path: Path) -> list[str]:
    return [record["message"]["content"] for record in records(path) if is_prompt(record)]


def is_prompt(record: Record) -> bool:
    return record["type"] == "user" and isinstance(record["message"]["content"], str)


def pieces(path: Path, prompt: str) -> Iterator[tuple[str, str]]:
    """(kind, text) of everything said and done from this prompt to the next, in order.

    Kinds: ``user``, ``assistant``, ``tool`` (its name) and ``output``.
    """
    inside = False
    for record in records(path):
        if is_prompt(record):
            inside = record["message"]["content"] == prompt
            if inside:
                yield "user", prompt
        elif inside and "message" in record:
            for part in record["message"]["content"]:
                if part["type"] == "text":
                    yield "assistant", part["text"]
                elif part["type"] == "tool_use":
                    yield "tool", part["name"]
                elif part["type"] == "tool_result":
                    yield "output", part["content"]


def appended(path: Path, prompt: str, answer: str, edited: Path | None = None) -> None:
    """An exchange of now, written as an agent writes it: record by record."""
    last = next(record for record in reversed(records(path)) if "uuid" in record)
    common = {key: last[key] for key in ("isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch")}
    parent = last["uuid"]

    def record(kind: str, content: Any, **more: Any) -> str:
        nonlocal parent
        uuid = str(uuid4())
        message = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"id": f"msg_{uuid}", "type": "message", "model": "large-model-1"}
        made = {**common, "parentUuid": parent, "uuid": uuid, "type": kind, "message": message, **more}
        parent = uuid
        return json.dumps({**made, "timestamp": "2030-01-01T00:00:00.000Z"}) + "\n"

    lines = [record("user", prompt, promptSource="typed")]
    if edited is not None:
        tool = f"toolu_{uuid4()}"
        given = {"file_path": str(edited), "old_string": "", "new_string": "print('harbour')\n"}
        lines.append(record("assistant", [{"type": "tool_use", "id": tool, "name": "Edit", "input": given}]))
        result = [{"type": "tool_result", "tool_use_id": tool, "content": "updated", "is_error": False}]
        lines.append(
            record(
                "user",
                result,
                toolUseResult={
                    "filePath": str(edited),
                    "oldString": "",
                    "newString": "print('harbour')\n",
                    "structuredPatch": [],
                },
            )
        )
    lines.append(record("assistant", [{"type": "text", "text": answer}], stop_reason="end_turn"))
    for line in lines:
        with path.open("a", encoding="utf-8") as file:
            file.write(line)
