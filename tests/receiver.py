"""The other end of a webhook: verifies every request by itself, and answers as it is told."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import deque
from typing import Any

from world import Asked, Page, Site

SECRET = "a secret of sixteen characters or more"
TAKEN = Page(b"", status=204, validates=False)
KNOWN = Page(b"", status=208, validates=False)
#: Hang up without a word.
SILENCE = None


def answer(status: int, **headers: str) -> Page:
    return Page(b"{}", status=status, type="application/json", validates=False, headers=headers)


class Receiver:
    """Keeps every change once, by its id, in the order they came."""

    def __init__(self, site: Site) -> None:
        self.url = f"{site.url}/hook"
        self.changes: dict[str, dict[str, Any]] = {}
        #: The ids of all requests that were answered well or not.
        self.asked: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        #: The dossiers that it was told to forget.
        self.forgotten: list[str] = []
        #: How the next requests are answered; then they are taken.
        self.moods: deque[Page | None] = deque()
        #: How all are answered while it is down.
        self.down: Page | None = None
        site.made["/hook"] = self._answer

    @property
    def titles(self) -> list[str]:
        return [change["title"] for change in self.changes.values()]

    def _answer(self, asked: Asked) -> Page:
        self.asked.append(asked.headers["Veille-Event-Id"])
        mood = self.moods.popleft() if self.moods else self.down or TAKEN
        if mood is SILENCE:
            raise ConnectionResetError
        if mood is not TAKEN:
            return mood
        timestamp = asked.headers["Veille-Timestamp"]
        expected = hmac.new(SECRET.encode(), timestamp.encode() + b"." + asked.body, hashlib.sha256).hexdigest()
        if asked.headers["Veille-Signature"] != f"t={timestamp},v1={expected}":
            return answer(401)
        body = json.loads(asked.body)
        self.bodies.append(body)
        if "forget" in body:
            self.forgotten.append(body["forget"]["dossier_id"])
            return TAKEN
        fresh = [change for change in body["changes"] if change["id"] not in self.changes]
        self.changes.update({change["id"]: change for change in fresh})
        return TAKEN if fresh else KNOWN
