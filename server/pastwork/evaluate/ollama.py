"""A language model on this machine, asked one thing at a time.

Only loopback is contacted: evaluations look at whole exchanges, and no text leaves the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from pastwork.errors import BadUsage, ModelMissing, Unavailable

#: Model, prompt, JSON schema of the answer -> the answer.
Answer = Callable[[str, str, Mapping[str, object]], str]
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
#: Seconds for one answer: a large model on a CPU takes minutes.
PATIENCE = 600.0


def local(url: str) -> Answer:
    """A function that asks the Ollama at ``url``. Raises ``BadUsage`` where that is another machine.

    The function raises ``Unavailable`` where nobody answers and ``ModelMissing`` where the model is not there.
    """
    if urlsplit(url).hostname not in LOOPBACK:
        raise BadUsage(f"{url} is not this machine", "Evaluations use a local Ollama: set distill.url to one.")
    clients: list[Any] = []

    def answer(model: str, prompt: str, schema: Mapping[str, object]) -> str:
        import ollama

        if not clients:
            clients.append(ollama.Client(host=url, timeout=PATIENCE))
        try:
            reply = clients[0].generate(model, prompt, format=dict(schema), options={"temperature": 0.0, "seed": 1})
        except ollama.ResponseError as error:
            if error.status_code == 404:
                raise ModelMissing(f"Ollama has no model {model!r}", f"run `ollama pull {model}`") from error
            raise Unavailable(f"Ollama at {url}: {error.error}", "Look at Ollama's log.") from error
        except (ConnectionError, OSError) as error:
            raise Unavailable(f"no Ollama answers at {url}", "Start Ollama or set distill.url.") from error
        return str(reply.response)

    return answer
