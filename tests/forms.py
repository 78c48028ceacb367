"""Our pages without a browser: what is shown, and what becomes of a form."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from selectolax.lexbor import LexborHTMLParser, LexborNode

from service import Answer, Client

ADA = "ada@example.org"
READING = {"Accept": "text/html"}
FORM = {"Accept": "text/html", "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}


def seen(client: Client, path: str, status: int = 200) -> LexborHTMLParser:
    """A page."""
    answer = client.ask("GET", path, headers=READING)
    assert answer.status == status, answer.body
    return LexborHTMLParser(answer.body)


def one(page: LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    """The first that is like that; there must be one."""
    found = page.css_first(selector)
    assert found is not None, selector
    return found


def send(client: Client, path: str, **fields: Any) -> Answer:
    """A form."""
    return client.ask("POST", path, urlencode(fields, doseq=True).encode(), FORM)


def told(client: Client, answer: Answer) -> str:
    """Where a form led, and what was said there."""
    assert answer.status == 303, answer.body
    said = answer.headers.get("set-cookie", "")
    again = Client(client.url, {"Cookie": f"{client.headers['Cookie']}; {said.partition(';')[0]}"})
    return one(seen(again, answer.headers["location"]), "p.notice[role=status]").text()


def buttons(page: LexborHTMLParser) -> set[str]:
    return {button.text(strip=True) for button in page.css("main button")}


def filled(page: LexborHTMLParser) -> dict[str, Any]:
    """What a browser would send if the form of the page were left as it is."""
    fields: dict[str, Any] = {}
    for field in page.css("main form.form input, main form.form textarea, main form.form select"):
        name = field.attributes.get("name") or ""
        if field.attributes.get("type") in {"checkbox", "radio"}:
            if "checked" in field.attributes:
                fields.setdefault(name, []).append(field.attributes.get("value"))
        elif field.tag == "select":
            chosen = one(field, "option[selected]" if field.css("option[selected]") else "option")
            fields[name] = chosen.attributes.get("value", chosen.text())
        else:
            fields[name] = field.text() if field.tag == "textarea" else field.attributes.get("value") or ""
    return fields


_BOUNDARY = "a-boundary-that-is-in-no-file"


@dataclass(frozen=True)
class Person:
    """Somebody who is logged in, with a browser without scripts."""

    client: Client

    def see(self, path: str) -> str:
        """The page, with its entities undone."""
        answer = self.client.ask("GET", path, None, READING)
        assert answer.status == 200, (answer.status, answer.headers, answer.body[:300])
        return html.unescape(answer.body.decode())

    def send(self, path: str, **fields: Any) -> Answer:
        """A form; a field may have several values."""
        return send(self.client, path, **fields)

    def send_file(self, path: str, field: str, data: bytes) -> Answer:
        head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="list"\r\n\r\n'
        body = head.encode() + data + f"\r\n--{_BOUNDARY}--\r\n".encode()
        return self.client.ask(
            "POST", path, body, FORM | {"Content-Type": f"multipart/form-data; boundary={_BOUNDARY}"}
        )

    def led(self, answer: Answer) -> str:
        """Where a form led to."""
        assert answer.status == 303, (answer.status, re.findall(rb'role="alert"[^>]*>([^<]*)', answer.body))
        return answer.headers["location"]


def alert(answer: Answer) -> str:
    """What a form that was shown again says is wrong."""
    assert answer.status == 400, answer.status
    (found,) = re.findall(r'role="alert"[^>]*>([^<]*)', answer.body.decode())
    return html.unescape(found)
