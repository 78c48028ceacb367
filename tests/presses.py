"""Papers on loopback, and `veille news` on them as a user types it, into either kind of workbook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import openpyxl

from command import run_here
from newsroom import article
from sheets_server import SheetsServer, key_file
from veille.interfaces.cli import main as start_veille
from world import Page, Site

#: One in so many has moved, is a copy, or is gone.
ODD = 50
MOVED, COPY, GONE = 1, 2, 3


def print_paper(site: Site, name: str, count: int, *, length: int = 0, odd: bool = False) -> str:
    """A feed with so many articles, of about so many characters more than the shortest; its address."""
    at, items = format_datetime(datetime.fromtimestamp(time.time(), UTC)), []
    for number in range(count):
        kind = number % ODD if odd else 0
        # A copy two lines further on.
        path, title = f"/{name}/{number}", f"{name} number {number - 2 if kind == COPY else number}"
        filler = "".join(
            f"\nParagraph {line} of {title}: " + "the council heard more of it. " * 12 for line in range(length // 400)
        )
        items.append(f"<item><link>{site.url}{path}</link><title>{title}</title><pubDate>{at}</pubDate></item>")
        if kind == MOVED:
            site[path] = Page(b"", status=301, headers={"Location": f"{path}-moved"}, validates=False)
            site[f"{path}-moved"] = article(title, extra=filler)
        elif kind != GONE:
            site[path] = article(title, extra=filler)
    body = f"<rss version='2.0'><channel><language>en-us</language>{''.join(items)}</channel></rss>"
    site[f"/{name}.xml"] = Page(body.encode(), type="application/rss+xml")
    return f"{site.url}/{name}.xml"


class Desk:
    """`desk("poll")` types `veille news poll`; the workbook is a file, or in Google Sheets when a server is given.

    It runs in this process, which saves a second each time; `process` starts one of its own, `start` does not wait.
    """

    def __init__(self, folder: Path, google: SheetsServer | None = None, **settings: str) -> None:
        self.folder = folder
        self.google = google
        folder.mkdir(parents=True, exist_ok=True)
        self.settings = settings
        if google is not None:
            google.books[folder.name] = {"Sheet1": []}
            self.settings = {
                "GOOGLE_SERVICE_ACCOUNT_JSON": str(key_file(folder, f"{google.url}/token")),
                "SPREADSHEET_ID": folder.name,
                "VEILLE_NEWS__GOOGLE_API_URL": google.url,
                **settings,
            }

    def __call__(self, *words: str, status: int = 0, **more: str) -> Any:
        code, out, err = run_here(start_veille, ["veille", "--json", "news", *words], self._environment(more))
        assert code == status, (words, out, err)
        return json.loads(out or err)

    def process(self, *words: str, status: int = 0, **more: str) -> Any:
        process = self.start(*words, **more)
        out, err = process.communicate()
        assert "Traceback" not in err, err
        assert process.returncode == status, (words, out, err)
        return json.loads(out or err)

    def start(self, *words: str, **more: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "veille", "--json", "news", *words]
        return subprocess.Popen(
            command, env=self._environment(more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "VEILLE_DATA": str(self.folder / "data"),
            "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
            "VEILLE_FETCH__HOST_DELAY_MS": "0",
            "VEILLE_LEASE_S": "3",
            "SPREADSHEET_TITLE": "My News",
            "FULLTEXT_DIR": str(self.folder / "texts"),
            **self.settings,
            **more,
        }

    def discover(self, *feeds: str) -> Any:
        return self("discovery", *(part for feed in feeds for part in ("--feed", feed)))

    def rows(self, sheet: str = "Raw") -> list[dict[str, Any]]:
        """What people see; an empty cell is an empty text."""
        if self.google is not None:
            return self.google.rows(sheet, self.folder.name)
        book = openpyxl.load_workbook(self.folder / "data" / "My News.xlsx", read_only=True)
        head, *rows = book[sheet].iter_rows(values_only=True)
        book.close()
        return [dict(zip(map(str, head), ("" if cell is None else cell for cell in row), strict=True)) for row in rows]
