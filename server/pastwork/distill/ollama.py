"""A local language model distils: the only module that talks to Ollama, by its official client.

In: a masked exchange. Out: a better object, or why the built-in one stays. One request at a time,
each under a time limit of its own that also holds against a server that drips; at most three tries,
one of them to repair what the guard refused. What a server says is data: it is parsed, bounded and
checked (``guard``), never trusted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from pastwork.distill import guard, prompt
from pastwork.distill.files import touched_by
from pastwork.distill.text import read, visible
from pastwork.errors import Unavailable
from pastwork.model import WROTE, Exchange, PalaceObject

if TYPE_CHECKING:
    import httpx
    from ollama import Client

Verdict = Literal["better", "refused", "failed"]


class Limits(Struct, frozen=True):
    """Seconds to connect and for one whole reply, tries, seconds before the second and the third one,
    bytes of a reply, and threads for the model (None: the server's choice)."""

    connect: float = 5.0
    reply: float = 120.0
    tries: int = 3
    waits: tuple[float, ...] = (0.5, 2.0)
    reply_bytes: int = 16_384
    threads: int | None = None


class Outcome(Struct, frozen=True):
    """``object`` is None where the built-in one stays; ``reason`` says why; ``repaired``: a second try was needed."""

    object: PalaceObject | None
    verdict: Verdict
    reason: str = ""
    tries: int = 1
    repaired: bool = False


class _Failed(Exception):
    """One try gave no reply that could be read."""


class OllamaDistiller:
    """Asks one model on one server; a context that closes the connection."""

    def __init__(
        self,
        model: str,
        url: str,
        limits: Limits = Limits(),  # noqa: B008 frozen
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.model, self.url, self.limits = model, url, limits
        self._sleep = sleep
        self._client: Client | None = None

    @property
    def name(self) -> str:
        """What objects are marked with: model and version of the prompt."""
        return f"ollama:{self.model}#{prompt.VERSION}"

    def __enter__(self) -> OllamaDistiller:
        return self

    def __exit__(self, *_: object) -> None:
        if self._client is not None:
            self._client._client.close()
            self._client = None

    def check(self) -> None:
        """Makes sure that the server answers and has the model.

        Raises:
            Unavailable: it does not; the remedy says what to do.
        """
        import httpx
        import ollama

        if not self.model:
            raise Unavailable("no model is chosen", "Set distill.model or give --model, for example llama3.2:3b.")
        try:
            listed = {found.model or "" for found in self._connected().list().models}
        except (httpx.HTTPError, ollama.ResponseError, OSError, ValueError) as error:
            raise Unavailable(
                f"Ollama does not answer at {self.url} ({type(error).__name__})", "Start it with: ollama serve"
            ) from error
        if not {self.model, f"{self.model}:latest"} & listed:
            raise Unavailable(f"Ollama has no model {self.model}", f"Get it with: ollama pull {self.model}")

    def distil(self, exchange: Exchange, built_in: PalaceObject) -> Outcome:
        """The object for a masked exchange, with the rooms and files of the built-in one.

        Raises:
            Unavailable: the server is gone or has lost the model; what was asked so far is not lost by that.
        """
        reading = read(exchange)
        files = tuple(touch.path for touch in touched_by(exchange, reading) if touch.action in WROTE)
        source = guard.source(reading, files)
        messages = [{"role": "user", "content": prompt.request(reading, files)}]
        reason, repaired, refused = "", False, False
        for attempt in range(1, self.limits.tries + 1):
            try:
                text = self._ask(messages)
                reply = prompt.parse(text)
                problems = guard.faults(reply, source)
            except _Failed as failed:
                reason = str(failed)
                self._wait(attempt)
                continue
            except prompt.BadReply as bad:
                text, problems = text[: self.limits.reply_bytes], [str(bad)]
            if not problems:
                return Outcome(_filled(built_in, reply, self.name), "better", "", attempt, repaired)
            reason, refused = problems[0], True
            if repaired:
                return Outcome(None, "refused", reason, attempt, repaired=True)
            messages += [
                {"role": "assistant", "content": text},
                {"role": "user", "content": prompt.repair(text, problems)},
            ]
            repaired = True
        return Outcome(None, "refused" if refused else "failed", reason, self.limits.tries, repaired)

    def _ask(self, messages: list[dict[str, str]]) -> str:
        """The model's reply, read as it comes and no further than the limits.

        Raises:
            _Failed: this try gave none.
            Unavailable: no further try would.
        """
        import httpx
        import ollama

        options: dict[str, float] = {"temperature": 0, "seed": 1, "num_ctx": 4_096, "num_predict": 220}
        if self.limits.threads:
            options["num_thread"] = self.limits.threads
        pieces: list[str] = []
        size = 0
        try:
            for part in self._connected().chat(
                self.model, messages, stream=True, format=prompt.schema(), options=options, keep_alive="5m"
            ):
                pieces.append(part.message.content or "")
                size += len(pieces[-1])
                if size > self.limits.reply_bytes:
                    raise _Failed("the reply does not end")
        except ollama.ResponseError as error:
            if error.status_code == 404:
                raise Unavailable(
                    f"Ollama has no model {self.model}", f"Get it with: ollama pull {self.model}"
                ) from error
            raise _Failed(f"the server answered with an error ({error.status_code})") from error
        except httpx.ConnectError as error:
            raise Unavailable(f"Ollama does not answer at {self.url}", "Start it with: ollama serve") from error
        except httpx.TimeoutException as error:
            raise _Failed(f"no whole reply within {self.limits.reply:.0f} s") from error
        except (httpx.HTTPError, ValueError) as error:
            raise _Failed(f"the reply broke off ({type(error).__name__})") from error
        return "".join(pieces)

    def _wait(self, attempt: int) -> None:
        if attempt < self.limits.tries:
            self._sleep(self.limits.waits[min(attempt, len(self.limits.waits)) - 1])

    def _connected(self) -> Client:
        if self._client is None:
            import httpx
            import ollama

            limits = self.limits
            timeout = httpx.Timeout(limits.reply, connect=limits.connect)
            # Neither redirects nor proxies: what is sent goes to the address that was configured.
            self._client = ollama.Client(
                self.url, timeout=timeout, follow_redirects=False, transport=_timed_transport(limits.reply)
            )
        return self._client


def _filled(built_in: PalaceObject, reply: prompt.Reply, name: str) -> PalaceObject:
    core, detail = reply.exchange_core.strip().rstrip("."), reply.specific_context.strip()
    return replace(
        built_in,
        exchange_core=visible(core),
        specific_context=visible(detail) or built_in.specific_context,
        distilled_by=name,
    )


def _timed_transport(seconds: float) -> httpx.BaseTransport:
    """A transport whose responses end after so many seconds in all, however slowly they come."""
    import httpx

    class Timed(httpx.SyncByteStream):
        def __init__(self, stream: httpx.SyncByteStream, deadline: float) -> None:
            self._stream, self._deadline = stream, deadline

        def __iter__(self) -> Iterator[bytes]:
            for chunk in self._stream:
                if time.monotonic() > self._deadline:
                    raise httpx.ReadTimeout("the reply takes too long")
                yield chunk

        def close(self) -> None:
            self._stream.close()

    class Transport(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            deadline = time.monotonic() + seconds
            response = super().handle_request(request)
            if isinstance(response.stream, httpx.SyncByteStream):
                response.stream = Timed(response.stream, deadline)
            return response

    return Transport(trust_env=False)
