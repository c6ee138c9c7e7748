"""Five thousand hostile texts are inert: in rendered Markdown, in an editor's titles, on a terminal, as paths."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from pastwork.cli.tables import search_table
from pastwork.cli.verbatim import print_verbatim
from pastwork.glance import Glance
from pastwork.lsp import code_lens, hover
from pastwork.lsp.hover import Style
from pastwork.markdown import code, escape, exchange_document, fence, formatted, literal
from pastwork.model import FileTouch
from pastwork.palace.lines import Author
from pastwork.shapes import SearchAnswer, Source
from tests.cli.test_terminal import ACTIVE, STYLE
from tests.markdown.reading import targets, tokens
from tests.markdown.test_exchange import answer, entry, tool
from tests.palace.world import World, digest, exchange, room
from tests.promises.hostile import PATHS, storable, texts
from tests.sizes import figure, size

pytestmark = [pytest.mark.promise, pytest.mark.timeout(600)]

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OWN = "0123456789abcdef"
#: What a browser or an editor acts upon.
OURS = re.compile(rf"pastwork://exchange/{OWN}\.md$|command:pastwork\.[a-zA-Z]+\?[%\w.]+$")
ACTING = {"html_block", "html_inline", "image", "table", "blockquote", "hr"}


def pages(text: str) -> Iterator[tuple[str, str]]:
    """Everything that is rendered as Markdown, with the text wherever a transcript's text may stand."""
    work = Glance(OWN, text, text, "claude-code", "2026-02-08T11:00:00Z", rooms=(text,))
    yield "hover of a line", hover.of_line(Author(work, ((3, 9),), 7, 12), Style(hover.document_link), NOW).text
    yield "hover of a file", hover.of_file([work, work], Style(hover.command_link), NOW, text).text
    shown = answer(
        entry("user", text),
        entry("assistant", text),
        entry("tool", shown=tool(text, text, {"command": text}, output=text)),
        entry("tool", shown=tool("Edit", text, diff=text)),
        core=text,
        source=Source(text, True),
        resume=text,
        notes=(text,),
    )
    hit = replace(shown.hit, agent=text, branch=text, workspace=text, session_id=text, title=text, model=text)
    yield "document", exchange_document(replace(shown, hit=hit))
    yield "pieces", "\n\n".join((literal(text), formatted(text), escape(text), f"x {code(text)}", fence(text, "text")))


def test_nothing_acts_in_rendered_markdown() -> None:
    """Parsed as VS Code's preview does, HTML and linkify on."""
    count = 0
    for text in map(storable, texts(size("HOSTILE"))):
        count += 1
        for name, page in pages(text):
            found = list(tokens(page))
            assert not {token.type.removesuffix("_open") for token in found} & ACTING, (name, text)
            links = {str(token.attrs.get("href")) for token in found if token.type == "link_open"}
            assert all(OURS.match(link) for link in links), (name, text)
            assert not ACTIVE.search(page), (name, text)
    figure("hostile texts in Markdown", texts=count, active=0)
    assert count == size("HOSTILE")


def test_titles_are_one_plain_line() -> None:
    for text in map(storable, texts(size("HOSTILE"))):
        work = Glance(OWN, text, text, "codex", "2026-02-08T11:00:00Z", rooms=(text,))
        for title in (code_lens.file_title([work], NOW), code_lens.symbol_title([work], NOW)):
            assert "\n" not in title
            assert not ACTIVE.search(title), text


def test_nothing_acts_on_a_terminal() -> None:
    """What is printed for a person, colours on; forty texts to a page."""
    for some in batched(map(storable, texts(size("HOSTILE"))), 40):
        first = some[0]
        entries = [entry("user", text) for text in some] + [
            entry("tool", shown=tool(text, text, {"command": text}, output=text, ok=False)) for text in some
        ]
        changed = entry("tool", shown=tool("Edit", first, diff="\n".join(f"-{text}\n+{text}" for text in some)))
        shown = answer(*entries, changed, core=first, source=Source(first, True), resume=first, notes=tuple(some))
        hits = [replace(shown.hit, agent=text, branch=text, workspace=text, title=text, prompt=text) for text in some]
        printed = StringIO()
        out = Console(file=printed, force_terminal=True, color_system="truecolor", width=100)
        print_verbatim(out, replace(shown, hit=hits[0]), NOW)
        search_table(out, SearchAnswer(first, "cross", "all", 1.0, 1, tuple(some), tuple(hits)), NOW)
        left = STYLE.sub("", printed.getvalue())
        assert not ACTIVE.search(left), left
        assert "\x1b" not in left
    figure("hostile texts on a terminal", texts=size("HOSTILE"), active=0)


def batched(found: Iterable[str], most: int) -> Iterator[list[str]]:
    some: list[str] = []
    for text in found:
        some.append(text)
        if len(some) == most:
            yield some
            some = []
    if some:
        yield some


#: Answers all questions about a store and tells every file that was opened meanwhile.
OPENED = """
import json, sys
from pathlib import Path
from pastwork.config import Config
from pastwork.markdown import exchange_document
from pastwork.palace import Palace
from pastwork.search.filters import Filters
from tests.palace.world import clock
data, shop, home, count = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
palace = Palace(data, Config(), home, clock)
opened, pages = [], []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event in ("open", "os.listdir") else None)
for number in range(1, count + 1):
    pages.append(exchange_document(palace.show(f"{number:016x}")))
for file in shop.iterdir():
    palace.history(file, 1, "", [shop])
    palace.blame(file, None, [shop])
    palace.lines(file, "x = 1\\n", [shop], True)
palace.rooms(Filters(), [shop])
palace.context(Filters(), 4000, "pool", [shop])
palace.search("pool", Filters(), [shop])
json.dump({"opened": opened, "pages": pages}, sys.stdout)
"""


def test_no_path_of_a_transcript_leads_out(tmp_path: Path) -> None:
    """Touched, edited and named paths that lead out of the workspace: none is opened, none is a link."""
    shop, outside = tmp_path / "home" / "shop", tmp_path / "outside" / "canary.py"
    (shop / ".git").mkdir(parents=True)
    outside.parent.mkdir()
    outside.write_text("x = 1\n")
    (shop / "pool.py").write_text("x = 1\n")
    (shop / "linked.py").symlink_to(outside)
    up = os.path.relpath(outside, shop)
    names = [storable(name) for name in (*PATHS, str(outside), up, f"src/../{up}", outside.as_uri(), f"{shop}/{up}")]
    world = World(tmp_path / "data")
    for number, name in enumerate(names, 1):
        found = exchange(number, str(shop), f"pool: look at {name}", f"see [{name}]({name})")
        touched = [FileTouch(name, "edited"), FileTouch(f"{shop}/pool.py", "edited")]
        world.put(found, digest(found, f"core {name}", [room("file", name)], touched))
    world.close()
    command = [sys.executable, "-c", OPENED, str(tmp_path / "data"), str(shop), str(tmp_path / "home"), str(len(names))]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": ":".join(sys.path)}
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert str(shop) in told["opened"], "what the script itself looks into is seen"
    assert len(told["pages"]) == len(names)
    assert [path for path in told["opened"] if re.search(r"canary|passwd|win\.ini|id_rsa", path)] == []
    for page in told["pages"]:
        assert [link for link in targets(page) if not link.startswith("pastwork://exchange/")] == []
