"""The few ways a deed of the user's can fail.

PastworkError                what the user sees: message, remedy, a code for ``--json``, an exit code
|- NotFound           1      an id, file or room that is not known
|- BadUsage           2      a wrong argument or filter value
|- StoreUnusable      3      the data folder can't be read or written, or is newer than this program
|  `- StoreMissing    3      nothing is indexed yet: there is no store, or its first tables are being made
|- ModelMissing       1      an embedding model is needed and not on disk
`- Unavailable        1      a helper (worker process, Ollama) does not answer
Bad transcripts raise nothing: readers return ``model.Problem``.
"""

from __future__ import annotations


class PastworkError(Exception):
    """Base of all; ``remedy`` says what the user can do, in one sentence."""

    code = "failed"
    exit_code = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class NotFound(PastworkError):
    """Nothing is known by that id or name."""

    code = "not_found"


class BadUsage(PastworkError):
    """An argument does not make sense."""

    code = "bad_usage"
    exit_code = 2


class StoreUnusable(PastworkError):
    """The store can't be opened for what was asked."""

    code = "store_unusable"
    exit_code = 3


class StoreMissing(StoreUnusable):
    """There is no store yet, or a writer is about to make its first tables."""

    def __init__(self, home: object) -> None:
        super().__init__(f"nothing is indexed yet in {home}", "Run `pastwork index` first.")


class ModelMissing(PastworkError):
    """The embedding model is not on disk, or is not the pinned one."""

    code = "model_missing"


class Unavailable(PastworkError):
    """A helper process or server does not answer."""

    code = "unavailable"
