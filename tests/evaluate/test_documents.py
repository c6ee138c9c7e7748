"""Both layers' texts of an exchange, and reference objects in the place of its own."""

from __future__ import annotations

from msgspec.structs import replace

from pastwork.distill.digest import count_tokens, digest
from pastwork.evaluate import documents
from pastwork.evaluate.labels import ReferenceObject, ReferenceRoom

from .samples import exchange, exchanges

SECRET = "ghp_" + "a1B2c3D4e5" * 4


def test_texts_are_the_digest_s() -> None:
    found = documents.distilled(exchanges())
    first = digest(exchanges()[0])
    assert found[0].distilled["core"].split("\n")[-1] == first.object.exchange_core
    assert found[0].distilled["core"].split("\n")[0] == " ".join(first.terms), "key terms are searched with the core"
    assert found[0].distilled["context"] == first.object.specific_context
    assert found[0].fields.prompt == first.texts.prompt
    assert found[0].verbatim.startswith("the nightly backup fails with ENOSPC")
    assert found[0].tokens_verbatim == first.tokens_verbatim > 0


def test_chosen_fields_a_line_each() -> None:
    found = documents.distilled(exchanges())[0]
    core, context, files = (found.distilled[name] for name in ("core", "context", "files"))
    assert found.text(("core", "files")) == f"{core}\n{files}"
    assert found.text(("context", "core")) == f"{core}\n{context}"


def test_rooms_are_settled_over_the_whole_history() -> None:
    alone = documents.distilled(exchanges()[:1])[0].distilled["rooms"]
    twice = [exchange(n, "the websocket reconnect storm", "Fixed the websocket reconnect storm.") for n in range(3)]
    together = documents.distilled(twice)[0].distilled["rooms"]
    assert "websocket" not in alone
    assert together, "what several exchanges share becomes a room"


def test_secrets_are_masked_in_both_layers() -> None:
    said = exchange(1, f"use {SECRET} for the upload", f"export TOKEN={SECRET} works")
    for found in (documents.distilled([said])[0], documents.undistilled(said)):
        held = [*found.distilled.values(), found.verbatim]
        assert not any(SECRET in text for text in held)


def test_undistilled_has_the_verbatim_alone() -> None:
    plain, whole = documents.undistilled(exchanges()[0]), documents.distilled(exchanges())[0]
    assert plain.fields == whole.fields
    assert set(plain.distilled.values()) == {""}


def test_reference_objects_replace_what_an_object_says() -> None:
    found = [replace(d, key=f"k{n}") for n, d in enumerate(documents.distilled(exchanges()))]
    reference = ReferenceObject("k2", "core text", "context text", (ReferenceRoom("concept", "a_room"),))
    changed = documents.with_references(found, [reference])
    assert changed[2].text(("core", "context", "rooms")) == "core text\ncontext text\na room"
    assert changed[2].distilled["files"] == found[2].distilled["files"]
    assert changed[2].fields == found[2].fields
    assert changed[2].tokens_distilled == count_tokens("core text\ncontext text")
    assert [d for n, d in enumerate(changed) if n != 2] == [d for n, d in enumerate(found) if n != 2]


def test_fingerprint_tells_any_change() -> None:
    found = documents.distilled(exchanges())
    assert documents.fingerprint(found) == documents.fingerprint(documents.distilled(exchanges()))
    assert documents.fingerprint(found) != documents.fingerprint(found[1:])
    assert documents.fingerprint(found) != documents.fingerprint([replace(found[0], key="k"), *found[1:]])
