"""Names of the projects that exchanges were recorded in, short and yet distinct. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Self

from msgspec import Struct

from pastwork.distill.redact import redact_all
from pastwork.marks import one_line
from pastwork.store.records import Kept

_WIDTH = 40
UNKNOWN = "no project"


class Projects(Struct, frozen=True):
    """``names`` by recorded workspace; ``most`` is the name of the one with the most exchanges, ``""`` where there is
    one alone."""

    names: Mapping[str, str]
    most: str

    @classmethod
    def of(cls, found: Sequence[Kept], masking: bool) -> Self:
        """As much of the workspaces' ends as tells them apart."""
        counts = Counter(kept.workspace or "" for kept in found)
        if len(counts) < 2:
            return cls({}, "")
        parts = {workspace: workspace.replace("\\", "/").strip("/").split("/") for workspace in counts}
        names = [_name(workspace, parts) for workspace in parts]
        shown = [one_line(name, _WIDTH) for name in (redact_all(names) if masking else names)]
        masked = dict(zip(parts, shown, strict=True))
        return cls(masked, masked[counts.most_common(1)[0][0]])

    def of_exchange(self, kept: Kept) -> str:
        """``""`` where it goes without saying."""
        name = self.names.get(kept.workspace or "", "")
        return "" if name == self.most else name


def _name(workspace: str, parts: Mapping[str, Sequence[str]]) -> str:
    whole = parts[workspace]
    others = [other for name, other in parts.items() if name != workspace]
    length = (n for n in range(1, len(whole)) if all(other[-n:] != whole[-n:] for other in others))
    return "/".join(whole[-next(length, len(whole)) :]) or UNKNOWN
