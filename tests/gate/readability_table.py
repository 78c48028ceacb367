"""How far the strategy `readability` agrees with Readability's own output, as the table of docs/evaluation.md.

python tests/gate/readability_table.py
"""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter
from html import unescape
from pathlib import Path
from statistics import mean

from veille.core.extract import Extracted, Options, extract_page

PAGES = Path(__file__).parents[3] / "shared" / "data" / "extraction" / "readability-pages.jsonl.xz"
TAG = re.compile(r"<[^>]+>")
PARAGRAPH = re.compile(r"<p\b[^>]*>(.*?)</p>", re.DOTALL)
WORD = re.compile(r"\w+")
FIELDS = ("title", "byline", "excerpt", "siteName")


def fold(text: str | None) -> str:
    return " ".join((text or "").split())


def plain(html: str) -> str:
    return unescape(TAG.sub(" ", html))


def f1(gold: str, found: str) -> float:
    want, got = Counter(WORD.findall(gold.lower())), Counter(WORD.findall(found.lower()))
    common = (want & got).total()
    return 2 * common / (want.total() + got.total()) if common else float(not want and not got)


def ours(found: Extracted) -> dict[str, str]:
    about = found.metadata
    paragraphs = PARAGRAPH.findall(found.content.html) if found.content else []
    first = next((text for text in map(fold, map(unescape, (TAG.sub("", p) for p in paragraphs))) if text), "")
    return {
        "title": "" if about.title == "Untitled" else about.title,
        "byline": ", ".join(about.authors),
        "excerpt": about.description or first,
        "siteName": about.site_name,
    }


def main() -> None:
    same: Counter[str] = Counter()
    only: Counter[str] = Counter()
    scores: list[float] = []
    with lzma.open(PAGES, "rt", encoding="utf8") as lines:
        for page in map(json.loads, lines):
            found = extract_page(page["html"], page["url"], Options(mode="readability"))
            for name, value in ours(found).items():
                wanted = fold(page["expected"].get(name))
                same[name] += fold(value) == wanted
                only[name] += bool(value) != bool(wanted)
            gold, text = plain(page["expected_html"]), found.content.text if found.content else ""
            scores.append(f1(gold, text))
            same["text"] += WORD.findall(gold) == WORD.findall(text)
            only["text"] += bool(text) != bool(gold.strip())
    print("| | same | different | only one has it |\n|---|---|---|---|")
    for name in (*FIELDS, "text"):
        print(f"| {name} | {same[name]} | {len(scores) - same[name] - only[name]} | {only[name]} |")
    print(
        f"\n{len(scores)} pages; F1 of the text {mean(scores):.3f}, at least .95 on {sum(s >= 0.95 for s in scores)}."
    )


if __name__ == "__main__":
    main()
