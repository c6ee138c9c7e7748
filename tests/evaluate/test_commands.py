"""The commands as a person runs them, on an invented home."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pastwork.errors import ModelMissing, PastworkError
from pastwork.evaluate.commands import labelled, own
from pastwork.evaluate.grid import Configuration
from pastwork.evaluate.run import Worker

from .samples import exchanges, labelled_files
from .test_public import locomo_sample

VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without transcripts and without a store."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "home", "PASTWORK_HOME": "data", "PASTWORK_CONFIG": "config.toml"}.items():
        monkeypatch.setenv(name, str(tmp_path / value))
    (tmp_path / "home").mkdir()
    return tmp_path


@pytest.fixture
def spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Transcripts of the invented exchanges, as if read."""
    monkeypatch.setattr("pastwork.evaluate.history.exchanges", lambda *given: exchanges())
    monkeypatch.setattr("pastwork.palace.embedder.make_embedder", lambda *given: _words)


def _words() -> object:
    from .samples import WordVectors

    return WordVectors()


def run(*words: str, command: object = labelled.command) -> Result:
    return CliRunner().invoke(command, list(words))  # type: ignore[arg-type]


def answer(result: Result) -> Mapping[str, object]:
    assert result.exception is None, result.exception
    found: Mapping[str, object] = json.loads(result.stdout)
    return found


@pytest.mark.usefixtures("spoken")
def test_labelled_set_with_and_without_objects(home: Path) -> None:
    queries, keyed, objects = map(str, labelled_files(home))
    given = ("--queries", queries, "--exchanges", keyed, "--json", "--processes", "1", "--timed", "0")
    first = answer(run(*given, "--out", str(home / "a")))
    assert first["queries"] == 6
    assert (home / "a" / "report.html").is_file()
    again = answer(run(*given, "--out", str(home / "a")))
    assert again == {**first, "resumed": 8}
    reference = answer(run(*given, "--objects", objects, "--out", str(home / "b"), "--scope", "labelled"))
    assert reference["exchanges"] == 8
    assert reference["configurations"] != first["configurations"]


@pytest.mark.usefixtures("spoken")
def test_public_set(home: Path) -> None:
    path = home / "locomo10.json"
    path.write_text(json.dumps([locomo_sample()]), "utf-8")
    given = ("--public", "locomo", "--file", str(path), "--grid", "verbatim-okapi", "--drop-stop-words", "--json")
    found = answer(run(*given, "--processes", "1"))
    assert (found["queries"], found["exchanges"]) == (3, 3)
    assert found["notes"] == ["1 questions name nothing that answers them and were left out."]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "nothing to measure on"),
        (("--public", "beam"), "needs the set's file"),
        (("--grid", "no-such-mode", "--public", "beam"), "no-such-mode"),
    ],
)
def test_wrong_usage_is_one_sentence(home: Path, words: tuple[str, ...], says: str) -> None:
    result = run(*words)
    assert says in str(result.exception)


@pytest.mark.parametrize(
    ("name", "damage", "says"),
    [
        ("queries.jsonl", lambda text: text + '{"query": "cut o', "queries.jsonl, line 7: Input data was truncated"),
        (
            "queries.jsonl",
            lambda text: text.replace('"type": ', '"kind": ', 1),
            "queries.jsonl, line 1: Object missing",
        ),
        ("queries.jsonl", lambda text: "", "queries.jsonl holds nothing"),
        ("queries.jsonl", lambda text: text.replace("key-0", "key-99"), "keys that no exchange has: key-99"),
        ("exchanges.jsonl", lambda text: text.replace("session-0", "elsewhere"), "labelled exchanges are not among"),
        ("exchanges.jsonl", lambda text: "\n\n", "exchanges.jsonl holds nothing"),
        ("objects.jsonl", lambda text: text.split("\n", 1)[1], "without a reference object: key-0"),
        ("objects.jsonl", lambda text: "[]\n", "objects.jsonl, line 1: Expected `object`"),
    ],
)
@pytest.mark.usefixtures("spoken")
def test_a_set_that_is_damaged_is_told_in_one_sentence(
    home: Path, name: str, damage: Callable[[str], str], says: str
) -> None:
    queries, keyed, objects = labelled_files(home)
    path = home / name
    path.write_text(damage(path.read_text("utf-8")), "utf-8")
    given = ("--queries", str(queries), "--exchanges", str(keyed), "--objects", str(objects))
    failure = run(*given, "--processes", "1", "--out", str(home / "a")).exception
    assert isinstance(failure, PastworkError)
    assert says in failure.message
    assert "\n" not in failure.message
    assert failure.remedy
    assert not (home / "a").exists()


def test_a_missing_model_is_told_before_anything_is_searched(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pastwork.evaluate.history.exchanges", lambda *given: exchanges())
    (home / "config.toml").write_text('[embedding]\nmodel = "/no/such/folder"\n', encoding="utf-8")
    queries, keyed, _ = labelled_files(home)
    failure = run("--queries", str(queries), "--exchanges", str(keyed), "--processes", "1").exception
    assert isinstance(failure, ModelMissing)
    assert "/no/such/folder" in failure.message
    assert "model install" in failure.remedy


@pytest.mark.usefixtures("spoken")
def test_a_killed_command_goes_on_where_it_was(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queries, keyed, _ = labelled_files(home)
    given = ("--queries", str(queries), "--exchanges", str(keyed), "--json", "--processes", "1", "--timed", "0")
    measure, asked = Worker.measure, count()

    def killed(worker: Worker, configuration: Configuration) -> None:
        if next(asked) == 3:
            raise KeyboardInterrupt
        measure(worker, configuration)

    monkeypatch.setattr(Worker, "measure", killed)
    assert run(*given, "--out", str(home / "a")).exit_code != 0
    monkeypatch.setattr(Worker, "measure", measure)
    again = answer(run(*given, "--out", str(home / "a")))
    assert again["resumed"] == 3
    assert again == {**answer(run(*given, "--out", str(home / "b"))), "resumed": 3, "report": again["report"]}


def test_home_without_transcripts(home: Path) -> None:
    result = run(command=own.command)
    assert "no agent's transcripts were found" in str(result.exception)


@pytest.mark.usefixtures("spoken")
def test_history_that_says_too_little(home: Path) -> None:
    assert "says enough to make a query of" in str(run(command=own.command).exception)


def test_own_history(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from .test_own import spoken as told

    monkeypatch.setattr("pastwork.evaluate.history.exchanges", lambda *given: told())
    monkeypatch.setattr("pastwork.palace.embedder.make_embedder", lambda *given: _words)
    found = answer(run("--n", "6", "--json", "--processes", "1", "--out", str(home / "own"), command=own.command))
    assert (found["queries"], found["exchanges"]) == (6, 10)
    assert found["baseline"] in ("verbatim-okapi", "verbatim-exact")
    report = (home / "own" / "report.md").read_text("utf-8")
    assert "sentences that were held out" in report
