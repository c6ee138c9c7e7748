"""The report's folder: complete, self-contained, the same bytes for the same run."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from pastwork.evaluate.grid import chosen
from pastwork.evaluate.journal import Timed
from pastwork.evaluate.report import charts, folder, pages
from pastwork.evaluate.report.sections import Section, Table
from pastwork.evaluate.session import Asked, Session

from .samples import WordVectors, documents, queries

GRID = (
    "verbatim-okapi",
    "verbatim-exact",
    "distilled-okapi",
    "distilled-exact",
    "verbatim-hybrid",
    "cross",
    "cross:rrf",
)


def session(where: Path, **more: int) -> Session:
    asked = Asked(
        "A title", documents(), queries(), chosen(GRID), where, where / "vectors", processes=1, timed=2, **more
    )  # type: ignore[arg-type]
    return Session(asked, WordVectors())


def written(where: Path, **more: int) -> dict[str, bytes]:
    made = session(where, **more)
    made.search(lambda phase, done, total: None)
    return {path.name: path.read_bytes() for path in made.report(made.facts())}


def test_same_bytes_for_the_same_run(tmp_path: Path) -> None:
    one, other = written(tmp_path / "a"), written(tmp_path / "b")
    assert set(one) == {"report.md", "report.html", "results.csv", "run.json", "timings.csv"}
    for name in set(one) - {"timings.csv"}:
        assert one[name] == other[name], name
    seeded = written(tmp_path / "c", seed=2)
    assert json.loads(seeded["run.json"])["seed"] == 2


def test_a_second_run_measures_nothing(tmp_path: Path) -> None:
    written(tmp_path)
    assert session(tmp_path).search(lambda phase, done, total: None) == len(GRID)


def test_table_of_results(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(written(tmp_path)["results.csv"].decode())))
    assert {row["configuration"] for row in rows} == set(GRID)
    mrr = [float(row["mrr"]) for row in rows]
    assert mrr == sorted(mrr, reverse=True)
    for row in rows:
        assert float(row["mrr_low"]) <= float(row["mrr"]) <= float(row["mrr_high"])
        assert 0 <= float(row["mrr_all"]) <= float(row["mrr"])
    baseline = [row for row in rows if row["difference"] == ""]
    assert len(baseline) == 1
    assert (baseline[0]["kind"], baseline[0]["layer"]) == ("pure", "verbatim")


def test_page_needs_nothing_else(tmp_path: Path) -> None:
    page = written(tmp_path)["report.html"].decode()
    assert not re.search(r"""(src|href)\s*=|url\(|@import|<script""", page)
    assert page.count("<svg") == 5
    for plot in (
        "MRR by configuration",
        "Effect sizes",
        "MRR by type",
        "Compression against quality",
        "within a budget",
    ):
        assert plot in page


def test_run_tells_what_it_was(tmp_path: Path) -> None:
    run = json.loads(written(tmp_path)["run.json"])
    assert run["seed"] == 1
    assert run["configurations"] == list(GRID)
    assert run["types"] == {"conceptual": 2, "exact_term": 2, "phrase": 2}
    assert {"pastwork", "python", "numpy"} <= set(run["versions"])
    assert str(tmp_path) not in json.dumps(run)
    assert len(run["corpus"]) == 32


def test_timings() -> None:
    text = folder.timings([Timed("slow", [5.0, 9.0, 7.0]), Timed("fast", [1.0])])
    assert text.splitlines() == [
        "configuration,searches,p50_ms,p95_ms,mean_ms",
        "fast,1,1.00,1.00,1.00",
        "slow,3,7.00,9.00,7.00",
    ]


def test_pages_escape_what_they_are_given() -> None:
    section = Section("a < b", ["<script>alert(1)</script>"], Table(["x|y"], [["<b>"]]))
    page = pages.html("<t>", [section])
    assert "<script>" not in page
    assert "<b>" not in page
    assert "x\\|y" in pages.markdown("t", [section])


@pytest.mark.parametrize("value", [0.0, -0.4, float("inf"), float("-inf")])
def test_bars_of_any_value(value: float) -> None:
    drawn = charts.bars("t", [charts.Bar("one", value), charts.Bar("<two>", 0.5, 0.4, 0.6)], "unit")
    assert "&lt;two&gt;" in drawn
    assert "nan" not in drawn
    assert ("unbounded" in drawn) == (abs(value) == float("inf"))


def test_lines_and_points_of_one_value() -> None:
    assert "nan" not in charts.lines("t", {"a": [(1000.0, 0.5)]}, "x", "y")
    assert "nan" not in charts.points("t", [("a", 1.0, 0.5, "verbatim")], "x", "y")
