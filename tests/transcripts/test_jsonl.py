"""Lines of JSON: what ends one, what damage costs, what is never read whole."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import zstandard
from msgspec import Raw, Struct
from msgspec.json import Decoder

from pastwork.model import Problem
from pastwork.transcripts.jsonl import Row, records, rows


class Pear(Struct):
    a: int | None = None
    t: str | None = None
    rest: Raw = Raw()


PEARS = Decoder(Pear)


def read(
    path: Path, data: bytes, offset: int = 0, cap: int = 5000
) -> tuple[list[tuple[int, int | None, str | None]], list[tuple[int, str]]]:
    """(offset, a, t) of the rows and (offset, reason) of the problems."""
    path.write_bytes(data)
    found = list(rows(path, PEARS, offset, cap))
    good = [(row.offset, row.value.a, row.value.t) for row in found if isinstance(row, Row)]
    return good, [(each.offset, each.reason) for each in found if isinstance(each, Problem)]


@pytest.mark.parametrize(
    ("data", "good", "bad"),
    [
        (b"", [], []),
        (b"\n\n  \n", [], []),
        (b'{"a":1}\n{"a":2}\n', [(0, 1, None), (8, 2, None)], []),
        pytest.param(b'{"a":1}\r\n\r\n{"a":2}\r\n', [(0, 1, None), (11, 2, None)], [], id="crlf"),
        pytest.param(b'\xef\xbb\xbf{"a":1}\n', [(0, 1, None)], [], id="byte order mark"),
        pytest.param(
            '{"t":"x\u2028y\x85z"}\n'.encode(), [(0, None, "x\u2028y\x85z")], [], id="only newline ends a record"
        ),
        pytest.param(b'\0\0\0\n{"a":1}\n', [(4, 1, None)], [(0, "3 NUL bytes stripped")], id="nul line"),
        pytest.param(b'\0\0{"a":1}\n', [(0, 1, None)], [(0, "2 NUL bytes stripped")], id="nul before"),
        pytest.param(b'{"a":1}\n{"a":2', [(0, 1, None)], [], id="cut tail is pending"),
        pytest.param(b'{"a":1}\n{"a":2}', [(0, 1, None), (8, 2, None)], [], id="whole tail"),
        pytest.param(b'{"a":1}\n\0\0\0', [(0, 1, None)], [], id="tail of nul is pending"),
        pytest.param(b'{"a":1,\n{"a":2}\n', [(8, 2, None)], [(0, "not a record: Input data was truncated")], id="cut"),
        pytest.param(
            b'{"t":"\\ud83c!"}\n', [(0, None, "\ufffd!")], [(0, "undecodable text replaced")], id="high surrogate"
        ),
        pytest.param(
            b'{"t":"\\udcb2"}\n', [(0, None, "\ufffd")], [(0, "undecodable text replaced")], id="low surrogate"
        ),
        pytest.param(b'{"t":"\\ud83c\\udf4e"}\n', [(0, None, "\U0001f34e")], [], id="a real pair"),
        pytest.param(
            b'{"t":"\\\\ud83c\\ud83c"}\n',
            [(0, None, "\\ud83c\ufffd")],
            [(0, "undecodable text replaced")],
            id="escaped backslash",
        ),
        pytest.param(b'{"t":"caf\xe9"}\n', [(0, None, "caf\ufffd")], [(0, "undecodable text replaced")], id="latin-1"),
        pytest.param(
            b'{"t":"a\x07b"}\n', [(0, None, "a b")], [(0, "undecodable text replaced")], id="control character"
        ),
        pytest.param(b'{"t":"NaN","rest":NaN}\n', [(0, None, "NaN")], [(0, "undecodable text replaced")], id="nan"),
        pytest.param(
            b'{"a":' + b"9" * 4400 + b',"t":"x"}\n', [(0, None, "x")], [(0, "of the wrong shape: a")], id="huge integer"
        ),
        pytest.param(b'{"a":1,"rest":' + b"9" * 4400 + b"}\n", [(0, 1, None)], [], id="huge integer, not needed"),
        pytest.param(b'{"a":"one","t":"x"}\n', [(0, None, "x")], [(0, "of the wrong shape: a")], id="wrong shape"),
        pytest.param(
            b"[1]\n7\n",
            [],
            [(0, "not a record: Expected `object`, got `array`"), (4, "not a record: Expected `object`, got `int`")],
            id="no object",
        ),
        pytest.param(
            b'{"a":1}{"a":2} {"a":3}\n',
            [(0, 1, None), (7, 2, None), (15, 3, None)],
            [(0, "3 records on one line, each read")],
            id="glued",
        ),
        pytest.param(
            b'{"t":"lo{"a":1}{"a":2}\n',
            [(8, 1, None), (15, 2, None)],
            [(0, "not a record: JSON is malformed: expected ',' or '}' (byte 10)")],
            id="cut and glued",
        ),
        pytest.param(
            b'{"a":1}{"t":"lo\n',
            [(0, 1, None)],
            [(0, "not a record: JSON is malformed: trailing characters (byte 8)")],
            id="glued and cut",
        ),
    ],
)
def test_lines(
    tmp_path: Path, data: bytes, good: list[tuple[int, int | None, str | None]], bad: list[tuple[int, str]]
) -> None:
    assert read(tmp_path / "x.jsonl", data) == (good, bad)


def test_a_line_over_the_cap_is_passed_over_and_told(tmp_path: Path) -> None:
    long = b'{"t":"' + b"x" * 6000 + b'"}'
    good, bad = read(tmp_path / "x.jsonl", b'{"a":1}\n' + long + b"\n" + b'{"a":2}\n' + long)
    assert [a for _, a, _ in good] == [1, 2]
    assert bad == [(8, "line longer than 5000 bytes, skipped"), (6025, "line longer than 5000 bytes, skipped")]


def test_a_line_of_just_the_cap_is_read(tmp_path: Path) -> None:
    line = b'{"t":"' + b"x" * (5000 - 8) + b'"}'
    good, bad = read(tmp_path / "x.jsonl", line + b"\n")
    assert len(good) == 1
    assert bad == []


@pytest.mark.parametrize("depth", [3_000, 20_000])
def test_deep_nesting_costs_the_record_only(tmp_path: Path, depth: int) -> None:
    deep = b'{"rest":' + b"[" * depth + b"]" * depth + b"}\n"
    assert read(tmp_path / "x.jsonl", deep + b'{"a":1}\n', cap=10**6) == (
        [(len(deep), 1, None)],
        [(0, "nested too deeply")],
    )


def test_reading_goes_on_from_any_record(tmp_path: Path) -> None:
    data = b'{"a":1}\n\0{"a":2}{"a":3}\n{"a":4}\n'
    good, _ = read(tmp_path / "x.jsonl", data)
    for place, (offset, _, _) in enumerate(good):
        assert read(tmp_path / "x.jsonl", data, offset)[0] == good[place:]


def test_an_unwanted_line_is_spared_but_not_its_damage(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a":1,"t":"bar"}\n{"a":2}\n{"a":3,"t":"bar\n')
    found = list(rows(path, PEARS, wanted=lambda line: b'"bar' not in line))
    assert [each.offset if isinstance(each, Problem) else each.value.a for each in found] == [2, 26]


def test_compressed_files_have_the_offsets_of_their_text(tmp_path: Path) -> None:
    data = b"".join(b'{"a":%d,"t":"%s"}\n' % (n, b"y" * 90) for n in range(30_000))
    plain, packed = tmp_path / "x.jsonl", tmp_path / "x.jsonl.zst"
    plain.write_bytes(data)
    half = len(data) // 2
    compress = zstandard.ZstdCompressor().compress
    packed.write_bytes(compress(data[:half]) + compress(data[half:]))
    whole = list(rows(plain, PEARS))
    assert list(rows(packed, PEARS)) == whole
    later = whole[20_000]
    assert isinstance(later, Row)
    assert list(rows(packed, PEARS, later.offset)) == whole[20_000:]


def test_a_damaged_compressed_file_gives_what_comes_before(tmp_path: Path) -> None:
    data = b"".join(b'{"a":%d,"t":"%s"}\n' % (n, os.urandom(60).hex().encode()) for n in range(30_000))
    path = tmp_path / "x.jsonl.zst"
    packed = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(data))
    packed[len(packed) // 2 : len(packed) // 2 + 200] = bytes(200)
    path.write_bytes(packed)
    *good, last = rows(path, PEARS)
    assert isinstance(last, Problem)
    assert last.reason.startswith("cannot be read: damaged zstd data")
    assert 0 < len(good) < 30_000


def odd_files(folder: Path) -> dict[str, Path]:
    """Things that are not what their names promise."""
    made = {name: folder / f"{name}.jsonl" for name in ("gone", "folder", "pipe", "link", "loop", "outside")}
    made["folder"].mkdir()
    os.mkfifo(made["pipe"])
    elsewhere = folder / "elsewhere"
    elsewhere.write_bytes(b'{"a":1}\n')
    made["link"].symlink_to(elsewhere)
    made["loop"].symlink_to(made["loop"])
    made["outside"].symlink_to("/dev/zero")
    return made


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gone", "No such file or directory"),
        ("folder", "Is a directory"),
        ("pipe", "not a regular file"),
        ("link", "a symbolic link, not followed"),
        ("loop", "a symbolic link, not followed"),
        ("outside", "a symbolic link, not followed"),
    ],
)
def test_odd_files_are_told_and_never_block(tmp_path: Path, name: str, reason: str) -> None:
    path = odd_files(tmp_path)[name]
    assert list(records(path)) == [Problem(str(path), 0, f"cannot be read: {reason}")]


def test_long_files_and_lines_take_little_memory(tmp_path: Path) -> None:
    """A 160 MB file with a 60 MB line and lines just under the cap adds less than 64 MiB."""
    path = tmp_path / "big.jsonl"
    with path.open("wb") as file:
        for size in (60_000_000, 16_000_000, 16_000_000):
            file.write(b'{"a":1,"rest":"' + b"z" * size + b'"}\n')
        for _ in range(700):
            file.write(b'{"a":2,"rest":"' + b"z" * 100_000 + b'"}\n')
    script = textwrap.dedent(
        """
        import resource, sys
        from pathlib import Path
        from msgspec import Raw, Struct
        from msgspec.json import Decoder
        from pastwork.transcripts.jsonl import rows
        class Pear(Struct):
            a: int = 0
            rest: Raw = Raw()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        count = sum(1 for _ in rows(Path(sys.argv[1]), Decoder(Pear)))
        print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
        """
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    count, added = map(int, done.stdout.split())
    assert count == 703
    assert added < 64
