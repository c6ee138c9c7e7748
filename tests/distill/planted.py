"""Secrets of many kinds, made up by a seeded generator, in the places where they turn up."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable, Iterator

LETTERS, DIGITS = string.ascii_letters, string.digits
WORDS = LETTERS + DIGITS
HEX = "0123456789abcdef"
BASE = WORDS + "+/"
URLSAFE = WORDS + "-_"

Make = Callable[[random.Random], str]


def some(alphabet: str, size: int) -> Make:
    """A string that surely holds a digit and letters of both cases where the alphabet has them."""

    def make(chance: random.Random) -> str:
        text = [chance.choice(alphabet) for _ in range(size)]
        must = [part for part in (string.ascii_lowercase, string.ascii_uppercase, DIGITS) if set(part) & set(alphabet)]
        for place, part in zip(chance.sample(range(size), len(must)), must, strict=True):
            text[place] = chance.choice(sorted(set(part) & set(alphabet)))
        return "".join(text)

    return make


def after(prefix: str, alphabet: str, size: int) -> Make:
    body = some(alphabet, size)
    return lambda chance: prefix + body(chance)


def joined(separator: str, *parts: Make) -> Make:
    return lambda chance: separator.join(part(chance) for part in parts)


def encoded(chance: random.Random, text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def web_token(chance: random.Random) -> str:
    head, body = encoded(chance, '{"alg":"HS256"}'), encoded(chance, f'{{"sub":"{some(WORDS, 12)(chance)}"}}')
    return f"{head}.{body}.{some(URLSAFE, 43)(chance)}"


#: Tokens known by their shape: the secret, by kind.
SHAPES: dict[str, Make] = {
    "github": after("gh" + "p_", WORDS, 36),
    "github fine-grained": after("github" + "_pat_", WORDS + "_", 82),
    "gitlab": after("glp" + "at-", URLSAFE, 20),
    "aws key id": after("AK" + "IA", string.ascii_uppercase + DIGITS, 16),
    "google api": after("AI" + "za", URLSAFE, 35),
    "google secret": after("GOC" + "SPX-", URLSAFE, 28),
    "google access": after("ya" + "29.", URLSAFE, 120),
    "slack bot": after("xo" + "xb-", DIGITS + "-" + LETTERS, 50),
    "stripe": after("sk_" + "live_", WORDS, 24),
    "anthropic": after("sk-" + "ant-api03-", URLSAFE, 93),
    "openai": after("sk-" + "proj-", WORDS, 48),
    "openai old": after("s" + "k-", WORDS, 48),
    "hugging face": after("h" + "f_", LETTERS, 34),
    "npm": after("np" + "m_", WORDS, 36),
    "pypi": after("pypi-" + "AgE", URLSAFE, 150),
    "docker": after("dckr" + "_pat_", URLSAFE, 27),
    "sendgrid": joined("", after("S" + "G.", URLSAFE, 22), after(".", URLSAFE, 43)),
    "digitalocean": after("dop" + "_v1_", HEX, 64),
    "databricks": after("da" + "pi", HEX, 32),
    "shopify": after("shp" + "at_", HEX, 32),
    "linear": after("lin" + "_api_", WORDS, 40),
    "notion": after("nt" + "n_", WORDS, 46),
    "figma": after("fig" + "d_", URLSAFE, 40),
    "telegram": joined(":A" + "A", some(DIGITS, 9), some(URLSAFE, 33)),
    "vault": after("hv" + "s.", URLSAFE, 90),
    "twilio": after("S" + "K", HEX, 32),
    "json web token": web_token,
}
#: Secrets known by the name they are given to, or by the place: text with ``{}`` for the secret, and the secret.
PLACES: dict[str, tuple[tuple[str, ...], Make]] = {
    "password": (
        ("password = '{}'", 'db_password: "{}"', "DB_PASSWORD={}", '{{"password": "{}"}}', "mysql --password {}"),
        some(WORDS + "!#%-_", 14),
    ),
    "password in url": (
        ("postgres://app:{}@db.local:5432/app", "redis://:{}@cache/0", "git clone https://ci:{}@git.local/x.git"),
        some(WORDS + "-_", 12),
    ),
    "aws secret": (("aws_secret_access_key = {}", "AWS_SECRET_ACCESS_KEY={}"), some(BASE, 40)),
    "api key": (('api_key = "{}"', "X_API_KEY={}", '"apiKey": "{}"', "--api-key {}"), some(HEX, 40)),
    "client secret": (('client_secret: "{}"', "CLIENT_SECRET={}"), some(WORDS + "~._-", 36)),
    "access token": (("access_token={}", '{{\\"access_token\\": \\"{}\\"}}'), some(WORDS, 40)),
    "bearer": (("Authorization: Bearer {}", "-H 'authorization: bearer {}'"), some(URLSAFE, 40)),
    "basic": (("Authorization: Basic {}==",), some(BASE, 30)),
    "netrc": (("machine git.local login ci password {}",), some(WORDS, 16)),
    "curl": (("curl -s -u admin:{} https://host.local/x",), some(WORDS, 14)),
    "azure storage": (("AccountName=x;AccountKey={}==;EndpointSuffix=y",), some(BASE, 86)),
    "slack webhook": (
        ("https://hooks.slack.com/services/{}",),
        joined("/", some(WORDS, 9), some(WORDS, 11), some(WORDS, 24)),
    ),
}
AROUND = (
    "{}",
    "export TOKEN={}",
    "the token is {} and it works",
    'key: "{}"',
    "| {} |",
    "curl -H 'x: {}'",
    "({})",
    "a={},b=1",
)


#: The same where a secret hides from its usual form: text with ``{}``.
HIDDEN: dict[str, tuple[str, Make]] = {
    "percent-encoded": ("https://host.local/cb?access_token%3D{}&x=1", some(HEX, 40)),
    "escaped thrice": ('"{{\\\\\\"api_key\\\\\\": \\\\\\"{}\\\\\\"}}"', some(HEX, 40)),
    "environment": ("SMTP_PASS={}", some(WORDS, 16)),
    "mysql": ("mysql -uroot -p{} shop", some(WORDS, 16)),
    "sshpass": ("sshpass -p {} ssh host.local", some(WORDS, 16)),
    "redis": ("redis-cli -a {} ping", some(WORDS, 16)),
    "login": ("docker login -u ci -p {} host.local", some(WORDS, 16)),
    "element": ("<password>{}</password>", some(WORDS, 16)),
    "name and value": ('<add key="ApiKey" value="{}"/>', some(HEX, 40)),
    "item of a list": ('- name: API_TOKEN\n  value: "{}"', some(HEX, 40)),
    "cookie": ("Set-Cookie: a=b; sid={}; HttpOnly", some(HEX, 40)),
    "sentence": ("the password is {}", some(WORDS, 16)),
    "row of a table": ("| DB_PASSWORD | {} |", some(WORDS, 16)),
    "npm auth": ("//host.local/:_auth={}", some(WORDS, 24)),
    "image": ("ENV API_KEY {}", some(HEX, 40)),
}


def key_block(chance: random.Random) -> tuple[str, str]:
    """A private key, and one of its lines."""
    kind = chance.choice(("RSA ", "EC ", "OPENSSH ", ""))
    lines = [some(BASE, 64)(chance) for _ in range(chance.randint(3, 24))]
    block = "\n".join(
        (f"-----BEGIN {kind}PRIVATE KEY-----", *lines, some(BASE, 32)(chance), f"-----END {kind}PRIVATE KEY-----")
    )
    return chance.choice((block, block.replace("\n", "\\n"))), chance.choice(lines)


def planted(count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """``count`` times kind, text, and the secret that must not be left in it; every kind as often as any other."""
    chance = random.Random(seed)
    kinds = [*SHAPES, *PLACES, "private key"]
    for number in range(count):
        kind = kinds[number % len(kinds)]
        if kind == "private key":
            text, secret = key_block(chance)
        elif kind in SHAPES:
            secret = SHAPES[kind](chance)
            text = chance.choice(AROUND).format(secret)
        else:
            places, make = PLACES[kind]
            secret = make(chance)
            text = chance.choice(places).format(secret)
        yield kind, f"see this:\n{text}\nand go on", secret
