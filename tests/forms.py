"""Pages without a browser: what is shown, and forms as a browser without scripts sends them."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from selectolax.lexbor import LexborHTMLParser, LexborNode

from service import Answer, Client

_BROWSER = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def shown(client: Client, path: str, status: int = 200, **query: Any) -> LexborNode:
    """The page."""
    answer = client.ask("GET", path, headers=_BROWSER, **query)
    assert answer.status == status, (answer.status, answer.body[:500])
    return _page(answer)


def sent(client: Client, path: str, status: int = 303, **fields: Any) -> Answer:
    """What comes of a form."""
    answer = client.ask("POST", path, urlencode(fields, doseq=True).encode(), _BROWSER | _FORM)
    assert answer.status == status, (answer.status, answer.body[:500])
    return answer


def refused(client: Client, path: str, **fields: Any) -> LexborNode:
    """The page that is shown again, with the problem on it."""
    page = _page(sent(client, path, 400, **fields))
    assert page.css(".notice.bad[role=alert]"), words(page)
    return page


def words(page: LexborNode) -> str:
    """All that can be read on it."""
    return re.sub(r"\s+", " ", page.text()).strip()


def alert(page: LexborNode) -> str:
    return words(page.css(".notice.bad[role=alert]")[0])


def attribute(node: LexborNode, name: str) -> str:
    value = node.attributes[name]
    assert value is not None
    return value


def _page(answer: Answer) -> LexborNode:
    root = LexborHTMLParser(answer.body).root
    assert root is not None
    return root
