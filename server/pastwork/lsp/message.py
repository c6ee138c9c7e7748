"""Bodies in, messages out: JSON checked for being a call or a reply, whatever else it holds."""

from __future__ import annotations

import json
import re
from typing import Any

from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcParseError

Message = dict[str, Any]
_SURROGATE = re.compile("[\ud800-\udfff]")


class Rejected(Exception):
    """No message; ``error`` is what to reply, to the request ``number`` where one is named."""

    def __init__(self, error: JsonRpcException, number: int | str | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.number = number


def decoded(body: bytes) -> Message:
    """One message. Raises Rejected.

    A lone surrogate is legal in JSON and in an editor and nowhere else: it becomes U+FFFD.
    """
    try:
        message = json.loads(body)
        if b"\\u" in body:
            message = _mended(message)
    except (ValueError, RecursionError):
        raise Rejected(JsonRpcParseError("the message is not JSON")) from None
    if not isinstance(message, dict):
        raise Rejected(JsonRpcInvalidRequest("a message is one JSON object"))
    if isinstance(message.get("method"), str):
        if "id" in message and usable_id(message["id"]) is None:
            raise Rejected(JsonRpcInvalidRequest("an id is a number or a string"))
        return message
    if "id" in message and ("result" in message or "error" in message):
        return message
    raise Rejected(JsonRpcInvalidRequest("neither a call nor a reply"), usable_id(message.get("id")))


def usable_id(value: object) -> int | str | None:
    """The number of a request, if that is what it is."""
    return value if isinstance(value, (int, str)) and not isinstance(value, bool) else None


def _mended(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_mended(key): _mended(each) for key, each in value.items()}
    return [_mended(each) for each in value] if isinstance(value, list) else value
