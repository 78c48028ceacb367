"""Pages of a real help system, asked for by the entries of its index: how-tos of LibreOffice, in many languages.

An entry is what its authors thought somebody may look for ("pictures: by drag and drop"), often in other words than the
page has. Debian has the pages as `libreoffice-help-de` and so on. Half of the pages are for choosing weights; figures
are of questions about the other half.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from pathlib import Path
from zlib import crc32

from selectolax.lexbor import LexborHTMLParser

from retrieval.sets import QuestionSet

FOLDER = Path("usr/share/libreoffice/help")
PAIRS = ("en-US", "de", "es", "fr", "ru", "zh-CN", "ja", "el", "vi", "de>en-US", "es>en-US", "ru>en-US")
_ENTRY = re.compile(r'\{url:"[^/]+/text/(\w+/guide/\w+)\.html[^"]*", app:"\w+", text:"(.*?)"\}')
_SHORTEST = 200
#: Which half of the pages is asked about.
TUNING, FIGURES = 0, 1
#: So many questions are enough, of some 2,500.
_MOST = 400


def pages(folder: Path, lang: str) -> dict[str, tuple[str, str]]:
    """Title and text of each how-to by its path, which is the same in all languages."""
    found: dict[str, tuple[str, str]] = {}
    for file in sorted((folder / lang / "text").glob("*/guide/*.html")):
        page = LexborHTMLParser(file.read_bytes())
        main = page.css_first("#DisplayArea") or page.body
        title = page.css_first("title")
        text = " ".join(main.text(separator=" ").split()) if main else ""
        if title is not None and len(text) > _SHORTEST:
            name, heading = str(file.relative_to(folder / lang / "text").with_suffix("")), title.text().strip()
            found[name] = (heading, text.removeprefix(heading).strip())
    return found


def entries(folder: Path, lang: str) -> dict[str, set[str]]:
    """The pages of each entry of the index; an entry with a colon is a word and what about it."""
    found: dict[str, set[str]] = defaultdict(set)
    for page, entry in _ENTRY.findall((folder / lang / "bookmarks.js").read_text()):
        found[" ".join(html.unescape(entry).replace(" -- ", ": ").split())].add(page)
    return found


def made(folder: Path, pair: str, half: int = FIGURES) -> QuestionSet:
    """Pages, and entries with a colon that are translated, about one half of the pages."""
    asked_in, _, written_in = pair.partition(">")
    texts = pages(folder, written_in or asked_in)
    other = entries(folder, "en-US" if asked_in != "en-US" else "de")
    asked = {
        entry: found & texts.keys()
        for entry, found in entries(folder, asked_in).items()
        if entry not in other and ":" in entry and found & texts.keys() and crc32(min(found).encode()) % 2 == half
    }
    chosen = sorted(asked, key=lambda entry: crc32(entry.encode()))[:_MOST]
    return QuestionSet(
        documents=[(name, title, text, (written_in or asked_in)[:2]) for name, (title, text) in texts.items()],
        questions={entry: entry for entry in chosen},
        answers={entry: dict.fromkeys(asked[entry], 1) for entry in chosen},
    )
