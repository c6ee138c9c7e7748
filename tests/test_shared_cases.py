"""The shared cases: those of hostile text, foreign index files and size, end to end; and which test covers which.

``pytest -s tests/test_shared_cases.py -k covered`` prints the list.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from pastwork.config import Config, Embedding
from pastwork.distill.digest import digest
from pastwork.model import FileTouch
from pastwork.palace import Palace
from pastwork.search.filters import Filters
from pastwork.store.reader import StoreReader
from pastwork.store.writer import StoreWriter
from pastwork.sync.run import Sync
from pastwork.transcripts.base import Env
from pastwork.transcripts.registry import READERS
from tests.palace.world import clock

pytestmark = pytest.mark.shared

CASES = "tests/transcripts/test_cases.py::test_case"
SYNC = "tests/sync/test_cases.py::test_restarted_between_the_steps"
HERE = "tests/test_shared_cases.py"
#: Case -> tests; a parametrized one is named with what it runs for.
COVERED: dict[str, tuple[str, ...]] = {
    **{
        name: (f"{CASES}[{name}]",)
        for name in [
            "L01",
            "L02",
            "L04",
            "L05",
            "L06",
            "L07",
            "L08",
            "L10",
            "L11",
            "L12",
            "L13",
            "L14",
            "L15",
            "L16",
            "L17",
            "L18",
            "L19",
            "I01",
            "I04",
            "I07",
            "I08",
        ]
    },
    **{name: (f"{CASES}[{name}]", f"{SYNC}[{name}]") for name in ("T02", "T03", "T04")},
    "S01": ("tests/distill/test_text.py::test_the_hostile_cases", f"{HERE}::test_found_and_shown[S01]"),
    "S02": ("tests/distill/test_text.py::test_the_hostile_cases", f"{HERE}::test_found_and_shown[S02]"),
    "S03": ("tests/distill/test_text.py::test_the_hostile_cases", f"{HERE}::test_found_and_shown[S03]"),
    "S04": (f"{HERE}::test_found_and_shown[S04]", f"{HERE}::test_instructions_do_not_become_the_object"),
    "S05": (
        "tests/distill/test_redact.py::test_the_made_up_secrets_of_the_cases",
        f"{HERE}::test_no_secret_is_in_any_byte_of_the_store",
    ),
    "S07": (f"{HERE}::test_found_and_shown[S07]", f"{HERE}::test_long_uniform_runs_are_read"),
    "S08": (
        "tests/distill/test_files.py::test_paths_that_climb_out_have_no_place",
        f"{HERE}::test_found_and_shown[S08]",
    ),
    "S09": (f"{HERE}::test_patterns_in_a_stored_object_are_plain_text",),
    "D01": ("tests/distill/test_ollama.py::test_the_replies_of_the_cases",),
    "X02": ("tests/index/test_vectors.py::test_a_damaged_graph_is_not_believed", f"{HERE}::test_foreign_derived_files"),
    "X04": ("tests/transcripts/test_cursor.py::test_the_shared_case_of_odd_rows",),
    "P01": ("tests/lsp/test_protocol.py::",),
    "B02": (f"{HERE}::test_a_session_of_600_megabytes",),
    "E01": ("tests/sync/test_child.py::test_many_at_once_and_their_writer_killed",),
    "E02": ("tests/sync/test_crash.py::test_a_first_pass",),
    "E03": ("tests/sync/test_crash.py::test_a_pass_that_does_everything_again",),
    "E04": (
        "tests/sync/test_faults.py::test_refused_anywhere_nothing_is_damaged",
        "tests/sync/test_faults.py::test_a_child_waits_for_room_and_goes_on_without_a_restart",
    ),
    "E05": ("tests/sync/test_child.py::test_a_folder_that_cannot_be_written_is_one_notice",),
    "E06": ("tests/sync/test_stamp.py::",),
    "E07": (
        "tests/sync/test_watching.py::test_no_watches_left_is_a_fault_to_tell",
        "tests/sync/test_watching.py::test_where_no_events_come_it_looks_every_second",
    ),
    "E08": ("tests/store/test_places.py::test_no_wal_on_a_network",),
    "E09": ("tests/store/test_places.py::test_nobody_else_may_read_anything",),
    "E10": ("tests/index/test_weights.py::",),
    "E11": ("tests/sync/test_child.py::test_it_ends_with_a_parent_that_is_killed_though_stdin_stays_open",),
}
ROOT = Path(__file__).parents[1]
#: Keywords alone: the model is another matter.
CONFIG = Config(embedding=Embedding(model="/no/such/folder"))


def test_every_case_is_covered(shared: Path) -> None:
    expected = json.loads((shared / "cases" / "expected.json").read_bytes())
    assert COVERED.keys() == expected.keys()
    for name, tests in COVERED.items():
        print(f"{name}  {'  '.join(tests)}")  # noqa: T201 - asked for with -s
        for test in tests:
            path, _, function = test.partition("::")
            there = functions(ROOT / path)
            assert (function.partition("[")[0] in there) if function else there, test


def functions(path: Path) -> set[str]:
    """The tests that a module holds."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")}


def indexed(shared: Path, home: Path, name: str) -> Path:
    """A store of the case's transcripts."""
    folder = home / ".claude" / "projects" / "-home-dev-demo"
    folder.mkdir(parents=True)
    for file in inputs(shared, home, name):
        (folder / file.name).write_bytes(file.read_bytes())
    data = home / "data"
    with StoreWriter.open(data) as writer:
        Sync(Env(home, {}), CONFIG, writer, READERS, clock).run_once(vectors=False)
    return data


def inputs(shared: Path, home: Path, name: str) -> list[Path]:
    """A case's files; made-up keys look too real to lie about, so theirs are written here."""
    found = sorted((shared / "cases").glob(f"{name}_*.jsonl"))
    if not found:
        subprocess.run(
            [sys.executable, shared / "cases" / "gen.py", "--out", home / "made"], check=True, capture_output=True
        )
        found = sorted((home / "made").glob(f"{name}_*.jsonl"))
    return found


def opened(data: Path) -> Palace:
    return Palace(data, CONFIG, data.parent, clock)


@pytest.mark.parametrize("name", ["S01", "S02", "S03", "S04", "S05", "S07", "S08"])
def test_found_and_shown(shared: Path, tmp_path: Path, name: str) -> None:
    """Whatever a transcript holds, its exchange is found once by its word and shown whole."""
    (marker,) = json.loads((shared / "cases" / "expected.json").read_bytes())[name]["good"]
    with opened(indexed(shared, tmp_path, name)) as palace:
        answer = palace.search(marker, Filters(), ())
        assert len(answer.hits) == 1
        shown = palace.show(answer.hits[0].id)
    assert any(marker in entry.text for entry in shown.verbatim if entry.role == "user")
    assert any(marker in entry.text for entry in shown.verbatim if entry.role == "assistant")


def test_instructions_do_not_become_the_object(shared: Path, tmp_path: Path) -> None:
    """S04: the object speaks of the exchange, in the exchange's words."""
    with StoreReader.open(indexed(shared, tmp_path, "S04")) as store:
        (row,) = next(iter(store.connection.execute("SELECT row FROM exchange")))
        exchange = store.verbatim(row)
    core = digest(exchange).object.exchange_core
    said = " ".join(entry.text for entry in exchange.entries)
    assert "AMBER" in core
    assert all(word in said for word in core.rstrip(".").split())


def test_no_secret_is_in_any_byte_of_the_store(shared: Path, tmp_path: Path) -> None:
    """S05: but in the compressed verbatim, which is the user's own."""
    case = json.loads((shared / "cases" / "expected.json").read_bytes())["S05"]
    secrets = [*case["forbid"], *("".join(halves) for halves in case["forbid_halves"])]
    data = indexed(shared, tmp_path, "S05")
    for path in data.rglob("*"):
        held = path.read_bytes() if path.is_file() else b""
        assert not [secret for secret in secrets if secret.encode() in held], path


def test_long_uniform_runs_are_read(shared: Path, tmp_path: Path) -> None:
    """S07: anything that is not linear takes hours, and is ended by the limit that every test has."""
    with opened(indexed(shared, tmp_path, "S07")) as palace:
        assert palace.search("FLINT", Filters(), ()).hits


def test_patterns_in_a_stored_object_are_plain_text(shared: Path, tmp_path: Path) -> None:
    """S09: an object whose files are explosive patterns, as if the index held it."""
    (given,) = json.loads((shared / "cases" / "S09_bad_regex_files_touched.json").read_bytes())
    data = indexed(shared, tmp_path, "S01")
    with StoreWriter.open(data) as writer:
        (row,) = next(iter(writer.connection.execute("SELECT row FROM exchange")))
        found = digest(writer.verbatim(row)).object
        touched = tuple(FileTouch(path, "edited") for path in given["files_touched"])
        writer.set_object(row, replace(found, files_touched=touched), 9)
    with opened(data) as palace:
        for pattern in given["files_touched"]:
            palace.search("XRAY", Filters(file=pattern), ())
        palace.rooms(Filters(), ())
        assert palace.search("XRAY", Filters(), ()).hits


@pytest.mark.parametrize("damage", ["X02_zero_length_index.bin", "X03_garbage_index.bin", "half"])
def test_foreign_derived_files(shared: Path, tmp_path: Path, damage: str) -> None:
    """X02: each kind of derived file in turn is nothing, garbage or half; the store answers meanwhile."""
    data = indexed(shared, tmp_path, "S01")
    with opened(data) as palace:
        assert palace.search("XRAY", Filters(mode="verbatim-fts"), ()).hits
    kinds = {path.suffix for path in (data / "derived").rglob("*") if path.is_file()}
    assert kinds
    for kind in kinds:
        path = next((data / "derived").rglob(f"*{kind}"))
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2] if damage == "half" else (shared / "cases" / damage).read_bytes())
        with opened(data) as palace:
            assert palace.search("XRAY", Filters(mode="verbatim-fts"), ()).hits
            assert palace.search("XRAY", Filters(), ()).hits


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_a_session_of_600_megabytes(shared: Path, tmp_path: Path) -> None:
    """B02: read in a process of its own, whose memory is compared with that of reading a small one."""
    subprocess.run(
        [sys.executable, shared / "cases" / "gen.py", "--big", "--out", tmp_path], check=True, capture_output=True
    )
    (big,) = tmp_path.glob("B02_*.jsonl")
    small = shared / "cases" / "L11_bom_crlf.jsonl"
    assert big.stat().st_size > 590_000_000
    assert peak(big) - peak(small) < 64 * 1024


def peak(path: Path) -> int:
    """Kilobytes of memory at the most while a transcript is read."""
    program = (
        "import resource, sys; from pathlib import Path; from pastwork.transcripts.base import Source, Turn\n"
        "from pastwork.transcripts.claude_code import CLAUDE_CODE\n"
        "found = [i for i in CLAUDE_CODE.read(Source('claude-code', Path(sys.argv[1]))) if isinstance(i, Turn)]\n"
        "assert len(found) == 2, len(found)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", program, path], check=True, capture_output=True, text=True)
    return int(done.stdout)
