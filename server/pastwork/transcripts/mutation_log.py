"""VS Code's log of changes to one JSON value, replayed; pure.

Kinds: 0 the whole value (a compacted log begins anew), 1 set at a path, 2 append items to a list,
first cutting it to length ``i`` where one is given, 3 delete at a path. Path steps are names, numbers,
or numbers as text. A change that fits nothing is passed over; the state stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET, Struct, UnsetType

Step = str | int


class Change(Struct):
    """One line: kind, path ``k``, value ``v``, and the length ``i`` to cut a list to."""

    kind: int = -1
    k: list[Step] = []
    v: object | UnsetType = UNSET
    i: int | None = None


def replay(changes: Iterable[Change]) -> object:
    """The state after all changes; None before the first whole value."""
    state: object = None
    for change in changes:
        if change.kind == 0:
            state = None if change.v is UNSET else change.v
        elif change.k:
            _apply(state, change)
    return state


def _apply(state: object, change: Change) -> None:
    holder = state
    for step in change.k[:-1]:
        holder = _get(holder, step)
    last = change.k[-1]
    if change.kind == 1:
        _set(holder, last, None if change.v is UNSET else change.v)
    elif change.kind == 2:
        _push(holder, last, change)
    elif isinstance(holder, dict):
        holder.pop(str(last), None)
    elif isinstance(holder, list) and (at := _index(holder, last)) is not None:
        del holder[at]


def _get(holder: object, step: Step) -> object:
    if isinstance(holder, dict):
        return holder.get(str(step))
    if isinstance(holder, list) and (at := _index(holder, step)) is not None:
        return holder[at]
    return None


def _set(holder: object, step: Step, value: object) -> None:
    if isinstance(holder, dict):
        holder[str(step)] = value
    elif isinstance(holder, list):
        at = _index(holder, step)
        if at is not None:
            holder[at] = value
        elif str(step) == str(len(holder)):
            holder.append(value)


def _push(holder: object, step: Step, change: Change) -> None:
    items = _get(holder, step)
    if not isinstance(items, list):
        items = []
        _set(holder, step, items)
    if change.i is not None and 0 <= change.i < len(items):
        del items[change.i :]
    if isinstance(change.v, list):
        items += change.v


def _index(items: list[object], step: Step) -> int | None:
    """The step as a place in the list; None where it is none."""
    if isinstance(step, str) and not (step.isdecimal() and len(step) <= 9):
        return None
    at = int(step)
    return at if 0 <= at < len(items) else None
