"""Keys, informative lines, codes."""

from __future__ import annotations

import pytest

from pastwork.anchor.lines import FOREIGN, Codes, informative, split, stretches


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", False),
        ("}", False),
        ("    })", False),
        ("x = 1", False),
        ("    return None", False),
        ("} else {", False),
        ("public static void", False),
        ("continue", False),
        ("raise ValueError", True),
        ("    return load_settings(path)", True),
        ("import json5x", True),
        ("# wait for the writer", True),
        ("総計を計算してから保存する", True),
    ],
)
def test_informative(line: str, expected: bool) -> None:
    assert informative(line) is expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\r\nb\rc\n\n", ["a", "b", "c", ""]),
        ("a\u2028b\x0cc\n", ["a\u2028b\x0cc"]),  # only what editors number
    ],
)
def test_split(text: str, lines: list[str]) -> None:
    assert split(text) == lines


def test_white_space_makes_no_other_line() -> None:
    codes = Codes()
    first = codes.learn(["\tcall( one,  two )", "other"])
    assert codes.known(["call(one, two)", "  other", "never seen"]) == first + FOREIGN


def test_informative_codes_are_told() -> None:
    codes = Codes()
    bracket, telling = codes.learn(["}", "total = add_everything_up()"])
    assert codes.informative == {telling}
    assert bracket != telling


def test_stretches() -> None:
    assert list(stretches([True, True, False, True])) == [(0, 2), (3, 4)]
    assert list(stretches([])) == []
    assert list(stretches([False, True])) == [(1, 2)]
