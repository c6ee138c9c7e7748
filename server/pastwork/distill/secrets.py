"""The shapes of secrets as data: one ``Rule`` a kind.

``gate`` is matched against the lower-case text, all gates in one pass: a rule whose gate is not there
is not tried. A gate counts (``{20}``) only behind what is rare: counting from every letter on takes states
without end. Patterns are RE2's (linear time) over UTF-8. The first group that took part is what gets
masked, without groups the whole match; of a ``judged`` rule the last group, and only if its value
looks like a secret. Repeats end at a character outside their class, so that no search looks far
beyond its match.
"""

from __future__ import annotations

from msgspec import Struct


class Rule(Struct, frozen=True):
    kind: str
    gate: bytes
    pattern: bytes
    judged: bool = False


_PEM = rb"[A-Za-z0-9+/=]{16,}"
#: Between the lines of a key: line ends, also escaped, and what quotations, diffs and listings put there.
_BREAK = rb"(?:\s|\\+[nrt]|[\"'+,>|#]|[0-9]{1,6}(?:\\+t|[\t:|]))*"
#: A token that a terminal broke in two: the rest fills the next line.
_BROKEN = rb"\r?\n[ \t]{0,8}[A-Za-z0-9_-]{8,100})[ \t]*(?:[\r\n]|$)"


def _prefixed(kind: str, prefix: bytes, body: bytes) -> Rule:
    """A token that gives itself away by its first letters."""
    start = prefix.replace(b".", rb"\.")
    return Rule(
        kind,
        prefix.lower().replace(b".", rb"\."),
        rb"(?:^|[^A-Za-z0-9])(?:(" + start + rb"[A-Za-z0-9_-]{6,100}" + _BROKEN + rb"|(" + start + body + rb"))",
    )


#: Tokens known by their own shape, most specific first.
SHAPES: tuple[Rule, ...] = (
    Rule(
        "private key",
        rb"private key",
        rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        rb"(?:" + _BREAK + rb"[A-Z][A-Za-z-]{2,20}: [A-Za-z0-9,. -]{1,80})*"
        rb"(?:" + _BREAK + _PEM + rb")+(?:" + _BREAK + rb"[A-Za-z0-9+/=]{1,80})?"
        rb"(?:" + _BREAK + rb"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    Rule("age key", rb"age-secret-key-1", rb"(?i)AGE-SECRET-KEY-1[0-9a-z]{40,80}"),
    Rule("json web token", rb"eyj[a-z0-9_-]{8}", rb"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"),
    Rule(
        "github token",
        rb"ghp_|gho_|ghu_|ghs_|ghr_",
        rb"\b(?:(gh[pousr]_[A-Za-z0-9]{6,35}" + _BROKEN + rb"|(gh[pousr]_[A-Za-z0-9]{30,}))",
    ),
    _prefixed("github token", b"github_pat_", rb"[A-Za-z0-9_]{30,}"),
    Rule(
        "gitlab token",
        rb"glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|gloas-",
        rb"\bgl(?:pat|dt|rt|cbt|ptt|ft|oas)-[A-Za-z0-9_.-]{20,}",
    ),
    Rule("aws key id", rb"akia|asia|abia|acca", rb"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    Rule(
        "aws secret key",
        rb"aws[a-z_.-]*secret",
        rb"(?i)aws[a-z_.-]{0,20}secret[a-z_.-]{0,20}[\"'`]?[ \t]{0,4}(?:=>|:=|=|:)?[ \t]{0,4}[\"'`]?"
        rb"([A-Za-z0-9/+=]{40})(?:[^A-Za-z0-9/+=]|$)",
    ),
    _prefixed("google api key", b"AIza", rb"[A-Za-z0-9_-]{35}"),
    _prefixed("google client secret", b"GOCSPX-", rb"[A-Za-z0-9_-]{24,40}"),
    _prefixed("google access token", b"ya29.", rb"[A-Za-z0-9_-]{20,}"),
    Rule("slack token", rb"xox", rb"\bxox[abeoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}"),
    _prefixed("slack token", b"xapp-", rb"[0-9]-[A-Za-z0-9-]{20,}"),
    Rule(
        "slack webhook",
        rb"hooks\.slack\.com",
        rb"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/-]{20,})",
    ),
    Rule(
        "discord webhook",
        rb"/webhooks/",
        rb"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/([0-9]{15,22}/[A-Za-z0-9_-]{50,90})",
    ),
    Rule(
        "teams webhook",
        rb"webhook\.office\.com",
        rb"webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{40,})",
    ),
    Rule(
        "discord token",
        rb"\.[a-z0-9_-]{6}\.[a-z0-9_-]{20}",
        rb"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}\b",
    ),
    Rule("telegram token", rb":aa", rb"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}\b"),
    Rule(
        "stripe key",
        rb"sk_live_|sk_test_|rk_live_|rk_test_|whsec_",
        rb"\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{16,}",
    ),
    _prefixed("anthropic key", b"sk-ant-", rb"[A-Za-z0-9_-]{20,}"),
    _prefixed("openrouter key", b"sk-or-v1-", rb"[a-f0-9]{32,80}"),
    Rule(
        "openai key",
        rb"sk-[a-z0-9]{4}",
        rb"\bsk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,64}\b)",
    ),
    _prefixed("hugging face token", b"hf_", rb"[A-Za-z]{30,60}"),
    _prefixed("groq key", b"gsk_", rb"[A-Za-z0-9]{40,70}"),
    _prefixed("perplexity key", b"pplx-", rb"[A-Za-z0-9]{32,70}"),
    _prefixed("xai key", b"xai-", rb"[A-Za-z0-9]{60,}"),
    _prefixed("replicate token", b"r8_", rb"[A-Za-z0-9]{30,50}"),
    _prefixed("npm token", b"npm_", rb"[A-Za-z0-9]{30,60}"),
    _prefixed("pypi token", b"pypi-AgE", rb"[A-Za-z0-9_-]{40,}"),
    _prefixed("rubygems key", b"rubygems_", rb"[a-f0-9]{40,60}"),
    Rule("crates.io token", rb"cio[a-z0-9]{32}", rb"\bcio[A-Za-z0-9]{32}\b"),
    _prefixed("docker token", b"dckr_", rb"(?:pat|oat)_[A-Za-z0-9_-]{20,80}"),
    _prefixed("sendgrid key", b"SG.", rb"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,60}"),
    Rule("mailgun key", rb"key-[a-f0-9]{8}", rb"\bkey-[a-f0-9]{32}\b"),
    Rule("mailchimp key", rb"[a-f0-9]{8}-us[0-9]", rb"\b[a-f0-9]{32}-us[0-9]{1,2}\b"),
    Rule("twilio key", rb"(?:sk|ac)[a-f0-9]{32}", rb"\b(?:SK|AC)[a-f0-9]{32}\b"),
    Rule("azure storage key", rb"accountkey=", rb"(?i)AccountKey=([A-Za-z0-9+/]{40,}={0,2})"),
    Rule("azure signature", rb"[?&;]sig=", rb"[?&;]sig=([A-Za-z0-9%+/=]{30,})"),
    Rule("azure client secret", rb"q~", rb"\b[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    Rule("digitalocean token", rb"do[opr]_v1_", rb"\bdo[opr]_v1_[a-f0-9]{40,80}"),
    _prefixed("databricks token", b"dapi", rb"[a-f0-9]{32}(?:-[0-9])?"),
    Rule("shopify token", rb"shp(?:at|ca|pa|ss)_", rb"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    Rule("square token", rb"sq0[aci]", rb"\bsq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,50}"),
    _prefixed("linear key", b"lin_", rb"(?:api|oauth)_[A-Za-z0-9]{32,70}"),
    Rule("notion token", rb"ntn_|secret_", rb"\b(?:ntn_|secret_)[A-Za-z0-9]{40,50}\b"),
    _prefixed("figma token", b"figd_", rb"[A-Za-z0-9_-]{30,60}"),
    Rule("grafana token", rb"glc_|glsa_", rb"\bgl(?:c|sa)_[A-Za-z0-9+/=_]{30,}"),
    _prefixed("new relic key", b"NRAK-", rb"[A-Z0-9]{24,32}"),
    _prefixed("atlassian token", b"ATATT3", rb"[A-Za-z0-9_=-]{60,}"),
    _prefixed("postman key", b"PMAK-", rb"[a-f0-9]{20,30}-[a-f0-9]{30,40}"),
    Rule("doppler token", rb"dp\.[pscta][tcu]", rb"\bdp\.(?:pt|st|ct|scim|audit)\.[A-Za-z0-9_.-]{35,60}"),
    Rule("vault token", rb"hvs\.|hvb\.|hvr\.", rb"\bhv[sbr]\.[A-Za-z0-9_-]{24,}"),
    Rule("terraform token", rb"\.atlasv1\.", rb"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,90}"),
    _prefixed("planetscale token", b"pscale_", rb"(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,70}"),
    Rule("supabase token", rb"sbp_|sb_secret_", rb"\b(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,60})"),
    _prefixed("netlify token", b"nfp_", rb"[A-Za-z0-9]{30,50}"),
    _prefixed("tailscale key", b"tskey-", rb"[a-z]{3,10}-[A-Za-z0-9-]{20,70}"),
    Rule("sentry token", rb"sntrys_|sntryu_", rb"\bsntry[su]_[A-Za-z0-9+/=_]{40,}"),
    _prefixed("dynatrace token", b"dt0c01.", rb"[A-Z0-9]{24}\.[A-Z0-9]{60,70}"),
    Rule("airtable token", rb"pat[a-z0-9]{14}\.", rb"\bpat[A-Za-z0-9]{14}\.[a-f0-9]{60,70}"),
    _prefixed("heroku key", b"HRKU-", rb"[A-Za-z0-9_-]{30,70}"),
    _prefixed("typeform token", b"tfp_", rb"[A-Za-z0-9_.=-]{40,70}"),
    Rule("authorization header", rb"bearer ", rb"(?i)\bbearer[ \t]{1,3}([A-Za-z0-9_.~+/=-]{16,})"),
    Rule(
        "authorization header",
        rb"basic ",
        rb"(?i)authorization[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?basic[ \t]{1,3}([A-Za-z0-9+/=]{8,})",
    ),
    Rule(
        "password in url",
        rb"://[^\s/@]*:[^\s/@]{3}",
        rb"(?i)[a-z][a-z0-9+.-]{1,20}://[^\s:@/\"'<>{}$()\[\]]{0,80}:([^\s@/\"'<>{}$()\[\]]{3,})@[a-z0-9\[%_.-]",
    ),
    Rule("password", rb"login\s", rb"\blogin[ \t\n]{1,4}\S{1,80}[ \t\n]{1,4}password[ \t]{1,4}([^\s\[]\S{3,})"),
    Rule(
        "password",
        rb"curl",
        rb"\bcurl\b[^\n|;]{0,}?[ \t](?:-u|--user)[ \t=]{1,2}[\"']?[^\s:\"']{1,80}:([^\s\"']{3,})",
    ),
)

#: Secrets on the command line.
COMMANDS: tuple[Rule, ...] = (
    Rule(
        "password in command",
        rb"(?:mysql|maria)",
        rb"\b(?:mysql|mariadb)[a-z]*\b[^\n|;]{0,}?[ \t]-p[\"']?([^\s\"']{4,})",
    ),
    Rule("password in command", rb"sshpass", rb"\bsshpass[ \t]+-p[ \t]?[\"']?([^\s\"']{3,})"),
    Rule("password in command", rb"redis-cli", rb"\bredis-cli\b[^\n|;]{0,}?[ \t]-a[ \t]+[\"']?([^\s\"']{3,})"),
    Rule("password in command", rb"login[ \t]", rb"\blogin[ \t][^\n|;]{0,}?-p[ \t]+[\"']?([^\s\"']{3,})"),
    Rule("npm auth", rb":_auth", rb":_auth(?:Token)?[ \t]?=[ \t]?([A-Za-z0-9+/=_-]{12,})"),
    Rule(
        "cookie",
        rb"cookie:",
        rb"(?i)\bcookie:[ \t]{0,4}(?:[\w.-]{1,60}=[^\s;\"']{0,15};[ \t]{0,2})*"
        rb"([\w.-]{1,60}=[^\s;\"']{16,}(?:;[^\n\"']*)?)",
    ),
)

_NAMES = (
    rb"passw(?:or)?ds?|passphrase|pwd|secrets?|tokens?|api[_-]?keys?|apikey|access[_-]?keys?|private[_-]?keys?|auth[_-]?keys?"
    rb"|signing[_-]?keys?|encryption[_-]?keys?|secret[_-]?keys?|account[_-]?keys?|service[_-]?keys?|master[_-]?keys?|credentials?"
    rb"|(?:db|smtp|mail|email|user|admin|root|mysql|pg|postgres|redis|ssh|ftp|ldap|sudo|http)[_-]?pass"
)

_VALUE = rb"(?:\"([^\"\n]{4,})\"|'([^'\n]{4,})'|`([^`\n]{4,})`|([^\s\"'`,;<>(){}\[\]|\\]{6,}))"
_SECRET = rb"(?:pass|pwd|secret|token|key|credential)"
_KEYWORDS = _SECRET + rb"[a-z0-9_-]*\\*(?:[\"'`]|%2[27])?\]?[ \t]*(?:=|:|%3[ad])"
_FLAGS = rb"--[a-z-]*" + _SECRET + rb"[a-z0-9-]*[ \t]"

#: ``name = value`` and ``--name value`` where the name says secret; whether the value looks like one is for
#: ``redact`` to judge. Groups: name, then the value in double, single or back quotes, or bare.
ASSIGNMENTS: tuple[Rule, ...] = (
    Rule(
        "secret",
        _KEYWORDS,
        rb"(?i)(" + _NAMES + rb")(?:[_-][a-z0-9_-]{1,24}|[0-9]{1,3})?\\{0,15}(?:[\"'`]|%2[27])?\]?"
        rb"[ \t]{0,4}(?:=>|:=|==|=|:|%3[ad])[ \t]{0,4}\\{0,15}" + _VALUE,
        judged=True,
    ),
    Rule(
        "secret",
        _FLAGS,
        rb"(?i)--[a-z-]{0,20}?(" + _NAMES + rb")(?:-[a-z0-9-]{1,24})?[ \t]{1,2}" + _VALUE,
        judged=True,
    ),
    # An element, a pair of fields of which one is the name, a table's row, an instruction, a sentence.
    Rule(
        "secret",
        _SECRET + rb"[a-z0-9_-]*>",
        rb"(?i)<[a-z_.-]{0,20}?(" + _NAMES + rb")>([^<>\n]{4,200})</",
        judged=True,
    ),
    Rule(
        "secret",
        _SECRET + rb"[a-z0-9_-]*\\*[\"']?[\s,]+\\*[\"']?value",
        rb"(?i)\b(?:key|name|id)\\{0,15}[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,15}[\"']?[a-z0-9_.-]{0,30}?("
        + _NAMES
        + rb")"
        rb"[a-z0-9_-]{0,10}\\{0,15}[\"']?[\s,]{1,40}\\{0,15}[\"']?value\\{0,15}[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,15}"
        + _VALUE,
        judged=True,
    ),
    Rule(
        "secret",
        rb"\|[ \t`*]*[a-z0-9_.-]*" + _SECRET + rb"[a-z0-9_-]*[ \t`*]*\|",
        rb"(?im)^[ \t>]{0,8}\|[ \t`*]{0,6}[a-z0-9_.-]{0,30}?("
        + _NAMES
        + rb")[a-z0-9_-]{0,24}[ \t`*]{0,6}\|[ \t]{0,8}"
        + _VALUE,
        judged=True,
    ),
    Rule(
        "secret",
        rb"(?:env|arg|setx)[ \t]+[a-z0-9_]*" + _SECRET,
        rb"(?i)\b(?:env|arg|setx)[ \t]{1,4}[a-z0-9_]{0,30}?(" + _NAMES + rb")[a-z0-9_]{0,24}[ \t]{1,4}" + _VALUE,
        judged=True,
    ),
    Rule(
        "secret",
        _SECRET + rb"[a-z]*[ \t]+(?:is|was)[ \t]",
        rb"(?i)\b(" + _NAMES + rb"|api key)[ \t]{1,2}(?:is|was)[ \t]{1,2}" + _VALUE,
        judged=True,
    ),
)

RULES: tuple[Rule, ...] = (*SHAPES, *COMMANDS, *ASSIGNMENTS)
