"""Sections of a real manual, asked for by their headings: Debian's installation guide, which has many languages.

The guide is in Debian's package `installation-guide-amd64`. A heading is in no section, so that words alone are not
enough; and sections have no titles.
"""

from __future__ import annotations

import re
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from retrieval.sets import QuestionSet

FOLDER = Path("usr/share/doc/installation-guide-amd64")
PAIRS = ("en", "de", "es", "fr", "ru", "zh_CN", "ja", "ko", "el", "vi", "de>en", "es>en", "ru>en")
_NUMBER = re.compile(r"^[\d.]+\s*")
_SHORTEST = 200


def sections(folder: Path, lang: str) -> dict[str, tuple[str, str]]:
    """Heading and text of each section by its id, which is the same in all languages."""
    found: dict[str, tuple[str, str]] = {}
    for file in sorted((folder / lang).glob("*.html")):
        page = LexborHTMLParser(file.read_bytes())
        for node in page.css("div.section, div.sect1, div.sect2, div.sect3"):
            anchor, heading = node.css_first("a[name], a[id]"), node.css_first("h2.title, h3.title, h4.title")
            text = own_text(node)
            if anchor is not None and heading is not None and len(text) > _SHORTEST:
                key = anchor.attributes.get("name") or anchor.attributes.get("id") or ""
                found.setdefault(key, (_NUMBER.sub("", heading.text().strip()), text))
    return found


def own_text(node: LexborNode) -> str:
    """The text of a section without its heading and the sections in it."""
    parts = [one for one in node.iter() if not re.search("titlepage|sect", one.attributes.get("class") or "")]
    return " ".join(" ".join(one.text(separator=" ") for one in parts).split())


def made(folder: Path, pair: str) -> QuestionSet:
    """Headings in one language over sections in the same, or another; without those that are not translated."""
    asked_in, _, written_in = pair.partition(">")
    texts, headings = sections(folder, written_in or asked_in), sections(folder, asked_in)
    is_same = {key for key in texts if written_in and headings.get(key, ("",))[0] == texts[key][0]}
    asked = {key: heading for key, (heading, _) in headings.items() if key in texts and key not in is_same}
    return QuestionSet(
        documents=[(key, "", text, (written_in or asked_in)[:2]) for key, (_, text) in texts.items()],
        questions=asked,
        answers={key: {key: 1} for key in asked},
    )
