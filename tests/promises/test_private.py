"""Nothing leaves the machine, nobody else reads anything, no log tells what transcripts say."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.conftest import Sample
from tests.programs import works
from tests.promises.everything import Everything, Ran
from tests.sizes import figure

pytestmark = [pytest.mark.promise, pytest.mark.timeout(600)]

WORDS = "bookings hang pool"
ISOLATED = ["unshare", "--user", "--map-root-user", "--net"]


def everything(sample: Sample, *before: str, **more: str) -> Ran:
    return Everything(sample.variables(**more), sample.workspace, WORDS, before).run()


@pytest.mark.skipif(not works(*ISOLATED, "true"), reason="NOT TESTED: no network namespace can be made here (unshare)")
def test_everything_without_a_network(fresh: Sample) -> None:
    """In a network namespace of its own where even loopback is down."""
    ran = everything(fresh, *ISOLATED)
    assert "PoolTimeout" in ran.answers[f"search {WORDS} --scope all"]
    figure("without a network", answers=len(ran.answers))


#: The socket calls of every thread and child, with their addresses.
GUARD = ["strace", "-f", "-qq", "-e", "trace=connect,bind,listen,accept,accept4,sendto,sendmsg", "-e", "signal=none"]


@pytest.mark.skipif(not works("strace", "-qq", "true"), reason="NOT TESTED: no strace here to see every socket call")
def test_no_socket_call_names_another_machine(fresh: Sample, tmp_path: Path) -> None:
    """Also none by a library's native code."""
    everything(fresh, *GUARD, "-ff", "-o", str(tmp_path / "calls"))
    traced = list(tmp_path.glob("calls.*"))
    assert len(traced) > 20, "a file for each thread and process"
    calls = [line for path in traced for line in path.read_text(errors="replace").splitlines()]
    named = [line for line in calls if re.search(r"AF_INET6?\b|AF_NETLINK|AF_PACKET|AF_VSOCK", line)]
    outside = [line for line in named if not re.search(r'inet_addr\("127\.|"::1"', line)]
    listening = [line for line in calls if re.match(r"(listen|bind|accept4?)\(", line) and "AF_UNIX" not in line]
    assert outside == []
    assert listening == []
    figure("socket calls", seen=len(calls), to_other_machines=len(outside), listening=len(listening))


@pytest.mark.skipif(os.name == "nt", reason="rights are POSIX")
def test_rights_of_all_that_is_written_under_a_careless_umask(fresh: Sample) -> None:
    before = set(files(fresh.home))
    careless = ["sh", "-c", 'umask 000; exec "$@"', "sh"]
    everything(fresh, *careless)
    made = [*files(fresh.data), fresh.data, *(set(files(fresh.home)) - before)]
    assert len(made) > 8
    loose = {str(path): oct(mode(path)) for path in made if mode(path) != (0o700 if path.is_dir() else 0o600)}
    assert loose == {}
    figure("rights", files=len(made), loose=len(loose))


def files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if not path.is_socket())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_logs_tell_nothing_of_what_transcripts_say(fresh: Sample) -> None:
    """At the default level, with damaged transcripts among the others and a worker that meets faults."""
    marked = plant(fresh)
    ran = everything(fresh)
    logged = "\n".join(ran.errors.values())
    assert "Traceback" not in logged
    words = {*marked, "bookings hang", "PoolTimeout", "acquire", "reconnect"}
    assert [word for word in sorted(words) if word.lower() in logged.lower()] == []
    kept = [path for path in files(fresh.data) if path.suffix == ".log" or "log" in path.parts]
    assert kept == [], "no log file is kept"
    figure("logs", bytes=len(logged), lines=logged.count("\n"))


def plant(sample: Sample) -> list[str]:
    """Lines that no reader can take, each with a word of its own."""
    (transcript,) = list(sample.home.glob(".claude/projects/*/*.jsonl"))[:1]
    marks = ["ZANZIBARFERRY", "QUAGGAHARBOUR", "OKAPITIMETABLE"]
    damaged = [
        f'{{"type": "user", "message": {{"content": "{marks[0]}',
        f'{{"type": "user", "message": "{marks[1]}", "uuid": 7, "timestamp": {{}}}}',
        f'{{"type": ["{marks[2]}"]}}',
    ]
    with transcript.open("a") as file:
        file.write("\n".join(damaged) + "\n")
    return marks
