"""Secrets are masked by kind, clean text stays as it is, and no text takes long."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import sysconfig
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.distill.redact import PORTION, masked, redact, redact_all
from pastwork.distill.secrets import RULES
from pastwork.distill.text import cut, read
from pastwork.model import Edit, Entry, Exchange, Hunk, ToolCall
from tests.distill.planted import HIDDEN, PLACES, SHAPES, key_block, planted
from tests.growth import LINEAR, text_growth


def test_two_thousand_planted_secrets_of_more_than_thirty_kinds_are_masked() -> None:
    left: Counter[str] = Counter()
    for kind, text, secret in planted(2_000, seed=20261):
        if secret in redact(text):
            left[kind] += 1
    assert len(SHAPES) + len(PLACES) + 1 >= 30
    assert sum(left.values()) <= 20, left


@pytest.mark.parametrize("kind", HIDDEN)
def test_secrets_that_hide(kind: str) -> None:
    text, make = HIDDEN[kind]
    chance = random.Random(kind)
    for _ in range(40):
        secret = make(chance)
        assert secret not in redact(text.format(secret))


@pytest.mark.parametrize("mark", ["> ", "+", "    ", "12\t", "# ", "| "])
def test_private_keys_in_quotations_diffs_and_listings(mark: str) -> None:
    block, line = key_block(random.Random(4))
    text = "\n".join(f"{mark}{each}" for each in block.replace("\\n", "\n").split("\n"))
    assert line not in redact(text)
    for _ in range(3):
        text = json.dumps(text)
        assert line not in redact(text)


def test_a_token_that_a_terminal_broke_in_two() -> None:
    token = SHAPES["github"](random.Random(1))
    assert redact(f"{token[:20]}\n  {token[20:]}\nnext") == "[masked: github token]\nnext"
    kept = "OPENAI_NAME=x"
    assert kept in redact(f"A={SHAPES['anthropic'](random.Random(1))}\n{kept}")


@pytest.mark.parametrize("hidden", ["\u200b", "\x1b[32m", "\u202e", "\x00"])
def test_no_secret_comes_together_when_marks_are_taken_out(hidden: str) -> None:
    token = SHAPES["github"](random.Random(2))
    told = Exchange(
        "0", "a", "s", 1, f"see {token[:12]}{hidden}{token[12:]}", (Entry("assistant", f"token={hidden}{token}"),)
    )
    shown = read(masked(told))
    assert token not in shown.prompt
    assert token not in shown.answers[0]


@pytest.mark.parametrize("escape", ["\\n", "\\t", "\\r", "\\u001b", "\\x1b", "\\0"])
def test_a_secret_after_an_escape_is_one(escape: str) -> None:
    """Tools' arguments are kept as JSON: a line break before a token is a backslash and a letter there."""
    left: Counter[str] = Counter()
    for kind, text, secret in planted(400, seed=99):
        if kind != "private key":  # many lines, one secret
            left[kind] += secret in redact(text.replace("\n", escape)) and secret not in redact(text)
    assert sum(left.values()) == 0, left


@pytest.mark.parametrize("depth", [1, 2])
def test_a_secret_in_json_is_one(depth: int) -> None:
    """A command in a tool's arguments, and a body in such a command."""
    left: Counter[str] = Counter()
    for kind, text, secret in planted(400, seed=98):
        written = text
        for _ in range(depth):
            written = json.dumps({"command": f"send {written}"})
        left[kind] += secret in redact(written) and secret not in redact(text)
    assert sum(left.values()) == 0, left


def test_a_mask_says_the_kind() -> None:
    kinds = {rule.kind for rule in RULES}
    assert len(kinds) >= 30
    for _, text, secret in planted(200, seed=7):
        shown = redact(text)
        if secret not in shown:
            assert "[masked: " in shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("set password='hunter2-not-real' in .env", "set password='[masked: password]' in .env"),
        ("postgres://app:s3cr3tpw@db.local/app", "postgres://app:[masked: password in url]@db.local/app"),
        ('{"client_secret": "abc123def456ghi"}', '{"client_secret": "[masked: secret]"}'),
        ("DB_PASSWORD=correcthorse", "DB_PASSWORD=[masked: password]"),
        (
            "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n-----END PRIVATE KEY----- ok",
            "[masked: private key] ok",
        ),
        (
            "a PRIVATE KEY is made by -----BEGIN PRIVATE KEY----- and words",
            "a PRIVATE KEY is made by -----BEGIN PRIVATE KEY----- and words",
        ),
    ],
)
def test_what_is_left_around_a_secret(text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'password = os.environ["DB_PASSWORD"]',
        "password: string",
        "const token = await getToken(user)",
        "max_tokens=4096, total_tokens: 371",
        'api_key = "<your key here>"',
        'placeholder="Enter your password"',
        "API_KEY=${API_KEY}",
        "secret_name: my-service-v2",
        "tokenizer=all-MiniLM-L6-v2",
        "commit 3f785ab1c2d4e5f60718293a4b5c6d7e8f901234 fixes it",
        "id 00000000-0000-4000-8000-000000000001",
        '"integrity": "sha512-aGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQ=="',
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "https://user@host/path and ssh://git@host:22/x",
        "the password is wrong, so the token expired",
        "next_page_token = response.next_page_token",
        "token_id: 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "private_key_path: /etc/ssl/key1.pem",
        "cat token | sha256sum && echo $PASSWORD | base64",
        "mysql -uroot -p$PASSWORD shop",
        "the token is expired and the password is wrong again",
        "| password | required |\n| token | string |",
        "github.com/a/b v1.2.3 h1:aGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd28=",
        '{file = "a-1.0.whl", hash = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}',
        '<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8">',
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    ],
)
def test_no_secret_is_seen_in(text: str) -> None:
    assert redact(text) == text


def test_clean_texts_stay() -> None:
    """10,000 pieces of 25 lines of Python's own library."""
    pieces: list[str] = []
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        lines = path.read_text("utf-8", "replace").split("\n")
        pieces += ("\n".join(lines[at : at + 25]) for at in range(0, len(lines), 25))
        if len(pieces) >= 10_000:
            break
    touched = sum(redact(piece) != piece for piece in pieces[:10_000])
    assert touched <= 100


HOSTILE = (
    *(
        "A_",
        "a.b.",
        "/x",
        "(",
        "a_key=abcdefgh ",
        "https://a:b",
        "-----BEGIN PRIVATE KEY-----",
        "sk-",
        "eyJ",
        "curl -u a:",
    ),
    *(
        "curl -u a:",
        "token=",
        "MMMMMMM.",
        "key key ",
        "login a password ",
        "password='",
        "a@",
        "\\",
        "AKIA",
        "://",
        "bearer ",
    ),
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_long_run_of_anything_takes_linear_time(unit: str) -> None:
    assert text_growth(redact, unit * (400_000 // len(unit))) < LINEAR


@given(st.text(alphabet=st.sampled_from("ab=:'\"/@ \n{}-_.KTkey1290passtokenAKIAsk"), max_size=200))
def test_masking_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


def test_planted_secrets_are_masked_once_and_for_all() -> None:
    for _, text, _ in planted(300, seed=3):
        once = redact(text)
        assert redact(once) == once


def test_many_texts_at_once_as_each_alone() -> None:
    texts = [text for _, text, _ in planted(80, seed=5)] + ["clean", ""]
    assert redact_all(texts) == [redact(text) for text in texts]
    assert redact_all(["clean", "too"]) == ["clean", "too"]
    assert redact_all([]) == []
    few = ["clean"] * (2 * PORTION + 1)
    few[PORTION] = texts[0]
    assert redact_all(few) == [redact(text) for text in few] != few


def test_an_exchange_is_masked_everywhere() -> None:
    secret = "hunter2" + "-not-real"
    says = f"password='{secret}'"
    tool = ToolCall("Bash", says, json.dumps({"command": says}), f"error {says}", None, False)
    exchange = Exchange(
        id="0",
        agent="claude-code",
        session_id="s",
        turn=1,
        prompt=says,
        entries=(Entry("user", says), Entry("assistant", says), Entry("tool", "", None, tool)),
        edits=(Edit("a.py", "edited", (Hunk((f"+{says}",)), Hunk((" b", "-c")))),),
    )
    seen = masked(exchange)
    assert secret not in repr(seen)
    assert seen.edits[0].hunks[1].lines == (" b", "-c")
    assert [entry.role for entry in seen.entries] == ["user", "assistant", "tool"]
    assert masked(seen) == seen


def test_output_is_kept_of_failed_tools_only() -> None:
    ran = ToolCall("Bash", "ls", "{}", "fine", None, True)
    exchange = Exchange("0", "a", "s", 1, "p", (Entry("tool", "", None, ran),))
    tool = masked(exchange).entries[0].tool
    assert tool is not None
    assert tool.output == ""


def test_a_cut_is_marked() -> None:
    assert cut("abc", 10) == "abc"
    shown = cut("a" * 50 + "b" * 50, 20)
    assert shown.startswith("aaaaaaaaaa\n[…")
    assert "80 characters" in shown


@pytest.mark.shared
def test_the_made_up_secrets_of_the_cases(shared: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, shared / "cases" / "gen.py", "--out", tmp_path], check=True, capture_output=True)
    expected = json.loads((tmp_path / "expected.json").read_text("utf-8"))["S05"]
    forbidden = expected["forbid"] + ["".join(halves) for halves in expected["forbid_halves"]]
    records = [json.loads(line) for line in (tmp_path / "S05_secrets.jsonl").read_text("utf-8").splitlines()]
    shown = redact("\n".join(json.dumps(record["message"]) for record in records))
    assert [text for text in forbidden if text in shown] == []
    assert "CORAL" in shown
