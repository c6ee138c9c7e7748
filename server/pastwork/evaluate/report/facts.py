"""What every page of a report tells of: plain data, made once."""

from __future__ import annotations

from msgspec import Struct

from pastwork.evaluate.budget import Curve
from pastwork.evaluate.compression import Compression
from pastwork.evaluate.figures import Outcome
from pastwork.evaluate.findings import Finding


class Machine(Struct, frozen=True):
    """Where it ran, without names."""

    system: str
    processor: str
    cores: int


class Run(Struct, frozen=True):
    """``run.json``: what makes a run another one."""

    title: str
    versions: dict[str, str]
    machine: Machine
    seed: int
    corpus: str
    code: str
    model: str
    exchanges: int
    keyed: int
    queries: int
    types: dict[str, int]
    limit: int
    scope: str
    objects: str
    configurations: list[str]
    notes: list[str] = []


class Facts(Struct, frozen=True):
    """A run's figures. ``agreement`` is there where models graded."""

    run: Run
    outcome: Outcome
    findings: list[Finding]
    preservation: float | None
    compression: Compression
    survival: dict[str, float]
    budget: Curve | None
    budget_mode: str | None
    agreement: dict[str, float] = {}
