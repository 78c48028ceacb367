"""The export of a whole dossier or account: the format of its files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from veille.core.http.credentials import hidden

#: Grows when something is taken away or renamed; what is added does not change it.
FORMAT = 1
MANIFEST = "manifest.json"
#: Lines as `sha256sum --check` reads them.
SUMS = "SHA256SUMS"
README = """\
An export of veille: {what}, of {when}.

manifest.json    what is in here: every file with its lines, its bytes and its SHA-256
SHA256SUMS       the same sums; check them with: sha256sum --check SHA256SUMS
*.jsonl          one JSON object per line; times are milliseconds since 1970 (UTC)
pictures/        pictures of pages (WebP), by the `hash` in pictures.jsonl
bodies/          answers as they came, by the `hash` in answers.jsonl

Passwords, tokens, secrets and cookies are never in an export. The manifest says what else is left out, and why.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenFile:
    """A file in an export."""

    name: str
    bytes: int
    sha256: str
    #: Of a file of JSON lines.
    lines: int | None = None


def without_credentials(value: Any) -> Any:
    """A stored JSON value, with the values of headers redacted wherever they are."""
    if isinstance(value, dict):
        return {
            key: hidden({str(name): str(text) for name, text in one.items()})
            if key == "headers" and isinstance(one, dict)
            else without_credentials(one)
            for key, one in value.items()
        }
    return [without_credentials(one) for one in value] if isinstance(value, list) else value


def safe_name(text: str) -> str:
    """A name as a part of a path that every system can unpack."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:60] or "dossier"
