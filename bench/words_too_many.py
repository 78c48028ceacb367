"""Where the words are that an extraction has too many: before, within or after the text that people chose.

    python bench/words_too_many.py FOLDER/news-fundus.jsonl.xz [--peer]

A line counts as too many if less than half of it is found in the reference, by runs of four words. `train_blocks.py`
prints the same for sites that the models have not seen. Then the same words by what they are, as the names of the
elements around them say; with --peer as trafilatura reads the pages.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

WORD = re.compile(r"\w+")
RUN = 4
#: What a line is, by tags, classes and ids of the elements around it, the nearest first.
CLASSES = {
    "comments": re.compile(r"comment|disqus"),
    "captions": re.compile(r"caption|credit|gallery|slide|copyright"),
    "author boxes": re.compile(r"author|byline|\bbio\b|dateline|pubdate|timestamp|published"),
    "tags": re.compile(r"(?:^|[\s_-])tags?(?:$|[\s_]|-?(?:list|links?|cloud|item))|keywords|topics"),
    "newsletter, offers": re.compile(
        r"newsletter|subscri|sign-?up|paywall|piano|offer|promo|donat|regist|login|\bads?\b|advert|sponsor|signature"
    ),
    "teasers, related": re.compile(
        r"related|recommend|teaser|read-?(?:more|next|also)|more-|trending|popular|card|next|latest|see-also|embed|widget"
    ),
}
#: How many elements around a line are asked.
LEVELS = 6
#: A line of which more is linked leads to another page.
LINKED = 0.7
BLOCKS = "p,li,h1,h2,h3,h4,h5,h6,figcaption,td,dd,dt,blockquote,div,span,section,a,time"


def runs(words: list[str]) -> list[tuple[str, ...]]:
    """All runs of four words; of fewer words, the one there is."""
    return [tuple(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))]


def too_many(gold: str, found: str) -> Counter[str]:
    """The number of words too many, by place, and of all words."""
    counted = Counter(all=len(WORD.findall(found)))
    for place, words in lines_too_many(gold, found):
        counted[place] += len(words)
    return counted


def lines_too_many(gold: str, found: str) -> Iterator[tuple[str, list[str]]]:
    """The place and the words of every line too many."""
    wanted = set(runs(WORD.findall(gold.lower())))
    lines = [words for line in found.split("\n") if (words := WORD.findall(line.lower()))]
    good = [sum(run in wanted for run in runs(words)) * 2 >= len(runs(words)) for words in lines]
    places = [number for number, is_good in enumerate(good) if is_good]
    first, last = (places[0], places[-1]) if places else (len(lines), len(lines))
    for number, words in enumerate(lines):
        if not good[number]:
            yield "before" if number < first else "after" if number > last else "within", words


def names_of(html: str) -> dict[str, tuple[list[str], float]]:
    """The tags and names around each text of a page, and how much of it is linked, by the words of the text."""
    found: dict[str, tuple[list[str], float]] = {}
    for node in LexborHTMLParser(html).css(BLOCKS):
        text = node.text(separator=" ")
        words = WORD.findall(text.lower())
        if 0 < len(words) < 500:
            linked = sum(len(WORD.findall(link.text(separator=" "))) for link in node.css("a"))
            found.setdefault("".join(words), (list(_around(node)), linked / len(words)))
    return found


def _around(node: LexborNode | None) -> Iterator[str]:
    for _ in range(LEVELS):
        if node is None:
            return
        yield f"{node.tag} {node.attributes.get('class') or ''} {node.attributes.get('id') or ''}".lower()
        node = node.parent


def kind(words: list[str], names: dict[str, tuple[list[str], float]]) -> str:
    """What a line is."""
    around, linked = names.get("".join(words), ([], 0.0))
    named = next((name for one in around for name, pattern in CLASSES.items() if pattern.search(one)), "")
    return named or ("teasers, related" if linked > LINKED else "other")


def main() -> None:
    """Print the sums over all pages of a set with references."""
    read = _peer if "--peer" in sys.argv else _ours
    total: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    with lzma.open(sys.argv[1], "rt", encoding="utf8") as pages:
        for line in pages:
            page = json.loads(line)
            found = read(page["html"], page["url"])
            total += too_many(page["gold"], found)
            names = names_of(page["html"])
            for _, words in lines_too_many(page["gold"], found):
                kinds[kind(words, names)] += len(words)
    print({name: total[name] for name in ("before", "within", "after", "all")})
    print({name: kinds[name] for name in (*CLASSES, "other")})


def _ours(html: str, url: str) -> str:
    # Not before it is needed: it loads the models, which do not fit while others are trained.
    from veille.extract import text

    return text(html, url)


def _peer(html: str, url: str) -> str:
    import trafilatura

    return trafilatura.extract(html, url=url, include_comments=False) or ""


if __name__ == "__main__":
    main()
