"""How far `veille.feeds.parse` agrees with feedparser, field by field: `python tests/agreement.py [--show N]`.

The reference is what `feedparser.parse` gives by default. Texts must be equal to the letter, dates to the second.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import lzma
import re
import warnings
from calendar import timegm
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import feedparser

from veille.errors import ReadError
from veille.feeds import parse

DATA = Path(__file__).parents[2] / "shared" / "data" / "feeds"
FIELDS = ("title", "link", "id", "dates", "content", "authors", "enclosures")
Values = dict[str, Any]


@dataclass
class Score:
    """Agreement over one set of feeds."""

    feeds: int = 0
    crashes: int = 0
    same: Counter[str] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    classes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    examples: list[str] = field(default_factory=list)

    def share(self, name: str) -> float:
        return self.same[name] / self.total[name] if self.total[name] else 1.0


def cases(file: str) -> Iterator[tuple[str, str, bytes]]:
    """Case, set and bytes of every feed in a data file."""
    with lzma.open(DATA / f"{file}.jsonl.xz") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["case"], row["group"], base64.b64decode(row["data"])


def measure() -> dict[str, Score]:
    """The scores of real feeds and of the well-formed and ill-formed cases of feedparser's suite."""
    scores = {"real": Score(), "well-formed": Score(), "ill-formed": Score()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for file in ("real-feeds", "feedparser-suite"):
            for case, group, data in cases(file):
                result = feedparser.parse(io.BytesIO(data))
                name = "real" if group == "real" else "ill-formed" if is_ill(case, result) else "well-formed"
                _compare(scores[name], case, _reference(result), data)
    return scores


def is_ill(case: str, result: Any) -> bool:
    return case.startswith("illformed") or bool(result["bozo"])


def _compare(score: Score, case: str, expected: list[Values], data: bytes) -> None:
    score.feeds += 1
    try:
        found = _ours(parse(data))
    except ReadError:
        found = [dict.fromkeys(FIELDS, ())]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a crash
        score.crashes += 1
        score.examples.append(f"{case}: CRASH {error!r}")
        return
    for index in range(max(len(expected), len(found))):
        want = expected[index] if index < len(expected) else None
        have = found[index] if index < len(found) else None
        for name in want or have or {}:
            score.total[name] += 1
            left, right = (have or {}).get(name), (want or {}).get(name)
            if left == right or not (left or right):
                score.same[name] += 1
            else:
                score.classes[name][disagreement(left, right)] += 1
                score.examples.append(f"{case} #{index} {name}:\n    ours {_short(left)}\n    ref  {_short(right)}")


def disagreement(left: Any, right: Any) -> str:
    """The class of a disagreement, as docs/reference/feeds.md explains them."""
    if left is None or right is None:
        return "entry missing"
    ours, theirs = str(left), str(right)
    if re.sub(r"\s+|\\[nrt]", "", ours) == re.sub(r"\s+|\\[nrt]", "", theirs):
        return "white space"
    if re.sub(r"<[^>]*>|\s+", "", ours) == re.sub(r"<[^>]*>|\s+", "", theirs):
        return "tags"
    if not any(left) if isinstance(left, tuple) else not left:
        return "not found by us"
    if not any(right) if isinstance(right, tuple) else not right:
        return "not found by feedparser"
    return "other"


def _ours(feed: Values) -> list[Values]:
    head = {"title": feed["title"], "link": feed["link"]}
    return [
        head,
        *(
            {
                "title": entry["title"],
                "link": entry["link"],
                "id": entry["id"],
                "dates": (entry["published"], entry["updated"]),
                "content": (entry["summary"], entry["content"]),
                "authors": tuple(entry["authors"]),
                "enclosures": tuple(entry["enclosures"]),
            }
            for entry in feed["entries"]
        ),
    ]


def _reference(result: Any) -> list[Values]:
    head = {"title": result.feed.get("title", ""), "link": result.feed.get("link", "")}
    return [
        head,
        *(
            {
                "title": entry.get("title", ""),
                "link": entry.get("link", ""),
                "id": entry.get("id", ""),
                "dates": (_iso(entry.get("published_parsed")), _iso(entry.get("updated_parsed"))),
                "content": (entry.get("summary") or "", (entry.get("content") or [{}])[0].get("value", "")),
                "authors": tuple(
                    filter(None, (one.get("name") or one.get("email") for one in entry.get("authors", ())))
                ),
                "enclosures": tuple(one["href"] for one in entry.get("enclosures", ()) if one.get("href")),
            }
            for entry in result.entries
        ),
    ]


def _iso(parts: Any) -> str | None:
    return datetime.fromtimestamp(timegm(parts), UTC).isoformat().replace("+00:00", "Z") if parts else None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 500 else text[:500] + "…"


def table(scores: dict[str, Score]) -> str:
    """The scores as Markdown."""
    lines = [f"| feeds | {' | '.join(FIELDS)} | crashes |", f"|---|{'---:|' * (len(FIELDS) + 1)}"]
    for name, score in scores.items():
        shares = " | ".join(f"{100 * score.share(one):.2f} %" for one in FIELDS)
        lines.append(f"| {name} ({score.feeds}) | {shares} | {score.crashes} |")
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--show", type=int, default=0, help="How many disagreements of each set to print.")
    show = options.parse_args().show
    scores = measure()
    print(table(scores))
    for name, score in scores.items():
        for one, classes in score.classes.items():
            for kind, count in classes.most_common():
                print(f"{name}: {one}: {kind}: {count} of {score.total[one]}")
        for example in score.examples[:show]:
            print(f"  {example}")


if __name__ == "__main__":
    main()
