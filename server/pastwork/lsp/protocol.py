"""The protocol's manners, on top of pygls.

Whatever a client sends is answered or ignored by rule: malformed JSON, wrong shapes, wrong order and
unknown methods get an error reply, bad notifications are dropped. No reply carries a traceback and
no log line the text of a message. Results may be ``msgspec.Raw``: JSON from another process that is
passed on as it is.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any, Literal

import cattrs
import msgspec
from lsprotocol import types as lsp
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import JsonRPCRequestMessage, LanguageServerProtocol, lsp_method

from pastwork.errors import BadUsage, PastworkError
from pastwork.lsp.faults import log_fault
from pastwork.lsp.message import Message, Rejected, decoded
from pastwork.lsp.wire import Frame, Garbage

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

#: LSP 3.17 ``RequestFailed``: the request was sound and could not be done.
REQUEST_FAILED = -32803
#: Methods whose params are ours to check, and never go through lsprotocol's types.
OWN_PREFIX = "pastwork/"

log = logging.getLogger("pastwork.lsp")


class Refused(JsonRpcException):
    """A ``PastworkError`` as an error reply; ``data`` is the contract's error body."""

    @classmethod
    def of(cls, error: PastworkError) -> Refused:
        code = JsonRpcInvalidParams.CODE if isinstance(error, BadUsage) else REQUEST_FAILED
        data = {"code": error.code, "message": error.message, "remedy": error.remedy}
        return cls(message=error.message, code=code, data=data)


class Protocol(LanguageServerProtocol):
    """One connection; ``ended`` is set when it is over, ``exit_code`` then counts."""

    def __init__(self, server: LanguageServer, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self.phase: Literal["new", "ready", "down"] = "new"
        self.exit_code = 1
        self.ended = asyncio.Event()

    # --- in ---------------------------------------------------------------------------------------------

    def receive(self, frames: Sequence[Frame] | None) -> None:
        """Takes a batch of frames; None is the end of the stream."""
        if frames is None:
            self.ended.set()
            return
        for frame in frames:
            self._take(frame)

    def _take(self, frame: Frame) -> None:
        if isinstance(frame, Garbage):
            self._refuse(None, JsonRpcParseError(frame.reason))
            return
        try:
            message = decoded(frame)
        except Rejected as rejected:
            self._refuse(rejected.number, rejected.error)
            return
        if "method" in message:
            self._take_call(message["method"], message)
        else:
            self._take_reply(message)

    def _take_call(self, method: str, message: Message) -> None:
        number = message.get("id")
        error = self._out_of_order(method)
        if error is None:
            self._dispatch(method, message, number)
        elif number is not None:
            self._refuse(number, error)

    def _dispatch(self, method: str, message: Message, number: int | str | None) -> None:
        try:
            params = self._params(method, message)
        except JsonRpcInvalidParams as error:
            if number is not None:
                self._refuse(number, error)
            log.info("%s with bad params", method if method in lsp.METHOD_TO_TYPES else "unknown method")
            return
        context = contextvars.copy_context()
        if number is None:
            context.run(self._handle_notification, method, params)
        else:
            context.run(self._handle_request, number, method, params)

    def _out_of_order(self, method: str) -> JsonRpcException | None:
        if method == lsp.EXIT:
            return None
        if self.phase == "new" and method != lsp.INITIALIZE:
            return JsonRpcServerNotInitialized("initialize comes first")
        if self.phase == "ready" and method == lsp.INITIALIZE:
            return JsonRpcInvalidRequest("already initialized")
        return JsonRpcInvalidRequest("the server is shut down") if self.phase == "down" else None

    def _params(self, method: str, message: Message) -> object:
        kind = None if method.startswith(OWN_PREFIX) else self.get_message_type(method)
        if kind is None or kind is JsonRPCRequestMessage:
            return message.get("params")
        try:
            structured = self._converter.structure({"jsonrpc": "2.0", **message}, kind)
        except Exception as error:  # noqa: BLE001 - any failure of typing means bad params, and a client must hear of it
            raise JsonRpcInvalidParams(f"{method}: {_complaint(error)}") from None
        return getattr(structured, "params", None)

    def _take_reply(self, message: Message) -> None:
        """The client's answer to a request of ours; anything else is dropped."""
        number = message["id"]
        waiting = self._request_futures.get(number) if isinstance(number, str) else None
        if not isinstance(waiting, Future) or number not in self._result_types:
            return
        try:
            reply = self.structure_message({"jsonrpc": "2.0", **message})
        except JsonRpcException as error:
            self._request_futures.pop(number, None)
            waiting.set_exception(error)
            return
        self._handle_response(number, getattr(reply, "result", None), getattr(reply, "error", None))

    # --- run --------------------------------------------------------------------------------------------

    def _execute_handler(
        self,
        msg_id: int | str,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """As pygls does, and forgets the handler's future when it is done."""
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(lambda done: self._forget(msg_id, done))

    def _forget(self, msg_id: int | str, future: Future[Any]) -> None:
        if self._request_futures.get(msg_id) is future:
            del self._request_futures[msg_id]

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(self, params: lsp.InitializeParams) -> Generator[Any, Any, lsp.InitializeResult]:
        self.phase = "ready"
        return (yield from super().lsp_initialize(params))

    @lsp_method(lsp.SHUTDOWN)
    def lsp_shutdown(self, *_: object) -> Generator[Any, Any, None]:
        self.phase, self.exit_code = "down", 0
        yield from super().lsp_shutdown()

    @lsp_method(lsp.EXIT)
    def lsp_exit(self, *_: object) -> None:  # type: ignore[override]
        """Ends the connection: 0 after ``shutdown``, 1 without (the specification's exit codes)."""
        self.ended.set()

    # Documents are kept by ``documents.py``: pygls would hold a second copy and count lines as Python does.
    lsp_text_document__did_open = None  # type: ignore[assignment]
    lsp_text_document__did_change = None  # type: ignore[assignment]
    lsp_text_document__did_close = None  # type: ignore[assignment]

    @lsp_method(lsp.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(self, params: lsp.ExecuteCommandParams) -> object:  # type: ignore[override]
        """Arguments reach the command as plain JSON values, for it to check."""
        command = self.fm.commands.get(params.command)
        if command is None:
            raise JsonRpcInvalidParams("no such command")
        return await command(*(params.arguments or ()))

    # --- out --------------------------------------------------------------------------------------------

    def _send_handler_result(self, future: Future[Any], *, msg_id: int | str) -> None:
        try:
            self._send_response(msg_id, result=future.result())
        except (asyncio.CancelledError, CancelledError):
            self._refuse(msg_id, JsonRpcRequestCancelled("cancelled"))
        except JsonRpcException as error:
            self._refuse(msg_id, error)
        except PastworkError as error:
            self._refuse(msg_id, Refused.of(error))
        except Exception as error:  # noqa: BLE001 - the request boundary: a fault is logged and answered, whatever it is
            log_fault(error)
            self._refuse(msg_id, JsonRpcInternalError("internal error; the server's log says where"))

    def _check_handler_result(self, future: Future[Any]) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            log_fault(error)

    def _refuse(self, number: int | str | None, error: JsonRpcException) -> None:
        """An error reply; without a number where the request's can't be known."""
        body = self._converter.unstructure(error.to_response_error())
        self._send_data({"jsonrpc": "2.0", "id": number, "error": body})

    def _send_response(self, msg_id: int | str, result: object = None, error: lsp.ResponseError | None = None) -> None:
        if error is None and isinstance(result, msgspec.Raw):
            self._write(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (json.dumps(msg_id).encode(), bytes(result)))
            return
        super()._send_response(msg_id, result, error)

    def _send_data(self, data: object) -> None:
        self._write(json.dumps(data, default=self._serialize_message).encode("ascii"))

    def _write(self, body: bytes) -> None:
        if self.writer is not None:
            self.writer.write(body)


def _complaint(error: Exception) -> str:
    """What is wrong with the params, by field."""
    if isinstance(error, cattrs.BaseValidationError):
        return "; ".join(cattrs.transform_error(error, path="message"))[:500]
    return "not of the expected shape"
