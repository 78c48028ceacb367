"""Prove that parts are found again: `python tests/picks/run.py --pairs 60 --seed 1`."""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import lxml.html
from selectolax.lexbor import LexborHTMLParser

from picks.sample_pages import PAGES, Words
from picks.template_changes import CHANGES, NAMES, TEXTS, TRUTH, remove_part, target_in
from veille.core.pick.finding import find_part, is_vague, part_of
from veille.core.pick.flat import FlatPage

_SAME_LENGTH = 400
_TRANSLATED = 0.05


@dataclass(frozen=True, slots=True)
class Pair:
    """A page before and after, the changes, and the picked element in both; None where it is gone."""

    name: str
    changes: tuple[str, ...]
    before: str
    after: str
    picked: int
    truth: int | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one pair: found, lost, wrong, or rightly lost."""

    pair: Pair
    outcome: str
    why: str


def _flat(html: str) -> FlatPage:
    return FlatPage(LexborHTMLParser(html))


def _marked(html: str) -> tuple[str, int | None]:
    """The page without the mark of truth, and the number of the element that had it."""
    page = _flat(html)
    found = next((n for n, had in enumerate(page.attributes) if TRUTH in had), None)
    return html.replace(f' {TRUTH}="1"', ""), found


def _pickable(tree: Any) -> list[Any]:
    texts = [(one, " ".join(one.text_content().split())) for one in tree.body.iter() if isinstance(one.tag, str)]
    return [
        one
        for one, text in texts
        if 1 < len(text) <= _SAME_LENGTH and one.tag not in {"script", "style", "tr", "ul", "ol", "body"}
    ]


def pair_of(name: str, html: str, chance: random.Random) -> Pair | None:
    """A pair made from a page: an element picked at random, and one to four changes."""
    tree = lxml.html.document_fromstring(html)
    choices = _pickable(tree)
    if not choices:
        return None
    chance.choice(choices).set(TRUTH, "1")
    before = lxml.html.tostring(tree, encoding="unicode")
    chosen = chance.sample(CHANGES, chance.randint(1, 4))
    # A page in another language that has all its names renamed is another page; few are translated at all.
    if any(one in TEXTS for one in chosen):
        is_translated = chance.random() < _TRANSLATED
        chosen = [one for one in chosen if one not in (NAMES if is_translated else TEXTS)]
    if chance.random() < 0.2:
        chosen.append(remove_part)
    for change in chosen:
        change(tree, chance)
    after = lxml.html.tostring(tree, encoding="unicode")
    if target_in(tree) is not None and not target_in(tree).text_content().strip():
        return None
    (old, picked), (new, truth) = _marked(before), _marked(after)
    if picked is None:
        return None
    return Pair(name, tuple(one.__name__ for one in chosen), old, new, picked, truth)


def pairs(count: int, seed: int, pages: list[tuple[str, str]] | None = None) -> Iterator[Pair]:
    """As many pairs as asked for; of generated pages, or of these."""
    chance = random.Random(seed)
    made = 0
    while made < count:
        if pages:
            name, html = chance.choice(pages)
        else:
            template = chance.choice(PAGES)
            name, html = template.__name__, template(Words(chance))
        pair = pair_of(name, html, chance)
        if pair is not None:
            made += 1
            yield pair


def judge(pair: Pair) -> Verdict:
    """Find the part of a pair again, and compare with the truth."""
    old = _flat(pair.before)
    part = part_of(old, pair.picked)
    if is_vague(part) or find_part(old, part).n is None:
        # As when it is picked: its user is told to point at a larger part.
        return Verdict(pair, "refused", "")
    page = _flat(pair.after)
    found = find_part(page, part)
    if found.n is None:
        return Verdict(pair, "rightly lost" if pair.truth is None else "lost", found.why)
    if pair.truth is None:
        return Verdict(pair, "wrong", f"took {page.text(found.n, 80)!r} for {part.text[:80]!r}, which is gone")
    if (page.first[found.n], page.last[found.n]) == (page.first[pair.truth], page.last[pair.truth]):
        return Verdict(pair, "found", "")
    return Verdict(pair, "wrong", f"took {page.text(found.n, 80)!r}, not {page.text(pair.truth, 80)!r}")


def real_pages(folder: Path, most: int = 60) -> list[tuple[str, str]]:
    """Web pages that are installed on this machine."""
    files = sorted(one for one in folder.rglob("*.htm*") if one.is_file() and 2000 < one.stat().st_size < 200_000)
    step = max(1, len(files) // most)
    return [(one.name, _readable(one.read_text("utf-8", "replace"))) for one in files[::step]][:most]


def _readable(html: str) -> str:
    """Without what lxml takes for a declaration."""
    return re.sub(r"^\s*<\?xml[^>]*>", "", html.replace("\0", ""))


def main() -> int:
    """Print the figures of each seed; 1 if a seed is not good enough."""
    options = argparse.ArgumentParser()
    options.add_argument("--pairs", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--seeds", type=int, default=1, help="how many seeds, beginning with --seed")
    options.add_argument("--pages", type=Path, help="a folder of web pages to change, instead of made ones")
    options.add_argument("--most", type=int, default=60, help="how many of its pages")
    options.add_argument("--verbose", action="store_true")
    given = options.parse_args()
    pages = real_pages(given.pages, given.most) if given.pages else None
    failed = 0
    for seed in range(given.seed, given.seed + given.seeds):
        verdicts = [judge(pair) for pair in pairs(given.pairs, seed, pages)]
        count = Counter(one.outcome for one in verdicts)
        there = sum(one.pair.truth is not None and one.outcome != "refused" for one in verdicts)
        share = count["found"] / there if there else 1.0
        failed += count["wrong"] > 0 or share < 0.95
        lost, refused, wrong = count["rightly lost"], count["refused"], count["wrong"]
        print(f"seed {seed}: {share:.1%} of {there} found, {lost} rightly lost, {refused} refused, {wrong} wrong")
        if given.verbose:
            for one in verdicts:
                if one.outcome in {"lost", "wrong"}:
                    print(f"  {one.outcome} {one.pair.name} {one.pair.changes}: {one.why}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
