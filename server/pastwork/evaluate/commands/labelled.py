"""``pastwork eval labelled``: quality on a set whose answers are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App
from pastwork.cli.options import with_app
from pastwork.errors import BadUsage
from pastwork.evaluate.commands.options import Common, common, finish, history

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pastwork.evaluate.documents import Document
    from pastwork.evaluate.grid import Configuration
    from pastwork.evaluate.labels import Query
    from pastwork.evaluate.public.talk import Level, PublicSet
    from pastwork.evaluate.session import Asked

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
SETS = ("locomo", "longmemeval", "beam")


@click.command(
    "labelled",
    epilog="Example: pastwork eval labelled --queries queries.jsonl --exchanges exchanges.jsonl --grid paper",
)
@click.option("--queries", type=_FILE, help="Queries with grades, one JSON object a line.")
@click.option("--exchanges", type=_FILE, help="The labelled exchanges, one JSON object a line.")
@click.option("--objects", type=_FILE, help="Reference objects that take the place of the exchanges' own.")
@click.option("--scope", type=click.Choice(["all", "labelled"]), default="all", show_default=True,
              help="Search the whole home, or the labelled exchanges alone.")  # fmt: skip
@click.option("--public", "public", type=click.Choice(SETS), help="A public set instead of one's own files.")
@click.option("--file", "file", type=click.Path(exists=True, path_type=Path),
              help="The public set's file as downloaded (BEAM: a chat's folder, or a folder of them).")  # fmt: skip
@click.option("--level", type=click.Choice(["turn", "session"]), default="turn", show_default=True,
              help="What is searched in a public set.")  # fmt: skip
@click.option("--drop-stop-words", is_flag=True, help="Leave English stop words out of the queries.")
@with_app
@common
def command(
    app: App,
    common: Common,
    queries: Path | None,
    exchanges: Path | None,
    objects: Path | None,
    scope: str,
    public: str | None,
    file: Path | None,
    level: Level,
    drop_stop_words: bool,
) -> None:
    """Measure retrieval on a set whose answers are known.

    Either one's own labelled queries over the home's transcripts, or a public set that you downloaded.
    A run that was interrupted goes on where it was.
    """
    from pastwork.cli.progress import Bar
    from pastwork.evaluate.grid import chosen

    grid = chosen(common.grid)
    with Bar(wanted=not app.as_json) as bar:
        if public is not None:
            asked = _public(app, common, grid, public, file, level)
        elif queries is not None and exchanges is not None:
            asked = _own_files(app, common, grid, (queries, exchanges, objects), scope, bar.tell)
        else:
            raise BadUsage("nothing to measure on", "Give --queries and --exchanges, or --public and --file.")
    _run(app, common, asked, drop_stop_words)


def _run(app: App, common: Common, asked: Asked, drop_stop_words: bool) -> None:
    from msgspec.structs import replace

    from pastwork.evaluate.session import Session
    from pastwork.palace.embedder import make_embedder

    if drop_stop_words:
        asked = replace(asked, queries=[_without_stop_words(query) for query in asked.queries])
    finish(app, Session(asked, make_embedder(app.config, app.data, 0)()), common)


def _own_files(
    app: App,
    common: Common,
    grid: list[Configuration],
    files: tuple[Path, Path, Path | None],
    scope: str,
    told: object,
) -> Asked:
    from pastwork.evaluate import documents as made
    from pastwork.evaluate import gold, labels

    asked, keyed = labels.read_queries(files[0]), labels.read_exchanges(files[1])
    references = labels.read_objects(files[2]) if files[2] is not None else None
    labels.check_keys(asked, keyed, references)
    found = gold.with_keys(made.distilled(history(app, common.scans, told)), keyed)  # type: ignore[arg-type]
    if references is not None:
        found = made.with_references(found, references)
    if scope == "labelled":
        found = [document for document in found if document.key is not None]
    objects = "reference for the labelled exchanges" if references is not None else "extractive"
    return _asked(app, common, grid, "Retrieval on a labelled set", found, asked, scope, objects)


def _public(app: App, common: Common, grid: list[Configuration], name: str, file: Path | None, level: Level) -> Asked:
    from msgspec.structs import replace

    if file is None:
        raise BadUsage(f"--public {name} needs the set's file", "Download the set and give it with --file.")
    distil = any(configuration.layer != "verbatim" for configuration in grid)
    found = load(name, file, level, distil)
    asked = _asked(
        app,
        common,
        grid,
        f"Retrieval on {name}, by {level}",
        found.documents,
        found.queries,
        "each history alone",
        "extractive",
    )
    left_out = f"{found.unanswerable} questions name nothing that answers them and were left out."
    return replace(asked, notes=(left_out,)) if found.unanswerable else asked


def load(name: str, file: Path, level: Level, distil: bool) -> PublicSet:
    """The named set. Raises ``BadUsage`` where the file is none of its shape."""
    from pastwork.evaluate.labels import read_file
    from pastwork.evaluate.public import beam, locomo, longmemeval
    from pastwork.evaluate.public.talk import labelled

    if name == "beam":
        return labelled([beam.read(folder) for folder in beam.folders(file)], level, distil)
    loader = locomo if name == "locomo" else longmemeval
    return labelled(loader.load(read_file(file)), level, distil)


def _asked(
    app: App,
    common: Common,
    grid: list[Configuration],
    title: str,
    documents: Sequence[Document],
    queries: Sequence[Query],
    scope: str,
    objects: str,
) -> Asked:
    from pastwork.evaluate.session import Asked

    return Asked(
        title=title,
        documents=list(documents),
        queries=list(queries),
        configurations=grid,
        folder=common.out or app.data / "evaluation" / "labelled",
        cache=app.data / "evaluation" / "vectors",
        limit=common.limit,
        seed=common.seed,
        scope=scope,
        objects=objects,
        processes=common.processes,
        timed=common.timed,
    )


def _without_stop_words(query: Query) -> Query:
    from msgspec.structs import replace

    from pastwork.index.stop_words import without

    return replace(query, query=without(query.query))
