"""Sections of a real manual, asked for by their headings: Debian's installation guide, which has many languages.

`python tests/retrieval/manual.py de 'de>en'`: German headings over German sections, and over English ones. The guide is
in Debian's package `installation-guide-amd64`. A heading is in no section, so that words alone are not enough.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from selectolax.lexbor import LexborHTMLParser, LexborNode

from veille.search import rank

GUIDE = Path("/usr/share/doc/installation-guide-amd64")
WANTED = ("en", "de", "es", "fr", "ru", "zh_CN", "ja", "ko", "el", "vi", "de>en", "es>en", "ru>en")
MODES: tuple[Literal["words", "meaning", "both"], ...] = ("words", "meaning", "both")
_NUMBER = re.compile(r"^[\d.]+\s*")
_SHORTEST = 200


def sections(lang: str) -> dict[str, tuple[str, str]]:
    """Heading and text of each section by its id, which is the same in all languages."""
    found: dict[str, tuple[str, str]] = {}
    for file in sorted((GUIDE / lang).glob("*.html")):
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


def ndcg(ranked: Mapping[str, Sequence[str]]) -> float:
    """nDCG at 10, where each question has one answer: the section with its own id."""
    places = [list(found[:10]).index(key) if key in found[:10] else None for key, found in ranked.items()]
    return sum(1 / math.log2(place + 2) for place in places if place is not None) / len(places)


def measured(pair: str) -> tuple[int, list[float]]:
    """How many questions there are, and the figure of each mode."""
    asked_in, _, written_in = pair.partition(">")
    texts, headings = sections(written_in or asked_in), sections(asked_in)
    documents = [(key, "", text, (written_in or asked_in)[:2]) for key, (_, text) in texts.items()]
    is_same = {key for key in texts if written_in and headings.get(key, ("",))[0] == texts[key][0]}
    questions = {key: heading for key, (heading, _) in headings.items() if key in texts and key not in is_same}
    return len(questions), [ndcg(rank(documents, questions, mode=mode)) for mode in MODES]


def main(pairs: Sequence[str]) -> int:
    if not GUIDE.exists():
        print("Install Debian's package installation-guide-amd64 first.", file=sys.stderr)
        return 2
    print(f"{'':8} questions  {'  '.join(f'{mode:>7}' for mode in MODES)}")
    for pair in pairs or WANTED:
        count, figures = measured(pair)
        print(f"{pair:8} {count:9}  {'  '.join(f'{figure:7.3f}' for figure in figures)}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
