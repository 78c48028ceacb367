"""Questions that people ask: those of Debian's FAQ, in eight languages; the answer is the section below each.

Debian has them as `debian-faq`, `debian-faq-de` and so on. No section has its question in its text; it is titled as its
chapter. No weight was chosen on these.
"""

from __future__ import annotations

import re
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from retrieval.manual import own_text
from retrieval.sets import QuestionSet

FOLDER = Path("usr/share/doc/debian/FAQ")
PAIRS = ("en", "de", "fr", "it", "nl", "ru", "ja", "zh-cn", "de>en", "fr>en", "it>de")
_NUMBER = re.compile(r"^(?:\S*\s)?[\d.]+\s*")
_NO_ANSWERS = ("index", "faqinfo")
_SHORTEST = 100


def sections(folder: Path, lang: str) -> dict[str, tuple[str, str, str]]:
    """Question, chapter and answer of each section by its id, which is the same in all languages."""
    found: dict[str, tuple[str, str, str]] = {}
    for file in sorted((folder if lang == "en" else folder / lang).glob(f"*.{lang}.html")):
        page = LexborHTMLParser(file.read_bytes())
        chapter = page.css_first("h1.title")
        title = _NUMBER.sub("", " ".join(chapter.text().split())) if chapter else ""
        for node in page.css("div.section") if not file.name.startswith(_NO_ANSWERS) else ():
            anchor, heading = node.css_first("a[id]"), node.css_first("h2.title, h3.title, h4.title")
            text = own_text(node)
            if anchor is not None and heading is not None and len(text) > _SHORTEST:
                question = _NUMBER.sub("", " ".join(heading.text().split()))
                found.setdefault(anchor.attributes.get("id") or "", (question, title, text))
    return found


def made(folder: Path, pair: str) -> QuestionSet:
    """The questions in one language over the answers in the same, or another."""
    asked_in, _, written_in = pair.partition(">")
    answers, asked = sections(folder, written_in or asked_in), sections(folder, asked_in)
    keys = [key for key in asked if key in answers]
    return QuestionSet(
        documents=[(key, title, text, (written_in or asked_in)[:2]) for key, (_, title, text) in answers.items()],
        questions={key: asked[key][0] for key in keys},
        answers={key: {key: 1} for key in keys},
    )
