"""Titles, dates, authors and topics of real news pages, as the tables of docs/evaluation.md.

python bench/metadata.py [--peers] [--wrong]

The pages and the answers are test data of fundus, whose parsers are written by hand for each newspaper. Texts are
compared by their words, in lower case. A title is right if it has the same words, authors if they are the same set of
names, a date if it is the same day in the time zone of the answer. Topics count one by one, over all pages.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from veille.core.extract import extract_page

PAGES = Path(__file__).parents[2] / "shared" / "data" / "extraction" / "news-fundus.jsonl.xz"
WORD = re.compile(r"\w+")
NOTHING = "-"


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a reader says about a page. A date is a moment, or a day in whatever time zone the page has."""

    title: str = ""
    date: datetime | str | None = None
    authors: Iterable[str] = ()
    topics: Iterable[str] = ()


@dataclass
class Score:
    """How many pages of how many were right, and topics found, wanted and found that were wanted."""

    right: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    found: int = 0
    wanted: int = 0
    common: int = 0

    @property
    def topics(self) -> tuple[float, float, float]:
        """Precision, recall and F1."""
        precision = self.common / self.found if self.found else 0.0
        recall = self.common / self.wanted if self.wanted else 0.0
        return precision, recall, 2 * self.common / (self.found + self.wanted) if self.found + self.wanted else 0.0


Reader = Callable[[str, str], Facts]


def pages() -> list[dict[str, Any]]:
    with lzma.open(PAGES, "rt", encoding="utf8") as lines:
        return [json.loads(line) for line in lines]


def words(text: str | None) -> str:
    return " ".join(WORD.findall((text or "").lower()))


def several(texts: Iterable[str] | None) -> set[str]:
    return {words(text) for text in texts or ()} - {""}


def is_day(found: datetime | str | None, wanted: str) -> bool:
    """Whether this is the same day; a moment is first moved to the zone of the answer."""
    moment = datetime.fromisoformat(wanted)
    if isinstance(found, datetime):
        found = found.astimezone(moment.tzinfo or UTC).date().isoformat()
    return found == moment.date().isoformat()


def judged(page: dict[str, Any], found: Facts) -> dict[str, bool]:
    """What is right, of what the page has an answer for."""
    answers = {
        "title": words(found.title) == words(page.get("title")),
        "publishing_date": "publishing_date" in page and is_day(found.date, page["publishing_date"]),
        "authors": several(found.authors) == several(page.get("authors")),
        "topics": several(found.topics) == several(page.get("topics")),
    }
    return {name: right for name, right in answers.items() if page.get(name)}


def scored(some: Iterable[dict[str, Any]], read: Reader, *, wrong: bool = False) -> Score:
    score = Score()
    for page in some:
        found = read(page["html"], page["url"])
        for name, right in judged(page, found).items():
            score.right[name] += right
            score.of[name] += 1
            if wrong and not right:
                said = found.date if name == "publishing_date" else getattr(found, name)
                print(f"{page['id']}, {name}:\n  wanted {page[name]}\n  found  {said}")
        if page.get("topics"):
            wanted, topics = several(page["topics"]), several(found.topics)
            score.found, score.wanted = score.found + len(topics), score.wanted + len(wanted)
            score.common += len(topics & wanted)
    return score


def ours(html: str, url: str) -> Facts:
    about = extract_page(html, url).metadata
    at = None if about.published_at is None else datetime.fromtimestamp(about.published_at / 1000, UTC)
    return Facts(title=about.title, date=at, authors=about.authors, topics=about.tags)


def trafilatura(html: str, url: str) -> Facts:
    from trafilatura import bare_extraction

    document = bare_extraction(html, url=url, with_metadata=True)
    about = document.as_dict() if document is not None else {}
    return Facts(
        title=about.get("title") or "",
        date=about.get("date"),
        authors=(about.get("author") or "").split("; "),
        topics=about.get("tags") or (),
    )


def htmldate(html: str, url: str) -> Facts:
    from htmldate import find_date

    return Facts(date=find_date(html, url=url, original_date=True))


def row(name: str, score: Score, *, date_only: bool = False) -> str:
    counts = [f"{score.right[key]} of {score.of[key]}" for key in ("title", "publishing_date", "authors")]
    topics = [f"{value:.3f}" for value in score.topics]
    cells = [NOTHING, counts[1], *[NOTHING] * 4] if date_only else [*counts, *topics]
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__)
    cli.add_argument("--peers", action="store_true", help="trafilatura and htmldate, too")
    cli.add_argument("--wrong", action="store_true", help="print what is wrong")
    asked = cli.parse_args()
    some = pages()
    rows = [row("veille", scored(some, ours, wrong=asked.wrong))]
    if asked.peers:
        rows.append(row("trafilatura", scored(some, trafilatura)))
        rows.append(row("htmldate", scored(some, htmldate), date_only=True))
    print("| | title | date | all authors | topics: precision | recall | F1 |\n|---|---|---|---|---|---|---|")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
