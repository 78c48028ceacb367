"""Where the words are that an extraction has too many: before, within or after the text that people chose.

    python bench/words_too_many.py FOLDER/news-fundus.jsonl.xz

A line counts as too many if less than half of it is found in the reference, by runs of four words. `train_blocks.py`
prints the same for sites that the models have not seen.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections import Counter

WORD = re.compile(r"\w+")
RUN = 4


def runs(words: list[str]) -> list[tuple[str, ...]]:
    """All runs of four words; of fewer words, the one there is."""
    return [tuple(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))]


def too_many(gold: str, found: str) -> Counter[str]:
    """The number of words too many, by place, and of all words."""
    wanted = set(runs(WORD.findall(gold.lower())))
    lines = [words for line in found.split("\n") if (words := WORD.findall(line.lower()))]
    good = [sum(run in wanted for run in runs(words)) * 2 >= len(runs(words)) for words in lines]
    places = [number for number, is_good in enumerate(good) if is_good]
    first, last = (places[0], places[-1]) if places else (len(lines), len(lines))
    counted: Counter[str] = Counter(all=sum(map(len, lines)))
    for number, words in enumerate(lines):
        if not good[number]:
            counted["before" if number < first else "after" if number > last else "within"] += len(words)
    return counted


def main() -> None:
    """Print the sums over all pages of a set with references."""
    # Not before it is needed: it loads the models, which do not fit while others are trained.
    from veille.extract import text

    total: Counter[str] = Counter()
    with lzma.open(sys.argv[1], "rt", encoding="utf8") as pages:
        for line in pages:
            page = json.loads(line)
            total += too_many(page["gold"], text(page["html"], page["url"]))
    print({name: total[name] for name in ("before", "within", "after", "all")})


if __name__ == "__main__":
    main()
