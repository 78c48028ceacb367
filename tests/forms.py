"""A person with a browser without scripts: gets pages, sends forms, follows where they lead."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from service import Answer, Client

_BROWSER = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
_BOUNDARY = "a-boundary-that-is-in-no-file"


@dataclass(frozen=True)
class Person:
    """Somebody who is logged in."""

    client: Client

    def see(self, path: str, status: int = 200) -> str:
        """The page, with its entities undone."""
        answer = self.client.ask("GET", path, None, _BROWSER)
        assert answer.status == status, (answer.status, answer.headers, answer.body[:300])
        return html.unescape(answer.body.decode())

    def send(self, path: str, **fields: Any) -> Answer:
        """A form; a field may have several values."""
        body = urlencode(fields, doseq=True).encode()
        return self.client.ask("POST", path, body, {**_BROWSER, "Content-Type": "application/x-www-form-urlencoded"})

    def send_file(self, path: str, field: str, data: bytes) -> Answer:
        head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="list"\r\n\r\n'
        body = head.encode() + data + f"\r\n--{_BOUNDARY}--\r\n".encode()
        headers = {**_BROWSER, "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}"}
        return self.client.ask("POST", path, body, headers)

    def led(self, answer: Answer) -> str:
        """Where a form led to."""
        assert answer.status == 303, (answer.status, re.findall(rb'role="alert"[^>]*>([^<]*)', answer.body))
        return answer.headers["location"]


def alert(answer: Answer) -> str:
    """What a form that was shown again says is wrong."""
    assert answer.status == 400, answer.status
    (found,) = re.findall(r'role="alert"[^>]*>([^<]*)', answer.body.decode())
    return html.unescape(found)
