"""Tells a builder of Codex's tool calls and their results, the agent's own and its sub-agents'.

The same call may be told by a response item and by an event; the builder joins them by the call's
id. A sub-agent's calls are kept as a trace in the exchange that launched it.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pastwork.model import Edit
from pastwork.transcripts import calls
from pastwork.transcripts import codex_edits as edits
from pastwork.transcripts.builder import Builder, Time
from pastwork.transcripts.codex_rows import Item, outcome, string, words

#: Marks a sub-agent's calls in the verbatim.
BELOW = "↳ "
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "web_search_call"})
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})
_NAMES = {"local_shell_call": "shell", "tool_search_call": "tool_search", "web_search_call": "web_search"}
_DONE = frozenset({"completed", "Completed"})


class Tools:
    """One transcript's tool calls; ``below`` when they are a sub-agent's."""

    def __init__(self, build: Builder, *, below: bool = False) -> None:
        self._build = build
        self._below = below

    def item(self, item: Item, time: Time, cwd: str | None) -> bool:
        """A response item; whether it was a tool's."""
        if item.type in _CALLS:
            self._call(item, time, cwd)
        elif item.type in _RESULTS:
            found = outcome(item.output)
            self._result(item.call_id, found.text, found.ok, time)
        else:
            return False
        return True

    def event(self, event: Item, time: Time) -> None:
        """An event that says more of a call, or of a change made without one."""
        if event.type == "patch_apply_end" and event.changes is not None:
            self._patched(event.call_id, event, event.success is not False, time)
        elif event.type == "mcp_tool_call_end" and event.invocation is not None:
            given = event.invocation
            self._told(event, f"{given.server}.{given.tool}", string(given.arguments), string(event.result), True, time)

    def turn_item(self, item: Item, time: Time, cwd: str | None) -> None:
        """An item of a paginated rollout: a call with its result."""
        ok = item.status in _DONE if item.status else item.success is not False
        if item.type == "FileChange" and item.changes is not None:
            self._patched(item.id, item, ok, time)
        elif item.type == "CommandExecution":
            output = item.aggregated_output or "".join((item.stdout or "", item.stderr or ""))
            ok = item.exit_code == 0 if item.exit_code is not None else ok
            arguments = msgspec.json.encode(
                {"command": calls.arguments(_named("command", item)).get("command")}
            ).decode()
            reads = [each.path for each in item.parsed_cmd if each.type == "read" and each.path] if ok else []
            self._told(item, "exec_command", arguments, output, ok, time, cwd, reads)
        elif item.type in {"McpToolCall", "DynamicToolCall"}:
            name = f"{item.server}.{item.tool}" if item.server else item.tool or ""
            self._told(item, name, string(item.arguments), string(item.result) or words(item.content), ok, time, cwd)
        elif item.type == "WebSearch":
            self._told(item, "web_search", msgspec.json.encode({"query": item.query}).decode(), "", True, time)

    def _call(self, item: Item, time: Time, cwd: str | None) -> None:
        name = item.name or _NAMES.get(item.type or "", "")
        text = string(item.input) or string(item.arguments) or string(item.action)
        given = calls.arguments(text)
        changes = edits.proposed(name, text, cwd)
        shown = calls.summary(given, cwd) or calls.relative(changes[0].path if changes else "", cwd)
        self._build.call(
            calls.line(name),
            ref=_ref(item.call_id),
            arguments=self._arguments(given, text),
            summary=self._shown(shown),
            ok=True if item.type == "web_search_call" else None,
            edits=changes,
            time=time,
        )

    def _shown(self, summary: str) -> str:
        return BELOW + summary if self._below else summary

    def _arguments(self, given: calls.Arguments, text: str) -> str:
        if self._below:
            return calls.trace(given)
        return text if given else msgspec.json.encode({"input": text}).decode() if text else "{}"

    def _result(
        self, ref: str | None, output: str, ok: bool | None, time: Time, changes: Iterable[Edit] | None = None
    ) -> None:
        output = calls.cut(output) if self._below else output
        self._build.result(_ref(ref), output, ok=ok, edits=changes, time=time)

    def _patched(self, ref: str | None, item: Item, ok: bool, time: Time) -> None:
        changes = edits.applied(item.changes or {})
        draft = self._build.draft
        ref = _ref(ref)
        if draft is not None and (ref is None or ref not in draft.calls):
            shown = calls.line(", ".join(calls.relative(edit.path, self._build.cwd) for edit in changes))
            self._build.call("apply_patch", ref=ref, summary=self._shown(shown), ok=ok, edits=changes, time=time)
        else:
            self._result(ref, "\n".join(filter(None, (item.stdout, item.stderr))), ok, time, changes)

    def _told(
        self,
        item: Item,
        name: str,
        arguments: str,
        output: str,
        ok: bool,
        time: Time,
        cwd: str | None = None,
        reads: Iterable[str] = (),
    ) -> None:
        """A call told together with its result."""
        given = calls.arguments(arguments)
        shown = calls.summary(given, cwd)
        ref = _ref(item.call_id or item.id)
        self._build.call(
            calls.line(name),
            ref=ref,
            arguments=self._arguments(given, arguments),
            summary=self._shown(shown),
            reads=reads,
            time=time,
        )
        self._result(ref, output, ok, time)


def _named(name: str, item: Item) -> bytes:
    return b'{"%s":%s}' % (name.encode(), bytes(item.command) or b"null")


def _ref(given: str | None) -> str | None:
    return None if not given or "REDACTED" in given else given
