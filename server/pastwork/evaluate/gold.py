"""Which exchange a key of a labelled set means.

Same agent and session, the same first characters of the normalised prompt; of several, the one nearest
in time. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from math import inf

from msgspec.structs import replace

from pastwork.errors import NotFound
from pastwork.evaluate.documents import Document
from pastwork.evaluate.labels import Keyed, named

#: Characters of the normalised prompt that are compared.
BEGINNING = 200


def with_keys(documents: Sequence[Document], keyed: Sequence[Keyed]) -> list[Document]:
    """The documents, each labelled one with its key. Raises ``NotFound`` that names the keys without an exchange."""
    places: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for place, document in enumerate(documents):
        places[document.agent, document.session_id, beginning(document.prompt)].append(place)
    out, missing = list(documents), []
    for line in keyed:
        free = [p for p in places[line.agent, line.session_id, beginning(line.prompt)] if out[p].key is None]
        if free:
            nearest = min(free, key=lambda place: distance(documents[place].started_at, line.started_at))
            out[nearest] = replace(out[nearest], key=line.key)
        else:
            missing.append(line.key)
    if missing:
        raise NotFound(
            f"{len(set(missing))} of {len(keyed)} labelled exchanges are not among the transcripts: {named(missing)}",
            "Set HOME to the home folder they were labelled in; --scan DIR also looks below DIR.",
        )
    return out


def beginning(prompt: str) -> str:
    """Runs of white space as one space, stripped, lower case, the first characters."""
    return " ".join(prompt.split()).lower()[:BEGINNING]


def distance(a: str | None, b: str | None) -> float:
    """Seconds between two ISO times; infinite where one is missing or no time."""
    try:
        return abs(datetime.fromisoformat(a or "").timestamp() - datetime.fromisoformat(b or "").timestamp())
    except ValueError:
        return inf
