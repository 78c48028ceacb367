"""Questions that people ask: those of Debian's FAQ, in eight languages; the answer is the section below each.

`python tests/retrieval/faq.py de 'de>en'`: German questions over German answers, and over English ones. Debian has them
as `debian-faq`, `debian-faq-de` and so on. No section has its question in its text; it is titled as its chapter. No
weight was chosen on these.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

sys.path.insert(0, str(Path(__file__).parents[1]))

from retrieval.manual import MODES, own_text
from retrieval.sets import QuestionSet, ndcg
from veille.search import rank

WANTED = ("en", "de", "fr", "it", "nl", "ru", "ja", "zh-cn", "de>en", "fr>en", "it>de")
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", nargs="*", default=WANTED)
    parser.add_argument("--folder", type=Path, default=Path("/usr/share/doc/debian/FAQ"))
    given = parser.parse_args()
    print(f"{'':8} questions  {'  '.join(f'{mode:>7}' for mode in MODES)}")
    for pair in given.pairs:
        one = made(given.folder, pair)
        figures = [ndcg(rank(one.documents, one.questions, mode), one.answers) for mode in MODES]
        print(f"{pair:8} {len(one.questions):9}  {'  '.join(f'{figure:7.3f}' for figure in figures)}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
