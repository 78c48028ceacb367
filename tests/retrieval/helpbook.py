"""Pages of a real help system, asked for by the entries of its index: how-tos of LibreOffice, in many languages.

`python tests/retrieval/helpbook.py de 'de>en-US'`: German entries over German pages, and over English ones. An entry is
what its authors thought somebody may look for ("pictures: by drag and drop"), often in other words than the page has.
Debian has the pages as `libreoffice-help-de` and so on. Half of the pages are for choosing weights (`--tune`); figures
are of questions about the other half.
"""

from __future__ import annotations

import argparse
import html
import re
import sys
from collections import defaultdict
from pathlib import Path
from zlib import crc32

from selectolax.lexbor import LexborHTMLParser

sys.path.insert(0, str(Path(__file__).parents[1]))

from retrieval.manual import MODES
from retrieval.sets import QuestionSet, ndcg
from veille.search import rank

WANTED = ("en-US", "de", "es", "fr", "ru", "zh-CN", "ja", "el", "vi", "de>en-US", "es>en-US", "ru>en-US")
_ENTRY = re.compile(r'\{url:"[^/]+/text/(\w+/guide/\w+)\.html[^"]*", app:"\w+", text:"(.*?)"\}')
_SHORTEST = 200
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


def made(folder: Path, pair: str, half: int) -> QuestionSet:
    """Pages, and entries with a colon that are translated."""
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", nargs="*", default=WANTED)
    parser.add_argument(
        "--folder", type=Path, default=Path("/usr/share/libreoffice/help"), help="with a folder a language"
    )
    parser.add_argument("--tune", action="store_true", help="the half of the questions that weights are chosen on")
    given = parser.parse_args()
    print(f"{'':10} questions  {'  '.join(f'{mode:>7}' for mode in MODES)}")
    for pair in given.pairs:
        one = made(given.folder, pair, half=0 if given.tune else 1)
        figures = [ndcg(rank(one.documents, one.questions, mode=mode), one.answers) for mode in MODES]
        print(f"{pair:10} {len(one.questions):9}  {'  '.join(f'{figure:7.3f}' for figure in figures)}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
