"""Loaders of public sets, on invented files of the same shapes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pastwork.errors import BadUsage
from pastwork.evaluate.public import beam, locomo, longmemeval
from pastwork.evaluate.public.talk import labelled


def locomo_sample() -> dict[str, Any]:
    def said(turn: str, speaker: str, text: str, **more: str) -> dict[str, str]:
        return {"speaker": speaker, "dia_id": turn, "text": text, **more}

    return {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ines",
            "speaker_b": "Otto",
            "session_10_date_time": "noon",
            "session_10": [said("D10:1", "Ines", "I sold the boat.")],
            "session_2_date_time": "dawn",
            "session_2": [
                said("D2:1", "Otto", "The goats escaped again."),
                said("D2:2", "Ines", "Look!", blip_caption="a goat on a roof", img_url="x"),
            ],
        },
        "qa": [
            {"question": "What did Ines sell?", "answer": "the boat", "evidence": ["D10:1"], "category": 4},
            {"question": "Where are the goats?", "answer": "roof", "evidence": ["D2:1; D2:2"], "category": 1},
            {"question": "Who is Karl?", "adversarial_answer": "?", "evidence": [], "category": 5},
            {"question": "Gone?", "answer": "-", "evidence": ["D99:1", "(D2:1"], "category": 2},
        ],
        "event_summary": {},
    }


def test_locomo_turns() -> None:
    talks = locomo.load(json.dumps([locomo_sample()]).encode())
    assert [session.id for session in talks[0].sessions] == ["session_2", "session_10"]
    found = labelled(talks, "turn")
    assert [d.key for d in found.documents] == ["conv-1/D2:1", "conv-1/D2:2", "conv-1/D10:1"]
    assert found.documents[1].verbatim == "Ines: Look! [shares a goat on a roof]"
    assert {d.group for d in found.documents} == {"conv-1"}
    assert [(q.type, q.relevant) for q in found.queries] == [
        ("single-hop", {"conv-1/D10:1": 3}),
        ("multi-hop", {"conv-1/D2:1": 3, "conv-1/D2:2": 3}),
        ("temporal", {"conv-1/D2:1": 3}),
    ]
    assert found.unanswerable == 1


def test_locomo_sessions() -> None:
    found = labelled(locomo.load(json.dumps([locomo_sample()]).encode()), "session", distil=False)
    assert [d.key for d in found.documents] == ["conv-1/session_2", "conv-1/session_10"]
    assert found.queries[1].relevant == {"conv-1/session_2": 3}


def longmemeval_instance(name: str = "q1") -> dict[str, Any]:
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": "Which tea did I buy?",
        "answer": "sencha",
        "question_date": "2023/05/30",
        "haystack_dates": ["a", "b"],
        "haystack_session_ids": ["s1", "answer_s2"],
        "haystack_sessions": [
            [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}],
            [{"role": "user", "content": "I bought sencha.", "has_answer": True}],
        ],
        "answer_session_ids": ["answer_s2"],
    }


def test_longmemeval_at_both_levels() -> None:
    data = json.dumps([longmemeval_instance(), longmemeval_instance("q2_abs")]).encode()
    turns = labelled(longmemeval.load(data), "turn")
    assert [d.key for d in turns.documents][:3] == ["q1/s1_1", "q1/s1_2", "q1/answer_s2_1"]
    assert [q.relevant for q in turns.queries] == [{"q1/answer_s2_1": 3}]
    sessions = labelled(longmemeval.load(data), "session")
    assert [q.relevant for q in sessions.queries] == [{"q1/answer_s2": 3}]
    assert sessions.unanswerable == 1
    assert sessions.documents[0].verbatim == "Hello.\nHi."


def test_longmemeval_session_twice_in_a_history() -> None:
    doubled = longmemeval_instance()
    for name in ("haystack_session_ids", "haystack_sessions"):
        doubled[name] = doubled[name] + doubled[name][:1]
    assert len(labelled(longmemeval.load(json.dumps([doubled]).encode()), "turn").documents) == 3


def beam_files() -> tuple[list[Any], dict[str, Any]]:
    def stretch(*pairs: tuple[int, str]) -> list[dict[str, Any]]:
        return [{"role": "user", "id": number, "content": text, "index": "1,1"} for number, text in pairs]

    chat = [
        {"batch_number": 1, "turns": [stretch((0, "plan the trip"), (1, "by train")), stretch((2, "pack a tent"))]},
        {"batch_number": 2, "turns": [stretch((3, "budget 300"), (3, "budget 400"))]},
    ]
    probes = {
        "abstention": [{"question": "Which airline?", "rubric": []}],
        "information_extraction": [{"question": "How do I travel?", "source_chat_ids": [1, 1]}],
        "knowledge_update": [{"question": "What to pack?", "source_chat_ids": {"original": [0], "updated": [2]}}],
        "summarization": [{"question": "Which budget?", "source_chat_ids": [3]}],
    }
    return chat, probes


def test_beam_folder(tmp_path: Path) -> None:
    chat, probes = beam_files()
    folder = tmp_path / "100K" / "7"
    (folder / "probing_questions").mkdir(parents=True)
    (folder / "chat.json").write_text(json.dumps(chat), "utf-8")
    (folder / "probing_questions" / "probing_questions.json").write_text(json.dumps(probes), "utf-8")
    assert beam.folders(tmp_path) == [folder]
    found = labelled([beam.read(folder)], "turn")
    assert [d.verbatim for d in found.documents] == [
        "plan the trip",
        "by train",
        "pack a tent",
        "budget 300",
        "budget 400",
    ]
    assert [(q.type, q.relevant) for q in found.queries] == [
        ("information_extraction", {"100K-7/1": 3}),
        ("knowledge_update", {"100K-7/0": 3, "100K-7/2": 3}),
    ]
    assert found.unanswerable == 2, "one that has no answer, one whose message number is not clear"
    sessions = labelled([beam.read(folder)], "session")
    assert sessions.queries[1].relevant == {"100K-7/stretch-1": 3, "100K-7/stretch-2": 3}


@pytest.mark.parametrize(
    ("load", "data", "says"),
    [
        (locomo.load, b"{", "not a LoCoMo file"),
        (locomo.load, b'{"a": 1}', "not a LoCoMo file"),
        (locomo.load, b'[{"conversation": {"session_1": [{"speaker": "x"}]}, "qa": []}]', "not a LoCoMo file"),
        (longmemeval.load, b"[{}]", "not a LongMemEval file"),
        (longmemeval.load, b"\xff", "not a LongMemEval file"),
        (lambda data: beam.load("chat", data, b"{}"), b"[1]", "chat is not a BEAM chat"),
        (lambda data: beam.load("chat", b"[]", data), b'{"a": [{}]}', "chat is not a BEAM chat"),
    ],
)
def test_other_files_are_refused(load: Callable[[bytes], object], data: bytes, says: str) -> None:
    with pytest.raises(BadUsage, match=says):
        load(data)


def test_gold_outside_the_conversation_is_named() -> None:
    chat, probes = beam_files()
    probes["information_extraction"][0]["source_chat_ids"] = [77]
    talk = beam.load("chat", json.dumps(chat).encode(), json.dumps(probes).encode())
    with pytest.raises(BadUsage, match="names 77, which is not in the conversation"):
        labelled([talk], "turn")


def test_sets_without_anything_to_ask(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="no question"):
        labelled([], "turn")
    with pytest.raises(BadUsage, match=r"no chat\.json"):
        beam.folders(tmp_path)


def test_ids_and_sessions_must_be_as_many() -> None:
    short = longmemeval_instance() | {"haystack_session_ids": ["s1"]}
    with pytest.raises(BadUsage, match="q1: sessions and their ids differ"):
        longmemeval.load(json.dumps([short]).encode())
