"""``file:`` and remote URIs as paths; pure text."""

from __future__ import annotations

import re
from urllib.parse import unquote

_URI = re.compile(r"(?P<scheme>[A-Za-z][\w.+-]+)://(?P<host>[^/]*)(?P<path>/.*)?")
_DRIVE = re.compile(r"/[A-Za-z]:(?:/|$)")


def path_of(uri: str) -> str:
    """The path that a URI names, with a Windows drive first where there is one; a plain path stays as it is.

    Of a remote URI (``vscode-remote://wsl+ubuntu/home/u/x``) the path on the remote side.
    """
    found = _URI.fullmatch(uri)
    if found is None:
        return uri
    path = unquote(found["path"] or "/")
    if _DRIVE.match(path):
        return path[1:]
    if found["scheme"].casefold() == "file" and found["host"]:
        return f"//{unquote(found['host'])}{path}"
    return path
