"""Pages as text: what can be read on them, and forms that are shown again with the problem."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from selectolax.lexbor import LexborHTMLParser, LexborNode

from forms import one, seen, send
from service import Answer, Client

_ALERT = ".notice.bad[role=alert]"


def shown(client: Client, path: str, status: int = 200, **query: Any) -> LexborNode:
    """The page."""
    return one(seen(client, path + (f"?{urlencode(query)}" if query else ""), status), "html")


def sent(client: Client, path: str, status: int = 303, **fields: Any) -> Answer:
    """What comes of a form."""
    answer = send(client, path, **fields)
    assert answer.status == status, (answer.status, answer.body[:500])
    return answer


def refused(client: Client, path: str, **fields: Any) -> LexborNode:
    """The page that is shown again, with the problem on it."""
    page = one(LexborHTMLParser(sent(client, path, 400, **fields).body), "html")
    assert page.css(_ALERT), words(page)
    return page


def words(page: LexborNode) -> str:
    """All that can be read on it."""
    return re.sub(r"\s+", " ", page.text()).strip()


def alert(page: LexborNode) -> str:
    """The problem."""
    return words(one(page, _ALERT))


def attribute(node: LexborNode, name: str) -> str:
    value = node.attributes[name]
    assert value is not None
    return value
