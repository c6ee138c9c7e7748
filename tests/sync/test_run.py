"""One pass after another over an invented home."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from pastwork import config as settings
from pastwork.config import Config, Extra
from pastwork.distill import digest as distilling
from pastwork.model import Exchange, Problem
from pastwork.store.counts import index_status
from pastwork.store.forget import Forgetting, forget
from pastwork.store.records import RowFilter
from pastwork.store.verify import verify
from pastwork.store.writer import StoreWriter
from pastwork.sync import digest
from pastwork.sync.batch import Stopped
from pastwork.sync.run import Progress
from pastwork.transcripts.base import Item, Position, Source, Turn
from tests.store.samples import dump
from tests.sync.jotter import JOTTER, Home, ask, line


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def test_a_first_and_a_second_pass(home: Home) -> None:
    home.write("a.jot", ask("tides", 1, cwd="/w/ferry"), ask("ferries", 2))
    home.write("b.jot", ask("harbours", 3), line(title="All about harbours"))
    first = home.sync().run_once(vectors=False)
    assert (first.files, first.exchanges.new, first.exchanges.updated, first.exchanges.known) == (2, 3, 0, 0)
    assert home.prompts() == ["ferries", "harbours", "tides"]
    again = home.sync().run_once(vectors=False)
    assert (again.files, again.exchanges.new, again.exchanges.updated, again.exchanges.known) == (2, 0, 0, 3)
    assert verify(home.writer).faults == ()


def test_a_first_look_is_over_also_where_there_is_nothing_to_read(home: Home) -> None:
    assert index_status(home.writer.connection, alive=True).finished_at is None
    home.sync().read_all()
    status = index_status(home.writer.connection, alive=True)
    assert status.state == "idle"
    assert status.finished_at is not None


def test_housekeeping_ends_by_giving_back_the_memory_of_pages(home: Home) -> None:
    home.write("a.jot", ask("tides", 1))
    sync, said = home.sync(), list[str]()
    sync.read_all()
    home.writer.connection.set_trace_callback(said.append)
    while sync.tidy():
        assert "shrink_memory" not in said[-1], "there is more to do"
    assert "shrink_memory" in said[-1]


def test_a_pass_with_nothing_new_writes_nothing(home: Home) -> None:
    home.write("a.jot", ask("tides", 1), b"garbage\n")
    os.mkfifo(home.path("pipe.jot"))
    home.sync().run_once(vectors=False)
    before = home.writer.connection.total_changes, home.writer.generation()
    home.sync().run_once(vectors=False)
    assert (home.writer.connection.total_changes, home.writer.generation()) == before


def test_an_append_reads_on_from_the_last_exchange(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write("a.jot", *(ask(f"topic {number}", number) for number in range(1, 30)))
    home.sync().run_once(vectors=False)
    home.append("a.jot", line(answer="One thing more."), ask("topic 30", 30))
    seen = []
    reading = JOTTER.reading
    monkeypatch.setattr(JOTTER, "reading", lambda source, since: seen.append(since) or reading(source, since))
    answer = home.sync().run_once(vectors=False)
    assert (answer.exchanges.new, answer.exchanges.updated) == (1, 1)
    assert seen[0].offset > 1000
    row = home.writer.recent(RowFilter(), 2)[1]
    assert "One thing more." in {entry.text for entry in home.writer.verbatim(row).entries}


@pytest.mark.parametrize("cut", [1, 7, 30, 60, 95])
def test_a_record_cut_anywhere_is_read_once_it_is_whole(home: Home, cut: int) -> None:
    whole = ask("tides", 1) + ask("ferries", 2)
    home.write("a.jot", whole[:-cut])
    home.sync().run_once(vectors=False)
    home.append("a.jot", whole[-cut:])
    home.sync().run_once(vectors=False)
    assert home.prompts() == ["ferries", "tides"]
    (row,) = home.writer.rows(RowFilter(since="2026-02-01T10:02:00Z")) or ()
    assert home.writer.verbatim(row).entries[-1].text == "About ferries: done."
    assert home.problems() == []


def test_a_shorter_rewrite_keeps_what_was_known(home: Home) -> None:
    home.write("a.jot", ask("tides", 1), ask("ferries", 2), b"bad line\n")
    home.sync().run_once(vectors=False)
    assert len(home.problems()) == 1
    home.write("a.jot", ask("harbours", 3))
    home.sync().run_once(vectors=False)
    assert home.prompts() == ["ferries", "harbours", "tides"]
    assert home.problems() == []


def test_a_vanished_transcript_is_gone_and_kept(home: Home) -> None:
    path = home.write("a.jot", ask("tides", 1))
    home.sync().run_once(vectors=False)
    path.unlink()
    for full in (False, True):
        home.sync().run_once(full=full, vectors=False)
        assert home.prompts() == ["tides"]
        assert home.writer.status_counts("r", 0.0).agents["jotter"].gone == 1
        assert home.writer.source_of(1) == (str(path), False)
        assert home.writer.verbatim(1).prompt == "tides"
    home.write("a.jot", ask("tides", 1))
    home.sync().run_once(vectors=False)
    assert home.writer.source_of(1) == (str(path), True)


def test_a_renamed_transcript_is_known(home: Home) -> None:
    path = home.write("a.jot", ask("tides", 1))
    home.sync().run_once(vectors=False)
    path.rename(home.path("a@moved.jot"))
    answer = home.sync().run_once(vectors=False)
    assert (answer.exchanges.new, answer.exchanges.updated) == (0, 0)
    assert home.writer.source_of(1) == (str(home.path("a@moved.jot")), True)


@pytest.mark.skipif(os.name == "nt", reason="such files are POSIX")
@pytest.mark.timeout(20)
def test_odd_files_among_the_transcripts(home: Home, tmp_path: Path) -> None:
    outside = tmp_path / "private.txt"
    outside.write_bytes(ask("a stranger's prompt", 9))
    os.mkfifo(home.path("pipe.jot"))
    home.path("folder.jot").mkdir()
    home.path("loop.jot").symlink_to(home.path("loop.jot"))
    home.path("device.jot").symlink_to("/dev/zero")
    home.path("outside.jot").symlink_to(outside)
    home.path("nowhere.jot").symlink_to("absent")
    home.write("good.jot", ask("tides", 1))
    home.path("inside.jot").symlink_to(home.path("good.jot"))
    answer = home.sync().run_once(vectors=False)
    assert home.prompts() == ["tides"]
    reasons = sorted(reason.split(", not")[0] for _, reason in home.problems())
    assert reasons == ["a folder", "a pipe", *["a symbolic link"] * 5]
    assert answer.skipped == 7
    before = home.writer.connection.total_changes
    home.sync().run_once(vectors=False)
    assert home.writer.connection.total_changes == before
    home.path("folder.jot").rmdir()
    home.write("folder.jot", ask("ferries", 2))
    home.path("outside.jot").unlink()
    home.write("outside.jot", ask("harbours", 3))
    home.sync().run_once(vectors=False)
    assert home.prompts() == ["ferries", "harbours", "tides"]
    assert len(home.problems()) == 5


def test_a_file_that_vanishes_after_it_was_located(home: Home) -> None:
    home.write("good.jot", ask("tides", 1))
    sync = home.sync()
    sync.run_once(vectors=False)
    path = home.write("brief.jot", ask("ferries", 2))
    sync.found = []
    sync._locate(sync._widened(), ())
    path.unlink()
    sync.run_paths([path])
    assert home.prompts() == ["tides"]


def test_problems_are_told_once_and_where(home: Home) -> None:
    good = ask("tides", 1)
    home.write("a.jot", good, b'{"ask": "cut mid', b"\n", ask("ferries", 2))
    for _ in range(3):
        home.sync().run_once(vectors=False)
        home.append("a.jot", line(answer="more"))
    assert [offset for offset, _ in home.problems()] == [len(good)]
    assert home.prompts() == ["ferries", "tides"]


def test_a_fault_of_a_reader_costs_one_transcript(home: Home) -> None:
    home.write("a.jot", ask("tides", 1), line(explode=True), ask("ferries", 2))
    home.write("b.jot", ask("harbours", 3))
    home.sync().run_once(vectors=False)
    assert home.prompts() == ["harbours"] or home.prompts() == ["harbours", "tides"]
    ((_, reason),) = home.problems()
    assert "RuntimeError" in reason
    before = home.writer.connection.total_changes
    home.sync().run_once(vectors=False)
    assert home.writer.connection.total_changes == before, "not tried again until it changes"


def test_an_exchange_that_cannot_be_distilled_is_kept_and_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write("a.jot", ask("tides", 1), ask("ferries", 2), ask("harbours", 3))

    def failing(of: Exchange, mask: bool) -> object:
        if of.prompt == "ferries":
            raise ZeroDivisionError
        return original(of, mask=mask)

    original = distilling.digest
    monkeypatch.setattr(distilling, "digest", failing)
    home.sync().run_once(vectors=False)
    assert home.prompts() == ["", "harbours", "tides"]
    assert [reason for _, reason in home.problems()] == ["could not be distilled (ZeroDivisionError)"]
    (row,) = home.writer.connection.execute("SELECT row FROM exchange WHERE prompt = ''").fetchone()
    assert home.writer.verbatim(row).prompt == "ferries"
    before = home.writer.connection.total_changes
    home.sync().run_once(vectors=False)
    assert home.writer.connection.total_changes == before
    monkeypatch.undo()
    home.sync().run_once(full=True, vectors=False)
    assert home.prompts() == ["ferries", "harbours", "tides"]
    assert home.problems() == []


def test_text_that_no_file_can_hold_costs_one_exchange(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write("a.jot", ask("tides", 1), ask("ferries", 2), ask("harbours", 3))
    reading = JOTTER.reading

    def spoilt(source: Source, since: Position | None) -> Iterator[Item]:
        for item in reading(source, since):
            if isinstance(item, Turn) and item.exchange.prompt == "ferries":
                item = replace(item, exchange=replace(item.exchange, prompt="lone \ud800 surrogate"))
            yield item

    monkeypatch.setattr(JOTTER, "reading", spoilt)
    home.sync().run_once(vectors=False)
    assert home.prompts() == ["harbours", "tides"]
    assert [reason for _, reason in home.problems()] == ["could not be kept (UnicodeEncodeError)"]
    assert verify(home.writer).faults == ()


def test_what_the_machine_refused_is_tried_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that could not be opened for want of descriptors has not changed when there are some again."""
    home.write("a.jot", ask("tides", 1))
    reading = JOTTER.reading
    problem = Problem(str(home.path("a.jot")), 0, f"cannot be read: {os.strerror(errno.EMFILE)}")
    monkeypatch.setattr(JOTTER, "reading", lambda source, since: [problem])
    home.sync().run_once(vectors=False)
    assert len(home.problems()) == 1
    monkeypatch.setattr(JOTTER, "reading", reading)
    home.sync().run_once(vectors=False)
    assert home.prompts() == ["tides"]
    assert home.problems() == []


def test_carried_state_that_no_longer_fits_is_dropped(home: Home) -> None:
    home.write("a.jot", ask("tides", 1), ask("ferries", 2))
    home.sync().run_once(vectors=False)
    home.writer.connection.execute("UPDATE source SET carry = 'of another program'")
    home.append("a.jot", ask("harbours", 3))
    home.sync().run_once(vectors=False)
    assert home.prompts() == ["ferries", "harbours", "tides"]
    assert home.problems() == []


def test_parts_are_read_with_it(home: Home) -> None:
    home.write("a.jot", ask("tides", 1))
    home.write("a.part1", b"found the almanac")
    home.sync().run_once(vectors=False)
    assert home.writer.verbatim(1).entries[-1].text == "sub-agent: found the almanac"
    home.write("a.part1", b"found two almanacs")
    home.sync().run_once(vectors=False)
    assert home.writer.verbatim(1).entries[-1].text == "sub-agent: found two almanacs"


def test_stopped_after_every_commit_it_still_gets_everywhere(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        home.write(f"{name}.jot", *(ask(f"{name} {number}", 100 * ord(name) + number) for number in range(1, 8)))
    monkeypatch.setattr("pastwork.sync.batch.LONGEST", -1.0)
    passes = 0
    while True:
        answer = home.sync(stop=lambda: True).run_once(vectors=False)
        passes += 1
        if len(home.prompts()) == 21:
            break
        assert any("stopped" in note for note in answer.notes)
        assert passes < 40
    assert passes > 5
    monkeypatch.undo()
    home.sync().run_once(vectors=False)
    assert len(home.prompts()) == 21
    assert verify(home.writer).faults == ()
    undisturbed = Home(home.folder)
    undisturbed.sync().run_once(vectors=False)
    assert dump(home.writer.connection) == dump(undisturbed.writer.connection)


@pytest.mark.parametrize("content", [ask("tides"), b"{}\n"], ids=["an exchange each", "nothing in them"])
def test_many_small_transcripts_are_committed_in_between(
    home: Home, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    """A hundred thousand of them were one transaction: nothing to be seen, all to be lost, a journal without end."""
    for number in range(20):
        home.write(f"{number}.jot", content)
    monkeypatch.setattr("pastwork.sync.batch.LONGEST", -1.0)
    commits = 0

    def stop() -> bool:
        nonlocal commits
        commits += 1
        return False

    home.sync(stop=stop).run_once(vectors=False)
    assert commits >= 20
    (done,) = home.writer.connection.execute("SELECT count(*) FROM source WHERE done").fetchone()
    assert done == 20


def test_what_was_cut_short_is_not_running_for_ever(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write("a.jot", *(ask(f"tides {number}", number) for number in range(1, 8)))
    monkeypatch.setattr("pastwork.sync.batch.LONGEST", -1.0)
    with pytest.raises(Stopped):
        home.sync(stop=lambda: True).read_all()
    assert index_status(home.writer.connection, alive=True).state == "running", "or this test says nothing"
    monkeypatch.undo()
    home.sync().read_all()
    home.sync().read_all()
    assert index_status(home.writer.connection, alive=True).state == "idle"


def test_rooms_are_settled_also_where_the_pass_that_read_was_killed_before(home: Home) -> None:
    home.write("a.jot", *(ask(f"retryTimeout and connection_pool {number}", number) for number in range(1, 9)))
    undisturbed = Home(home.folder)
    undisturbed.sync().run_once(vectors=False)
    home.sync().read_all()
    assert dump(home.writer.connection) != dump(undisturbed.writer.connection), "or this test says nothing"
    home.sync().run_once(vectors=False)
    assert dump(home.writer.connection) == dump(undisturbed.writer.connection)


def test_recent_work_comes_first(home: Home) -> None:
    for number, name in enumerate(("old", "older", "new")):
        path = home.write(f"{name}.jot", ask(name, number + 1))
        os.utime(
            path,
            (
                1_700_000_000 - 1000 * (name == "older"),
                1_700_000_000 + 1000 * (name == "new") - 1000 * (name == "older"),
            ),
        )
    home.sync().run_once(vectors=False)
    assert [home.writer.verbatim(row).prompt for row in (1, 2, 3)] == ["new", "old", "older"]


def test_progress_is_told(home: Home) -> None:
    for number in range(1, 4):
        home.write(f"{number}.jot", ask(f"topic {number}", number))
    told: list[Progress] = []
    home.sync().run_once(vectors=False, progress=told.append)
    assert told == [Progress("reading", done, 3) for done in range(3)]
    assert home.writer.status_counts("r", 0.0).index.state == "idle"


def test_secrets_never_reach_what_is_searched_or_shown(home: Home) -> None:
    secret = "ghp_" + "a1B2" * 9
    home.write("a.jot", ask(f"push with {secret}", 1), line(title=f"token {secret}"), line(answer=f"used {secret}"))
    home.sync().run_once(vectors=False)
    for row in home.writer.connection.iterdump():
        assert secret not in row
    assert secret in home.writer.verbatim(1).prompt


def test_masking_off_is_a_setting_and_takes_effect_on_what_is_kept(home: Home) -> None:
    secret = "ghp_" + "a1B2" * 9
    home.write("a.jot", ask(f"push with {secret}", 1))
    home.sync(config=Config(redact=settings.Redact(enabled=False))).run_once(vectors=False)
    assert home.prompts() == [f"push with {secret}"]
    home.path("a.jot").unlink()
    home.sync().run_once(vectors=False)
    assert secret not in home.prompts()[0]


def test_long_tool_output_is_kept_to_a_bound(home: Home) -> None:
    home.write("a.jot", ask("tides", 1), line(run="almanac", output="head" + "x" * 50_000 + "tail"))
    config = Config(store=settings.StoreSettings(tool_output_bytes=2048))
    home.sync(config=config).run_once(vectors=False)
    output = next(entry.tool.output for entry in home.writer.verbatim(1).entries if entry.tool)
    assert len(output) < 2300
    assert output.startswith("head")
    assert output.endswith("tail")


def test_a_distillers_own_request_is_no_exchange(home: Home) -> None:
    home.write("a.jot", ask("[pastwork distiller 1] Distil the following exchange", 1), ask("tides", 2))
    home.sync().run_once(vectors=False)
    assert home.prompts() == ["tides"]


def test_full_derives_everything_again_also_of_what_is_gone(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write("a.jot", ask("tides", 1))
    path = home.write("b.jot", ask("ferries", 2))
    home.sync().run_once(vectors=False)
    path.unlink()
    before = dump(home.writer.connection)
    original = digest.distil
    monkeypatch.setattr(
        digest,
        "distil",
        lambda of, masking: replace(original(of, masking), digest=replace(original(of, masking).digest, fix=True)),
    )
    answer = home.sync().run_once(full=True, vectors=False)
    assert answer.exchanges.known == 2
    assert len(home.writer.rows(RowFilter(fixes=True)) or ()) == 2
    monkeypatch.undo()
    home.sync().run_once(full=True, vectors=False)
    assert dump(home.writer.connection) == before


def test_other_rules_have_everything_distilled_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write("a.jot", ask("tides", 1))
    home.sync().run_once(vectors=False)
    original = digest.distil
    monkeypatch.setattr(digest, "recipe", lambda masking: "newer rules")
    made = []
    monkeypatch.setattr(digest, "distil", lambda of, masking: made.append(of.id) or original(of, masking))
    home.sync().run_once(vectors=False)
    home.sync().run_once(vectors=False)
    assert len(made) == 1
    assert home.writer.stale("newer rules") == []


def test_forgotten_stays_forgotten_through_passes(home: Home) -> None:
    home.write("a.jot", ask("tides", 1), ask("ferries", 2))
    home.sync().run_once(vectors=False)
    sync = home.sync()
    forget(home.writer, Forgetting(exchange_id=home.writer.verbatim(1).id), [sync._lane])
    left = home.prompts()
    for full in (False, True):
        home.sync().run_once(full=full, vectors=False)
        assert home.prompts() == left
    assert verify(home.writer).faults == ()


def test_agents_and_settings_restrict_what_is_read(home: Home) -> None:
    home.write("a.jot", ask("tides", 1))
    home.write("private/b.jot", ask("ferries", 2))
    home.sync().run_once(vectors=False, agents=("codex",))
    assert home.prompts() == []
    home.sync(config=Config(sources=settings.Sources(agents=["codex"]))).run_once(vectors=False)
    assert home.prompts() == []
    home.sync(config=Config(sources=settings.Sources(exclude=["*/private/*"]))).run_once(vectors=False)
    assert home.prompts() == ["tides"]
    home.sync(config=Config(sources=settings.Sources(agents=["jotter"]))).run_once(vectors=False)
    assert home.prompts() == ["ferries", "tides"]


def test_extra_folders_of_a_known_shape(home: Home, tmp_path: Path) -> None:
    elsewhere = tmp_path / "backup"
    elsewhere.mkdir()
    (elsewhere / "old.jot").write_bytes(ask("tides", 1))
    extra = [Extra("jotter", str(elsewhere)), Extra("nobody", "/x"), Extra("jotter", "/not/there")]
    answer = home.sync(config=Config(sources=settings.Sources(extra=extra))).run_once(vectors=False)
    assert home.prompts() == ["tides"]
    assert len(answer.notes) == 2


def test_scans_are_remembered(home: Home, tmp_path: Path) -> None:
    home.sync(env=replace(home.env, scans=(tmp_path / "code",))).run_once(vectors=False)
    sync = home.sync()
    assert sync._widened().scans == (tmp_path / "code",)


def test_projects_are_learnt_from_transcripts(home: Home, tmp_path: Path) -> None:
    project = tmp_path / "ferry"
    (project / ".git").mkdir(parents=True)
    (project / "sub").mkdir()
    home.write("a.jot", ask("tides", 1, cwd=str(project / "sub")), ask("x", 2, cwd="/not/here"))
    sync = home.sync()
    sync.run_once(vectors=False)
    assert set(sync.projects) == {project / "sub", project}


def test_transcripts_are_never_touched(home: Home) -> None:
    home.write("a.jot", ask("tides", 1), b"bad\n")
    home.write("a.part1", b"part")

    def state() -> dict[Path, tuple[str, int, int]]:
        files = [path for path in home.folder.rglob("*") if path.is_file()]
        return {p: (sha256(p.read_bytes()).hexdigest(), p.stat().st_mtime_ns, p.stat().st_mode) for p in files}

    before = state()
    for full in (False, True):
        home.sync().run_once(full=full, vectors=False)
    assert state() == before


def test_a_full_disk_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    """SQLite's own limit stands in for the disk's."""
    import sqlite3

    home = Home(tmp_path / "home", StoreWriter.open(tmp_path / "data"))
    for number in range(1, 40):
        home.write(f"{number}.jot", ask(f"topic {number} " + os.urandom(3000).hex(), number))
    (pages,) = home.writer.connection.execute("PRAGMA page_count").fetchone()
    failures = 0
    for room in range(4, 400, 12):
        home.writer.connection.execute(f"PRAGMA max_page_count = {pages + room}")
        try:
            home.sync().run_once(vectors=False)
        except sqlite3.OperationalError:
            failures += 1
            assert verify(home.writer).faults == ()
            continue
        break
    assert failures > 3
    assert len(home.prompts()) == 39
    home.writer.close()
