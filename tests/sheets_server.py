"""A server on loopback that speaks as much of the Google Sheets and Drive APIs as a workbook needs."""

from __future__ import annotations

import json
import re
import time
from collections import Counter, deque
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from world import Page, Site

Cells = list[list[Any]]
_RANGE = re.compile(r"'([^']+)'!([A-Z]*)(\d*)(?::([A-Z]*)(\d*))?")


class SheetsServer(Site):
    """Spreadsheets by id; `failing` answers come first, each one once. `quota` calls a minute are answered."""

    def __init__(self, port: int = 0, *, quota: int = 0) -> None:
        super().__init__(port=port)
        self._quota = quota
        self._recent: deque[float] = deque()
        #: Calls that were one too many.
        self.refused = 0
        self.books: dict[str, dict[str, Cells]] = {}
        self.titles: dict[str, str] = {}
        #: How large the sheets are, if not 1,000 lines of 26 columns.
        self.lines: dict[str, int] = {}
        self.columns: dict[str, int] = {}
        #: Who may edit what was made.
        self.shared: list[str] = []
        self.failing: list[Page] = []
        self.calls: Counter[str] = Counter()
        #: Which of the writes is refused; 0 for none.
        self.breaks_at = 0
        self.writes = 0
        #: Characters of the largest body.
        self.largest = 0

    def rows(self, sheet: str, book: str = "book") -> list[dict[str, Any]]:
        head, *rows = self.books[book][sheet]
        return [dict(zip(head, row + [""] * len(head), strict=False)) for row in rows]

    def page(self, path: str, body: bytes, headers: Message) -> Page:
        parts = urlsplit(path)
        where = unquote(parts.path)
        if where == "/token" and where not in self.made:
            return _json({"access_token": "t", "expires_in": 3600, "token_type": "Bearer"})
        if not where.startswith(("/v4/", "/drive/")):
            return super().page(path, body, headers)
        refusal = self._refusal(headers)
        if refusal is not None:
            return refusal
        self.largest = max(self.largest, len(body))
        given = json.loads(body) if body else {}
        self.calls["all"] += 1
        if where.startswith("/drive/"):
            return self._drive(given)
        return self._sheets(where.removeprefix("/v4/spreadsheets/"), parse_qs(parts.query), given)

    def _refusal(self, headers: Message) -> Page | None:
        if self.failing:
            return self.failing.pop(0)
        if self._quota and not self._is_within_quota():
            self.refused += 1
            return _error(429)
        return None if headers.get("Authorization") == "Bearer t" else _error(401)

    def _is_within_quota(self) -> bool:
        now = time.monotonic()
        while self._recent and self._recent[0] < now - 60:
            self._recent.popleft()
        self._recent.append(now)
        return len(self._recent) <= self._quota

    def _drive(self, given: dict[str, Any]) -> Page:
        if "emailAddress" in given:
            self.shared.append(given["emailAddress"])
            return _json({"id": "1"})
        if "name" not in given:
            return _json({"files": [{"id": key, "name": name} for key, name in self.titles.items()]})
        self.books["made"], self.titles["made"] = {"Sheet1": []}, given["name"]
        return _json({"id": "made", "name": given["name"]})

    def _sheets(self, where: str, query: dict[str, list[str]], given: dict[str, Any]) -> Page:
        name, _, method = where.replace("/", ":").partition(":")
        self.calls[method or "get"] += 1
        if name not in self.books:
            return _error(404)
        book = self.books[name]
        if method == "values:batchGet":
            return _json({"valueRanges": [{"values": _read(book, text)} for text in query["ranges"]]})
        if method == "values:batchUpdate":
            self.writes += 1
            return self._write(book, given) if self.writes != self.breaks_at else failed(400)
        if method == "batchUpdate":
            for request in given["requests"]:
                self._change(book, request)
            return _json({})
        grids = [
            {"properties": {"title": title, "sheetId": number, "gridProperties": self._grid(title)}}
            for number, title in enumerate(book)
        ]
        return _json({"spreadsheetId": name, "properties": {"title": name}, "sheets": grids})

    def _size(self, title: str) -> int:
        return self.lines.get(title, 1000)

    def _grid(self, title: str) -> dict[str, int]:
        return {"rowCount": self._size(title), "columnCount": self.columns.get(title, 26)}

    def _change(self, book: dict[str, Cells], request: dict[str, Any]) -> None:
        if "addSheet" in request:
            made = request["addSheet"]["properties"]
            book[made["title"]] = []
            self.columns[made["title"]] = made["gridProperties"]["columnCount"]
        else:
            more = request["appendDimension"]
            title = list(book)[more["sheetId"]]
            sizes, before = (self.lines, 1000) if more["dimension"] == "ROWS" else (self.columns, 26)
            sizes[title] = sizes.get(title, before) + more["length"]

    def _write(self, book: dict[str, Cells], given: dict[str, Any]) -> Page:
        if given["valueInputOption"] != "RAW":
            return _error(400)
        for one in given["data"]:
            found = _RANGE.fullmatch(one["range"])
            assert found is not None
            sheet, line = book[found[1]], int(found[3])
            grid, cells = self._grid(found[1]), one["values"][0]
            longest = max(len(str(cell).encode("utf-16-le")) // 2 for cell in cells)
            if line > grid["rowCount"] or len(cells) > grid["columnCount"] or longest > 50_000:
                return _error(400)
            sheet += [[] for _ in range(line - len(sheet))]
            sheet[line - 1] = one["values"][0] + sheet[line - 1][len(one["values"][0]) :]
        return _json({})


def key_file(folder: Path, token_uri: str) -> Path:
    """The key file of a service account that the server knows."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    account = {"type": "service_account", "client_email": "veille@example.test", "token_uri": token_uri}
    path = folder / "service_account.json"
    path.write_text(json.dumps(account | {"private_key": private.decode(), "private_key_id": "1", "client_id": "1"}))
    return path


def _read(book: dict[str, Cells], text: str) -> Cells:
    found = _RANGE.fullmatch(text)
    assert found is not None, text
    rows = book[found[1]]
    if not found[2]:  # '1:1' is a whole line
        start = int(found[3])
        return _trimmed(rows[start - 1 : start])
    first, last = ord(found[2]) - 65, ord(found[4]) - 65  # 'A:B' are whole columns
    return _trimmed([row[first : last + 1] for row in rows])


def _trimmed(rows: Cells) -> Cells:
    """Google leaves out what is empty at the end of lines, and empty lines at the end."""
    kept = [row[: max((place for place, cell in enumerate(row, 1) if cell != ""), default=0)] for row in rows]
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _json(value: object) -> Page:
    return Page(json.dumps(value).encode(), type="application/json", validates=False)


def _error(status: int, **headers: str) -> Page:
    body = {"error": {"code": status, "message": "no", "status": "NO"}}
    return Page(json.dumps(body).encode(), "application/json", status, headers=headers, validates=False)


def too_many(retry_after: str = "0") -> Page:
    """What Google says when the quota is used up."""
    return _error(429, **{"Retry-After": retry_after})


def failed(status: int, message: str = "no") -> Page:
    """Another failure."""
    body = {"error": {"code": status, "message": message, "status": "NO"}}
    return Page(json.dumps(body).encode(), "application/json", status, validates=False)
