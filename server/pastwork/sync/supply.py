"""Where the steps of a pass come from: this process, or helpers where there is enough to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

from pastwork.sync.ahead import WORTH, Ahead
from pastwork.sync.ingest import Rules
from pastwork.sync.plan import Job
from pastwork.sync.reading import Order, Step, steps
from pastwork.transcripts.registry import reader_of


class Supply:
    """The steps of each of ``jobs``, asked for in their order; a context that ends its helpers."""

    def __init__(self, jobs: Sequence[Job], rules: Rules, helpers: int) -> None:
        self._jobs = jobs
        self._rules = rules
        self._ahead = Ahead([self._order(job) for job in jobs], helpers) if self._worth(jobs, helpers) else None

    def steps(self, number: int) -> Iterator[Step]:
        """Raises:
        HelperLost: at any moment; ``here`` gives them all the same."""
        return self._ahead.steps(number) if self._ahead else self.here(self._jobs[number])

    def here(self, job: Job) -> Iterator[Step]:
        """The steps by this process, not distilled yet."""
        return steps(job.found.reader, self._order(job))

    def __enter__(self) -> Self:
        if self._ahead:
            self._ahead.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        if self._ahead:
            self._ahead.__exit__(kind, value, at)

    def _worth(self, jobs: Sequence[Job], helpers: int) -> bool:
        """Helpers know registered readers only."""
        known = all(reader_of(job.found.source.agent) is job.found.reader for job in jobs)
        return helpers > 0 and known and sum(job.size for job in jobs if job.since is None) >= WORTH

    def _order(self, job: Job) -> Order:
        rules = self._rules
        return Order(job.found.source, job.since, rules.reader, rules.tool_output_bytes, rules.masking)
