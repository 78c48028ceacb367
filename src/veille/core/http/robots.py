"""robots.txt by RFC 9309: what an answer means, and whether an address is allowed."""

from __future__ import annotations

import re
from functools import cached_property

from protego import Protego

#: RFC 9309 2.5: at least 500 KiB are read; the rest is ignored.
MAX_BYTES = 500 * 1024
#: RFC 9309 2.4: not longer than a day.
FRESH_MS = 24 * 3_600_000
#: How soon a robots.txt that could not be read is fetched again.
RETRY_MS = 10 * 60_000

_TOO_MANY = 429
_CLIENT_ERRORS = range(400, 500)
_SUCCESS = range(200, 300)
_PRODUCT = re.compile(r"[A-Za-z0-9_-]+")
#: The colon may be missing. For stripped lines. Possessive: backtracking over a line of blanks would take minutes.
_LINE = re.compile(r"(user-?agent|allow|disallow|crawl-delay|sitemap)\s*+(?::\s*+|(?<=\s))(.*)", re.IGNORECASE)


class Robots:
    """The rules of one robots.txt."""

    def __init__(self, text: str, agent: str) -> None:
        plain = _plain(text)
        self._rules = Protego.parse(plain)
        self._open = "disallow" not in plain
        self._agent = product(agent)

    def allows(self, url: str) -> bool:
        """Whether our agent may fetch this address; robots.txt itself is always allowed."""
        return self._open or bool(self._rules.can_fetch(url, self._agent))

    @cached_property
    def delay_ms(self) -> int:
        """The Crawl-delay for our agent, 0 when there is none."""
        delay = self._rules.crawl_delay(self._agent)
        return round(delay * 1000) if delay and delay > 0 else 0

    @cached_property
    def sitemaps(self) -> tuple[str, ...]:
        return tuple(self._rules.sitemaps)


def _plain(text: str) -> str:
    """Only known lines, so that others cannot end a group, with agents cut to their product name.

    Protego treats an unknown line as the end of the list of agents, and "Foo Bar" as a name.
    """
    lines = []
    for line in text.split("\n"):
        match = _LINE.fullmatch(line.partition("#")[0].strip())
        if match is None:
            continue
        name, value = match[1].lower(), match[2]
        if name.startswith("user"):
            name, value = "user-agent", re.split(r"[\s/]", value, maxsplit=1)[0]
        lines.append(f"{name}: {value}")
    return "\n".join(lines)


def product(agent: str) -> str:
    """The product token that robots.txt matches.

    >>> product("veille/0.1 (+https://example.org)")
    'veille'
    """
    match = _PRODUCT.match(agent)
    return match[0] if match else "*"


def text_of(body: bytes) -> str:
    """Decode the rules: byte order mark dropped, cut at the size limit at a line end, invalid bytes replaced."""
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r"), 0)]
    # A byte order mark would hide the first group from the parser; NULs would end up inside rules.
    text = body.decode("utf-8-sig", errors="replace").replace("\0", "")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def meaning(status: int, body: bytes) -> str | None:
    """The rules for an answer: empty for 4xx ("unavailable", all allowed), None for "unreachable" (all forbidden)."""
    if status in _SUCCESS:
        return text_of(body)
    if status in _CLIENT_ERRORS and status != _TOO_MANY:
        return ""
    return None
