"""The real client against a loopback server: good replies are used, bad ones never stop anything."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path

import pytest

from pastwork.distill.extractive import distil
from pastwork.distill.ollama import Limits, OllamaDistiller, Outcome
from pastwork.distill.prompt import SIGNATURE
from pastwork.errors import Unavailable
from pastwork.model import Exchange
from tests import SLACK
from tests.distill.ollama_server import Answer, Fake, served
from tests.distill.samples import POOL

GOOD = json.dumps(
    {
        "exchange_core": "Fixed the pool timeout: PoolConfig.acquire_timeout was read in milliseconds",
        "specific_context": "`PoolConfig.acquire_timeout` was read in milliseconds",
    }
)
INVENTED = json.dumps({"exchange_core": "Deleted the kubernetes cluster zzz-prod", "specific_context": "qqq"})
FAST = Limits(connect=1.0, reply=0.4, waits=(0.0,))
#: For servers that answer.
PATIENT = Limits(connect=1.0 * SLACK, reply=4.0 * SLACK, waits=(0.0,))


def ask(fake: Fake, limits: Limits = FAST, exchange: Exchange = POOL) -> Outcome:
    with OllamaDistiller("tiny:1b", fake.url, limits, sleep=lambda _: None) as distiller:
        return distiller.distil(exchange, distil(exchange))


def test_a_good_reply_becomes_the_object() -> None:
    with served(Answer(GOOD)) as fake:
        outcome = ask(fake, Limits(threads=3))
    built_in = distil(POOL)
    assert outcome.object is not None
    assert outcome.object.exchange_core.startswith("Fixed the pool timeout: PoolConfig")
    assert outcome.object.distilled_by == "ollama:tiny:1b#1"
    assert outcome.object.files_touched == built_in.files_touched
    assert outcome.object.room_assignments == built_in.room_assignments
    (asked,) = fake.asked
    assert asked["format"]["required"] == ["exchange_core", "specific_context"]
    assert asked["options"]["temperature"] == 0
    assert asked["options"]["num_thread"] == 3
    assert asked["stream"] is True
    assert asked["messages"][0]["content"].startswith(SIGNATURE)


@pytest.mark.parametrize(
    "content", [f"```json\n{GOOD}\n```", f'<think>hm {{"exchange_core": 1}}</think>\n{GOOD}', f"Sure!\n{GOOD}"]
)
def test_an_object_is_found_in_what_is_around_it(content: str) -> None:
    with served(Answer(content)) as fake:
        assert ask(fake).verdict == "better"


def test_what_was_refused_may_be_repaired_once() -> None:
    with served(Answer(INVENTED), Answer(GOOD)) as fake:
        outcome = ask(fake)
    assert (outcome.verdict, outcome.tries, outcome.repaired) == ("better", 2, True)
    said = [message["content"] for message in fake.asked[1]["messages"]]
    assert len(said) == 3
    assert "zzz-prod is not in the exchange" in said[2]
    with served(Answer(INVENTED)) as fake:
        outcome = ask(fake)
    assert (outcome.object, outcome.verdict, len(fake.asked)) == (None, "refused", 2)


BAD = {
    "empty": Answer(""),
    "prose": Answer("Sure! Here is the summary you asked for."),
    "cut": Answer('{"exchange_core":"ok","specific_con'),
    "wrong types": Answer('{"exchange_core":7,"specific_context":null}'),
    "endless": Answer('{"exchange_core":"' + "very " * 20_000),
    "invented": Answer(INVENTED),
    "inner error": Answer(raw='{"error":"out of memory"}\n'),
    "no JSON": Answer(raw="oops"),
    "another shape": Answer(raw='{"exchange_core":"bare"}\n'),
    "500": Answer(raw="oops", status=500),
    "slow": Answer(GOOD, delay_s=30),
    "drip": Answer(GOOD, drip_s=0.05),
    "half a stream": Answer(GOOD, cut=True),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_replies_leave_the_built_in_object(name: str) -> None:
    begun = time.monotonic()
    with served(BAD[name]) as fake:
        outcome = ask(fake)
    assert outcome.object is None
    assert outcome.verdict in {"refused", "failed"}
    assert outcome.reason
    assert len(fake.asked) == outcome.tries <= 3
    assert fake.most_at_once == 1 or name in {"slow", "drip", "endless"}  # the server notices late that nobody listens
    assert time.monotonic() - begun < 8


def test_bad_then_good() -> None:
    with served(BAD["500"], BAD["half a stream"], Answer(GOOD)) as fake:
        outcome = ask(fake)
    assert (outcome.verdict, outcome.tries) == ("better", 3)


def test_waits_grow_and_end_with_the_last_try() -> None:
    waited: list[float] = []
    with (
        served(BAD["500"]) as fake,
        OllamaDistiller("tiny:1b", fake.url, Limits(waits=(0.5, 2.0)), waited.append) as distiller,
    ):
        assert distiller.distil(POOL, distil(POOL)).verdict == "failed"
    assert waited == [0.5, 2.0]


def test_no_server_and_no_model_are_told_with_a_remedy() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with OllamaDistiller("tiny:1b", nobody, FAST) as distiller:
        for deed in (distiller.check, lambda: distiller.distil(POOL, distil(POOL))):
            with pytest.raises(Unavailable, match="does not answer") as caught:
                deed()
            assert "ollama serve" in caught.value.remedy
    with served(Answer(raw='{"error":"model \'x\' not found"}', status=404)) as fake:
        with OllamaDistiller("other", fake.url, PATIENT) as distiller:
            for deed in (distiller.check, lambda: distiller.distil(POOL, distil(POOL))):
                with pytest.raises(Unavailable, match="no model other") as caught:
                    deed()
                assert "ollama pull other" in caught.value.remedy
        with OllamaDistiller("tiny:1b", fake.url, PATIENT) as distiller:
            distiller.check()
        with (
            OllamaDistiller("", fake.url, PATIENT) as distiller,
            pytest.raises(Unavailable, match="no model is chosen"),
        ):
            distiller.check()


def test_a_redirect_is_not_followed() -> None:
    with served(Answer(raw="", status=307)) as fake:
        assert ask(fake).verdict == "failed"


@pytest.mark.shared
def test_the_replies_of_the_cases(shared: Path) -> None:
    """Each as a model's words and as a whole body; the slow ones sped up."""
    listed = json.loads((shared / "cases" / "D01_ollama_replies.json").read_text("utf-8"))
    assert len(listed) == 13
    for reply in listed:
        if reply.get("refuse"):
            continue
        body, status = reply.get("body", ""), reply.get("status", 200)
        slow = {"delay_s": 30.0 if reply.get("delay_s") else 0.0, "drip_s": 0.05 if reply.get("drip_s") else 0.0}
        for answer in (Answer(body, status=status, **slow), Answer(raw=body, status=status, **slow)):
            with served(answer) as fake:
                try:
                    outcome = ask(fake)
                except Unavailable:
                    assert status == 404
                    continue
            assert outcome.tries <= 3
            assert outcome.object is None or outcome.object.distilled_by == "ollama:tiny:1b#1"
            assert "zzz-prod" not in repr(outcome.object)
