"""Where to tell, as people write it: an e-mail address, a web address, or the address of a chat service."""

from __future__ import annotations

import re
from typing import Final

from veille.core.models import Json
from veille.errors import ConfigError

_MAIL: Final = re.compile(r"(?:mailto:)?([^\s:/@]+@[^\s:/@]+)", re.IGNORECASE)
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*)://\S+", re.IGNORECASE)


def destination(text: str) -> tuple[str, Json]:
    """The kind of channel that a text means, and its options.

    >>> destination("anna@example.org")
    ('email', {'to': 'anna@example.org'})
    >>> destination("https://example.org/hook")
    ('webhook', {'url': 'https://example.org/hook'})
    >>> destination("ntfy://ntfy.sh/tea")
    ('apprise', {'url': 'ntfy://ntfy.sh/tea'})
    """
    if found := _MAIL.fullmatch(text.strip()):
        return "email", {"to": found[1]}
    found = _SCHEME.fullmatch(text.strip())
    if found is None:
        raise ConfigError(
            f"{text[:80]!r} is no place to tell something: give an e-mail address, a web address (https://…) or the "
            "address of a chat service (slack://…, ntfy://…).",
            code="bad_destination",
        )
    kind = "webhook" if found[1].lower() in {"http", "https"} else "apprise"
    return kind, {"url": text.strip()}
